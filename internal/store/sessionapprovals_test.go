package store

import (
	"errors"
	"testing"
)

// TestGrants checks that what was allowed holds until it is taken back or its session ends, for that
// session alone, and that no other process speaks for it.
func TestGrants(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, newPath(t))
	for _, g := range []SessionApproval{
		{ID: "a", Session: "s1", Key: "k", Words: "w", Agent: "gemini"},
		{ID: "twice", Session: "s1", Key: "k", Words: "w"},
		{ID: "b", Session: "s2", Key: "k"},
	} {
		if err := s.AllowForSession(ctx, g); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(session, key string, want bool) {
		t.Helper()
		if got, err := s.IsAllowed(ctx, session, key); err != nil || got != want {
			t.Errorf("%s %s: holds %t (%v), want %t", session, key, got, err, want)
		}
	}
	holds("s1", "k", true)
	holds("s2", "k", true)
	holds("s1", "other", false)
	holds("s3", "k", false)
	if list, err := s.SessionApprovals(ctx); err != nil || len(list) != 2 || list[0].Words != "w" || list[0].Agent != "gemini" {
		t.Errorf("listed: %+v, %v", list, err)
	}

	recorded := 0
	record := func(SessionApproval) error { recorded++; return nil }
	if _, err := s.Revoke(ctx, "a", "me", record); err != nil {
		t.Error(err)
	}
	holds("s1", "k", false)
	if _, err := s.Revoke(ctx, "a", "me", record); !errors.Is(err, ErrRevoked) || recorded != 1 {
		t.Errorf("revoked twice: %v, recorded %d times", err, recorded)
	}
	if _, err := s.Revoke(ctx, "nothing", "me", record); !errors.Is(err, ErrNoSessionApproval) {
		t.Errorf("got %v", err)
	}
	if err := s.AllowForSession(ctx, SessionApproval{ID: "other", Session: "s2", Key: "2:k"}); err != nil {
		t.Fatal(err)
	}
	if err := s.EndSession(ctx, "s2", "2:"); err != nil {
		t.Error(err)
	}
	holds("s2", "k", true)
	holds("s2", "2:k", false)
	if err := s.EndSession(ctx, "s2", ""); err != nil {
		t.Error(err)
	}
	holds("s2", "k", false)

	full := errors.New("the disk is full")
	if err := s.AllowForSession(ctx, SessionApproval{ID: "c", Session: "s1", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revoke(ctx, "c", "me", func(SessionApproval) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	holds("s1", "k", false) // taking back never waits for the record

	if err := s.AllowForSession(ctx, SessionApproval{ID: "d", Session: "s1", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("UPDATE grants SET owner = 'another process'"); err != nil {
		t.Fatal(err)
	}
	holds("s1", "k", false)
	if list, err := s.SessionApprovals(ctx); err != nil || len(list) != 0 {
		t.Errorf("listed of a process that has ended: %+v, %v", list, err)
	}
}
