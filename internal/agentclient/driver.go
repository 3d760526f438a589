package agentclient

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Configured is an agent as the configuration has it now, and how it is started.
type Configured struct {
	Agent
	// Revision is another one when a process that runs is not the one that would be started now.
	Revision    string
	Command     []string // of the agent, for a person who is to log in at a terminal
	Protocol    int      // the version of ACP that it is asked for: 1 or 2
	Login       string   // the Login that it is told to use where it has none; "" for none
	IdleTimeout time.Duration
	MaxRunning  int // processes at once
	// EmptyWhereMissing is set for an agent that reads a file before it makes it, and takes an error for a
	// failure.
	EmptyWhereMissing bool

	// Start starts it behind a bridge, in its Workspace. ctx is for the start alone.
	Start func(ctx context.Context, s Starting) (Process, error)
}

// Starting is what an agent's bridge is told.
type Starting struct {
	Conversation
	// Ask asks whoever talks to the agent, and waits. It returns ctx's cause if ctx ends first. Answered is
	// told the end of each question that Ask was called for.
	Ask      func(ctx context.Context, a Asking) (Picked, error)
	Answered func(id string, a Answered)
	// Say is told what the bridge has to say to whoever talks to the agent.
	Say func(line string)
}

// Asking is a question of the bridge's.
type Asking struct {
	ID string // of the notification that marks its place among what the agent says
	Question
	Stands <-chan string // as in acp.Asked
}

// Picked is somebody's answer to it.
type Picked struct{ Option, By, Reason string }

// Process is an agent behind its bridge.
type Process struct {
	In  io.WriteCloser // what an editor writes. The agent is ended once it is closed
	Out io.Reader      // what the bridge writes
	// Run runs a command for the agent; nil where it may have none run.
	Run func(Command) (Running, error)
	// Wait waits until everything is gone, and says how the agent ended.
	Wait func() *EndedError
}

// Kept is what is kept of a conversation.
type Kept struct {
	Session   string
	Workspace string
}

// Store keeps which session a conversation has. Safe for concurrent use.
type Store interface {
	// Session returns what is kept; the zero Kept for nothing.
	Session(ctx context.Context, c Conversation) (Kept, error)
	Keep(ctx context.Context, c Conversation, k Kept) error
	Forget(ctx context.Context, c Conversation) error
}

// Options say what a Driver is made of.
type Options struct {
	Configured func() []Configured // required: the agents as they are configured now
	Store      Store               // required
	// Elsewhere answers a question that none of this process's agents waits for any more. It returns
	// ErrNoQuestion, ErrAnswered or ErrExpired where that is why not. Required.
	Elsewhere func(ctx context.Context, question string, a Answer) error
	// Await waits for the answer to such a question; see Agents.Outlived. Required.
	Await   func(ctx context.Context, question, principal string) error
	Version string // of this program; optional
	// CancelGrace is how long an agent may take to cancel before it is ended. Optional, default 10 s.
	CancelGrace time.Duration
	// StartPatience is how long an agent may take to say that it is ready. Optional, default 2 minutes.
	StartPatience time.Duration
}

// Driver implements Agents. Close it.
type Driver struct {
	o Options

	mu            sync.Mutex
	conversations map[Conversation]*conversation
	questions     map[string]*question
	inputs        map[string]*input
	running       map[*running]bool // all processes, those of logins, too
	freed         chan struct{}     // closed when another process may be started than before, and replaced
	closed        bool
	closing       context.Context // done when nothing begins any more
	close         context.CancelCauseFunc
}

var _ Agents = (*Driver)(nil)

// New makes a Driver. Nothing is started before it is used.
func New(o Options) (*Driver, error) {
	if o.Configured == nil || o.Store == nil || o.Elsewhere == nil || o.Await == nil {
		return nil, errors.New("make a driver of agents: Configured, Store, Elsewhere and Await are required")
	}
	if o.CancelGrace <= 0 {
		o.CancelGrace = 10 * time.Second
	}
	if o.StartPatience <= 0 {
		o.StartPatience = 2 * time.Minute
	}
	d := &Driver{o: o, conversations: map[Conversation]*conversation{}, questions: map[string]*question{},
		inputs: map[string]*input{}, running: map[*running]bool{}, freed: make(chan struct{})}
	d.closing, d.close = context.WithCancelCause(context.Background())
	return d, nil
}

// Close ends all agents, and returns when they are gone. Prompts that are under way end with ErrClosed, and
// the questions that stand in them stay, for whoever asks the very same again.
func (d *Driver) Close() {
	d.mu.Lock()
	d.closed = true
	d.close(ErrClosed)
	var all []*running
	for r := range d.running {
		all = append(all, r)
	}
	for _, c := range d.conversations {
		c.disarm()
	}
	d.mu.Unlock()
	var ending sync.WaitGroup
	for _, r := range all {
		ending.Go(r.end) // ends with the process
	}
	ending.Wait()
}

// List implements Agents.
func (d *Driver) List() []Agent {
	var list []Agent
	for _, c := range d.o.Configured() {
		c.Running = d.count(c.Name)
		list = append(list, c.Agent)
	}
	slices.SortFunc(list, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// configured finds an agent.
func (d *Driver) configured(name string) (Configured, error) {
	all := d.o.Configured()
	i := slices.IndexFunc(all, func(c Configured) bool { return c.Name == name })
	if i < 0 {
		return Configured{}, ErrNoAgent
	}
	return all[i], nil
}

// begin registers a process that is to start. Where as many of its agent run as may, one that is idle is ended
// for it; where none is, it waits until one is. Of four and more a fourth is left for other principals: a process whose
// question waits is not idle, and one principal could have all of them wait for days.
func (d *Driver) begin(ctx context.Context, r *running) error {
	for {
		d.mu.Lock()
		if d.closed {
			d.mu.Unlock()
			return ErrClosed
		}
		all, own := d.processes(r.agent.Name, ""), d.processes(r.agent.Name, r.of.Principal)
		of := "" // whose idle process ends
		switch most := r.agent.MaxRunning; {
		case own >= most-most/4:
			of = r.of.Principal
		case all < most:
			d.running[r] = true
			d.mu.Unlock()
			return nil
		}
		idle, freed := d.idlest(r.agent.Name, of), d.freed
		d.mu.Unlock()
		if idle != nil {
			idle.stop()
			idle.leave()
			continue
		}
		select {
		case <-freed:
		case <-d.closing.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// free tells those who wait for a process that there may be one. Called with mu held.
func (d *Driver) free() {
	close(d.freed)
	d.freed = make(chan struct{})
}

// count returns how many processes of an agent there are.
func (d *Driver) count(agent string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.processes(agent, "")
}

// processes is count with mu held, of a principal; "" for all of them.
func (d *Driver) processes(agent, principal string) (n int) {
	for r := range d.running {
		if r.agent.Name == agent && (principal == "" || r.of.Principal == principal) {
			n++
		}
	}
	return n
}

// idlest takes the turn of the conversation of a principal with an agent that has been idle for the longest time; nil for
// none. "" is any principal. Called with mu held.
func (d *Driver) idlest(agent, principal string) *conversation {
	var found *conversation
	for _, c := range d.conversations {
		meant := c.Agent == agent && (principal == "" || c.Principal == principal)
		if meant && (found == nil || c.used.Before(found.used)) && c.takeIdle() {
			if found != nil {
				found.leave()
			}
			found = c
		}
	}
	return found
}

// gone removes a process that has ended.
func (d *Driver) gone(r *running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, r)
	d.free()
}

// Forget implements Agents.
func (d *Driver) Forget(ctx context.Context, key Conversation) error {
	d.mu.Lock()
	c := d.conversations[key]
	delete(d.conversations, key)
	d.mu.Unlock()
	if c != nil {
		c.cancel(errForgotten)
		if err := c.take(ctx); err != nil { // and keep it: who waits for it is told by its context
			return err
		}
		c.stop()
	}
	return d.o.Store.Forget(ctx, key)
}

// Expel ends the prompts of principals that may have nothing done any more, and their processes, those too that are idle:
// an agent can act between prompts. Their sessions stay known. It does not wait for that.
func (d *Driver) Expel(may func(principal string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, c := range d.conversations {
		if may(key.Principal) {
			continue
		}
		delete(d.conversations, key)
		c.disarm()
		c.cancel(ErrRevoked)
		go func() { // ends with the prompt that is under way, which has been cancelled
			if c.take(d.closing) == nil { // and keep it: who waits for it is told by its context
				c.stop()
			}
		}()
	}
}

// ErrRevoked is why prompts end of a principal that may have nothing done any more.
var ErrRevoked = errors.New("whose conversation it is may have nothing done any more")

var errForgotten = errors.New("the conversation was ended")

// randomName returns a name that nobody guesses.
func randomName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
