package a2a

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// TestRetention removes tasks when their time is over, and ends those that nobody answers.
func TestRetention(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.close()
	var late atomic.Int64
	now := time.Now()
	h.open(func(o *Options) {
		o.Retention = func() Retention { return Retention{Completed: time.Hour, Failed: 2 * time.Hour, Waiting: time.Hour} }
		o.Now = func() time.Time { return now.Add(time.Duration(late.Load())) }
	})
	done, asks, turn := h.send("anna", "do it"), h.send("anna", "ask"), h.send("anna", "turn")
	state := func(task map[string]any) any {
		result, failure := h.rpc("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"]))
		if failure != nil {
			return failure["code"]
		}
		return at(result, "status.state")
	}
	clean := func(later time.Duration) {
		late.Store(int64(later))
		h.door.cleanOnce()
	}
	clean(50 * time.Minute)
	if state(done) != "TASK_STATE_COMPLETED" || state(asks) != "TASK_STATE_INPUT_REQUIRED" {
		t.Error("a task was ended early")
	}
	run := h.door.of(asks["id"].(string))
	clean(70 * time.Minute)
	<-run.over
	if state(done) != -32001.0 || state(asks) != "TASK_STATE_FAILED" || state(turn) != "TASK_STATE_FAILED" {
		t.Errorf("the tasks are %v, %v and %v", state(done), state(asks), state(turn))
	}
	clean(4 * time.Hour)
	if state(asks) != -32001.0 || state(turn) != -32001.0 {
		t.Errorf("the tasks are still there: %v and %v", state(asks), state(turn))
	}
}

// TestRevokedWaits ends the tasks of somebody that wait with nobody working on them, once he may have nothing done any more:
// at once, and where that was said while no server ran.
func TestRevokedWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var revoked atomic.Value // the name of a principal
	revoked.Store("")
	change := func(o *Options) { o.Acts = func(principal string) bool { return principal != revoked.Load() } }
	h.close()
	h.open(change)
	state := func(who string, task map[string]any) any {
		result, failure := h.rpc(who, "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"]))
		if failure != nil {
			t.Fatal(failure)
		}
		return at(result, "status.state")
	}
	annas, berts := h.send("anna", "turn"), h.send("bert", "turn")
	revoked.Store("anna")
	h.door.Recheck()
	for state("anna", annas) != "TASK_STATE_CANCELED" { // a look at the log takes a moment
	}
	if got := state("bert", berts); got != "TASK_STATE_INPUT_REQUIRED" {
		t.Errorf("somebody else's task is %v", got)
	}
	h.close()
	revoked.Store("bert")
	h.open(change)
	for state("bert", berts) != "TASK_STATE_CANCELED" {
	}
}
