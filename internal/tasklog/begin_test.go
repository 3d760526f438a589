package tasklog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/a2a-acp/a2a-acp/internal/database"
)

// TestBegin begins a task while the disk is waited for: it is there when created returns and not before, what is
// appended meanwhile comes after its first event, and who follows it has all of them.
func TestBegin(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	begun(t, l, "busy", "me")
	elsewhere, err := database.Open(t.Context(), path, migrations)
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	lock, err := elsewhere.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback() //nolint:errcheck // it is what is wanted
	told := make(chan error, 2)
	go func() { // ends when the lock is given back
		_, err := l.Append(t.Context(), "busy", status(Working))
		told <- err
	}()
	for len(l.requests) > 0 { // the writer has it, and waits for the lock
		runtime.Gosched()
	}
	task, follower, made, err := l.Begin(t.Context(), Task{ID: "a", Door: "a2a", Owner: "me", Context: "c"}, created())
	if err != nil || task.Seq != 1 || task.State != Submitted {
		t.Fatalf("the task is %+v, %v", task, err)
	}
	defer follower.Close()
	go func() { // likewise
		_, err := l.Append(t.Context(), "a", status(Working), artifact("x"), status(Completed))
		told <- err
	}()
	if task, err := l.Get(t.Context(), "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("before it is on disk, the task is %+v, %v", task, err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if task, err = made(); err != nil || task.ID != "a" || task.num == 0 {
		t.Errorf("the task is %+v, %v", task, err)
	}
	for range 2 {
		if err := <-told; err != nil {
			t.Error(err)
		}
	}
	var seen []int64
	for len(seen) < 4 {
		events, err := follower.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			seen = append(seen, e.Seq)
		}
	}
	if fmt.Sprint(seen) != "[1 2 3 4]" {
		t.Errorf("the follower has seen %v", seen)
	}
	if task, err := l.Get(t.Context(), "a"); err != nil || task.State != Completed || task.Seq != 4 {
		t.Errorf("the task is %+v, %v", task, err)
	}
	// What cannot begin is told to who wants it, and harms nobody in the same transaction.
	_, again, made, err := l.Begin(t.Context(), Task{ID: "a", Door: "a2a", Owner: "you", Context: "c"}, created())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	begun(t, l, "b", "me")
	if _, err := made(); err == nil {
		t.Error("a task was begun twice")
	}
}

// TestOlder opens a file as it was before events had their numbers from the log: they keep them, and none is given again.
func TestOlder(t *testing.T) {
	t.Parallel()
	path, taken := newPath(t), fstest.MapFS{}
	for _, name := range []string{"migrations/0001_tasks.sql", "migrations/0002_told.sql"} {
		step, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		taken[name] = &fstest.MapFile{Data: step}
	}
	db, err := database.Open(context.Background(), path, taken)
	if err == nil {
		_, err = db.Exec(`
			INSERT INTO tasks (id, door, owner, context, worker, created, seq, state, changed)
				VALUES ('a', 'a2a', 'me', 'c', '', 1, 2, 'working', 2), ('b', 'a2a', 'me', 'c', '', 1, 1, 'submitted', 1);
			INSERT INTO events (task, seq, prev, kind, before, after, at, body, input) VALUES
				(1, 1, NULL, 'created', '', 'submitted', 1, CAST('one' AS BLOB), CAST('said' AS BLOB)), (2, 1, NULL, 'created', '', 'submitted', 1, x'', NULL);
			INSERT INTO events (task, seq, prev, kind, before, after, at, body, input)
				VALUES (1, 2, 1, 'status', 'submitted', 'working', 2, CAST('two' AS BLOB), NULL);
			INSERT INTO configs (task, id, since, body) VALUES (1, 'push', 1, x'');
			UPDATE sqlite_sequence SET seq = 40 WHERE name = 'events'`)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	task, err := l.Append(t.Context(), "a", status(Completed))
	if err != nil {
		t.Fatal(err)
	}
	events, err := l.Events(t.Context(), task, 0, 10)
	if err != nil || len(events) != 3 {
		t.Fatalf("the events are %+v, %v", events, err)
	}
	for i, want := range []string{"1 1 one said", "3 2 two ", "41 3 completed "} {
		if e := events[i]; fmt.Sprintf("%d %d %s %s", e.N, e.Seq, e.Body, e.Input) != want {
			t.Errorf("event %d is %+v, want %s", i, e, want)
		}
	}
	if configs, err := l.Configs(t.Context(), task); err != nil || len(configs) != 1 {
		t.Errorf("the configs are %+v, %v", configs, err)
	}
	checkKept(t, l, "of an older file", "me")
	if _, err := l.Remove(t.Context(), "a2a", Completed, clock.AddDate(1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if task, err = l.Append(t.Context(), "b", status(Working)); err != nil {
		t.Fatal(err)
	}
	if events, err := l.Events(t.Context(), task, 1, 10); err != nil || len(events) != 1 || events[0].N != 42 {
		t.Errorf("after the last events were removed, there are %+v, %v", events, err)
	}
}
