package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// ErrNoAnswer ends a question that nobody has answered in time. The person sees it where the question was
// shown.
var ErrNoAnswer = errors.New("nobody has answered in time, which counts as no")

// ask asks a person if the decision says so, and replaces that decision with the answer.
func (p *Passage) ask(ctx context.Context, who Person) {
	if p.Decision.Verdict != permissions.Ask {
		return
	}
	asked := p.Decision
	question, err := p.act.Question(asked)
	if err != nil {
		p.Cause = err
		p.reject(permissions.SourceFault, err.Error())
		return
	}
	question.AtTerminal = asked.AtTerminal
	question.Task, question.Context = p.act.Request().Task, p.act.Request().Context
	switch {
	case question.Once:
	case p.act.AtMost().Verdict == permissions.Ask:
		question.Unkept = notBySandbox
	default:
		p.allowance = p.in.Rules.Allowance(p.act.Request(), p.act.Mask)
		question.Lasting, question.Unkept = p.allowance.Scopes(), p.allowance.Nothing()
	}
	if held := p.recordAsked(ctx, question); held.Verdict != permissions.Ask {
		p.Decision = held
		return
	}
	within, cancel := context.WithTimeoutCause(ctx, who.Patience, ErrNoAnswer)
	defer cancel()
	answer, err := who.Ask(within, question)
	if err == nil {
		err = context.Cause(ctx) // an answer to what was taken back is none
	}
	p.Cause = err
	switch {
	case err != nil && errors.Is(context.Cause(within), ErrNoAnswer):
		p.reject(permissions.SourceNobody,
			fmt.Sprintf("%s: nobody answered within %s, which counts as no", asked.Reason, who.Patience))
	case errors.Is(err, approval.ErrNobody):
		p.reject(permissions.SourceNobody, fmt.Sprintf("%s: %v", asked.Reason, err))
		p.Decision.Waits = errors.Is(err, approval.ErrAskerGone)
	case err != nil:
		p.reject(permissions.SourceFault, fmt.Sprintf("asked, but not answered: %v", err))
	default:
		p.answered(asked, question, answer)
	}
}

// answered returns the decision that a person's answer amounts to.
func (p *Passage) answered(asked permissions.Decision, question approval.Question, answer approval.Answer) {
	if answer.Verdict == permissions.Ask {
		p.reject(permissions.SourceFault, "the answer is neither yes nor no")
		return
	}
	d := asked
	d.Verdict, d.Source, d.Reason, d.Option, d.Approver, d.Open = answer.Verdict, answer.Source,
		answer.Reason, answer.Option, answer.By, false
	if d.Verdict == permissions.Approve {
		d.Obligation = permissions.Obligation{} // a person approves what was asked for
		if !question.Once {
			p.always = answer.Always
		}
	}
	p.Decision = d
}

// notBySandbox says why nothing is kept of what the agent's own sandbox refuses it.
const notBySandbox = "what the agent's own sandbox does not let it change is asked each time"

// keep makes the rules remember a person's "always", as far as the person said. What has to be asked every
// time is not remembered.
func (p *Passage) keep() {
	if p.always == 0 {
		return
	}
	kept := "for this time: " + notBySandbox
	if p.act.AtMost().Verdict != permissions.Ask {
		kept = p.in.Rules.Remember(p.allowance, p.always)
	}
	p.Decision.Reason, p.always = strings.TrimSpace(p.Decision.Reason+" "+kept), 0
}

// recordAsked records that a person is asked. If that fails it returns the decision that holds instead: a
// yes could not be recorded either, so nobody is asked unless the act says otherwise.
func (p *Passage) recordAsked(ctx context.Context, question approval.Question) permissions.Decision {
	event := p.act.Event(events.ApprovalAsked)
	event.Time, event.Decision, event.Governance = p.gate.o.Now(), DecisionEvent(p.Decision, ""), p.said
	if event.Options == nil {
		event.Options = optionsOf(question)
	}
	if err := p.put(ctx, event); err != nil {
		return p.act.Unrecorded(p.Decision, err)
	}
	return p.Decision
}

// optionsOf returns what a person can answer to a question of ours, in the words of ACP.
func optionsOf(question approval.Question) []events.Option {
	options := []events.Option{{ID: "allow_once", Name: "Allow once", Kind: "allow_once"}}
	if !question.Once {
		for i, words := range question.Lasting {
			options = append(options, events.Option{ID: approval.LastingID("allow_always", i+1),
				Name: "In this session, allow " + words, Kind: "allow_always"})
		}
	}
	return append(options, events.Option{ID: "reject_once", Name: "Reject", Kind: "reject_once"})
}
