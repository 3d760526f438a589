package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// killed has a process ask a question that can be asked again, and kills it.
func killed(t *testing.T, path, id string) {
	t.Helper()
	asker := start(t, "asksame", path, id)
	asker.line()
	asker.kill()
}

func (o *other) kill() {
	o.t.Helper()
	if err := o.cmd.Process.Kill(); err != nil {
		o.t.Fatal(err)
	}
	_ = o.cmd.Wait()
}

// TestQuestionOutlives kills the process that asks. The question stands, is answered once, and the answer
// is given once, to whoever asks the very same, and to nobody else. All of it is on record.
func TestQuestionOutlives(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	var record []string
	s.record = func(transition Transition, before, now Approval) error {
		record = append(record, fmt.Sprint(transition, " ", before.ID, " ", now.UsedBy))
		return nil
	}
	killed(t, path, "q")
	for range 2 { // noticed once
		if err := s.NoticeLeft(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := s.Get(t.Context(), "q"); err != nil || a.State != Pending || !a.Left {
		t.Fatalf("it stands as %+v, %v", a, err)
	}
	if _, err := s.Take(t.Context(), same("early")); !errors.Is(err, ErrNotKept) {
		t.Errorf("before anybody has answered: %v", err)
	}
	if a, err := s.Answer(t.Context(), "q", Answer{Approved: true, Approver: "cli maria"}, nil); err != nil || !a.Kept() {
		t.Fatalf("answered: %+v, %v", a, err)
	}
	if _, err := s.Answer(t.Context(), "q", Answer{Approver: "late"}, nil); !errors.Is(err, ErrAnswered) {
		t.Errorf("answered again: %v", err)
	}
	another := same("another")
	another.Key = "something else"
	if a, err := s.Put(t.Context(), another); err != nil || a.ID != "another" || a.State != Pending {
		t.Errorf("another act was given %+v, %v", a, err)
	}
	if a, err := s.Take(t.Context(), same("first")); err != nil || a.State != Approved || a.Approver != "cli maria" || a.UsedBy != "call of first" {
		t.Errorf("the same act was given %+v, %v", a, err)
	}
	if a, err := s.Put(t.Context(), same("second")); err != nil || a.ID != "second" || a.State != Pending {
		t.Errorf("the same act, once more, was given %+v, %v", a, err)
	}
	if got, want := strings.Join(record, "; "), "left q ; used q call of first"; got != want {
		t.Errorf("on record: %s; want %s", got, want)
	}
}

// TestAnswerNotHeard kills the process that waits after the answer was given, and before it has heard of it.
func TestAnswerNotHeard(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	asker := start(t, "asksame", path, "q")
	asker.line()
	asker.stop()
	if _, err := s.Answer(t.Context(), "q", Answer{Approved: true, Approver: "maria"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Take(t.Context(), same("thief")); !errors.Is(err, ErrNotKept) {
		t.Errorf("while the one who asked lives, another call is given: %v", err)
	}
	asker.kill()
	if a, err := s.Take(t.Context(), same("again")); err != nil || a.UsedBy != "call of again" {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestOneHasTheAnswer has many processes ask at the same time what one had asked that was killed: before it
// is answered one of them takes the question over, after it one of them has the answer, and the others ask
// for themselves.
func TestOneHasTheAnswer(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		t.Run(fmt.Sprint("answered ", answered), func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := open(t, path)
			killed(t, path, "q")
			if answered {
				if _, err := s.Answer(t.Context(), "q", Answer{Approved: true}, nil); err != nil {
					t.Fatal(err)
				}
			}
			var others []*other
			for i := range 6 {
				o := start(t, "again", path, fmt.Sprintf("r%d", i))
				o.line()
				others = append(others, o)
			}
			for _, o := range others {
				o.tell()
			}
			have := 0
			for i, o := range others {
				line := o.line()
				fields := strings.Fields(line)
				switch {
				case !strings.HasSuffix(line, "<nil>"):
					t.Errorf("r%d: %s", i, line)
				case fields[0] == "q":
					have++
					want := "q pending"
					if answered {
						want = fmt.Sprintf("q approved call of r%d", i)
					}
					if !strings.HasPrefix(line, want) {
						t.Errorf("r%d has %s; want %s", i, line, want)
					}
				case fields[0] != fmt.Sprintf("r%d", i) || fields[1] != "pending":
					t.Errorf("r%d has %s", i, line)
				}
			}
			if have != 1 {
				t.Errorf("%d of them have the question of the one that was killed, want 1", have)
			}
			for _, o := range others {
				o.tell()
			}
		})
	}
}

// TestTakenOnce checks that whoever waits twice for one question has its answer once.
func TestTakenOnce(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	if _, err := s.Put(t.Context(), same("q")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Answer(t.Context(), "q", Answer{Approved: true}, nil); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Wait(t.Context(), "q"); err != nil || a.UsedBy != "call of q" {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := s.Wait(t.Context(), "q"); !errors.Is(err, ErrUsed) {
		t.Errorf("once more: %v", err)
	}
}

// TestNotKept checks what makes an answer, or a question, count no more for whoever asks again.
func TestNotKept(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(t *testing.T, s *Store, clock *time.Time){
		"it is too late": func(_ *testing.T, _ *Store, clock *time.Time) { *clock = clock.Add(2 * time.Hour) },
		"taken back": func(t *testing.T, s *Store, _ *time.Time) {
			if a, err := s.TakeBack(t.Context(), "q", "maria", func(Approval) error { return nil }); err != nil || a.State != Withdrawn {
				t.Errorf("taken back: %+v, %v", a, err)
			}
			if _, err := s.TakeBack(t.Context(), "q", "maria", nil); !errors.Is(err, ErrNotKept) {
				t.Errorf("taken back twice: %v", err)
			}
		},
		"the record cannot be written": func(_ *testing.T, s *Store, _ *time.Time) {
			s.record = func(Transition, Approval, Approval) error { return errors.New("the disk is full") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := open(t, path)
			clock := time.Now()
			s.now = func() time.Time { return clock }
			killed(t, path, "q")
			if _, err := s.Answer(t.Context(), "q", Answer{Approved: true}, nil); err != nil {
				t.Fatal(err)
			}
			after(t, s, &clock)
			if a, err := s.Take(t.Context(), same("again")); err == nil || !a.Used.IsZero() {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}

// TestWithdrawnIsOver checks that what was taken back takes no answer, and that an answer which came just
// before counts no more; and that nobody takes back what is another's by now.
func TestWithdrawnIsOver(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	if _, err := s.Put(t.Context(), same("mine")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Answer(t.Context(), "mine", Answer{Approved: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Withdraw(t.Context(), "mine", "the turn was cancelled"); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Get(t.Context(), "mine"); err != nil || a.State != Withdrawn {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := s.take(t.Context(), "mine"); !errors.Is(err, ErrWithdrawn) {
		t.Errorf("taken: %v", err)
	}
	asker := start(t, "asksame", path, "theirs")
	asker.line()
	if err := s.Withdraw(t.Context(), "theirs", "no business of ours"); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Get(t.Context(), "theirs"); err != nil || a.State != Pending {
		t.Errorf("another's question is %+v, %v", a, err)
	}
}

// TestCancel checks what becomes of a question whose act is cancelled, by who has asked it, how far it has come, and who
// cancels: nobody answers it any more, a yes to it is given to nobody, and what is another's stays.
func TestCancel(t *testing.T) {
	t.Parallel()
	never := func(t *testing.T, s *Store) {}
	answer := func(approved bool) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) {
			t.Helper()
			if _, err := s.Answer(t.Context(), "q", Answer{Approved: approved, Approver: "maria"}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		alive  bool // whoever asks waits for the answer
		before func(*testing.T, *Store)
		cancel Cancelled
		want   State
		record string
	}{
		"pending":                        {false, never, Cancelled{}, Withdrawn, "cancelled q"},
		"approved":                       {false, answer(true), Cancelled{}, Withdrawn, "cancelled q"},
		"a no stays":                     {false, answer(false), Cancelled{}, Denied, ""},
		"of the principal, and the call": {false, never, Cancelled{Principal: "anna", CallID: "call of q"}, Withdrawn, "cancelled q"},
		"another principal's":            {false, answer(true), Cancelled{Principal: "bert"}, Approved, ""},
		"another call's by now":          {false, never, Cancelled{CallID: "call of another"}, Pending, ""},
		"somebody waits":                 {true, never, Cancelled{}, Pending, ""},
		"somebody waits, and has not read the yes": {true, answer(true), Cancelled{}, Approved, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, newPath(t))
			q := same("q")
			q.Principal = "anna"
			_, err := s.Put(t.Context(), q)
			if err == nil && !test.alive {
				_, err = s.db.Exec("UPDATE approvals SET owner = 'a process that was killed'")
			}
			if err != nil {
				t.Fatal(err)
			}
			test.before(t, s)
			record := ""
			s.record = func(transition Transition, before, _ Approval) error {
				record += fmt.Sprint(transition, " ", before.ID)
				return nil
			}
			test.cancel.ID, test.cancel.Why = "q", "the task was cancelled"
			for range 2 { // the second time there is nothing to do
				if err := s.Cancel(t.Context(), test.cancel); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.Get(t.Context(), "q")
			if err != nil || got.State != test.want || record != test.record {
				t.Errorf("it is %s (%s), %v, on record: %q; want %s, %q", got.State, got.Reason, err, record, test.want, test.record)
			}
			if test.want != Withdrawn {
				return
			}
			if _, err := s.Answer(t.Context(), "q", Answer{Approved: true, Approver: "late"}, nil); !errors.Is(err, ErrWithdrawn) {
				t.Errorf("answered afterwards: %v", err)
			}
			if _, err := s.Take(t.Context(), same("again")); !errors.Is(err, ErrNotKept) {
				t.Errorf("the next one is given: %v", err)
			}
			if a, err := s.Put(t.Context(), same("again")); err != nil || a.ID != "again" || a.State != Pending {
				t.Errorf("the next one asks %+v, %v", a, err)
			}
		})
	}
	s := open(t, newPath(t))
	if err := s.Cancel(t.Context(), Cancelled{ID: "none"}); err != nil {
		t.Errorf("where there is none: %v", err)
	}
}

// A yes that cannot be recorded as revoked is revoked all the same, and that it is not on record is said.
func TestCancelUnrecorded(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	if _, err := s.Put(t.Context(), same("q")); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(t.Context(), "q"); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	s.record = func(Transition, Approval, Approval) error { return full }
	if err := s.Cancel(t.Context(), Cancelled{ID: "q", Why: "cancelled"}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if a, err := s.Get(t.Context(), "q"); err != nil || a.State != Withdrawn {
		t.Errorf("it is %s, %v", a.State, err)
	}
}
