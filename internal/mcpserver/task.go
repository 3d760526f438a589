package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// Task is a call that its client does not wait for (the extension io.modelcontextprotocol/tasks): it asks how it
// stands, with other requests.
type Task struct {
	ID        string
	Principal string // whose it is; for others there is no such task
	Created   time.Time
	Updated   time.Time
	Status    TaskStatus
	Message   string          // what is to be said of it; may be ""
	Result    json.RawMessage // of TaskCompleted: the call's
	Failed    *ProtocolError  // of TaskFailed
	Waits     *TaskWait       // of TaskInput
}

// TaskWait is what a task needs to go on, also in another process.
type TaskWait struct {
	Client    Client
	Name      string
	Arguments json.RawMessage
	State     string
	Round     int
	Requests  map[string]InputRequest    // not answered yet, by the keys that the client is told
	Answers   map[string]json.RawMessage // by the keys of InputRequired
}

// TaskStatus is how a task stands.
type TaskStatus string

// The statuses. The last three are final.
const (
	TaskWorking   TaskStatus = "working"
	TaskInput     TaskStatus = "input_required"
	TaskCompleted TaskStatus = "completed"
	TaskFailed    TaskStatus = "failed"
	TaskCancelled TaskStatus = "cancelled"
)

// Ended reports whether nothing comes of a task any more.
func (s TaskStatus) Ended() bool { return s == TaskCompleted || s == TaskFailed || s == TaskCancelled }

// TaskLog keeps tasks. It is safe for concurrent use.
type TaskLog interface {
	// Keep keeps a task as it is now, in place of what it was. When it returns, Get finds it.
	Keep(ctx context.Context, task Task) error
	// Get returns a task of a principal; ErrNoTask if there is none. One that was at work in a process which
	// has ended has failed.
	Get(ctx context.Context, principal, id string) (Task, error)
}

// ErrNoTask is what TaskLog.Get returns for a task that there is not.
var ErrNoTask = errors.New("there is no such task")

// TaskLife is how long a task is kept, and taskPoll how often a client is to ask.
const (
	TaskLife = 24 * time.Hour
	taskPoll = time.Second
)

func newTaskID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// wait has a task wait for answers.
func (t *Task) wait(call Call, in *InputRequired) {
	round := 1
	if t.Waits != nil {
		round = t.Waits.Round + 1
	}
	t.Status = TaskInput
	t.Waits = &TaskWait{Client: *call.Client, Name: call.Name, Arguments: call.Arguments, State: in.State, Round: round,
		Requests: map[string]InputRequest{}, Answers: map[string]json.RawMessage{}}
	for key, request := range in.Requests {
		t.Waits.Requests[fmt.Sprintf("%d.%s", round, key)] = request // no key comes a second time
	}
}

// basis is what is said of every task.
func (t *Task) basis() map[string]any {
	told := map[string]any{
		"taskId": t.ID, "status": t.Status, "createdAt": t.Created.UTC().Format(time.RFC3339Nano),
		"lastUpdatedAt": t.Updated.UTC().Format(time.RFC3339Nano),
		"ttlMs":         TaskLife.Milliseconds(), "pollIntervalMs": taskPoll.Milliseconds(),
	}
	if t.Message != "" {
		told["statusMessage"] = t.Message
	}
	return told
}

// detail is all that is said of a task.
func (t *Task) detail() map[string]any {
	told := t.basis()
	switch t.Status {
	case TaskInput:
		told["inputRequests"] = t.Waits.Requests
	case TaskCompleted:
		told["result"] = t.Result
	case TaskFailed:
		told["error"] = t.Failed
	}
	return told
}

// clone is a copy that may be changed.
func (w *TaskWait) clone() *TaskWait {
	c := *w
	c.Requests, c.Answers = maps.Clone(w.Requests), maps.Clone(w.Answers)
	if c.Answers == nil {
		c.Answers = map[string]json.RawMessage{}
	}
	return &c
}
