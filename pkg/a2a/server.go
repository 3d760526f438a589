package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// Options configure a Server.
type Options struct {
	Log *tasklog.Log // required: where the tasks are
	// Agent is the one at the root of the URL. Required.
	Agent Agent
	// Agents are those that have a place of their own, below /agents/NAME, by name. Optional.
	Agents map[string]Agent
	// More returns an agent that has come since, by its name; nil for none. Optional.
	More func(name string) Agent
	// Caller returns who makes a request. Required.
	Caller func(*http.Request) Caller
	// Acts and Follows report whether a principal may have something done here now, and be told of its tasks, which
	// outlive its requests. Optional; by default whoever was let in may. Recheck looks again. They must not block.
	Acts, Follows func(principal string) bool
	// Cancelled is told which question (approvalId) of a task counts no more, nor a yes to it, since the task was ended:
	// by its client, because its principal may have nothing done any more, or because nobody answered. One that somebody
	// else waits for is none of it. Optional.
	Cancelled func(ctx context.Context, owner, question string) error
	// Logins has the agents below /agents log in, for callers that see everybody's tasks. Optional; without
	// it nobody logs an agent in here.
	Logins Logins
	// Told is told of each login that a caller has begun, and of each that a caller has ended. Optional.
	Told func(by Caller, agent, what string)
	// Streams is told that an answer tells news from now on, and no longer is a request that somebody waits for.
	// Optional.
	Streams func(context.Context)
	// Base returns the URL under which the client reaches the server, without a slash at its end. Optional, by
	// default what the request says.
	Base func(*http.Request) string
	// Signer signs cards. Optional.
	Signer *Signer
	// Deliverer delivers push notifications. Optional; without it there are none. The caller closes it after the
	// server. *webhook.Deliverer is one.
	Deliverer Deliverer
	// PushAllow returns the addresses that push notifications reach although they are not public. Optional. Recheck
	// has it asked again.
	PushAllow func() []netip.Prefix
	// PlainCard has a client that does not say which version it speaks get the card of 1.0 alone.
	PlainCard bool
	// Retention says how long tasks are kept. Optional; without it they are.
	Retention func() Retention
	Now       func() time.Time  // optional, default time.Now
	Say       func(line string) // required: one line for the person, about what clients are not told
	// KeepAlive is how often a silent stream says that it lives. Optional, default 15 s.
	KeepAlive time.Duration
}

// Deliverer delivers to subscriptions. Safe for concurrent use.
type Deliverer interface {
	// Set has it deliver to these subscriptions of a source, and to no others of it.
	Set(source string, list []webhook.Subscription)
	// Forget has it forget the subscriptions of a source that are over, which over reports later.
	Forget(source string, over func(ctx context.Context, id string) (bool, error))
	// Counts says what has become of the attempts of a source so far.
	Counts(source string) webhook.Counts
}

// Server serves A2A. Its life is New, Start, and Close. Its ServeHTTP may be called in between.
type Server struct {
	o         Options
	root      *endpoint
	places    sync.RWMutex
	endpoints map[string]*endpoint // by name; guarded by places
	snapshots *lru.Cache[string, *snapshot]
	cards     cards
	grpc      a2agrpc.Service

	ending context.Context // done when runs are to end
	end    context.CancelCauseFunc

	mu       sync.Mutex
	stopping bool
	runs     map[string]*run // by the task's id
	underWay map[string]load // what there is of them, by whose they are
	began    time.Time
	logins   loginsUnderWay
	watchers watchers
	working  sync.WaitGroup // runs, and what goes on by itself
	pushes   pushes
}

// endpoint is an agent and where it is.
type endpoint struct {
	agent Agent
	name  string // "" for the root
	door  string // its name in the log of tasks
	path  string // of its URL: "" for the root
}

const snapshotsKept = 1024

// New makes a Server.
func New(o Options) (*Server, error) {
	if o.Log == nil || o.Agent == nil || o.Caller == nil || o.Say == nil {
		return nil, errors.New("make an A2A server: a log, an agent, a way to know callers and one to say things are required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Base == nil {
		o.Base = BaseOf
	}
	if o.Told == nil {
		o.Told = func(Caller, string, string) {}
	}
	everybody := func(string) bool { return true }
	if o.Acts == nil {
		o.Acts = everybody
	}
	if o.Follows == nil {
		o.Follows = everybody
	}
	if o.Cancelled == nil {
		o.Cancelled = func(context.Context, string, string) error { return nil }
	}
	if o.Streams == nil {
		o.Streams = func(context.Context) {}
	}
	if o.PushAllow == nil {
		o.PushAllow = func() []netip.Prefix { return nil }
	}
	if o.Retention == nil {
		o.Retention = func() Retention { return Retention{} }
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = 15 * time.Second
	}
	s := &Server{o: o, endpoints: map[string]*endpoint{}, runs: map[string]*run{}, underWay: map[string]load{}, began: o.Now()}
	s.root = &endpoint{agent: o.Agent, door: "a2a"}
	for name, agent := range o.Agents {
		s.endpoints[name] = newEndpoint(name, agent)
	}
	var err error
	if s.snapshots, err = lru.New[string, *snapshot](snapshotsKept); err != nil {
		return nil, err
	}
	s.ending, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// errEnds is why a task's work is ended that is not its client's wish.
var errEnds = errors.New("the server ends")

// Start goes on with the tasks that an earlier process has left, and begins to remove old ones. It is called
// once.
func (s *Server) Start(ctx context.Context) error {
	var errs []error
	for _, at := range s.all() {
		errs = append(errs, s.recover(ctx, at))
	}
	s.deliver(ctx)
	s.forgetPushes()      // a process that was killed may have come no further than to tell the last of them
	s.working.Go(s.clean) // ends with s.ending
	return errors.Join(errs...)
}

func newEndpoint(name string, agent Agent) *endpoint {
	return &endpoint{agent: agent, name: name, door: "a2a/" + name, path: "/agents/" + name}
}

// endpoint returns the endpoint of a name; nil if there is none.
func (s *Server) endpoint(name string) *endpoint {
	s.places.RLock()
	at := s.endpoints[name]
	s.places.RUnlock()
	if at != nil || s.o.More == nil || name == "" {
		return at
	}
	agent := s.o.More(name)
	if agent == nil {
		return nil
	}
	s.places.Lock()
	defer s.places.Unlock()
	if at = s.endpoints[name]; at == nil {
		at = newEndpoint(name, agent)
		s.endpoints[name] = at
		if err := s.recover(s.ending, at); err != nil {
			s.o.Say(fmt.Sprintf("tasks of the agent %s that an earlier process has left: %v", name, err))
		}
	}
	return at
}

func (s *Server) all() []*endpoint {
	s.places.RLock()
	defer s.places.RUnlock()
	list := []*endpoint{s.root}
	for _, at := range s.endpoints {
		list = append(list, at)
	}
	return list
}

// Close takes no message any more, and returns when nothing is under way. What still works when ctx ends is
// ended. Tasks that wait for somebody go on waiting, for the process that comes next.
func (s *Server) Close(ctx context.Context) {
	s.mu.Lock()
	s.stopping = true
	var left []*run
	for _, r := range s.runs {
		left = append(left, r)
	}
	s.mu.Unlock()
	for _, r := range left {
		r.stopIfWaiting()
	}
	done := make(chan struct{})
	go func() { // ends with the last run
		for _, r := range left {
			<-r.over
		}
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.end(errEnds)
	<-done
	s.working.Wait()
	if s.o.Deliverer != nil { // what is owed stays so
		s.o.Deliverer.Set(pushSource, nil)
	}
}

// Recheck looks at what has changed since: it ends the tasks of principals that may have nothing done any more, those
// that are worked on and those that wait; who may follow tasks again is told what was missed; and push notifications
// reach what they may reach now. It does not wait for that.
func (s *Server) Recheck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if !s.o.Acts(r.owner) {
			r.stop(errRevoked)
		}
	}
	if !s.stopping {
		s.working.Go(func() { // ends with what it finds, or with s.ending
			s.endRevoked()
			s.deliver(s.ending)
			s.o.Log.LookAgain()
		})
	}
}

// errRevoked is why the work on a task ends whose principal may have nothing done any more.
var errRevoked = errors.New("whose task this is may have nothing done here any more")

// revokedText is what its task says then.
var revokedText = "The task was ended: " + errRevoked.Error() + "."

// Ready says why the server can take nothing; nil when it can.
func (s *Server) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return errEnds
	}
	return nil
}

// recover goes on with the tasks of an endpoint that an earlier process has left. There may be thousands that wait.
func (s *Server) recover(ctx context.Context, at *endpoint) error {
	left, err := s.o.Log.Left(ctx, at.door)
	if err != nil {
		return err
	}
	resumer, resumes := at.agent.(Resumer)
	var ids []string
	for _, t := range left {
		if resumes || !t.State.Interrupted() { // else the next message goes on with it
			ids = append(ids, t.ID)
		}
	}
	taken, err := s.o.Log.TakeAll(ctx, ids) // but for those that another process was first with
	errs := []error{err}
	var lost []lostTask
	for _, t := range taken {
		goes := resumes && (t.State.Interrupted() || t.State == tasklog.Submitted)
		var asked []string
		if resumes && t.State == tasklog.Working {
			snap, err := s.snapshot(ctx, t)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			goes, asked = resumer.Idle(snap.task), questionsOf(snap.task)
		}
		if goes {
			errs = append(errs, s.resume(ctx, at, t, resumer.Resume))
		} else {
			lost = append(lost, lostTask{t, asked})
		}
	}
	return errors.Join(append(errs, s.lost(ctx, lost))...)
}

// resume goes on with a task that was taken over.
func (s *Server) resume(ctx context.Context, at *endpoint, t tasklog.Task, work func(context.Context, *Turn) error) error {
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return err
	}
	caller, from, err := s.callerOf(ctx, t)
	if err != nil {
		return err
	}
	return s.run(at, caller, from, t, snap.task, snap.task.History[0], work)
}

// origin is what is kept of whoever has begun a task, beside the name.
type origin struct {
	Workspace string `json:"workspace,omitempty"`
	Develops  bool   `json:"develops,omitempty"` // see run
}

// callerOf returns who has begun a task.
func (s *Server) callerOf(ctx context.Context, t tasklog.Task) (c Caller, from origin, err error) {
	first, err := s.o.Log.Events(ctx, t, 0, 1)
	if err == nil && len(first) > 0 && first[0].Input != nil {
		err = json.Unmarshal(first[0].Input, &from)
	}
	return Caller{Name: t.Owner, Workspace: from.Workspace}, from, err
}

// lostTask is one whose process has ended in the middle of it, and what that has asked.
type lostTask struct {
	tasklog.Task
	asked []string
}

// mostLost is how many tasks are ended at a time that are lost.
const mostLost = 64

// lost ends tasks whose process has ended in the middle of them: what they had begun may have had effects, and is
// not begun again. A yes that they had not used yet is used by nobody else.
func (s *Server) lost(ctx context.Context, tasks []lostTask) error {
	errs := make([]error, len(tasks))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(mostLost, len(tasks)) {
		workers.Go(func() { // ends when there are no more tasks
			for i := range next {
				errs[i] = errors.Join(s.cancelQuestions(ctx, tasks[i].Owner, tasks[i].asked), s.lose(ctx, tasks[i].Task))
			}
		})
	}
	for i := range tasks {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}

func (s *Server) lose(ctx context.Context, t tasklog.Task) error {
	event := statusEvent(t, wire.TaskStateFailed, agentText(t,
		"The server was ended while it worked on this. What had begun by then may have had its effects; nothing was begun again."))
	step, err := s.step(t, event)
	if err != nil {
		return err
	}
	_, err = s.o.Log.Append(ctx, t.ID, step)
	return err
}
