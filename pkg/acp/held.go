package acp

import (
	"context"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// held is a request of the agent's that waits. Guarded by Bridge.mu.
type held struct {
	session  *Session
	in       string // the agent's id of the session: of one below it, or its own
	withdraw context.CancelCauseFunc
	answer   *place // behind the cancel of its turn; nil where that is not cancelled
}

// outside continues a request outside of the lane. ctx ends when the turn is cancelled, the session closed,
// the request withdrawn, or the agent ended; the continuation drops the request's id when it no longer
// waits. The frame is kept. What is queued behind it, and other questions of the session, go out at the
// latest when it is over.
func (b *Bridge) outside(frame ndjson.Frame, s *Session, at *place,
	goOn func(ctx context.Context, turn *queuedQuestion) error) error {
	ctx, withdraw := context.WithCancelCause(b.turnContext(s))
	in, _ := ndjson.Get(frame.Params, "sessionId")
	id, _ := ndjson.String(in) // it was read before
	if !b.keep(agentsID(frame.ID), &held{session: s, in: id, withdraw: withdraw}) {
		withdraw(nil)
		at.leave()
		return b.refuseAgent(frame, idInUse)
	}
	turn := s.queueQuestion()
	b.holding.Go(func() { // ends with an answer, or with ctx
		defer withdraw(nil)
		defer turn.end()
		defer at.leave()
		if err := goOn(ctx, turn); err != nil {
			// The other end is broken; its lane ends the bridge.
			b.o.Say(fmt.Sprintf("%s: %v", frame.MethodName(), err))
		}
	})
	return nil
}

// keep registers a request of the agent's that waits outside of the lane. It returns false if the id is
// that of another waiting request, or the agent has ended.
func (b *Bridge) keep(key ndjson.Key, h *held) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idOpen(key) || b.ended {
		return false
	}
	b.held[key] = h
	return true
}

// drop removes a request that no longer waits, and returns the queue position of its answer.
func (b *Bridge) drop(key ndjson.Key) *place {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.held[key]
	delete(b.held, key)
	if h != nil && h.answer != nil {
		return h.answer
	}
	return b.toAgent.reserve()
}

// answersBehind keeps the queue positions of the answers to everything that waits in a session and is about
// to be withdrawn: they come before whatever the editor says next.
func (b *Bridge) answersBehind(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.held {
		if h.session == s && h.answer == nil {
			h.answer = b.toAgent.reserve()
		}
	}
}

// withdrawBelow withdraws what waits in a session below another, which goes on.
func (b *Bridge) withdrawBelow(id string, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.held {
		if h.in == id && h.session == b.below[id] && h.answer == nil {
			h.answer = b.toAgent.reserve()
			h.withdraw(why)
		}
	}
}

// agentCancels owns $/cancel_request. A request that still waits here is withdrawn here; ending one that
// was passed on is up to the editor.
func (b *Bridge) agentCancels(frame ndjson.Frame, line []byte) error {
	p := readParams(frame.Params)
	id := p.raw("requestId")
	p.others()
	if b.ours.has(id) {
		p.fail("that request is not the agent's")
	}
	if p.err() != nil {
		return b.refuseAgent(frame, methodCancelRequest+": "+p.err().Error())
	}
	to := b.toEditor
	b.mu.Lock()
	waits, open := b.held[agentsID(id)], b.fromAgentOpen[agentsID(id)]
	b.mu.Unlock()
	if waits != nil {
		waits.withdraw(errAgentGaveUp)
		return nil
	}
	if open != nil {
		to = b.queueOf(open.session)
		if open.clickable {
			b.clicked()
		}
	}
	return to.relay(line)
}
