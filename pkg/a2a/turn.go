package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// run is a task that this process works on.
type run struct {
	server *Server
	at     *endpoint
	owner  string // the principal whose task it is
	caller Caller
	// develops says that events tell what they mean to a program that shows tool calls; see
	// DevelopmentExtension.
	develops bool
	ctx      context.Context
	stop     context.CancelCauseFunc
	over     chan struct{} // closed when the work has ended, and all of it is in the log

	// mu is held while the task's log is written, so that what is folded is what is there.
	mu     sync.Mutex
	head   tasklog.Task
	task   *wire.Task
	asking []*asking     // who waits for the client, the first one first
	asked  chan struct{} // closed when one more does, and replaced
	busy   int           // what has begun, less those that wait; see Begin
}

// Turn is what an agent works on: a task, from a message on.
type Turn struct {
	run     *run
	message *wire.Message
}

// Message returns the message that the turn begins with. It is not to be changed.
func (t *Turn) Message() *wire.Message { return t.message }

// Caller returns whose task it is.
func (t *Turn) Caller() Caller { return t.run.caller }

// Task returns the task as it stands in the log. It is not to be changed.
func (t *Turn) Task() *wire.Task {
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	return t.run.task
}

// Working says that the task is worked on, with a text for the client where it is not "".
func (t *Turn) Working(ctx context.Context, text string) error {
	return t.status(ctx, wire.TaskStateWorking, text)
}

// Progress tells the client how the work goes on. Where the task asks its client something, it says nothing: the question
// stands.
func (t *Turn) Progress(ctx context.Context, text string) error {
	r := t.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.task.Status.State != wire.TaskStateWorking {
		return nil
	}
	return r.append(ctx, nil, &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking,
		Message: wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(text))}})
}

// Complete ends the task well.
func (t *Turn) Complete(ctx context.Context, text string) error {
	return t.status(ctx, wire.TaskStateCompleted, text)
}

// Fail ends the task.
func (t *Turn) Fail(ctx context.Context, text string) error {
	return t.status(ctx, wire.TaskStateFailed, text)
}

// Reject ends a task that the agent does not want to work on.
func (t *Turn) Reject(ctx context.Context, text string) error {
	return t.status(ctx, wire.TaskStateRejected, text)
}

// NeedInput ends the turn with a question. The next message of the client begins another one.
func (t *Turn) NeedInput(ctx context.Context, text string) error {
	return t.status(ctx, wire.TaskStateInputRequired, text)
}

func (t *Turn) status(ctx context.Context, state wire.TaskState, text string) error {
	event := &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: state}}
	if text != "" {
		event.Status.Message = wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(text))
	}
	return t.Emit(ctx, event)
}

// Put puts an artifact out. append puts its parts behind those of the artifact with the same id, and last says
// that nothing more comes.
func (t *Turn) Put(ctx context.Context, artifact *wire.Artifact, append, last bool) error {
	return t.Emit(ctx, &wire.TaskArtifactUpdateEvent{Artifact: artifact, Append: append, LastChunk: last})
}

// Emit has events happen to the task, all at once: *wire.TaskStatusUpdateEvent and *wire.TaskArtifactUpdateEvent,
// whose ids and times are filled in. It returns when they are on disk. They are not to be changed afterwards.
func (t *Turn) Emit(ctx context.Context, events ...wire.Event) error {
	r := t.run
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.append(ctx, nil, events...)
}

// answered says in the task's metadata that a question was answered.
func (t *Turn) answered(ctx context.Context, key string) error {
	r := t.run
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.append(ctx, nil, &wire.TaskStatusUpdateEvent{Status: r.without(nil), Metadata: map[string]any{key: true}})
}

// Begin says that something is under way, until end is called: a task that waits for its client is not ended with
// the server before that.
func (t *Turn) Begin() (end func()) {
	t.run.count(1)
	return func() { t.run.count(-1) }
}

func (r *run) count(n int) {
	r.mu.Lock()
	r.busy += n
	r.mu.Unlock()
	if n < 0 && r.server.Ready() != nil {
		r.stopIfWaiting()
	}
}

// stopIfWaiting ends the work if all that it does is to wait for somebody, or for its turn.
func (r *run) stopIfWaiting() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asking) > 0 && r.busy <= 0 || r.resumes() {
		r.stop(errEnds)
	}
}

// resumes reports whether nothing of the task is under way, and the process that comes next begins with it. mu is held.
func (r *run) resumes() bool {
	resumer, can := r.at.agent.(Resumer)
	return can && (r.head.State == tasklog.Submitted || r.head.State == tasklog.Working && resumer.Idle(r.task))
}

// append appends events to the task's log and folds them. mu is held.
func (r *run) append(ctx context.Context, input *wire.Message, events ...wire.Event) error {
	steps := make([]tasklog.Step, len(events))
	for i, event := range events {
		var err error
		if _, puts := event.(*wire.TaskArtifactUpdateEvent); puts {
			if err = r.server.checkOnDisk(ctx, r.owner); err != nil {
				return err
			}
		}
		if r.develops {
			develop(event)
		}
		if steps[i], err = r.server.step(r.head, event); err != nil {
			return err
		}
	}
	if input != nil {
		encoded, err := json.Marshal(input)
		if err != nil {
			return err
		}
		steps[0].Input = encoded
	}
	head, err := r.server.o.Log.Append(ctx, r.head.ID, steps...)
	var refused *tasklog.StepError
	if errors.As(err, &refused) && refused.Before.Ended() {
		r.stop(fmt.Errorf("task %s was ended elsewhere: it is %s", r.head.ID, refused.Before))
	}
	if err != nil {
		return err
	}
	if head.Seq != r.head.Seq+int64(len(steps)) { // another process has appended, too
		snap, err := r.server.read(ctx, head)
		if err != nil {
			return err
		}
		r.head, r.task = head, snap
		return nil
	}
	for i, event := range events {
		if i > 0 {
			input = nil
		}
		r.task = fold(r.task, event, input)
	}
	r.head = head
	return nil
}

// timestamp returns the time with milliseconds, as the protocol writes it (5.6.1). encoding/json leaves out zeros at
// its end, so that a time whose last digit is one is a millisecond later.
func (s *Server) timestamp() time.Time {
	now := s.o.Now().UTC().Truncate(time.Millisecond)
	if now.UnixMilli()%10 == 0 {
		now = now.Add(time.Millisecond)
	}
	return now
}

// step returns an event as the log keeps it. Ids and time of the event are filled in.
func (s *Server) step(t tasklog.Task, event wire.Event) (tasklog.Step, error) {
	now := s.timestamp()
	step := tasklog.Step{At: now}
	switch event := event.(type) {
	case *wire.TaskStatusUpdateEvent:
		event.TaskID, event.ContextID = wire.TaskID(t.ID), t.Context
		event.Status.Timestamp = &now
		if m := event.Status.Message; m != nil && m.TaskID == "" {
			m.TaskID, m.ContextID = event.TaskID, event.ContextID
		}
		step.Kind, step.State = tasklog.Status, logState(event.Status.State)
	case *wire.TaskArtifactUpdateEvent:
		event.TaskID, event.ContextID = wire.TaskID(t.ID), t.Context
		step.Kind = tasklog.Artifact
	case *wire.Task:
		event.Status.Timestamp = &now
		step.Kind, step.State = tasklog.Created, tasklog.Submitted
	default:
		return step, fmt.Errorf("a %T is no event of a task", event)
	}
	var err error
	step.Body, err = wire.StreamResponse{Event: event}.MarshalJSON() // json.Marshal would read it once more
	return step, err
}

// What one principal may have worked on at a time. A client need not wait for a task, so that what bounds its requests
// does not bound that.
const (
	mostUnderWay      = 1024     // tasks
	mostBytesUnderWay = 64 << 20 // of the messages that they have begun with, which are kept in memory
	mostAnswer        = 1 << 20  // of a message that answers a question
)

// load is what is under way of a principal's.
type load struct {
	tasks, bytes int
}

func (l load) plus(tasks, bytes int) load { return load{l.tasks + tasks, l.bytes + bytes} }

// room refuses a caller of whose tasks so many are under way that there is no room for one with a message of this size.
func (s *Server) room(caller Caller, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch l := s.underWay[caller.Name]; {
	case l.tasks >= mostUnderWay:
		return failf(errBusy, "%d tasks are under way or wait for an answer; end one of them", mostUnderWay)
	case l.tasks > 0 && l.bytes+bytes > mostBytesUnderWay:
		return failf(errBusy, "the tasks that are under way or wait for an answer have begun with %d MiB of messages; end one of them",
			mostBytesUnderWay>>20)
	}
	return nil
}

// run begins to work on a task. It returns an error if nothing begins any more.
func (s *Server) run(at *endpoint, caller Caller, from origin, head tasklog.Task, task *wire.Task, message *wire.Message,
	work func(context.Context, *Turn) error) error {
	r := &run{server: s, at: at, owner: head.Owner, caller: caller, develops: from.Develops,
		over: make(chan struct{}), asked: make(chan struct{}), head: head, task: task}
	r.ctx, r.stop = context.WithCancelCause(s.ending)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return failf(errStopping, "%v", errEnds)
	}
	bytes := sizeOfTask(task)
	s.underWay[head.Owner] = s.underWay[head.Owner].plus(1, bytes)
	s.runs[head.ID] = r
	if !s.o.Acts(head.Owner) { // since it was let in
		r.stop(errRevoked)
	}
	s.working.Go(func() { // ends with the work, which ends with r.ctx
		err := work(r.ctx, &Turn{run: r, message: message})
		r.finish(err)
		s.mu.Lock()
		if s.runs[head.ID] == r {
			delete(s.runs, head.ID)
		}
		s.underWay[head.Owner] = s.underWay[head.Owner].plus(-1, -bytes)
		if s.underWay[head.Owner].tasks == 0 {
			delete(s.underWay, head.Owner)
		}
		s.mu.Unlock()
		close(r.over)
		r.stop(nil)
	})
	return nil
}

// errCanceled is why the work on a task ends that its client has canceled.
var errCanceled = errors.New("the task was canceled")

// finish says in the log how the work has ended, where that is not said yet.
func (r *run) finish(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, cause := context.WithoutCancel(r.ctx), context.Cause(r.ctx)
	if r.head.State.Ended() {
		r.endQuestions(ctx)
		r.server.keep(r.head, r.task)
		return
	}
	state, text := wire.TaskStateFailed, "The agent has ended without saying how."
	switch {
	case errors.Is(cause, errCanceled):
		state, text = wire.TaskStateCanceled, ""
	case errors.Is(cause, errRevoked):
		state, text = wire.TaskStateCanceled, revokedText
	case r.head.State.Interrupted() && (err == nil || errors.Is(cause, errEnds)), r.resumes() && errors.Is(cause, errEnds):
		r.server.keep(r.head, r.task)
		return
	case errors.Is(cause, errEnds):
		text = "The server was stopped while it worked on this."
	case err != nil:
		text = asError(err).Error()
	}
	r.endQuestions(ctx)
	event := &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: state}}
	if text != "" {
		event.Status.Message = wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(text))
	}
	if failed := r.append(ctx, nil, event); failed != nil {
		r.server.o.Say(fmt.Sprintf("the end of task %s is not in the log: %v", r.head.ID, failed))
		return
	}
	if err != nil && state == wire.TaskStateFailed {
		var told *Error
		if !errors.As(err, &told) && !errors.Is(err, errEnds) {
			r.server.o.Say(fmt.Sprintf("task %s has failed: %v", r.head.ID, err))
		}
	}
	r.server.keep(r.head, r.task)
}

// endQuestions has the questions be over of a task that ends, however it does. What an earlier process has asked, nobody may
// have asked again: a yes to that would be left for whatever task comes next. mu is held.
func (r *run) endQuestions(ctx context.Context) {
	if failed := r.server.cancelQuestions(ctx, r.owner, questionsOf(r.task)); failed != nil {
		r.server.o.Say(fmt.Sprintf("questions of task %s, which was ended, may still stand open: %v", r.head.ID, failed))
	}
}

// of returns the run of a task; nil if this process does not work on it.
func (s *Server) of(id string) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}
