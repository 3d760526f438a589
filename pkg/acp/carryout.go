package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// carryOut takes an act through the gate: the act goes on to the editor, or the agent is told why not, or
// somebody is asked first. Asking happens outside the lane, so that the frames behind go on.
func (b *Bridge) carryOut(a *act) error {
	a.b, a.id = b, b.ours.nextActID()
	a.effect.Resolved = permissions.ResolvedFiles(a.request)
	if len(a.frame.ID) == 0 {
		return b.refuseAgent(a.frame, a.frame.MethodName()+": it has no id, so nobody can answer it")
	}
	turn := b.turnOf(a.session, a.request.Action)
	passage := b.o.Gate.Begin(a)
	a.place = b.queueOf(a.session).reserve()
	if passage.Settled() && passage.Close(context.Background()) {
		a.answer = b.toAgent.reserve()
		defer a.answer.leave()
		return b.finish(turn, a, passage)
	}
	a.frame, a.line = clone(a.frame, a.line)
	a.waits = true
	return b.outside(a.frame, a.session, a.place, func(ctx context.Context, turn *queuedQuestion) error {
		a.queued = turn
		passage.Finish(ctx, gate.Person{Asker: a, Patience: b.o.Patience})
		a.answer = b.drop(agentsID(a.frame.ID))
		defer a.answer.leave()
		return b.finish(ctx, a, passage)
	})
}

// finish carries out a decision that is on record, or whose absence from the record the person is told.
func (b *Bridge) finish(ctx context.Context, a *act, passage *gate.Passage) error {
	if why := a.staleness(ctx); why != nil && passage.Decision.Verdict == permissions.Approve {
		b.noteNotDone(a.Event(events.ToolEnded), why)
		passage.Decision, passage.Cause = gate.Rejected(passage.Decision, permissions.SourceFault, why.Error()), why
	}
	defer a.place.leave()
	decision := passage.Decision
	if passage.Unrecorded != nil {
		b.sayUnrecorded(passage.Unrecorded)
	}
	call := b.callFor(a)
	if call != nil && notedOnCard(decision.Source) {
		a.place.add(b.decided(a.session, call, gate.Note(decision), "")...)
	}
	if decision.Verdict != permissions.Approve {
		if call != nil {
			b.mu.Lock()
			call.rejected = true
			b.mu.Unlock()
		}
		a.answer.put(errorResponse(a.frame.ID, b.refusal(a, passage)))
		return nil
	}
	if !b.openFromAgent(a.frame, passed{session: a.session,
		answered: func(answer ndjson.Frame, line []byte) []byte {
			b.carriedOut(a, call, answer)
			a.noteText(answer)
			return line
		}}) {
		return b.refuseAgent(a.frame, idInUse)
	}
	a.since = b.o.Now()
	a.frame = ndjson.Frame{ID: slices.Clone(a.frame.ID)} // the line may be overwritten before it is taken back
	b.mu.Lock()
	why := context.Cause(ctx)
	if why == nil { // whoever cancels the turn holds mu, and then takes back what has not gone out
		a.place.putAct(a)
	}
	b.mu.Unlock()
	if why != nil {
		b.takenBack(a, why)
	}
	return nil
}

// outgoing returns the request by which the editor carries the act out, with the decision's obligation.
func (b *Bridge) outgoing(a *act, obligation permissions.Obligation) ([]byte, error) {
	members := a.params
	if a.terminal != nil {
		var err error
		if members, err = b.terminalParams(a, obligation); err != nil {
			return nil, err
		}
	}
	return join(`{"jsonrpc":"2.0","id":`, a.frame.ID, `,"method":`, encode(a.frame.MethodName()),
		`,"params":`, write(members), "}\n"), nil
}

// notedOnCard reports whether a decision is shown on the agent's card: one that no person made or could
// expect.
func notedOnCard(source permissions.Source) bool {
	switch source {
	case permissions.SourcePolicy, permissions.SourceConfinement, permissions.SourceGovernor:
		return true
	}
	return false
}

// refusal returns what the agent, and through it the model, is told.
func (b *Bridge) refusal(a *act, passage *gate.Passage) wireError {
	d, cause := passage.Decision, passage.Cause
	code := codeDenied
	if errors.Is(cause, errTurnCancelled) || errors.Is(cause, errStopped) || errors.Is(cause, errAgentGaveUp) {
		code = codeCancelled
	}
	message := fmt.Sprintf("a2a-acp did not let the agent %s: %s", display.Line(a.what), gate.Why(d))
	if code == codeDenied {
		if instead := b.o.Gate.Alternatives(d, a.request); instead != "" {
			message += " (" + instead + ")"
		}
		message += ". Do not try another way to the same end; ask the person."
	}
	if d.FollowUp != "" {
		message += "\n" + d.FollowUp
	}
	return wireError{Code: code, Message: message}
}

// takeBack cancels the acts of a session that have not gone out yet, since others were to go before them.
func (b *Bridge) takeBack(s *Session, why error) {
	for _, a := range s.toEditor.takeBack() {
		b.takenBack(a, why)
	}
}

func (b *Bridge) takenBack(a *act, why error) {
	b.mu.Lock()
	delete(b.fromAgentOpen, agentsID(a.frame.ID))
	b.mu.Unlock()
	b.noteNotDone(a.Event(events.ToolEnded), why)
	a.answer.put(errorResponse(a.frame.ID, wireError{Code: codeCancelled,
		Message: "a2a-acp did not let the agent " + display.Line(a.what) + ": " + why.Error()}))
}

// noteNotDone records that an approved act was not carried out.
func (b *Bridge) noteNotDone(ended events.Event, why error) {
	ended = gate.Later(ended)
	ended.Outcome = &events.Outcome{Status: events.NotDone, Error: "it came to nothing: " + why.Error()}
	b.note(ended)
}
