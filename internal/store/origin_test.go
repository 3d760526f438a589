package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestBroughtAlong: a database that was made elsewhere answers nothing here, whatever it holds.
func TestBroughtAlong(t *testing.T) {
	t.Parallel()
	made := newPath(t)
	s := open(t, made)
	killed(t, made, "answered")
	if err := s.NoticeLeft(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Answer(t.Context(), "answered", Answer{Approved: true, Approver: "cli maria"}, nil); err != nil || !a.Kept() {
		t.Fatalf("answered: %+v, %v", a, err)
	}
	if err := s.AllowForSession(t.Context(), SessionApproval{ID: "g", Session: "s", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{{Name}, {Name, Name + ".lock"}, {Name, Name + ".lock", Name + "-wal"}} {
		path := newPath(t)
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(made), name))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		brought, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		if aside, err := os.ReadFile(path + ".elsewhere"); err != nil || !bytes.Equal(aside, brought) {
			t.Errorf("%q: %d bytes are set aside, %v; want %d", names, len(aside), err, len(brought))
		}
		if a, err := s.Take(t.Context(), same("brought")); !errors.Is(err, ErrNotKept) {
			t.Errorf("%q: it gave %+v, %v", names, a, err)
		}
		if all, err := s.List(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("%q: it holds %+v, %v", names, all, err)
		}
		if granted, err := s.IsAllowed(t.Context(), "s", "k"); err != nil || granted {
			t.Errorf("%q: allowed for the session: %t, %v", names, granted, err)
		}
	}
	for range 2 { // it goes on where it was made
		s = open(t, made)
		if all, err := s.List(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("where it was made it holds %+v, %v", all, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open(t, made).Take(t.Context(), same("here")); err != nil {
		t.Errorf("where it was made: %v", err)
	}
}
