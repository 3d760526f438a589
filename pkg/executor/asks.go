package executor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// asks has a person answer a question that comes up while an act is carried out, the n-th of the act. The question
// is Markdown. A Failure says why nobody has answered.
type asks func(ctx context.Context, n int, question string) (allowed bool, failure *tool.Failure)

// asksFor returns what asks for an act that a caller has made. Each question goes through the gate as an act of its
// own, about which somebody is asked whatever the rules approve, every time.
func (e *Executor) asksFor(a *act, caller Caller) asks {
	return func(ctx context.Context, n int, text string) (bool, *tool.Failure) {
		text = a.redactor.String(text) // what asks has been given the values
		q := &midway{gated: &gated{act: a, e: e}, text: text, id: fmt.Sprintf("%s-%d", a.call.ID, n)}
		sum := sha256.Sum256([]byte("a2a-acp question v1 " + a.digest + "\x00" + q.id + "\x00" + text))
		q.digest = hex.EncodeToString(sum[:])
		decision, err := e.gate.Under(a.in.InForce).Pass(ctx, q, gate.Person{Asker: caller, Patience: e.patience})
		switch {
		case decision.Verdict == permissions.Approve:
			return true, nil
		case err != nil:
			return false, tool.Failf(tool.FailApproval, "what it asked on its way was not answered: %v", err)
		}
		return false, nil
	}
}

// midway is a question that comes up while an act is carried out, as the gate sees it.
type midway struct {
	*gated
	text, id, digest string
}

// Effect implements gate.Act: no answer counts for another question.
func (q *midway) Effect() gate.Effect { return gate.Effect{} }

// AtMost implements gate.Act: rules approve the call, and not what is asked in it.
func (q *midway) AtMost() permissions.Decision {
	return permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault,
		Reason: "what carries the call out asks on its way"}
}

// Event implements gate.Act.
func (q *midway) Event(kind events.Type) events.Event {
	event := q.act.event(kind)
	event.CallID = q.id
	event.Act.Digest = q.digest
	return event
}

// Question implements gate.Act.
func (q *midway) Question(asked permissions.Decision) (approval.Question, error) {
	a := q.act
	return approval.Question{
		Session: a.call.Origin.Session, Title: display.Line(a.mask(a.title())) + " asks", Text: a.mask(q.text),
		Action: permissions.ActionExecute, Once: true, Door: a.call.Origin.Door, Agent: a.call.Origin.Agent,
		CallID: q.id, Principal: a.call.Origin.Recorded(), Digest: q.digest, Bound: true,
		Basis: approval.Basis{Caller: a.request.Caller(), Workspace: a.call.Workspace.Dirs(), Policy: asked.Policy,
			Governors: asked.Governors, Plan: a.plan.Digest()},
	}, nil
}

// Recheck implements gate.Act: the answer is all that follows. A rule may have come to reject the call, or to want
// such answers from a terminal.
func (q *midway) Recheck(d permissions.Decision) permissions.Decision {
	now := q.e.gate.Decide(q.act.request)
	if now.Verdict == permissions.Reject || now.AtTerminal && !d.AtTerminal {
		return gate.Rejected(d, permissions.SourceFault, "the rules have changed since this was asked")
	}
	return d
}
