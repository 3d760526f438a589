package tasklog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// all reads what a follower sees until the task has ended, as "seq:body".
func all(t *testing.T, f *Follower) string {
	t.Helper()
	var seen []string
	for {
		events, err := f.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return strings.Join(seen, " ")
		}
		if err != nil {
			t.Errorf("after %q: %v", seen, err)
			return ""
		}
		for _, e := range events {
			seen = append(seen, fmt.Sprintf("%d:%s", e.Seq, e.Body))
		}
	}
}

func follow(t *testing.T, l *Log, id string, after int64) *Follower {
	t.Helper()
	f, err := l.Follow(t.Context(), id, after)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// TestFollowersSeeTheSame has followers begin at every moment of a task's life, in this process, after a restart
// and with events that are more than the hub keeps: each sees all that comes after its beginning, once, in order.
func TestFollowersSeeTheSame(t *testing.T) {
	t.Parallel()
	const events = 3 * mostTail
	path := newPath(t)
	l := open(t, path)
	begun(t, l, "a", "me")
	var want []string
	want = append(want, "1:created")
	seen := make([]string, events+1)
	var following sync.WaitGroup
	for i := range events {
		f := follow(t, l, "a", int64(i))
		following.Go(func() { seen[i] = all(t, f) })
		step := artifact(strings.Repeat("x", i%7*4096) + fmt.Sprint(i))
		if i == events-1 {
			step = status(Completed)
		}
		if _, err := l.Append(t.Context(), "a", step); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("%d:%s", i+2, step.Body))
	}
	following.Wait()
	for i := range events {
		if seen[i] != strings.Join(want[i:], " ") {
			t.Errorf("who followed from %d saw %.80q", i, seen[i])
		}
	}
	if l.hub.kept.Load() < 0 {
		t.Errorf("the hub counts %d bytes", l.hub.kept.Load())
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, path)
	for _, i := range []int{0, 1, events / 2, events} {
		if got := all(t, follow(t, l, "a", int64(i))); got != strings.Join(want[i:], " ") {
			t.Errorf("after a restart, from %d: %.80q", i, got)
		}
	}
	if got := all(t, follow(t, l, "a", events+1)); got != "" {
		t.Errorf("after the end: %q", got)
	}
}

// TestNothingIsKeptForNobody has the hub forget a task once nobody follows it.
func TestNothingIsKeptForNobody(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	begun(t, l, "a", "me")
	slow, gone := follow(t, l, "a", 0), follow(t, l, "a", 0)
	for i := range 4 * mostTail {
		if _, err := l.Append(t.Context(), "a", artifact(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.hub.tasks["a"].tail); n > mostTail {
		t.Errorf("for one who does not read %d events are kept", n)
	}
	if events, err := slow.Next(t.Context()); err != nil || events[0].Seq != 1 {
		t.Errorf("who reads late gets %v, %v", events, err)
	}
	gone.Close()
	gone.Close()
	slow.Close()
	if len(l.hub.tasks) != 0 || l.hub.kept.Load() != 0 {
		t.Errorf("kept: %d tasks, %d bytes", len(l.hub.tasks), l.hub.kept.Load())
	}
}

// TestFollowerEnds has a follower end with its context, and with the log.
func TestFollowerEnds(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	begun(t, l, "a", "me")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the client has gone")
	cancel(why)
	if _, err := follow(t, l, "a", 1).Next(ctx); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	f, ended := follow(t, l, "a", 1), make(chan error)
	go func() {
		_, err := f.Next(context.Background())
		ended <- err
	}()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := l.Append(t.Context(), "a", artifact("x")); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestOtherProcess has another process append: who follows here sees it, and the task is what it made of it.
func TestOtherProcess(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	begun(t, l, "a", "me")
	f := follow(t, l, "a", 1)
	if err := start(t, "append", path, "a", "from elsewhere").Wait(); err != nil {
		t.Fatal(err)
	}
	events, err := f.Next(t.Context())
	if err != nil || string(events[0].Body) != "from elsewhere" || events[0].Seq != 2 {
		t.Fatalf("got %+v, %v", events, err)
	}
	if task, err := l.Append(t.Context(), "a", status(Completed)); err != nil || task.Seq != 3 {
		t.Errorf("got %+v, %v", task, err)
	}
}

// TestFollowerReadsNothing has followers that are told of everything read nothing from disk: not when they wait, and
// not when they are woken.
func TestFollowerReadsNothing(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	begun(t, l, "a", "me")
	head, err := l.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	f := follow(t, l, "a", head.Seq)
	if err := l.reading.Close(); err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	for _, step := range []Step{artifact("one"), artifact("two"), artifact("three"), status(Completed)} {
		go func() { // waits, unless the step is faster
			_, err := f.Next(t.Context())
			got <- err
		}()
		if _, err := l.Append(t.Context(), "a", step); err != nil {
			t.Fatal(err)
		}
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}
