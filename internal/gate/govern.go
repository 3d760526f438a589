package gate

import (
	"context"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// governed reports whether governors are asked. They are not asked about a rejection, which they could not
// lift.
func (p *Passage) governed() bool {
	g := p.in.Governors
	return !p.resumed && p.Decision.Verdict != permissions.Reject && g != nil && g.Active(p.act.Request().Workspace)
}

// govern asks the governors about what the rules approve or ask about. What they say is recorded before it
// counts.
func (p *Passage) govern(ctx context.Context) {
	if !p.governed() {
		return
	}
	decided := p.Decision
	review := p.act.Review(decided)
	review.Earlier = p.heard
	ruling := p.in.Governors.Review(ctx, review)
	if err := p.recordGovernance(ctx, ruling.Governance); err != nil {
		if held := p.act.Unrecorded(decided, err); held.Verdict == permissions.Reject {
			p.Decision = held
			return
		}
	}
	if p.Cause = context.Cause(ctx); p.Cause != nil { // nobody waits for it any more
		p.reject(permissions.SourceFault, p.Cause.Error())
		return
	}
	p.Decision = decided.Govern(ruling).Masked(p.act.Mask)
	if p.Decision.Verdict == permissions.Ask && p.heard && decided.First == permissions.SourcePerson {
		p.Decision = decided // the person has been asked about this very act, and said yes
	}
}

// recordGovernance records what governors said, if any were asked.
func (p *Passage) recordGovernance(ctx context.Context, said tool.Governance) error {
	if len(said.Answers) == 0 {
		return nil
	}
	p.said = MaskGovernance(said, p.act.Mask)
	event := Later(p.act.Event(events.GovernorsAsked))
	event.Time, event.Governance = p.gate.o.Now(), p.said
	return p.put(ctx, event)
}

// Later returns an event about an act whose arguments stand in the record of its decision.
func Later(event events.Event) events.Event {
	event.Act = &events.Act{
		Kind: event.Act.Kind, Tool: event.Act.Tool, Title: event.Act.Title, Paths: event.Act.Paths,
		Commands: event.Act.Commands,
		Digest:   event.Act.Digest, Claimed: event.Act.Claimed, Trial: event.Act.Trial,
	}
	return event
}

// MaskGovernance removes secret values from what governors said: a governor may repeat what somebody else
// told it.
func MaskGovernance(said tool.Governance, mask func(string) string) *tool.Governance {
	masked := said
	masked.Answers = nil
	for _, answer := range said.Answers {
		messages := answer.Messages
		answer.Messages = nil
		for _, message := range messages {
			answer.Messages = append(answer.Messages, events.Text(mask(message)))
		}
		answer.FollowUp, answer.Error, answer.Metadata = events.Text(mask(answer.FollowUp)),
			mask(answer.Error), mask(answer.Metadata)
		masked.Answers = append(masked.Answers, answer)
	}
	return &masked
}
