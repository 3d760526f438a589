package tasklog

import (
	"errors"
	"fmt"
	"testing"
)

var states = []State{None, Submitted, Working, InputRequired, AuthRequired, Completed, Failed, Canceled, Rejected}

// TestSteps tries every kind of event from every state to every other, at the log and, as somebody would who does
// not ask it, at the file: both let the same happen.
func TestSteps(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	for _, kind := range []Kind{Created, Status, Artifact, "", "odd"} {
		for i, before := range states {
			for j, after := range append(states, "odd") {
				id := fmt.Sprintf("%s-%d-%d", kind, i, j)
				task := Task{ID: id}
				if before != None {
					task = begun(t, l, id, "me")
				}
				if before != None && before != Submitted {
					if task, _ = l.Append(t.Context(), id, status(before)); task.State != before {
						t.Fatalf("no task is %s", before)
					}
				}
				allowed := may(kind, before, after)
				if before == None {
					continue // TestForeignWriter
				}
				if err := l.insert(t, task, task.Seq+1, kind, before, after); (err == nil) != allowed {
					t.Errorf("%s from %q to %q in the file: %v, want allowed %t", kind, before, after, err, allowed)
				}
				step := Step{Kind: kind, State: after, At: clock, Body: []byte{}}
				var refused *StepError
				_, err := l.Append(t.Context(), id, step)
				if kind == Artifact {
					allowed = !before.Ended()
				}
				if allowed != (err == nil) || err != nil && !errors.As(err, &refused) {
					t.Errorf("%s from %q to %q: %v, want allowed %t", kind, before, after, err, allowed)
				}
			}
		}
	}
}

// insert writes an event past the log's own checks, and takes it back.
func (l *Log) insert(t *testing.T, task Task, seq int64, kind Kind, before, after State) error {
	t.Helper()
	tx, err := l.writing.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // it is what is wanted
	var prev any
	if seq > 1 {
		prev = seq - 1
	}
	_, err = tx.Exec(`INSERT INTO events (task, seq, prev, kind, before, after, at, body)
		VALUES (?, ?, ?, ?, ?, ?, 1, x'')`, task.num, seq, prev, string(kind), string(before), string(after))
	return err
}

// TestForeignWriter writes what is no next event into the file itself.
func TestForeignWriter(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	task := begun(t, l, "a", "me", status(Working))
	for _, test := range []struct {
		name          string
		seq           int64
		kind          Kind
		before, after State
	}{
		{"a number twice", 2, Status, Submitted, Completed},
		{"a gap", 4, Status, Working, Completed},
		{"a state that the task is not in", 3, Status, InputRequired, Completed},
		{"a second beginning", 3, Created, None, Submitted},
		{"a first one again", 1, Created, None, Submitted},
		{"number 0", 0, Created, None, Submitted},
	} {
		if err := l.insert(t, task, test.seq, test.kind, test.before, test.after); err == nil {
			t.Errorf("%s was written", test.name)
		}
	}
	if err := l.insert(t, task, 3, Status, Working, Completed); err != nil {
		t.Errorf("the next event was not written: %v", err)
	}
	if err := l.insert(t, Task{num: 99}, 1, Created, None, Submitted); err == nil {
		t.Error("an event of no task was written")
	}
	if _, err := l.writing.Exec(`UPDATE events SET body = x'00'`); err == nil {
		t.Error("an event was changed")
	}
	if _, err := l.writing.Exec(`DELETE FROM tasks`); err == nil {
		t.Error("a task that goes on was removed")
	}
	var n int
	if err := l.reading.QueryRow(`SELECT count(*) FROM events`).Scan(&n); err != nil || n != 2 {
		t.Errorf("there are %d events, %v", n, err)
	}
	if _, err := l.reading.Exec(`DELETE FROM events`); err == nil {
		t.Error("a connection for reading writes")
	}
}

// TestAllOrNone appends two events of which the second leads nowhere.
func TestAllOrNone(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	begun(t, l, "a", "me")
	if _, err := l.Append(t.Context(), "a", status(Completed), status(Working)); err == nil {
		t.Fatal("a task went on after its end")
	}
	if task, err := l.Get(t.Context(), "a"); err != nil || task.Seq != 1 || task.State != Submitted {
		t.Errorf("the task is %+v, %v", task, err)
	}
	answer := status(Working)
	answer.From = InputRequired
	if _, err := l.Append(t.Context(), "a", answer); !errors.Is(err, ErrMoved) {
		t.Errorf("an answer that nobody asked for: %v", err)
	}
	if _, err := l.Append(t.Context(), "b", answer); !errors.Is(err, ErrNotFound) {
		t.Errorf("a task that does not exist: %v", err)
	}
}
