package tasklog

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// onDisk is what the tables say that an owner's tasks take.
func onDisk(t *testing.T, l *Log, owner string) (bytes int64) {
	t.Helper()
	if err := l.reading.QueryRow(`SELECT coalesce(sum(n), 0) FROM (
		SELECT sum(length(body) + coalesce(length(input), 0) + ?1) n FROM events JOIN tasks ON tasks.num = events.task WHERE owner = ?2
		UNION ALL SELECT sum(length(body) + ?1) FROM configs JOIN tasks ON tasks.num = configs.task WHERE owner = ?2)`,
		rowBytes, owner).Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

func checkKept(t *testing.T, l *Log, when string, owners ...string) {
	t.Helper()
	for _, owner := range owners {
		if bytes, err := l.Kept(t.Context(), owner); err != nil || bytes != onDisk(t, l, owner) {
			t.Errorf("%s: %s is said to take %d bytes, and takes %d: %v", when, owner, bytes, onDisk(t, l, owner), err)
		}
	}
}

// TestKept counts what the tasks of each owner take: while they are written, also in transactions that fail, after they were
// removed, after a restart, and where another process writes, too.
func TestKept(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	begun(t, l, "a", "me")
	checkKept(t, l, "at the beginning", "me", "you", "nobody")
	begun(t, l, "b", "you")
	for i := range 40 {
		if _, err := l.Append(t.Context(), "a", artifact(strings.Repeat("x", i)), status(Working)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []Config{{ID: "c", Body: []byte("12345")}, {ID: "c", Body: []byte("1")}, {ID: "d", Body: []byte("{}")}} {
		c.Task = "b"
		if _, err := l.PutConfig(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		checkKept(t, l, "with a config", "me", "you")
	}
	for range 2 {
		if err := l.RemoveConfig(t.Context(), "b", "d"); err != nil {
			t.Fatal(err)
		}
		checkKept(t, l, "with one less", "me", "you")
	}
	if _, err := l.Append(t.Context(), "b", status(Submitted)); err == nil { // which no step leads to
		t.Error("a step that leads nowhere was taken")
	}
	checkKept(t, l, "later", "me", "you")
	if err := start(t, "append", path, "a", "from elsewhere").Wait(); err != nil {
		t.Fatal(err)
	}
	follower := follow(t, l, "a", 81)
	if _, err := follower.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkKept(t, l, "with what another process wrote", "me", "you")
	if _, err := l.Append(t.Context(), "b", status(Completed)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, path)
	checkKept(t, l, "after a restart", "me", "you")
	if n, err := l.Remove(t.Context(), "a2a", Completed, time.Now().AddDate(1, 0, 0)); err != nil || n != 1 {
		t.Fatalf("%d were removed: %v", n, err)
	}
	checkKept(t, l, "after one was removed", "me", "you")
	if bytes, err := l.Kept(t.Context(), "you"); err != nil || bytes != 0 {
		t.Errorf("of nothing %d bytes are kept: %v", bytes, err)
	}
}

// TestShrink removes what an owner can do without: what has ended, the oldest first, and nothing that goes on, that is
// somebody else's, or that somebody waits to be told.
func TestShrink(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	const ended = 2*mostRemoved + 10
	body := strings.Repeat("x", 1000)
	for i := range ended {
		id := fmt.Sprintf("ended-%03d", i)
		begun(t, l, id, "me")
		step := status(Completed)
		step.At = clock.Add(time.Duration(i) * time.Second)
		if i == 1 {
			if _, err := l.PutConfig(t.Context(), Config{Task: id, ID: "c", Body: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Append(t.Context(), id, artifact(body), step); err != nil {
			t.Fatal(err)
		}
	}
	begun(t, l, "goes-on", "me")
	begun(t, l, "yours", "you")
	if _, err := l.Append(t.Context(), "yours", artifact(body), status(Completed)); err != nil {
		t.Fatal(err)
	}
	there := func(id string) bool {
		_, err := l.Get(context.Background(), id)
		return err == nil
	}
	all, err := l.Kept(t.Context(), "me")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Shrink(t.Context(), "me", all/2); err != nil {
		t.Fatal(err)
	}
	checkKept(t, l, "after half of it was removed", "me", "you")
	half, err := l.Kept(t.Context(), "me")
	if err != nil || half > all/2 || half < all/2-2*int64(len(body)) {
		t.Errorf("%d bytes are kept of %d: %v", half, all, err)
	}
	if there("ended-000") || !there("ended-001") || there("ended-002") || !there(fmt.Sprintf("ended-%03d", ended-1)) {
		t.Error("others than the oldest that could be removed were")
	}
	if err := l.Shrink(t.Context(), "me", 0); err != nil {
		t.Fatal(err)
	}
	if !there("goes-on") || !there("ended-001") || !there("yours") || there(fmt.Sprintf("ended-%03d", ended-1)) {
		t.Error("what goes on, is owed or is another's was removed, or what could be was not")
	}
	checkKept(t, l, "at the end", "me", "you")
}
