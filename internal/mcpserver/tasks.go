package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
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

// TaskAfter is how long a client waits for a call until it becomes a task.
const TaskAfter = 5 * time.Second

// mostTasks is how many calls of one principal are at work behind its back.
const mostTasks = 256

// tasks are the calls that go on without a client, or could.
type tasks struct {
	ctx     context.Context // ends with the server
	end     context.CancelCauseFunc
	working sync.WaitGroup
	// turn is held from reading a task that waits until it is kept as what a request makes of it: of two requests
	// with an answer one has the call go on.
	turn sync.Mutex

	mu      sync.Mutex
	closing bool
	running map[string]*running // by the task's id
}

// running is a call that is at work.
type running struct {
	principal string
	cancel    context.CancelCauseFunc
	cancelled bool
}

// CloseTasks ends the calls that go on without a client, and returns when they have ended. Those that wait for
// an answer stay.
func (s *Server) CloseTasks() {
	s.tasks.mu.Lock()
	s.tasks.closing = true
	s.tasks.mu.Unlock()
	s.tasks.end(ErrGone)
	s.tasks.working.Wait()
}

// endTasks ends the calls of a principal that go on without a client. It does not wait.
func (s *Server) endTasks(principal string) {
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	for _, r := range s.tasks.running {
		if r.principal == principal {
			r.cancelled = true
			r.cancel(ErrRevoked)
		}
	}
}

// takesTasks reports whether a request may be answered with a task.
func (s *Server) takesTasks(x *exchange) bool {
	return s.o.Tasks != nil && x.client.Stateless() && x.client.Capabilities.Tasks
}

// outcome is what a call came to: one of its members.
type outcome struct {
	result []byte
	input  *InputRequired
	err    error
}

// asTask makes a call that becomes a task where it takes long, where it asks to, or where it waits for
// somebody.
func (s *Server) asTask(ctx context.Context, x *exchange, call Call, about func() []byte) ([]byte, error) {
	task := Task{ID: newTaskID(), Principal: x.client.Principal, Created: s.o.Now(), Status: TaskWorking}
	deferred := make(chan struct{})
	call.Defer = sync.OnceFunc(func() { close(deferred) })
	done := make(chan outcome, 1)
	r, err := s.begin(task, func(during context.Context) { done <- s.callOnce(carried{during, ctx}, x, call) })
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(s.o.TaskAfter)
	defer timer.Stop()
	select {
	case out := <-done:
		return s.ended(ctx, x, call, about, task, out)
	case <-ctx.Done():
		r.cancel(context.Cause(ctx))
		<-done
		return nil, context.Cause(ctx)
	case <-timer.C:
	case <-deferred:
	}
	x.end() // nothing is told of a task but how it stands
	if err := s.keep(ctx, &task); err != nil {
		r.cancel(err)
		<-done
		return nil, err
	}
	leave := x.stay()
	s.tasks.working.Go(func() { // ends with the call
		defer leave()
		s.finish(task, call, <-done, r)
	})
	return s.created(task)
}

// ended returns the result of a call that has ended before it became a task.
func (s *Server) ended(ctx context.Context, x *exchange, call Call, about func() []byte, task Task, out outcome) ([]byte, error) {
	switch {
	case out.err != nil:
		return nil, out.err
	case out.input == nil:
		return out.result, nil
	case !out.input.Waits:
		return s.inputRequired(x, about, out.input)
	}
	task.wait(call, out.input)
	if err := s.keep(ctx, &task); err != nil {
		return nil, err
	}
	return s.created(task)
}

func newTaskID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// begin starts the work of a task, in a goroutine that CloseTasks waits for.
func (s *Server) begin(task Task, work func(context.Context)) (*running, error) {
	ctx, cancel := context.WithCancelCause(s.tasks.ctx)
	r := &running{principal: task.Principal, cancel: cancel}
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	n := 0
	for _, other := range s.tasks.running {
		if other.principal == task.Principal {
			n++
		}
	}
	switch {
	case s.tasks.closing:
		cancel(ErrGone)
		return nil, failf(codeInternal, "the server ends")
	case n >= mostTasks:
		cancel(nil)
		return nil, failf(codeInternal, "%d calls are under way; wait until one of them has ended", mostTasks)
	case s.tasks.running[task.ID] != nil:
		cancel(nil)
		return nil, errNotNow
	}
	s.tasks.running[task.ID] = r
	s.tasks.working.Go(func() { // ends with the call
		defer cancel(nil)
		defer func() {
			s.tasks.mu.Lock()
			defer s.tasks.mu.Unlock()
			delete(s.tasks.running, task.ID)
		}()
		work(ctx)
	})
	return r, nil
}

// carried is a context with the values of another: the call of a task outlives the request that it came with.
type carried struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (c carried) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}

// errNotNow says that a task does not go on: it is at work already, or its principal has as many calls under way as it
// may.
var errNotNow = errors.New("the task does not go on now")

// callOnce makes a call, and turns what it came to into what the client is told.
func (s *Server) callOnce(ctx context.Context, x *exchange, call Call) outcome {
	result, err := s.o.Tools.Call(ctx, call)
	switch {
	case errors.Is(err, ErrUnknownTool):
		return outcome{err: failf(codeParams, "%v: %q", ErrUnknownTool, claim(call.Name))}
	case err != nil:
		return outcome{err: err}
	case result.Input != nil:
		return outcome{input: result.Input}
	case result.Error != nil:
		return outcome{err: result.Error.of(x.client.Revision)}
	}
	text, err := s.tell(x, result)
	return outcome{result: text, err: err}
}

// finish keeps what the work of a task came to.
func (s *Server) finish(task Task, call Call, out outcome, r *running) {
	s.tasks.mu.Lock()
	cancelled := r.cancelled
	s.tasks.mu.Unlock()
	var failed *ProtocolError
	switch {
	case cancelled:
		task.Status = TaskCancelled
	case out.input != nil:
		task.wait(call, out.input)
	case out.err == nil:
		task.Status, task.Result = TaskCompleted, out.result
	case s.tasks.ctx.Err() != nil:
		task.Status, task.Failed = TaskFailed, failf(codeInternal, "the server ended while the call ran")
	case errors.As(out.err, &failed):
		task.Status, task.Failed = TaskFailed, failed
	default:
		s.o.Say(fmt.Sprintf("a task: %v", out.err))
		task.Status, task.Failed = TaskFailed, failf(codeInternal, "internal error; a2a-acp has told the person why")
	}
	if err := s.keep(context.WithoutCancel(s.tasks.ctx), &task); err != nil {
		s.o.Say(fmt.Sprintf("how a task ended could not be kept: %v", err))
	}
}

// keep keeps a task, and tells whoever wants to hear of it.
func (s *Server) keep(ctx context.Context, task *Task) error {
	task.Updated = s.o.Now()
	if err := s.o.Tasks.Keep(ctx, *task); err != nil {
		return err
	}
	s.publish(note{method: changedTask, key: task.Principal + "\x00" + task.ID, params: task.detail()})
	return nil
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

// created is the result of a call that is a task.
func (s *Server) created(task Task) ([]byte, error) {
	told := task.basis()
	told["resultType"], told["_meta"] = "task", s.resultMeta()
	return encode(told)
}

// found returns the task that a request is about.
func (s *Server) found(ctx context.Context, x *exchange) (Task, error) {
	if !x.client.Capabilities.Tasks {
		return Task{}, needsTasks()
	}
	task, err := s.o.Tasks.Get(ctx, x.client.Principal, textParam(x.params, "taskId"))
	if errors.Is(err, ErrNoTask) {
		return task, failf(codeParams, "%v", ErrNoTask)
	}
	return task, err
}

func needsTasks() *ProtocolError {
	return NeedsCapability(map[string]any{"extensions": map[string]any{tasksExtension: map[string]any{}}})
}

// getTask says how a task stands. One that waits goes on where its answer has come another way.
func (s *Server) getTask(ctx context.Context, x *exchange) ([]byte, error) {
	task, err := s.found(ctx, x)
	if err != nil {
		return nil, err
	}
	if task.Status == TaskInput {
		if task, err = s.goOn(ctx, x); err != nil {
			return nil, err
		}
	}
	told := task.detail()
	told["resultType"], told["_meta"] = "complete", s.resultMeta()
	return encode(told)
}

// goOn has a task go on whose answer has come, and returns it.
func (s *Server) goOn(ctx context.Context, x *exchange) (Task, error) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.found(ctx, x)
	if err != nil || task.Status != TaskInput ||
		len(task.Waits.Requests) > 0 && (s.o.Answered == nil || !s.o.Answered(ctx, task.Waits.State)) {
		return task, err
	}
	if err = s.resume(ctx, x, &task); errors.Is(err, errNotNow) {
		err = nil
	}
	return task, err
}

// updateTask takes answers. What nobody asks, or asks no more, is passed over.
func (s *Server) updateTask(ctx context.Context, x *exchange) ([]byte, error) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.found(ctx, x)
	if err != nil {
		return nil, err
	}
	answers, failed := readAnswers(param(x.params, "inputResponses"))
	if failed != nil {
		return nil, failed
	}
	if task.Status == TaskInput {
		task.Waits = task.Waits.clone()
		for key, answer := range answers {
			if _, asked := task.Waits.Requests[key]; asked {
				delete(task.Waits.Requests, key)
				task.Waits.Answers[strings.TrimPrefix(key, fmt.Sprintf("%d.", task.Waits.Round))] = answer
			}
		}
		err := errNotNow
		if len(task.Waits.Requests) == 0 {
			err = s.resume(ctx, x, &task)
		}
		if errors.Is(err, errNotNow) { // with the answers, until getTask goes on with it
			err = s.keep(ctx, &task)
		}
		if err != nil {
			return nil, err
		}
	}
	return encode(s.head(x, notKept))
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

// resume makes the call of a task again, with what it waited for. turn is held.
func (s *Server) resume(ctx context.Context, by *exchange, task *Task) error {
	waits := task.Waits
	leave, ok := by.enter()
	if !ok {
		return errNotNow
	}
	x := &exchange{client: &waits.Client, method: "tools/call", peer: nobody{}, over: true}
	call := Call{Client: &waits.Client, Name: waits.Name, Arguments: slices.Clone(waits.Arguments),
		Round: Round{Answers: waits.Answers, State: waits.State}, Progress: func(Progress) {}, Log: func(Level, string, any) {},
		Detach: func(time.Duration) {}, Defer: func() {}}
	kept := make(chan bool, 1)
	done := make(chan outcome, 1)
	r, err := s.begin(*task, func(during context.Context) {
		if <-kept {
			done <- s.callOnce(carried{during, ctx}, x, call)
		}
	})
	if err != nil {
		leave()
		return err
	}
	task.Status = TaskWorking
	err = s.keep(ctx, task)
	if kept <- err == nil; err != nil {
		leave()
		return err
	}
	at := *task
	s.tasks.working.Go(func() { // ends with the call
		defer leave()
		s.finish(at, call, <-done, r)
	})
	return nil
}

// cancelTask ends a task, if it has not ended.
func (s *Server) cancelTask(ctx context.Context, x *exchange) ([]byte, error) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.found(ctx, x)
	if err != nil {
		return nil, err
	}
	s.tasks.mu.Lock()
	r := s.tasks.running[task.ID]
	if r != nil {
		r.cancelled = true
		r.cancel(ErrCancelled)
	}
	s.tasks.mu.Unlock()
	if r == nil && task.Status == TaskInput {
		task.Status = TaskCancelled
		if err := s.keep(ctx, &task); err != nil {
			return nil, err
		}
	}
	return encode(s.head(x, notKept))
}

// nobody is the peer of a call whose client is not there.
type nobody struct{}

func (nobody) send([]byte) {}
func (nobody) ask(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errNoAsk
}
func (nobody) detach(time.Duration) {}
