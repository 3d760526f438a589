package audit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// recordCalls records calls of two sessions side by side, each in a task of its own, with what is promised to be in
// order: what happens in a call, in a session and in a task.
func recordCalls(dir string, calls int) error {
	log, err := Options{SegmentBytes: 8 << 10}.Open(dir) // many segments
	if err != nil {
		return err
	}
	failed := make([]error, 2)
	var sessions sync.WaitGroup
	for i := range failed {
		sessions.Go(func() { failed[i] = recordSession(log, fmt.Sprintf("%d-%d", os.Getpid(), i), calls) })
	}
	sessions.Wait()
	for _, err := range append(failed, log.Close()) {
		if err != nil {
			return err
		}
	}
	return nil
}

func recordSession(log *Log, session string, calls int) error {
	step := 0
	for call := range calls {
		for _, kind := range []events.Type{events.ToolDecided, events.ToolStarted, events.ToolAttempted, events.ToolStarted, events.ToolEnded} {
			event := events.Event{Type: kind, Session: session, Task: "task " + session, CallID: fmt.Sprintf("%s-%d", session, call),
				Act: &events.Act{Kind: "call", Tool: "work"}, Detail: fmt.Sprint(step)}
			switch kind {
			case events.ToolDecided:
				event.Decision = &events.Decision{}
			case events.ToolEnded:
				event.Outcome = &events.Outcome{Status: "completed"}
			default:
				event.Outcome = &events.Outcome{Status: "failed"}
			}
			if err := log.Record(context.Background(), event); err != nil {
				return err
			}
			step++
		}
	}
	return nil
}

// TestOrder has ten processes record at once, and follows them. What is told of a call, of a session and of a task
// has the order in which it happened, with numbers that leave nothing out and ids that come once.
func TestOrder(t *testing.T) {
	t.Parallel()
	const processes, calls = 10, 12
	dir := filepath.Join(t.TempDir(), "audit")
	reopen(t, dir)
	feed, err := OpenFeed(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	reader, err := feed.Read(Cursor{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cmds := make([]*exec.Cmd, processes)
	for i := range cmds {
		cmds[i], _ = startChild(t, "calls", dir, fmt.Sprint(calls))
	}
	const each = calls * 5
	statuses, steps, ids := map[string]string{}, map[string]int{}, map[string]bool{}
	for n := range int64(processes * 2 * each) {
		entry, err := reader.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if entry.Seq != n+1 || ids[entry.ID] {
			t.Fatalf("number %d comes after %d, with id %s", entry.Seq, n, entry.ID)
		}
		ids[entry.ID] = true
		if told, ok := entry.Recorded().Told().(events.Notification); ok && told.Event == events.ToolExecution {
			statuses[entry.CallID] += fmt.Sprint(told.Data["status"], " ")
		}
		for _, of := range []string{"session " + entry.Session, entry.Task} {
			if want := fmt.Sprint(steps[of]); entry.Detail != want {
				t.Fatalf("%s: step %s comes where %s should", of, entry.Detail, want)
			}
			steps[of]++
		}
	}
	for call, got := range statuses {
		if got != "started failed started completed " {
			t.Errorf("call %s: %s", call, got)
		}
	}
	if len(statuses) != processes*2*calls {
		t.Errorf("%d calls", len(statuses))
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}
