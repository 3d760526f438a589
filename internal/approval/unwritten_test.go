package approval

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestUnwrittenEnd has a question end while nothing can be written in the database, and somebody answers it elsewhere once
// that is possible again: nothing is left for the next call that is the same. So it is too where the program ends before.
func TestUnwrittenEnd(t *testing.T) {
	t.Parallel()
	ends := map[string]func(Notice){
		"a no":      func(n Notice) { n.Settle(Answer{Verdict: permissions.Reject, By: "editor"}) },
		"a yes":     func(n Notice) { n.Settle(Answer{Verdict: permissions.Approve, By: "editor"}) },
		"withdrawn": func(n Notice) { n.Withdraw(errors.New("the turn was cancelled")) },
	}
	for name, end := range ends {
		for _, atOnce := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir, said := t.TempDir(), make(chan string, 8)
				board := New(Options{Dir: dir, Record: &recorded{}, Say: func(line string) { said <- line }, Now: time.Now})
				board.pause = time.Hour // until the end
				if atOnce {
					board.pause = time.Millisecond
				}
				s, err := board.Store(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				q := Question{Session: "s", CallID: "1", Title: "make", Digest: "d"}
				n := board.Desk().Post(q).(*notice)
				if _, err := s.Put(t.Context(), n.approval(t.Context())); err != nil {
					t.Fatal(err)
				}
				other, err := sql.Open("sqlite", filepath.Join(dir, store.Name))
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				change := func(statement string) {
					t.Helper()
					if _, err := other.ExecContext(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
				change("CREATE TRIGGER full BEFORE UPDATE ON approvals BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
				end(n)
				if line := <-said; !strings.Contains(line, "the disk is full") {
					t.Errorf("it says %q", line)
				}
				change("DROP TRIGGER full")
				if !atOnce { // somebody is quicker
					if _, err := s.Answer(t.Context(), n.id(), store.Answer{Approved: true, Approver: "late"}, nil); err != nil {
						t.Fatal(err)
					}
				}
				for atOnce {
					if a, err := s.Get(t.Context(), n.id()); err != nil || a.State != store.Pending {
						break
					}
				}
				if err := board.Close(); err != nil {
					t.Fatal(err)
				}
				change("UPDATE approvals SET owner = 'a process that has ended'")
				nothingIsLeft(t, dir, q)
			})
		}
	}
}

// TestUnwrittenCancel has a session's turn be cancelled while nothing can be written in the database: the yes that was left
// there counts no more, once that is possible again.
func TestUnwrittenCancel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	board := New(Options{Dir: dir, Record: &recorded{}, Say: func(line string) { t.Error(line) }, Now: time.Now})
	board.pause = time.Hour // until the end
	desk := board.Desk()
	q := Question{Agent: "gemini", Session: "s", CallID: "1", Title: "make", Digest: "d"}
	id, _, _, err := desk.Stand(t.Context(), q)
	if err == nil {
		err = desk.Bring(t.Context(), id, true, "maria", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", filepath.Join(dir, store.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(),
		"CREATE TRIGGER full BEFORE UPDATE ON approvals BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"); err != nil {
		t.Fatal(err)
	}
	if err := desk.CancelSession(t.Context(), "gemini", "s", "", "the turn was cancelled"); err == nil {
		t.Error("it is cancelled though nothing can be written")
	}
	if _, err := other.ExecContext(t.Context(), "DROP TRIGGER full"); err != nil {
		t.Fatal(err)
	}
	if err := board.Close(); err != nil {
		t.Fatal(err)
	}
	nothingIsLeft(t, dir, q)
}

// nothingIsLeft checks that another program finds no answer for the next call that is the same.
func nothingIsLeft(t *testing.T, dir string, q Question) {
	t.Helper()
	next := New(Options{Dir: dir, Record: &recorded{}, Say: func(line string) { t.Error(line) }, Now: time.Now})
	q.CallID = "2"
	if answer, found, err := next.Desk().Post(q).Earlier(t.Context(), func() {}); found || err != nil {
		t.Errorf("the next one is given %+v, %v", answer, err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}
