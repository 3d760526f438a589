package acp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// An agent's question at the gate: a prompt is a gate.Act. What it is about the agent does by itself, and
// all that is known of it are the agent's words.

// Request implements gate.Act.
func (p *permissionPrompt) Request() permissions.Request { return p.claim.request }

// Effect implements gate.Act: a question is asked each time that the agent asks it.
func (p *permissionPrompt) Effect() gate.Effect { return gate.Effect{} }

// AtMost implements gate.Act.
func (p *permissionPrompt) AtMost() permissions.Decision {
	return p.b.mostAllowedOfPrompt(p.claim.request)
}

// Review implements gate.Act.
func (p *permissionPrompt) Review(d permissions.Decision) permissions.Review {
	review := permissions.NewReview(p.claim.request, d, p.claim.request.Arguments, asIs)
	review.ToolCall, review.Title, review.Claim = p.call.id, p.call.title, p.call.encoded()
	return review
}

// asIs leaves texts alone: what an agent asks about holds no values that were declared secret, but for
// those of tools of ours, about which governors are asked when they are called.
func asIs(s string) string { return s }

// Event implements gate.Act.
func (p *permissionPrompt) Event(kind events.Type) events.Event {
	event := p.b.requestEvent(kind, p.claim.request)
	event.CallID, event.ToolCall = p.act, p.call.id
	event.Act.Title = p.Mask(display.Line(p.call.title))
	event.Act.Claimed = true
	if kind == events.ApprovalAsked {
		event.Options = []events.Option{} // the agent may have offered none
		for _, o := range p.options[:min(len(p.options), mostRecordedOptions)] {
			event.Options = append(event.Options, events.Option{ID: events.Text(p.Mask(o.ID)),
				Name: events.Text(p.Mask(display.Line(o.Name))), Kind: display.Line(o.Kind)})
		}
	}
	event.Reduce(p.claim.request.Audit)
	return event
}

// mostRecordedOptions bounds what is on record of an agent's question: who chooses among more cannot be asked.
const mostRecordedOptions = 32

// Mask implements gate.Act.
func (p *permissionPrompt) Mask(text string) string { return p.claim.request.Mask()(text) }

// Option implements gate.Act.
func (p *permissionPrompt) Option(d permissions.Decision, cause error) string {
	option, _ := p.optionFor(d, cause)
	return option.ID
}

// optionFor finds the option by which a decision answers the question: the one that the person picked, or
// the one that says what was decided. It is false where the agent offers none, and where the question was
// taken back before it was answered.
func (p *permissionPrompt) optionFor(d permissions.Decision, cause error) (permissions.Option, bool) {
	for _, over := range []error{errNotAnswered, errAgentGaveUp, errTurnCancelled, errStopped, errSessionClosed,
		errSessionMoved, errGone} {
		if errors.Is(cause, over) {
			return permissions.Option{}, false
		}
	}
	for _, option := range p.options {
		if d.Source == permissions.SourcePerson && d.Option != "" && option.ID == d.Option {
			return option, true
		}
	}
	return permissions.ChooseOption(d, p.options)
}

// Recheck implements gate.Act. The names may lead to other files by now than when this was decided, and what has
// waited is decided about once more. Where no option says what a rule approved, a person is asked. Of a change of
// mode the option is the mode, so a rule that rejects it is asked once the person has picked it.
func (p *permissionPrompt) Recheck(d permissions.Decision) permissions.Decision {
	option, offered := p.optionFor(d, nil)
	if !offered {
		d.Verdict = permissions.Ask
		return d
	}
	if p.claim.moved() {
		return gate.Rejected(d, permissions.SourceFault, errMoved.Error())
	}
	if p.open != nil {
		if d = p.b.decidedAgain(d, p.claim.request); d.Verdict != permissions.Approve {
			return d
		}
	}
	if p.claim.request.Action != permissions.ActionSwitchMode {
		return d
	}
	request := p.claim.request
	request.Arguments = map[string]any{"mode": option.ID}
	if decision := p.b.o.Gate.Decide(request); decision.Verdict == permissions.Reject {
		p.b.o.Say(fmt.Sprintf("rule %s (%s) rejects the mode %s", decision.Rule, decision.At,
			display.Line(option.ID)))
		p.claim.request = request
		return decision
	}
	return d
}

// Unrecorded implements gate.Act. The agent acts on a person's answer by itself, so that is passed on all
// the same; a rule's yes is none, and the person is asked.
func (p *permissionPrompt) Unrecorded(d permissions.Decision, err error) permissions.Decision {
	action := p.claim.request.Action
	if p.b.o.Degrades && (action == permissions.ActionRead || action == permissions.ActionSearch) {
		return d
	}
	if d.Verdict == permissions.Approve && d.Source != permissions.SourcePerson {
		p.b.o.Say(fmt.Sprintf("not recorded, so the person is asked: %v", err))
		d.Verdict = permissions.Ask
	}
	return d
}

// Question implements gate.Act. It is for those who do not see the editor: every word of it is the agent's.
func (p *permissionPrompt) Question(asked permissions.Decision) (approval.Question, error) {
	p.asked = asked
	q := p.describe(asked)
	q.Title, q.Text, q.Head.Text, q.Head.Key = p.Mask(q.Title), p.Mask(q.Text), p.Mask(q.Head.Text), p.Mask(q.Head.Key)
	if r := p.claim.request; r.ShellText != "" {
		q.Command, q.Dir = p.Mask(r.ShellText), r.Dir
	}
	for _, line := range p.reaches() {
		q.Risk = append(q.Risk, p.Mask(line))
	}
	q.Basis = p.b.basis(p.claim.request, asked)
	return q, nil
}

// headOf is the head of a question.
func headOf(asked permissions.Decision, reaches []string) approval.Head {
	anywhere := asked
	anywhere.At = ""
	return approval.Head{Text: askedBecause(asked, reaches), Key: askedBecause(anywhere, reaches)}
}

// askedBecause says why it is asked, and what would run and could be reached, where the act does not say so by itself.
func askedBecause(asked permissions.Decision, reaches []string) string {
	if because := gate.Because(asked); because != "" {
		reaches = slices.Concat([]string{"Asked because: " + display.Line(because)}, reaches)
	}
	if len(reaches) == 0 {
		return ""
	}
	return strings.Join(reaches, "\n") + "\n\n"
}

// shownInput writes an input for a person to read: as JSON, or where it is one patch and nothing else, line by line.
func shownInput(raw []byte) string {
	if in, err := exactObject(raw); err == nil && len(in) == 1 {
		patch := in.text("patch") + in.text("patchText") // Codex', opencode's
		if strings.Contains(patch, "\n") && !strings.ContainsRune(patch, utf8.RuneError) {
			return display.Fence("diff", display.Full(patch))
		}
	}
	return display.Fence("json", display.Full(string(raw)))
}

// describe says in the agent's words what it asks.
func (p *permissionPrompt) describe(asked permissions.Decision) approval.Question {
	r := p.claim.request
	q := approval.Question{
		Session: r.Session, ToolCall: p.call.id, Action: r.Action,
		Door: tool.DoorACP, Principal: recorded(r), Agent: r.Agent, CallID: p.act, Title: display.Line(p.call.title),
		Carrier: "the agent",
	}
	if q.Title == "" {
		q.Title = string(r.Action)
	}
	if effects := slices.Concat(p.claim.effects, p.claim.unshown); len(effects) == 1 && len(r.Secret) == 0 {
		// A secret value could be tried out on a digest, which is on record.
		q.Digest = effects[0].Digest()
	}
	var text strings.Builder
	var reaches []string
	if len(r.Secret) == 0 {
		reaches = p.reaches()
	}
	q.Head = headOf(asked, reaches)
	text.WriteString(q.Head.Text)
	if len(r.Secret) > 0 { // JSON can write a value in many ways, so nothing of what the agent wrote is kept
		text.WriteString("With these arguments; secret ones are not shown:\n")
		text.WriteString(display.Fence("json",
			display.Full(string(encode(events.Arguments(r.Arguments, r.Secret, nil))))))
		q.Text = text.String()
		return q
	}
	if p.beside != "" {
		text.WriteString(p.beside + "\n\n")
	}
	if p.exact {
		text.WriteString("What the agent's tool gets:\n")
	} else {
		text.WriteString("The agent's own words:\n")
	}
	if p.words != "" {
		text.WriteString(display.Fence("", display.Full(p.words)) + "\n")
	}
	if r.ShellText != "" {
		fmt.Fprintf(&text, "%s\nin %s\n", display.Fence("bash", display.Full(r.ShellText)), display.FullLine(r.Dir))
		for _, v := range r.Variables {
			fmt.Fprintf(&text, "with %s\n", display.FullLine(v.Name+"="+v.Value))
		}
	}
	// What nobody knows, the person is to see.
	if len(p.call.rawInput) > 0 && (r.ShellText == "" || len(r.Doubts) > 0) {
		text.WriteString(shownInput(p.call.rawInput) + "\n")
	}
	for _, m := range p.unknown {
		fmt.Fprintf(&text, "and %s\n", display.FullLine(m.key+": "+string(m.value)))
	}
	for _, path := range r.Paths {
		fmt.Fprintf(&text, "file %s\n", display.FullLine(path.Name))
	}
	for _, leads := range p.claim.linked {
		fmt.Fprintf(&text, "and %s\n", leads)
	}
	for raw := range ndjson.Elements(p.call.content) {
		item, err := exactObject(raw)
		words, plain := plainText(item)
		switch {
		case err != nil || item.text("type") != "diff" && !plain || item["changes"] != nil:
			text.WriteString(display.Fence("json", display.Full(string(raw))) + "\n")
		case plain:
			text.WriteString(display.Fence("", display.Full(words)) + "\n")
		default:
			change := approval.FileChange{Path: item.text("path"), NewText: item.text("newText")}
			if before := item.text("oldText"); before != "" {
				change.OldText = &before
				if real, err := permissions.Resolve(r.Dir, change.Path); err != nil || !holdsText(real, before) {
					change.OldText = nil // or the lines in it that do not change would not be seen
					text.WriteString("What it says that the file holds, the file does not hold.\n")
				}
			}
			text.WriteString(change.Show() + "\n")
		}
	}
	q.Text = strings.TrimSuffix(text.String(), "\n")
	return q
}
