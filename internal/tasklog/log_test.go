package tasklog

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKilled kills a process in the middle of its work, many times: whatever it was told is kept is there, every
// task is in a state that its events lead to, and no number is missing.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	kept := map[string]int64{}
	for round := range rounds {
		o := start(t, "work", path, fmt.Sprint(round))
		for i := 0; i < 30*(round%5+1) && o.lines.Scan(); i++ {
			var id string
			var seq int64
			if _, err := fmt.Sscanf(o.lines.Text(), "kept %s %d", &id, &seq); err != nil {
				t.Fatalf("%q: %v", o.lines.Text(), err)
			}
			kept[id] = max(kept[id], seq)
		}
		o.kill()
	}
	l := open(t, path)
	for id, seq := range kept {
		task, err := l.Get(t.Context(), id)
		if err != nil || task.Seq < seq {
			t.Errorf("%s, kept up to %d, is %+v, %v", id, seq, task, err)
			continue
		}
		events, err := l.Events(t.Context(), task, 0, 100)
		if err != nil || int64(len(events)) != task.Seq || events[len(events)-1].State != task.State {
			t.Errorf("%s: %+v has %d events, %v", id, task, len(events), err)
		}
		for i, e := range events {
			if e.Seq != int64(i+1) {
				t.Errorf("%s: event %d has number %d", id, i, e.Seq)
			}
		}
	}
	left, err := l.Left(t.Context(), "a2a")
	if err != nil || len(left) == 0 || len(left) > 8*rounds {
		t.Errorf("%d tasks are left, %v", len(left), err)
	}
	for _, task := range left {
		if _, err := l.Append(t.Context(), task.ID, status(Failed)); err != nil {
			t.Error(err)
		}
	}
	if left, err = l.Left(t.Context(), "a2a"); err != nil || len(left) != 0 {
		t.Errorf("then %d tasks are left, %v", len(left), err)
	}
}

// TestTake has exactly one process take over what another has left, and nobody what one still works on.
func TestTake(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	o := start(t, "make", path, "a")
	if !o.lines.Scan() || o.lines.Text() != "made <nil>" {
		t.Fatal(o.lines.Text())
	}
	if _, err := l.Take(t.Context(), "a"); !errors.Is(err, ErrMoved) {
		t.Errorf("what a living process works on: %v", err)
	}
	if left, err := l.Left(t.Context(), "a2a"); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	o.kill()
	if left, err := l.Left(t.Context(), "a2a"); err != nil || len(left) != 1 || left[0].ID != "a" {
		t.Errorf("left: %v, %v", left, err)
	}
	if task, err := l.Take(t.Context(), "a"); err != nil || task.ID != "a" {
		t.Errorf("taken: %+v, %v", task, err)
	}
	if left, err := l.Left(t.Context(), "a2a"); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if left, err := l.Left(t.Context(), "mcp"); err != nil || len(left) != 0 {
		t.Errorf("left of another door: %v, %v", left, err)
	}
}

// TestTakeAll takes many tasks over while the disk is waited for: none waits for the one before it, and what another process
// was first with, or has ended, is left out.
func TestTakeAll(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	o := start(t, "make", path, "theirs")
	if !o.lines.Scan() || o.lines.Text() != "made <nil>" {
		t.Fatal(o.lines.Text())
	}
	ids := []string{"busy", "theirs", "over"}
	begun(t, l, "busy", "me")
	begun(t, l, "over", "me", status(Completed))
	for i := range 20 {
		ids = append(ids, fmt.Sprintf("t%02d", i))
		begun(t, l, ids[len(ids)-1], "me")
	}
	held, hold := make(chan struct{}), make(chan struct{})
	if _, err := l.handIn(t.Context(), func(*writer) (wrote, error) {
		close(held)
		<-hold
		return wrote{}, ErrMoved
	}); err != nil {
		t.Fatal(err)
	}
	<-held
	type outcome struct {
		taken []Task
		err   error
	}
	over := make(chan outcome, 1)
	go func() { // ends when the writer goes on
		taken, err := l.TakeAll(t.Context(), ids)
		over <- outcome{taken, err}
	}()
	for len(l.requests) < len(ids) { // all are handed in, and none is on disk
		runtime.Gosched()
	}
	close(hold)
	got := <-over
	var names []string
	for _, task := range got.taken {
		names = append(names, task.ID)
	}
	if want := append([]string{"busy"}, ids[3:]...); got.err != nil || !slices.Equal(names, want) {
		t.Errorf("taken: %v, %v", names, got.err)
	}
}

// TestList goes through pages of tasks with each restriction.
func TestList(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	for i := range 25 {
		at := clock.Add(time.Duration(i/2) * time.Second) // two have the same time
		first := created()
		first.At = at
		task := Task{ID: fmt.Sprintf("%02d", i), Door: "a2a", Owner: []string{"anna", "bert"}[i%2],
			Context: []string{"x", "y", "z"}[i%3]}
		if i == 24 {
			task.Door = "mcp"
		}
		if _, err := l.Create(t.Context(), task, first); err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 {
			end := status(Completed)
			end.At = at
			if _, err := l.Append(t.Context(), task.ID, artifact("later"), end); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name string
		q    Query
		want string
	}{
		{"all", Query{Anyones: true}, "23 22 21 20 19 18 17 16 15 14 13 12 11 10 09 08 07 06 05 04 03 02 01 00"},
		{"of an owner", Query{Owner: "anna"}, "22 20 18 16 14 12 10 08 06 04 02 00"},
		{"of nobody", Query{Owner: "carl"}, ""},
		{"of one without a name", Query{}, ""},
		{"of a context", Query{Owner: "anna", Context: "x"}, "18 12 06 00"},
		{"in a state", Query{Anyones: true, State: Completed}, "20 15 10 05 00"},
		{"since", Query{Anyones: true, Since: clock.Add(9 * time.Second)}, "23 22 21 20 19 18"},
	} {
		for _, most := range []int{1, 3, 100} {
			test.q.Door, test.q.Most, test.q.After = "a2a", most, Cursor{}
			var got []string
			for {
				list, total, next, err := l.List(t.Context(), test.q)
				if err != nil || len(list) > most || total != len(strings.Fields(test.want)) {
					t.Fatalf("%s: %d of %d, %v", test.name, len(list), total, err)
				}
				for _, task := range list {
					got = append(got, task.ID)
				}
				if next == (Cursor{}) {
					break
				}
				test.q.After = next
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%s, %d a page: %v, want %s", test.name, most, got, test.want)
			}
		}
	}
}

// TestMostWanted keeps so many configs of an owner that have something to tell, or may: those that were told, and those of
// another, do not count.
func TestMostWanted(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	l.mostWanted = 3*MostConfigs - 1
	var making sync.WaitGroup
	for i := range 3 {
		id := fmt.Sprint(i)
		begun(t, l, id, "anna")
		for j := range MostConfigs {
			making.Go(func() { _, _ = l.PutConfig(t.Context(), Config{Task: id, ID: fmt.Sprint(j), Body: []byte("x")}) })
		}
	}
	making.Wait()
	begun(t, l, "more", "anna")
	begun(t, l, "other", "bob")
	if list, err := l.Wanted(t.Context(), "a2a"); err != nil || len(list) != l.mostWanted {
		t.Fatalf("%d are wanted, %v", len(list), err)
	}
	put := func(task string) error {
		_, err := l.PutConfig(t.Context(), Config{Task: task, ID: "x", Body: []byte("x")})
		return err
	}
	if err := put("more"); !errors.Is(err, ErrTooManyWanted) {
		t.Errorf("one more: %v", err)
	}
	if _, err := l.PutConfig(t.Context(), Config{Task: "0", ID: "0", Body: []byte("new")}); err != nil {
		t.Errorf("in place of another: %v", err)
	}
	if err := put("other"); err != nil {
		t.Errorf("of another: %v", err)
	}
	if err := l.Told(t.Context(), "0", "0"); err != nil {
		t.Fatal(err)
	}
	if err := put("more"); err != nil {
		t.Errorf("in the room of one that was told: %v", err)
	}
}

// TestRemove removes what has ended long ago, and nothing else.
func TestRemove(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	for i := range 2*mostRemoved + 1 {
		begun(t, l, fmt.Sprint("old", i), "me", status(Completed))
	}
	begun(t, l, "failed", "me", status(Failed))
	begun(t, l, "goes on", "me", status(Working))
	late := status(Completed)
	late.At = clock.Add(time.Hour)
	begun(t, l, "late", "me", late)
	if n, err := l.Remove(t.Context(), "a2a", Completed, clock.Add(time.Minute)); err != nil || n != 2*mostRemoved+1 {
		t.Fatalf("%d are removed, %v", n, err)
	}
	if _, err := l.Get(t.Context(), "old0"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a removed task: %v", err)
	}
	list, total, _, err := l.List(t.Context(), Query{Door: "a2a", Anyones: true, Most: 10})
	if err != nil || total != 3 || len(list) != 3 {
		t.Errorf("%d are there, %v", total, err)
	}
	var events int
	if err := l.reading.QueryRow(`SELECT count(*) FROM events`).Scan(&events); err != nil || events != 6 {
		t.Errorf("%d events are there, %v", events, err)
	}
}
