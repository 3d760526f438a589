package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/database"
)

// TestSettledIsUsed answers a question where it was asked and kills the process: the answer was used, and
// the same act is asked about anew. (Issue 12.1: such a yes stood open for a day, and the next session's
// act took it while the person held No open.)
func TestSettledIsUsed(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	asker := start(t, "asksettle", path, "q")
	if got, want := asker.line(), "approved call of q <nil>"; got != want {
		t.Errorf("the asker has %q, want %q", got, want)
	}
	asker.kill()
	if a, err := s.Get(t.Context(), "q"); err != nil || a.Kept() || a.Used.IsZero() || a.Where != AtAsker {
		t.Errorf("it stands as %+v, %v", a, err)
	}
	if a, err := s.Take(t.Context(), same("again")); !errors.Is(err, ErrNotKept) {
		t.Errorf("the next one is given %+v, %v", a, err)
	}
	if a, err := s.Put(t.Context(), same("again")); err != nil || a.ID != "again" || a.State != Pending {
		t.Errorf("the next one asks %+v, %v", a, err)
	}
}

// TestSettle checks which answer holds where one is brought to the place that asked, and that none of them
// waits afterwards.
func TestSettle(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, test := range []struct {
		name  string
		first func(s *Store, clock *time.Time) error
		want  error
		state State
		where Where
	}{
		{"nothing else", func(*Store, *time.Time) error { return nil }, nil, Approved, AtAsker},
		{"a yes from elsewhere was first", func(s *Store, _ *time.Time) error {
			_, err := s.Answer(ctx, "q", Answer{Approved: true, Approver: "cli"}, nil)
			return err
		}, ErrAnswered, Approved, Elsewhere},
		{"a no from elsewhere was first", func(s *Store, _ *time.Time) error {
			_, err := s.Answer(ctx, "q", Answer{Approver: "cli"}, nil)
			return err
		}, ErrAnswered, Denied, Elsewhere},
		{"it was settled before", func(s *Store, _ *time.Time) error {
			_, err := s.Settle(ctx, "q", Answer{})
			return err
		}, ErrUsed, Denied, AtAsker},
		{"it was withdrawn", func(s *Store, _ *time.Time) error { return s.Withdraw(ctx, "q", "cancelled") }, ErrWithdrawn, Withdrawn, ""},
		{"it is too late", func(_ *Store, clock *time.Time) error { *clock = clock.Add(2 * time.Hour); return nil }, ErrExpired, Expired, ""},
		{"another process has taken it over", func(s *Store, _ *time.Time) error {
			_, err := s.db.Exec("UPDATE approvals SET owner = '1 - - -'")
			return err
		}, ErrNotAsker, Pending, ""},
		{"it is gone", func(s *Store, _ *time.Time) error { _, err := s.db.Exec("DELETE FROM approvals"); return err }, ErrNoApproval, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			clock := time.Now()
			s := open(t, newPath(t))
			s.now = func() time.Time { return clock }
			if _, err := s.Put(ctx, same("q")); err != nil {
				t.Fatal(err)
			}
			if err := test.first(s, &clock); err != nil {
				t.Fatal(err)
			}
			a, err := s.Settle(ctx, "q", Answer{Approved: true, Approver: "editor"})
			if !errors.Is(err, test.want) || a.State != test.state || a.Where != test.where {
				t.Errorf("got %q %q, %v; want %q %q, %v", a.State, a.Where, err, test.state, test.where, test.want)
			}
			if _, err := s.db.Exec("UPDATE approvals SET owner = 'nobody'"); err != nil {
				t.Fatal(err)
			}
			if a, err := s.Take(ctx, same("again")); !errors.Is(err, ErrNotKept) {
				t.Errorf("whoever asks again is given %+v, %v", a, err)
			}
		})
	}
}

// TestConstraints checks that the table cannot hold what must not be, whoever writes it.
func TestConstraints(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	if _, err := s.Put(t.Context(), same("q")); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]string{
		"answered where it was asked, and not used": "UPDATE approvals SET state = 'approved', answered_where = 'asker'",
		"answered nowhere":                          "UPDATE approvals SET state = 'approved'",
		"used by no act":                            "UPDATE approvals SET used = 1",
		"used by an act, and never":                 "UPDATE approvals SET used_by = 'x'",
		"a question about no act":                   "UPDATE approvals SET call_id = ''",
	} {
		if _, err := s.db.Exec(change); err == nil || !strings.Contains(err.Error(), "CHECK constraint failed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	nameless := same("nameless")
	nameless.CallID = ""
	if _, err := s.Put(t.Context(), nameless); err == nil {
		t.Error("a question about no act was kept")
	}
}

// TestOlderAnswers opens a database of the version before, in which a yes may stand unused that was used:
// it counts no more. What was not answered is still asked.
func TestOlderAnswers(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	older(t, path, 3, `INSERT INTO approvals
		(id, asked, expires, state, owner, door, agent, session, call_id, tool_call, kind, title, text, digest, bound, answered, approver, key)
		SELECT column1, 1, 9999999999999, column2, 'nobody', 'acp', '', '', '', '', 'execute', 't', 'x', 'abc', 0, column3, 'editor', 'the very same'
		FROM (VALUES ('yes', 'approved', 5), ('no', 'denied', 5), ('open', 'pending', 0))`)
	s := open(t, path)
	if a, err := s.Take(t.Context(), same("again")); !errors.Is(err, ErrNotKept) {
		t.Errorf("whoever asks again is given %+v, %v", a, err)
	}
	if a, err := s.Put(t.Context(), same("again")); err != nil || a.ID != "open" || a.State != Pending {
		t.Errorf("whoever asks again has the question %+v, %v", a, err)
	}
}

// older makes a database as it was after so many steps, and runs a statement in it.
func older(t *testing.T, path string, steps int, statement string) {
	t.Helper()
	taken := fstest.MapFS{}
	for _, name := range []string{"0001_approvals", "0002_grants", "0003_kept_answers"}[:steps] {
		step, err := migrations.ReadFile("migrations/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		taken["migrations/"+name+".sql"] = &fstest.MapFile{Data: step}
	}
	db, err := database.Open(context.Background(), path, taken)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}
