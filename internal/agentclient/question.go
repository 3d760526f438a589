package agentclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// question is one that an agent waits for.
type question struct {
	Question
	principal string        // whose conversation it stands in
	picked    chan Picked   // gets the first answer that is given here
	over      chan struct{} // closed when the question has ended

	mu    sync.Mutex
	taken *Picked  // the answer that was given here; nil for none
	ended Answered // set when over is closed
}

// ask asks whoever talks to the agent. It is called by the bridge.
func (r *running) ask(ctx context.Context, a Asking) (Picked, error) {
	q := &question{Question: a.Question, principal: r.of.Principal, picked: make(chan Picked, 1), over: make(chan struct{})}
	select { // what the agent has said before is told before
	case <-r.marker(a.ID).came:
	case <-ctx.Done():
		return Picked{}, context.Cause(ctx)
	}
	select {
	case id := <-a.Stands:
		q.ID = id
	case <-ctx.Done():
		return Picked{}, context.Cause(ctx)
	}
	if q.ID == "" {
		q.ID = Here + randomName()
	}
	t := r.current()
	if t == nil {
		return Picked{}, errNobodyAsked
	}
	r.driver.mu.Lock()
	r.driver.questions[a.ID], r.driver.questions[q.ID] = q, q
	r.driver.mu.Unlock()
	t.tell(Event{Kind: EventQuestion, Question: &q.Question})
	select {
	case picked := <-q.picked:
		return picked, nil
	case <-ctx.Done():
		return Picked{}, context.Cause(ctx)
	}
}

// errNobodyAsked is why a question is not put to anybody: nobody waits for the agent.
var errNobodyAsked = errors.New("the agent asks although nobody has asked it for anything")

// answered is told how a question has ended. It is called by the bridge.
func (r *running) answered(id string, a Answered) {
	d := r.driver
	d.mu.Lock()
	q := d.questions[id]
	delete(d.questions, id)
	if q != nil {
		delete(d.questions, q.ID)
	}
	d.mu.Unlock()
	r.mu.Lock()
	delete(r.markers, id)
	r.mu.Unlock()
	if q == nil {
		return // it was not told of
	}
	a.Question = q.ID
	q.mu.Lock()
	if q.taken != nil && q.taken.By == a.By {
		a.Option = q.taken.Option
	}
	q.ended = a
	q.mu.Unlock()
	close(q.over)
	if t := r.current(); t != nil {
		t.tell(Event{Kind: EventAnswered, Answered: &a})
	}
}

// Answer implements Agents.
func (d *Driver) Answer(ctx context.Context, id string, a Answer) error {
	if a.By == "" {
		return errors.New("answer a question: who answers is required")
	}
	d.mu.Lock()
	q := d.questions[id]
	d.mu.Unlock()
	switch {
	case q == nil:
		return d.o.Elsewhere(ctx, id, a)
	case q.principal != a.Principal:
		return ErrNoQuestion
	case q.AtTerminal:
		return ErrAtTerminal
	}
	if !slices.ContainsFunc(q.Options, func(o Option) bool { return o.ID == a.Option.ID }) {
		return ErrNoOption
	}
	picked := Picked{Option: a.Option.ID, By: a.By, Reason: a.Reason}
	q.mu.Lock()
	if q.taken != nil {
		q.mu.Unlock()
		return ErrAnswered
	}
	q.taken = &picked
	q.mu.Unlock()
	q.picked <- picked // never blocks: it is the first
	select {
	case <-q.over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.ended.Option == a.Option.ID:
		return nil
	case q.ended.By == "":
		return fmt.Errorf("%w: %s", ErrNoQuestion, q.ended.Reason)
	}
	return ErrAnswered
}
