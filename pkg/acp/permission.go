package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// prompt is a session/request_permission, read.
type prompt struct {
	act     string // our id of the act that it is about
	id      []byte // of the request
	session *Session
	turn    context.Context // that it came in
	call    *toolCall       // what was told of the call, this request included; not the session's own copy
	offers  []offer
	options []permissions.Option // those of the offers
	claim   claim

	title   []member // version 2: the request's own title and description
	subject string   // version 2: the type of its subject; "" when it has none
	more    []member // _meta, and members that nobody here knows
	told    []member // the same, of the tool call

	// standing is where the question stands besides the editor; nil when it does not.
	standing *standing
}

// permission owns session/request_permission: the agent asks whether it may do something itself. Policies answer, or the
// question goes to the person.
func (b *Bridge) permission(frame ndjson.Frame, line []byte) error {
	p, problem := b.readPrompt(frame)
	if problem != "" {
		return b.refuseAgent(frame, methodPermission+": "+problem)
	}
	if p.session == nil { // not ours to judge; the editor says what it thinks of it
		if !b.openFromAgent(frame, passed{}) {
			return b.refuseAgent(frame, idInUse)
		}
		return b.toEditor.Relay(line)
	}
	decision, ours := b.decidePrompt(&p)
	if !ours && b.governs(p.claim.request.Workspace, decision) {
		return b.governPrompt(frame, line, p, decision)
	}
	return b.settlePrompt(frame, p, decision)
}

// settlePrompt answers a prompt, or has the person do so. What is rejected is never asked: an agent that offers no way to say no is
// told that nothing was chosen.
func (b *Bridge) settlePrompt(frame ndjson.Frame, p prompt, decision permissions.Decision) error {
	option, ok := permissions.ChooseOption(decision, p.options)
	if decision.Verdict == permissions.Ask || decision.Verdict == permissions.Approve && !ok {
		return b.askPerson(frame, p, decision)
	}
	if err := b.recordPrompt(p, decision, option); err != nil {
		b.o.Say(fmt.Sprintf("not recorded, so the person is asked: %v", err))
		return b.askPerson(frame, p, decision)
	}
	return b.answerPrompt(p, decision, option, ok)
}

// readPrompt reads the request and puts what was told of the call before under it.
func (b *Bridge) readPrompt(frame ndjson.Frame) (prompt, string) {
	p := prompt{id: slices.Clone(frame.ID), act: b.ours.nextActID()}
	if len(frame.ID) == 0 {
		return p, "it has no id, so nobody can answer it"
	}
	m := readParams(frame.Params)
	id := m.text("sessionId")
	var unknown []member
	p.offers, unknown = readOffers(m)
	for _, o := range p.offers {
		p.options = append(p.options, o.Option)
	}
	told, aboutCall := b.readSubject(m, &p)
	if told != nil && aboutCall {
		calls := readToolCall(told)
		p.told = append(told.meta(), calls...)
		unknown = append(unknown, calls...)
	}
	others := append(p.more, m.others()...)
	p.more, unknown = append(m.meta(), others...), append(unknown, others...)
	if m.err() != nil {
		return p, m.err().Error()
	}
	if p.session = b.session(id); p.session == nil {
		return p, ""
	}
	p.turn = b.turnContext(p.session)
	b.mu.Lock()
	call := &toolCall{}
	if told != nil {
		if callID, _ := told.optional("toolCallId"); callID != "" {
			call = p.session.calls.get(callID)
		}
		if call.question.stands() {
			b.mu.Unlock()
			return p, "a question about that tool call is not answered yet"
		}
		call.merge(told.members)
	} else {
		call.title, _ = m.optional("title")
	}
	copied := *call
	agent := b.agent
	b.mu.Unlock()
	p.call = &copied
	p.claim = readClaim(p.session, id, p.call, agent, b.o.Principal)
	p.claim.doubt(doubtUnknown(unknown)...)
	return p, ""
}

// readSubject returns what a request is about in the words of a tool call; nil when it names nothing. aboutCall says that it is
// a tool call, and no other subject.
func (b *Bridge) readSubject(m *params, p *prompt) (told *params, aboutCall bool) {
	if b.protocol() < 2 {
		if told = m.object("toolCall"); told == nil {
			m.fail("toolCall is missing")
		}
		return told, true
	}
	p.title = []member{{"title", encode(m.text("title"))}}
	if description, given := m.optional("description"); given {
		p.title = append(p.title, member{"description", encode(description)})
	}
	subject := m.object("subject")
	if subject == nil {
		return nil, false
	}
	switch p.subject = subject.text("type"); p.subject {
	case "tool_call":
		if told = subject.object("toolCall"); told == nil {
			m.fail("subject.toolCall is missing")
		}
		subject.noMore()
		return told, true
	case "command":
		command, dir := subject.text("command"), subject.text("cwd")
		call := object{"kind": []byte(`"execute"`), "title": encode(command), "rawInput": join(`{"command":`, encode(command), `,"cwd":`, encode(dir), `}`)}
		for _, key := range []string{"toolCallId", "terminalId"} {
			if id, given := subject.optional(key); given {
				p.told = append(p.told, member{key, encode(id)})
				call[key] = encode(id)
			}
		}
		p.told = append(p.told, member{"command", encode(command)}, member{"cwd", encode(dir)})
		subject.noMore()
		return &params{members: call, mistake: m.mistake}, false
	}
	p.subject = "" // version 2 allows others; the person sees what it is
	p.more = append(p.more, member{"subject", slices.Clone(m.raw("subject"))})
	return nil, false
}

// decidePrompt decides a prompt. One about a tool of ours is decided by that tool's own rules: the agent will come to us
// to have it run, and only then are the values known for sure. There the governors are asked, too.
func (b *Bridge) decidePrompt(p *prompt) (decision permissions.Decision, ours bool) {
	if request, known, ok := b.aboutOurTool(p); ok {
		return b.decideOurTool(p, request, known), true
	}
	return within(b.o.Authority.Take(p.claim.request), b.promptHeldTo(p.claim.request)), false
}

// askPerson passes the question on, and watches for the person's answer. While it stands, nothing changes the card that it stands
// in.
func (b *Bridge) askPerson(frame ndjson.Frame, p prompt, decision permissions.Decision) error {
	p.standing = b.post(p, decision)
	if !b.openFromAgent(frame, passed{session: p.session, card: p.call.id, standing: p.standing, answered: func(answer ndjson.Frame, line []byte) []byte {
		return b.personAnswered(p, decision, answer, line)
	}}) {
		if p.standing != nil {
			p.standing.stop(nil)
		}
		return b.refuseAgent(frame, idInUse)
	}
	event := p.event(events.ApprovalAsked)
	event.Decision = &events.Decision{DecisionSummary: decision.Summary(), PolicySHA256: decision.Policy}
	b.note(event)
	if p.call.id != "" {
		b.mu.Lock()
		call := p.session.calls.get(p.call.id)
		call.question = &heldUpdates{standing: true}
		b.mu.Unlock()
		if decision.Source == permissions.SourceGovernor { // the agent's words go on, so the card says why
			if err := b.toEditor.Send(b.decided(p.session, call, sentence(decision), "")); err != nil {
				return err
			}
		}
		b.mu.Lock()
		call.announced = true // the request itself tells the editor of the call
		p.call.notes = slices.Clone(call.notes)
		b.mu.Unlock()
	}
	if p.standing != nil {
		defer b.watch(p, decision) // once the editor has the question, so that it can be taken away from it
	}
	return b.toEditor.Send(b.promptLine(p, decision))
}

// promptLine writes an agent's question for the person: all that was told of the call, as it was read, so that what the person
// sees is what was decided about.
func (b *Bridge) promptLine(p prompt, asked permissions.Decision) []byte {
	members := []member{{"sessionId", encode(p.claim.request.Session)}}
	if p.title == nil {
		members = append(members, member{"toolCall", p.writeCall(asked)})
	} else {
		members = append(members, p.title...)
		switch p.subject {
		case "tool_call":
			members = append(members, member{"subject", write([]member{{"type", encode(p.subject)}, {"toolCall", p.writeCall(asked)}})})
		case "command":
			members = append(members, member{"subject", write(append([]member{{"type", encode(p.subject)}}, p.told...))})
		}
	}
	options := make([]json.RawMessage, len(p.offers))
	for i, o := range p.offers {
		options[i] = o.write()
	}
	members = append(append(members, member{"options", encode(options)}), p.more...)
	return join(`{"jsonrpc":"2.0","id":`, p.id, `,"method":`, encode(methodPermission), `,"params":`, write(members), `}`)
}

// writeCall writes the call of a question. Characters that hide something are written out, and where the question cannot be
// believed, the card says so before everything else.
func (p *prompt) writeCall(asked permissions.Decision) []byte {
	call := p.call
	members := []member{{"toolCallId", encode(call.id)}}
	for _, m := range []struct{ key, text string }{{"title", permissions.ShowAll(call.title)}, {"name", call.name}, {"kind", call.kind}, {"status", call.status}} {
		if m.text != "" {
			members = append(members, member{m.key, encode(m.text)})
		}
	}
	var first []any
	if asked.Source == permissions.SourceDoubt {
		words := "a2a-acp asks because " + permissions.ShowLine(asked.Reason)
		if text := p.claim.request.ShellText; text != "" && text != call.title {
			words += "\n\nWhat it says would run:\n" + permissions.Fence("bash", permissions.Show(text))
		}
		first = append(first, text(words))
	}
	content := contentBetween(first, call.content, call.notes)
	if content == nil && call.content != nil {
		content = call.content // an empty list clears the card
	}
	if content != nil {
		members = append(members, member{"content", content})
	}
	for _, m := range []member{{"locations", call.locations}, {"rawInput", call.rawInput}} {
		if m.value != nil {
			members = append(members, m)
		}
	}
	return write(append(members, p.told...))
}

// answerPrompt answers in the person's place. The decision is on record.
func (b *Bridge) answerPrompt(p prompt, decision permissions.Decision, option permissions.Option, offered bool) error {
	b.settleActs(p, decision)
	status := ""
	if decision.Verdict == permissions.Reject {
		status = "failed"
	}
	if p.call.id != "" {
		b.mu.Lock()
		call := p.session.calls.get(p.call.id)
		b.mu.Unlock()
		if err := b.toEditor.Send(b.decided(p.session, call, sentence(decision), status)); err != nil {
			return err
		}
	}
	if !offered {
		b.backToAgent.put(response(p.id, cancelledOutcome))
		return nil
	}
	b.backToAgent.put(response(p.id, selected(option.ID)))
	return nil
}

// settleActs lets the answer stand for the frames in which the agent carries the act out.
func (b *Bridge) settleActs(p prompt, decision permissions.Decision) {
	for _, act := range p.claim.acts {
		if decision.Verdict == permissions.Approve {
			b.o.Acts.Allow(p.claim.request.Session, act, decision)
		} else {
			b.o.Acts.Refuse(p.claim.request.Session, act, decision)
		}
	}
}

// recordPrompt puts the decision about a prompt on disk.
func (b *Bridge) recordPrompt(p prompt, decision permissions.Decision, option permissions.Option) error {
	event := p.event(events.ToolDecided)
	event.Decision = decisionEvent(decision, option.ID)
	return b.recordDecision(event)
}

func (p *prompt) event(kind events.Type) events.Event {
	event := requestEvent(kind, p.claim.request)
	event.CallID, event.ToolCall = p.act, p.call.id
	event.Act.Title = p.claim.request.Mask()(permissions.ShowLine(p.call.title))
	event.Act.Claimed = true
	return event
}

// sentence is a decision in one line for a card.
func sentence(d permissions.Decision) string {
	word := map[permissions.Verdict]string{permissions.Approve: "allowed", permissions.Reject: "stopped", permissions.Ask: "asked"}[d.Verdict]
	if d.Reason != "" {
		word += ": " + d.Reason
	}
	if !d.Obligation.None() {
		word += "; " + d.Obligation.Why
	}
	if d.Rule != "" {
		word += fmt.Sprintf(" (%s %s, %s)", decider(d), d.Rule, d.At)
	}
	return word
}
