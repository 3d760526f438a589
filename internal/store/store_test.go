package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/internal/process"
)

// TestReopened checks that a question survives the end of every process that had the database open, word
// for word.
func TestReopened(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	want := Approval{
		ID: NewID(), Expires: time.Now().Add(time.Hour).Truncate(time.Millisecond), State: Pending,
		Door: "mcp", Agent: "gemini", Session: "s1", CallID: "c1", ToolCall: "t1", Kind: "call",
		Title: "a\x00b", Text: "two\nlines \u202e", Digest: "d", Bound: true, Carrier: "the agent",
	}
	if _, err := s.Put(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Approval{want}, got, cmpopts.IgnoreFields(Approval{}, "Asked", "owner"), cmpopts.IgnoreUnexported(Approval{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPrivate checks that nobody else can read the files, whatever the umask, and that a link is not
// followed.
func TestPrivate(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if _, err := s.Put(t.Context(), question("a")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 5 {
		t.Errorf("got %v, want the database, its log, its index, the lock, and what was there", files)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	link := filepath.Join(t.TempDir(), Name)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Path: link}); err == nil {
		t.Error("a link was followed")
	}
}

// TestSettings checks that the database really is what the promises rest on.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(steps) < 8 {
		t.Fatalf("%d migrations, %v", len(steps), err)
	}
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "user_version": strconv.Itoa(len(steps)),
	} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", pragma, got, err, want)
		}
	}
}

// TestNewer checks that a database of a later version is left alone.
func TestNewer(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	if _, err := s.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), "a newer version of a2a-acp") {
		t.Errorf("got %v", err)
	}
}

// TestStates checks what keeps a question from being answered, and that whoever comes too late is told why.
func TestStates(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, test := range []struct {
		name  string
		first func(s *Store, clock *time.Time) error
		want  error
		state State
	}{
		{"nothing", func(*Store, *time.Time) error { return nil }, nil, Approved},
		{"answered", func(s *Store, _ *time.Time) error {
			_, err := s.Answer(ctx, "q", Answer{Approver: "editor"}, nil)
			return err
		}, ErrAnswered, Denied},
		{"withdrawn", func(s *Store, _ *time.Time) error { return s.Withdraw(ctx, "q", "cancelled") }, ErrWithdrawn, Withdrawn},
		{"expired", func(_ *Store, clock *time.Time) error { *clock = clock.Add(2 * time.Hour); return nil }, ErrExpired, Expired},
		{"of a process that never was", func(s *Store, _ *time.Time) error {
			_, err := s.db.Exec("UPDATE approvals SET owner = 'nobody'")
			return err
		}, ErrGone, Gone},
		{"deleted", func(s *Store, _ *time.Time) error { _, err := s.db.Exec("DELETE FROM approvals"); return err }, ErrNoApproval, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			clock := time.Now()
			s := open(t, newPath(t))
			s.now = func() time.Time { return clock }
			if _, err := s.Put(ctx, question("q")); err != nil {
				t.Fatal(err)
			}
			if err := test.first(s, &clock); err != nil {
				t.Fatal(err)
			}
			recorded := false
			a, err := s.Answer(ctx, "q", Answer{Approved: true, Approver: "late"}, func(Approval) error { recorded = true; return nil })
			if !errors.Is(err, test.want) || a.State != test.state || recorded != (test.want == nil) {
				t.Errorf("got %v, %q, recorded %t; want %v, %q", err, a.State, recorded, test.want, test.state)
			}
			if waited, err := s.Wait(ctx, "q"); waited.State != test.state || (err == nil) != (test.state == Approved || test.state == Denied) {
				t.Errorf("who waits is told %q, %v", waited.State, err)
			}
		})
	}
}

// TestUnrecorded checks that an answer which cannot be recorded is no answer.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	if _, err := s.Put(t.Context(), question("q")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	if _, err := s.Answer(t.Context(), "q", Answer{Approved: true}, func(Approval) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if a, err := s.Get(t.Context(), "q"); err != nil || a.State != Pending {
		t.Errorf("got %q, %v", a.State, err)
	}
}

// TestPruned checks that a question of the day before yesterday goes when the next one is asked, and no
// other.
func TestPruned(t *testing.T) {
	t.Parallel()
	clock := time.Now().Add(-48 * time.Hour)
	s := open(t, newPath(t))
	s.now = func() time.Time { return clock }
	old := question("old")
	old.Expires = clock.Add(time.Hour)
	for _, a := range []Approval{old, question("long")} {
		if _, err := s.Put(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	clock = time.Now()
	if _, err := s.Put(t.Context(), question("new")); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != "long" || list[1].ID != "new" {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestWaitEnds checks that a wait ends with its context, with the cause that a person can read.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	if _, err := s.Put(t.Context(), question("q")); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("the session was closed")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := s.Wait(ctx, "q"); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// TestAlways checks for which questions a yes is for the rest of the session.
func TestAlways(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		lasting Lasting
		answer  Answer
		owner   string
		joined  string // the session of a call that takes it over between showing and answering
		want    int
	}{
		{"a yes for the session", Lasting{"this file"}, Answer{Approved: true, Always: 1}, process.This(), "", 1},
		{"a wider one", Lasting{"this file", "all files"}, Answer{Approved: true, Always: 2}, process.This(), "", 2},
		{"one that is not offered", Lasting{"this file"}, Answer{Approved: true, Always: 2}, process.This(), "", 0},
		{"what no number is", Lasting{"this file"}, Answer{Approved: true, Always: -1}, process.This(), "", 0},
		{"a yes", Lasting{"this file"}, Answer{Approved: true}, process.This(), "", 0},
		{"a no", Lasting{"this file"}, Answer{Always: 1}, process.This(), "", 0},
		{"where nothing lasts", nil, Answer{Approved: true, Always: 1}, process.This(), "", 0},
		{"whoever asked has ended", Lasting{"this file"}, Answer{Approved: true, Always: 1}, "nobody", "", 0},
		{"another session asks it by now", Lasting{"this file"}, Answer{Approved: true, Always: 1}, "nobody", "another", 0},
		{"another process asks it by now", Lasting{"this file"}, Answer{Approved: true, Always: 1}, "nobody", "shown", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, newPath(t))
			q := question("q")
			q.Lasting, q.Key, q.Session, test.answer.Approver = test.lasting, "key", "shown", "maria"
			if _, err := s.Put(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Exec("UPDATE approvals SET owner = ?", test.owner); err != nil {
				t.Fatal(err)
			}
			shown, err := s.Get(t.Context(), "q")
			if err != nil {
				t.Fatal(err)
			}
			if test.joined != "" {
				by := q
				by.ID, by.CallID, by.Session = "other", "other call", test.joined
				if stands, err := s.Put(t.Context(), by); err != nil || stands.ID != "q" {
					t.Fatalf("it is %+v, %v", stands, err)
				}
			}
			test.answer.Asker = shown.Asker()
			if _, err := s.Answer(t.Context(), "q", test.answer, nil); err != nil {
				t.Fatal(err)
			}
			got, err := s.Get(t.Context(), "q")
			if err != nil || got.State == Pending || got.Always != test.want || !slices.Equal(got.Lasting, test.lasting) {
				t.Errorf("got %d for %q, %v; want %d", got.Always, got.Lasting, err, test.want)
			}
			// What the process that asked was not given goes to whoever asks next, in another session.
			if _, err := s.db.Exec("UPDATE approvals SET owner = 'nobody'"); err != nil {
				t.Fatal(err)
			}
			if given, err := s.Take(t.Context(), q); err != nil || given.Always != 0 {
				t.Errorf("the next one is given %v, %v", given.Always, err)
			}
		})
	}
}

// TestMCPTasksAreBounded: of one principal's tasks those that ended first go where they are too long together, and none that
// goes on; another's stay.
func TestMCPTasksAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	old := time.Now().Add(-time.Hour)
	keep := func(principal, id string, ended bool, size int) error {
		return s.KeepMCPTask(t.Context(), MCPTask{ID: id, Principal: principal, Created: time.Now(), Ended: ended, Data: make([]byte, size)}, old, 100)
	}
	kept := func(principal string) (ids []string) {
		for _, id := range []string{"a", "b", "c", "d", "e", "x"} {
			if _, err := s.MCPTask(t.Context(), principal, id); err == nil {
				ids = append(ids, id)
			}
		}
		return ids
	}
	for _, id := range []string{"a", "b", "c"} {
		if err := keep("one", id, id != "a", 40); err != nil {
			t.Fatal(err)
		}
	}
	if err := keep("other", "x", true, 90); err != nil {
		t.Fatal(err)
	}
	if got := kept("one"); !slices.Equal(got, []string{"a", "c"}) { // a goes on, b ended first
		t.Errorf("kept are %q", got)
	}
	if err := keep("one", "d", false, 61); !errors.Is(err, ErrTooManyTasks) {
		t.Errorf("there is room beside one that goes on: %v", err)
	}
	if got := kept("one"); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("after one that had no room, kept are %q", got)
	}
	if err := keep("one", "a", true, 200); err != nil { // how it ended
		t.Error(err)
	}
	if got := append(kept("one"), kept("other")...); !slices.Equal(got, []string{"a", "x"}) {
		t.Errorf("kept are %q", got)
	}
}
