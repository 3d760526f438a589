package acp

import (
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// personAnswered puts the person's answer to an agent's question on record and gives the line that the agent gets. It is
// the line that came, but for an "always": that is kept here, as narrow as can be, and the agent gets "once" from its own
// list, so that it goes on asking.
func (b *Bridge) personAnswered(p prompt, asked permissions.Decision, answer ndjson.Frame, line []byte) []byte {
	option, ok := chosen(p, answer)
	if ok && p.turn.Err() != nil { // the person cancelled the turn before, so this answers nothing any more
		ok, line = false, join(response(p.id, cancelledOutcome), "\n")
	}
	verdict := permissions.Reject
	if option.Kind == allowOnce || option.Kind == allowAlways {
		verdict = permissions.Approve
	}
	if s := p.standing; s != nil {
		if elsewhere := s.settle(ok, verdict); elsewhere != nil {
			return join(b.settleElsewhere(p, asked, *elsewhere), "\n")
		}
	}
	if !ok { // cancelled, an error, or an option that was not offered: nothing was approved
		asked.Source = permissions.SourcePerson
		b.recordAnswer(p, asked, permissions.Reject, option, "not approved")
		return line
	}
	if line, refused := b.refusedMode(p, answer, line, option); refused {
		return line
	}
	asked.Source, asked.Approver = permissions.SourcePerson, editorAnswers
	reason := ""
	if option.Kind == allowAlways && b.keepsAlways(p) {
		if once, found := firstOf(p.options, allowOnce); found {
			reason = b.o.Authority.Remember(p.claim.request.Session, p.claim.request, p.claim.request.Mask())
			line = withOption(answer, line, once.ID)
		}
	}
	decision := b.recordAnswer(p, asked, verdict, option, reason)
	b.settleActs(p, decision)
	if reason != "" && p.call.id != "" {
		b.mu.Lock()
		call := p.session.calls.get(p.call.id)
		b.mu.Unlock()
		b.backToEditor.put(b.decided(p.session, call, reason, ""))
	}
	return line
}

// keepsAlways tells whether "always" is kept here. A change of mode is not: it is the agent's own, and its "once" would
// be another choice than the person made.
func (b *Bridge) keepsAlways(p prompt) bool {
	return !b.o.ForwardAlways && p.claim.request.Action != permissions.ActionSwitchMode
}

// chosen finds the option that the person picked among those that were offered.
func chosen(p prompt, answer ndjson.Frame) (permissions.Option, bool) {
	result, err := exactObject(answer.Result)
	if err != nil {
		return permissions.Option{}, false
	}
	outcome := result.object("outcome")
	if outcome.text("outcome") != "selected" {
		return permissions.Option{}, false
	}
	id := outcome.text("optionId")
	for _, option := range p.options {
		if option.ID == id {
			return option, true
		}
	}
	return permissions.Option{ID: id}, false
}

// withOption gives the answer with another option in the place of the one that was picked, every other byte as it was.
func withOption(answer ndjson.Frame, line []byte, id string) []byte {
	picked, ok := ndjson.Get(answer.Result, "outcome", "optionId")
	if !ok {
		return line
	}
	return ndjson.Replace(line, picked, encode(id))
}

// errNotAnswered withdraws a question that the editor has put away without an answer.
var errNotAnswered = errors.New("the editor put the question away")

// recordAnswer puts the person's decision on record before the agent hears of it. The agent acts on it by itself, so an
// answer that cannot be recorded is passed on all the same, and that is said.
func (b *Bridge) recordAnswer(p prompt, asked permissions.Decision, verdict permissions.Verdict, option permissions.Option, reason string) permissions.Decision {
	decision := asked
	decision.Verdict, decision.Reason = verdict, reason
	event := p.event(events.ToolDecided)
	event.Decision = decisionEvent(decision, option.ID)
	if err := b.recordDecision(event); err != nil {
		b.o.Say(fmt.Sprintf("the person's answer was passed on, but not recorded: %v", err))
	}
	return decision
}
