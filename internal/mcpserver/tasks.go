package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
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
	// with an answer one has the call go on. It is held, too, while it is kept how its work has ended.
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
		s.left(task)
		return s.ended(ctx, x, call, about, task, out)
	case <-ctx.Done():
		r.cancel(context.Cause(ctx))
		s.gaveUp(task, <-done)
		s.left(task)
		return nil, context.Cause(ctx)
	case <-timer.C:
	case <-deferred:
	}
	x.end() // nothing is told of a task but how it stands
	if err := s.keep(ctx, &task); err != nil {
		r.cancel(err)
		s.gaveUp(task, <-done)
		s.left(task)
		return nil, err
	}
	leave := x.stay()
	s.tasks.working.Go(func() { // ends with the call
		defer leave()
		s.finish(task, call, <-done, r)
	})
	return s.created(x, task)
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
		s.gaveUp(task, outcome{})
		return nil, err
	}
	return s.created(x, task)
}

// created is the result of a call that is a task.
func (s *Server) created(x *exchange, task Task) ([]byte, error) {
	x.unsaid = func() { s.endUntold(task) }
	told := task.basis()
	told["resultType"], told["_meta"] = "task", s.resultMeta()
	return encode(told)
}

// begin starts the work of a task, in a goroutine that CloseTasks waits for. Whoever has begun it says when it is over
// (left).
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
		work(ctx)
	})
	return r, nil
}

// left forgets that a task is at work.
func (s *Server) left(task Task) {
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	delete(s.tasks.running, task.ID)
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

// finish keeps what the work of a task came to. Whoever cancels the task comes before it, or finds what was kept.
func (s *Server) finish(task Task, call Call, out outcome, r *running) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	defer s.left(task)
	s.tasks.mu.Lock()
	cancelled := r.cancelled
	s.tasks.mu.Unlock()
	var failed *ProtocolError
	switch {
	case cancelled:
		s.gaveUp(task, out)
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

// gaveUp has that be over which a call asked for that nobody goes on with: what it had waited for, and what it was about
// to wait for when it was given up.
func (s *Server) gaveUp(task Task, out outcome) {
	var states []string
	if task.Waits != nil {
		states = append(states, task.Waits.State)
	}
	if out.input != nil {
		states = append(states, out.input.State)
	}
	for _, state := range states {
		if err := s.o.Cancelled(context.WithoutCancel(s.tasks.ctx), state); err != nil {
			s.o.Say(fmt.Sprintf("what a call asked for that was given up may still stand open: %v", err))
		}
	}
}

// keep keeps a task, and tells whoever wants to hear of it. Of one that has ended nothing is kept that it had waited with.
func (s *Server) keep(ctx context.Context, task *Task) error {
	task.Updated = s.o.Now()
	if task.Status.Ended() {
		task.Waits = nil
	}
	if err := s.o.Tasks.Keep(ctx, *task); err != nil {
		return err
	}
	s.publish(note{method: changedTask, key: task.Principal + "\x00" + task.ID, params: task.detail()})
	return nil
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
		s.left(*task)
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

// nobody is the peer of a call whose client is not there.
type nobody struct{}

func (nobody) send([]byte) {}
func (nobody) ask(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errNoAsk
}
func (nobody) detach(time.Duration) {}
