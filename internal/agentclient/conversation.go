package agentclient

import (
	"context"
	"time"
)

// conversation is one that has been used since the program began. Who has its turn has its process.
type conversation struct {
	Conversation
	driver *Driver
	ended  context.Context // done when it is forgotten
	cancel context.CancelCauseFunc

	turn chan struct{} // holds a value while somebody has the turn; who waits gets it in order

	// Of whoever has the turn.
	running *running // nil while no process runs
	session string   // of the process that runs

	// Guarded by Driver.mu.
	users int // who has its turn, and who waits for it
	used  time.Time
	idle  *time.Timer // ends the process; nil while somebody uses it
}

// use finds the conversation of a key, or begins to keep one. Whoever calls it calls leaveTo in the end.
func (d *Driver) use(key Conversation) *conversation {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.conversations[key]
	if c == nil {
		c = &conversation{Conversation: key, driver: d, turn: make(chan struct{}, 1)}
		c.ended, c.cancel = context.WithCancelCause(d.closing)
		d.conversations[key] = c
	}
	c.users++
	c.disarm()
	return c
}

// leaveTo ends a use. Where nobody uses the conversation any more, its process, if one runs, ends after a time.
func (c *conversation) leaveTo(after time.Duration) {
	d := c.driver
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.users--; c.users > 0 || d.conversations[c.Conversation] != c {
		return
	}
	c.used = time.Now()
	if !c.takeIdle() { // nobody uses it, so no process runs
		c.drop()
		return
	}
	c.leave()
	if !d.closed {
		c.idle = time.AfterFunc(after, c.sleep)
		d.free()
	}
}

// sleep ends the process of a conversation that nobody uses.
func (c *conversation) sleep() {
	if c.takeIdle() {
		c.stop()
		c.leave()
	}
	c.driver.mu.Lock()
	defer c.driver.mu.Unlock()
	if c.users == 0 {
		c.drop()
	}
}

// drop forgets that the conversation was used. Called with Driver.mu held, while nobody uses it.
func (c *conversation) drop() {
	if c.driver.conversations[c.Conversation] == c {
		delete(c.driver.conversations, c.Conversation)
	}
	c.cancel(nil)
}

// disarm keeps the process from ending by itself. Called with Driver.mu held.
func (c *conversation) disarm() {
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
}

// take waits for the turn.
func (c *conversation) take(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// takeIdle takes the turn where nobody has it and a process runs.
func (c *conversation) takeIdle() bool {
	select {
	case c.turn <- struct{}{}:
	default:
		return false
	}
	if c.running == nil {
		c.leave()
		return false
	}
	return true
}

func (c *conversation) leave() { <-c.turn }

// stop ends the process, if one runs. Called by whoever has the turn.
func (c *conversation) stop() {
	if c.running != nil {
		c.running.end()
		c.running = nil
	}
}

// Prompt implements Agents.
func (d *Driver) Prompt(ctx context.Context, p Prompt, tell func(Event)) (Outcome, error) {
	agent, err := d.configured(p.Agent)
	if err != nil {
		return Outcome{}, err
	}
	c := d.use(p.Conversation)
	defer func() { c.leaveTo(agent.IdleTimeout) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ended, func() { cancel(context.Cause(c.ended)) })()
	if err := c.take(ctx); err != nil {
		return Outcome{}, err
	}
	defer c.leave()
	if ctx.Err() != nil {
		return Outcome{}, context.Cause(ctx)
	}
	if agent, err = d.configured(p.Agent); err != nil { // it may be another by now
		return Outcome{}, err
	}
	began, err := c.ready(ctx, agent)
	if err != nil {
		return Outcome{}, err
	}
	outcome, err := c.running.prompt(ctx, p, began, tell)
	for err == nil && p.After != nil {
		p.Content = p.After(ctx, outcome)
		if p.Content == nil {
			break
		}
		p.Continue, began.How = false, OpenedKept
		outcome, err = c.running.prompt(ctx, p, began, tell)
	}
	if c.running.isOver() {
		c.stop()
	}
	return outcome, err
}

// ready has a process run that has the session.
func (c *conversation) ready(ctx context.Context, agent Configured) (Began, error) {
	if r := c.running; r != nil && (r.isOver() || r.agent.Revision != agent.Revision) {
		c.stop()
	}
	if r := c.running; r != nil {
		return Began{Session: c.session, How: OpenedKept, Agent: r.can.name, Version: r.can.agentVersion}, nil
	}
	store := c.driver.o.Store
	kept, err := store.Session(ctx, c.Conversation)
	if err != nil {
		return Began{}, err
	}
	r, err := c.driver.start(ctx, agent, c.Conversation)
	if err != nil {
		return Began{}, err
	}
	began, err := r.opened(ctx, kept)
	if now := (Kept{Session: began.Session, Workspace: agent.Workspace}); err == nil && now != kept {
		err = store.Keep(ctx, c.Conversation, now)
	}
	if err != nil {
		return Began{}, r.failed(err)
	}
	c.running, c.session = r, began.Session
	return began, nil
}
