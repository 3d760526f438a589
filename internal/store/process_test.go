package store

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTwoAnswer has many processes answer one question at the same time. Exactly one holds, all others are
// told, and the one who waits hears of the one that holds.
func TestTwoAnswer(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	asker := start(t, "ask", path, "q")
	asker.line()
	var others []*other
	for i := range 6 {
		o := start(t, "answer", path, "q", fmt.Sprintf("who-%d", i))
		o.line()
		others = append(others, o)
	}
	for _, o := range others {
		o.tell()
	}
	won := map[string]int{}
	for i, o := range others {
		who, said, _ := strings.Cut(o.line(), " ")
		switch said {
		case "<nil>":
			won[who]++
			if who != fmt.Sprintf("who-%d", i) {
				t.Errorf("%s was told that %s has answered", fmt.Sprintf("who-%d", i), who)
			}
		case ErrAnswered.Error():
			won[who] += 0
		default:
			t.Errorf("who-%d was told %q", i, said)
		}
	}
	if len(won) != 1 {
		t.Fatalf("they do not agree who has answered: %v", won)
	}
	for who, n := range won {
		if n != 1 {
			t.Errorf("%s has answered %d times", who, n)
		}
		if got, want := asker.line(), "approved "+who+" <nil>"; got != want {
			t.Errorf("the one who waits was told %q, want %q", got, want)
		}
	}
}

// TestOwnerKilled kills the process that asks. Its question is gone, nobody can answer it, and it expires
// with the others.
func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a number may have come again")
	}
	path := newPath(t)
	s := open(t, path)
	asker := start(t, "ask", path, "q")
	asker.line()
	if a, err := s.Get(t.Context(), "q"); err != nil || a.State != Pending {
		t.Fatalf("while it lives: %q, %v", a.State, err)
	}
	if err := asker.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = asker.cmd.Wait()
	if a, err := s.Get(t.Context(), "q"); err != nil || a.State != Gone || a.Text != "rm -rf /" {
		t.Errorf("got %q, %v", a.State, err)
	}
	if a, err := s.Answer(t.Context(), "q", Answer{Approved: true}, nil); err != ErrGone || a.State != Gone { //nolint:errorlint // it is given as it is
		t.Errorf("answered: %v, %q", err, a.State)
	}
}

// TestBusy has twenty processes open a database that is not there yet, and write into it. None of them may
// find it busy.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var others []*other
	for i := range 20 {
		others = append(others, start(t, "busy", path, fmt.Sprintf("p%d", i)))
	}
	for _, o := range others {
		if err := o.cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, o.err)
		}
	}
	list, err := open(t, path).List(t.Context())
	if err != nil || len(list) != 200 {
		t.Errorf("%d questions were kept (%v), want 200", len(list), err)
	}
	for _, a := range list {
		if a.State != Denied {
			t.Errorf("%s is %s", a.ID, a.State)
		}
	}
}

// TestWaitThroughTrouble has the database fail for a moment while somebody waits: the answer that comes then is heard. It was
// told to count, and would be nobody's.
func TestWaitThroughTrouble(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), Name))
	if _, err := s.Put(t.Context(), question("q")); err != nil {
		t.Fatal(err)
	}
	change := func(statement string) {
		t.Helper()
		if _, err := s.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	type heard struct {
		Approval
		err error
	}
	answers := make(chan heard, 1)
	change("ALTER TABLE approvals RENAME TO away")
	go func() { // ends with the answer
		a, err := s.Wait(t.Context(), "q")
		answers <- heard{a, err}
	}()
	select {
	case got := <-answers:
		t.Fatalf("it waits no more: %v", got.err)
	case <-time.After(3 * pollEvery):
	}
	change("ALTER TABLE away RENAME TO approvals")
	change("CREATE TRIGGER full BEFORE UPDATE OF used ON approvals WHEN new.used > 0 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
	if _, err := s.Answer(t.Context(), "q", Answer{Approved: true, Approver: "maria"}, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-answers:
		t.Fatalf("it waits no more: %v", got.err)
	case <-time.After(3 * pollEvery):
	}
	change("DROP TRIGGER full")
	if got := <-answers; got.err != nil || got.State != Approved || got.UsedBy == "" {
		t.Errorf("heard %+v, %v", got.Approval, got.err)
	}
}
