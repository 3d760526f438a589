package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The reasons for which an act that waits for a person is withdrawn.
var (
	errSessionClosed = errors.New("the session was closed")
	errSessionMoved  = errors.New("the session was opened in another directory")
	errTurnCancelled = errors.New("the person cancelled the turn")
	errAgentGaveUp   = errors.New("the agent withdrew its request")
)

// beginTurn owns session/prompt: what was allowed once was allowed in the turn before.
func (b *Bridge) beginTurn(frame ndjson.Frame, line []byte) error {
	var s *Session
	var of turnOrigin
	if params, err := exactObject(frame.Params); err == nil {
		s, of = b.session(params.text("sessionId")), b.turnOriginOf(params.object("_meta"))
	}
	if s == nil {
		b.openFromEditor(frame, passed{})
		return b.toAgent.relay(line)
	}
	b.mu.Lock()
	unproved := s.unproved
	b.mu.Unlock()
	if unproved != nil {
		return b.refuseEditor(frame, fmt.Sprintf("%s: %v: %v", frame.MethodName(), errUnproved, unproved))
	}
	b.newTurn(s, of)
	b.tellUnasking(s)
	b.beginSummary(s)
	b.endTurn(s) // nobody but the agent says when a turn is over, and it may not say so
	// The answer ends the turn in version 1; in version 2 it only accepts the prompt, and a state_update ends
	// the turn.
	ends := func(answer ndjson.Frame) bool { return b.protocol() < 2 || failed(answer) }
	b.openFromEditor(frame, passed{session: s, heard: func(answer ndjson.Frame) {
		if ends(answer) {
			b.withdrawGone(s)
			b.tellSummary(s)
		}
	}, answered: func(answer ndjson.Frame, line []byte) []byte {
		if ends(answer) {
			b.endTurn(s)
		}
		return line
	}})
	return b.toAgent.relay(line)
}

// cancelTurn owns session/cancel: whatever of ours waits for the person in this turn is withdrawn, and a
// yes that was given in it is good for nothing more.
func (b *Bridge) cancelTurn(frame ndjson.Frame, line []byte) error {
	at := b.toAgent.reserve()
	if params, err := exactObject(frame.Params); err == nil {
		id := params.text("sessionId")
		if s := b.session(id); s != nil {
			b.withdrawTurn(s, errTurnCancelled)
		} else {
			b.withdrawBelow(id, errTurnCancelled)
			b.cancelLeft(id, errTurnCancelled)
		}
	}
	at.put(bytes.Clone(line))
	return nil
}

// editorCancels owns $/cancel_request of the editor's: one that takes its prompt back cancels the turn, as session/cancel
// does. Of several prompts that the agent has, only the last to be left is the turn.
func (b *Bridge) editorCancels(frame ndjson.Frame, line []byte) error {
	at := b.toAgent.reserve()
	if params, err := exactObject(frame.Params); err == nil {
		if s := b.onlyPrompt(params["requestId"]); s != nil {
			b.withdrawTurn(s, errTurnCancelled)
		}
	}
	at.put(bytes.Clone(line))
	return nil
}

// onlyPrompt returns the session that a prompt was sent to; nil where the id is none of a prompt's that the agent has not
// answered, or where it has others of that session.
func (b *Bridge) onlyPrompt(id []byte) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.fromEditorOpen[ndjson.ID(id)]
	if asked == nil || asked.method != methodPrompt || asked.session == nil {
		return nil
	}
	for _, other := range b.fromEditorOpen {
		if other != asked && other.method == methodPrompt && other.session == asked.session {
			return nil
		}
	}
	return asked.session
}

// cancelLeft has the questions be over that an earlier bridge has put for a session, and that nobody waits for.
func (b *Bridge) cancelLeft(session string, why error) {
	if session != "" && b.o.Cancelled != nil {
		b.o.Cancelled(b.agentName(), session, why)
	}
}

// withdrawTurn ends what waits in a session's turn, before the agent hears that it is cancelled.
func (b *Bridge) withdrawTurn(s *Session, why error) {
	b.answersBehind(s)
	b.mu.Lock()
	s.turn.cancelled = true
	s.turn.cancel(why)
	b.mu.Unlock()
	b.takeBack(s, why)
	b.cancelLeft(s.boundID(), why)
	b.endTurn(s)
	b.questionsEnded(s) // before the agent hears of it, and tells what became of its calls
}

// What an agent has done whose hooks are to ask before each act.
var (
	errUnasked  = errors.New("the agent did it without asking, though its hooks are to ask before every act")
	errUnproved = errors.New("the agent's hooks, which are to ask before every act, are not in force")
	errAltered  = errors.New("the agent did this, and nobody has approved it: another hook, maybe of the repository's, " +
		"has put it in the place of what was decided about, or answered in your place")
)

// errStopped is why all that waits in a turn is withdrawn once the agent has done such a thing.
var errStopped = errors.New("the turn is stopped, since the agent has done something that nobody has approved")

// stopTurn cancels the turn of an agent that has done something that was not decided here: its hooks are not
// in force, or not alone, and whatever it did next would not be decided either.
func (b *Bridge) stopTurn(s *Session, title string, why error) {
	if b.alone != nil { // nobody but the agent knows of turns
		b.o.Say(fmt.Sprintf("%q: %v. Nothing more is allowed in this session", display.Line(title), why))
		b.withdrawTurn(s, errStopped)
		return
	}
	at := b.toAgent.reserve()
	b.withdrawTurn(s, errStopped)
	at.put(request("", methodCancel, map[string]string{"sessionId": s.boundID()}))
	b.o.Say(fmt.Sprintf("the turn is stopped: %q: %v. A setting of the agent's, or of the repository's, has its hooks "+
		"not decide alone; bridge --hooks=off does without them", display.Line(title), why))
}

// newTurn starts a turn. A turn that is still under way goes on in it: agents queue prompts.
func (b *Bridge) newTurn(s *Session, of turnOrigin) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.turn.of = of
	if s.turn.cancelled {
		s.turn.ctx, s.turn.cancel = context.WithCancelCause(s.closed)
		s.turn.cancelled = false
	}
}

// turnOriginOf reads what the _meta of a prompt says that it belongs to. Of A2A only a client of ours knows.
func (b *Bridge) turnOriginOf(meta object) turnOrigin {
	of := turnOrigin{trace: traceOf(meta)}
	if about := meta.object("a2a"); b.o.Person != nil && about.text("taskId") != "" {
		of.task, of.context = about.text("taskId"), about.text("contextId")
	}
	return of
}

// traceOf reads what _meta says of a trace. The keys are reserved for that in ACP.
func traceOf(meta object) tool.Trace {
	return tool.ParseTrace(meta.text("traceparent"), meta.text("tracestate"))
}

func (b *Bridge) endTurn(s *Session) {
	b.ownEnded(s)
	b.mu.Lock()
	s.turn.over++ // first: what is still on its way to be kept is not kept any more
	id := s.id
	b.mu.Unlock()
	b.o.Gate.EndTurn(id)
}

func (b *Bridge) cancelledTurn(s *Session) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.turn.cancelled
}

// turnContext ends when the turn is cancelled or the session is closed.
func (b *Bridge) turnContext(s *Session) context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.turn.ctx
}

// turnOf ends when the turn is cancelled in which an act begins. One that begins after that has been cancelled before it
// began, whatever approves it, until the next prompt: the agent was told to stop. What only reads goes on.
func (b *Bridge) turnOf(s *Session, action permissions.Action) context.Context {
	if s == nil {
		return context.Background()
	}
	turn := b.turnContext(s)
	if turn.Err() != nil && (action == permissions.ActionRead || action == permissions.ActionSearch) {
		return context.Background()
	}
	return turn
}

func (b *Bridge) protocol() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.version
}
