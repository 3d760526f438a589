package acp

import (
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// prompt is a session/request_permission, read.
type prompt struct {
	id      []byte // of the request
	session *Session
	call    *toolCall // what was told of the call, this request included; not the session's own copy
	options []permissions.Option
	claim   claim
	// standing is where the question stands besides the editor; nil when it does not.
	standing *standing
}

// permission owns session/request_permission: the agent asks whether it may do something itself. Policies answer, or the
// frame goes to the person as it came.
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
	return b.settlePrompt(frame, line, p, decision)
}

// settlePrompt answers a prompt, or has the person do so.
func (b *Bridge) settlePrompt(frame ndjson.Frame, line []byte, p prompt, decision permissions.Decision) error {
	option, ok := permissions.ChooseOption(decision, p.options)
	if decision.Verdict == permissions.Ask || !ok {
		return b.askPerson(frame, line, p, decision)
	}
	if err := b.recordPrompt(p, decision, option); err != nil {
		b.o.Say(fmt.Sprintf("not recorded, so the person is asked: %v", err))
		return b.askPerson(frame, line, p, decision)
	}
	return b.answerPrompt(p, decision, option)
}

// readPrompt reads the request and puts what was told of the call before under it.
func (b *Bridge) readPrompt(frame ndjson.Frame) (prompt, string) {
	p := prompt{id: slices.Clone(frame.ID)}
	if len(frame.ID) == 0 {
		return p, "it has no id, so nobody can answer it"
	}
	params, err := exactObject(frame.Params)
	if err != nil {
		return p, err.Error()
	}
	id, err := params.wanted("sessionId")
	if err != nil {
		return p, err.Error()
	}
	var problem string
	if p.options, problem = readOptions(params); problem != "" {
		return p, problem
	}
	if p.session = b.session(id); p.session == nil {
		return p, ""
	}
	told := params.object("toolCall")
	if b.protocol() >= 2 {
		told = readSubject(params)
	}
	b.mu.Lock()
	call := &toolCall{}
	if callID := told.text("toolCallId"); callID != "" {
		call = p.session.calls.get(callID)
		call.merge(told)
	} else {
		call.merge(told)
	}
	copied := *call
	agent := b.agent
	b.mu.Unlock()
	p.call = &copied
	p.claim = readClaim(p.session, id, p.call, agent, b.o.Principal)
	return p, ""
}

// readSubject gives the subject of a version-2 request in the words of a tool call.
func readSubject(params object) object {
	subject := params.object("subject")
	switch subject.text("type") {
	case "tool_call":
		return subject.object("toolCall")
	case "command":
		told := object{"kind": []byte(`"execute"`), "title": subject["command"]}
		if id, ok := subject["toolCallId"]; ok {
			told["toolCallId"] = id
		}
		told["rawInput"] = join(`{"command":`, subject["command"], `,"cwd":`, subject["cwd"], `}`)
		return told
	}
	return object{"title": params["title"]}
}

// decidePrompt decides a prompt. One about a tool of ours is decided by that tool's own rules: the agent will come to us
// to have it run, and only then are the values known for sure. There the governors are asked, too.
func (b *Bridge) decidePrompt(p *prompt) (decision permissions.Decision, ours bool) {
	if request, known, ok := b.aboutOurTool(p); ok {
		return b.decideOurTool(p, request, known), true
	}
	return within(b.o.Authority.Take(p.claim.request), b.promptHeldTo(p.claim.request)), false
}

// askPerson passes the request on as it came, and watches for the person's answer.
func (b *Bridge) askPerson(frame ndjson.Frame, line []byte, p prompt, decision permissions.Decision) error {
	p.standing = b.post(p, decision)
	if !b.openFromAgent(frame, passed{session: p.session, standing: p.standing, answered: func(answer ndjson.Frame, line []byte) []byte {
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
		b.mu.Unlock()
		if decision.Source == permissions.SourceGovernor { // the request goes on as it came, so the card says why
			if err := b.toEditor.Send(b.decided(p.session, call, sentence(decision), "")); err != nil {
				return err
			}
		}
		b.mu.Lock()
		call.announced = true // the request itself tells the editor of the call
		b.mu.Unlock()
	}
	if p.standing != nil {
		defer b.watch(p, decision) // once the editor has the question, so that it can be taken away from it
	}
	return b.toEditor.Relay(line)
}

// answerPrompt answers in the person's place. The decision is on record.
func (b *Bridge) answerPrompt(p prompt, decision permissions.Decision, option permissions.Option) error {
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
	event.ToolCall = p.call.id
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
