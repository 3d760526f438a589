package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// permissionPrompt is a session/request_permission, read.
type permissionPrompt struct {
	act     string // our id of the act that it is about
	id      []byte // of the request
	session *Session
	turn    context.Context // that it came in
	before  int             // how many of the session's turns had ended then
	place   *place          // in what the session sends to the editor
	answer  *place          // in what the agent is told
	call    *toolCall       // what was told of the call, this request included; not the session's own copy
	shown   bool            // the editor may have shown something else in the card before
	joined  bool            // it is answered as the agent's hook was, about the very same
	below   bool            // it comes from an agent that the session's has started
	exact   bool            // what is known of it is what its tool gets, and not only what the agent says
	beside  string          // what is known of it beside that, for the person

	open     *openQuestion   // while the question stands
	queued   *queuedQuestion // of the question
	offers   []offer
	options  []permissions.Option // those of the offers
	claim    claim
	b        *Bridge
	asked    permissions.Decision // what asks the person
	question approval.Question    // that the person is asked
	reply    reply                // what the editor said
	picked   string               // the option that the person at the editor picked, or who answers in his place
	pickedBy string               // who that was
	askedAs  string               // the id by which a Person was asked; "" where none was
	since    time.Time            // when it was approved

	// Of version 2: the request's own title, its description, both of them as they came, and the type of its
	// subject, which is "" when it has none.
	title       []member
	description string
	words       string
	subject     string
	whole       []byte   // a subject of another type, as it came
	named       []string // what a subject of another type names: cards among others
	terminals   []string // that it shows

	more    []member // _meta, and members that nobody here knows
	told    []member // the same, of the tool call
	unknown []member // those of both, and of the options, that nobody here knows
}

// permission owns session/request_permission: the agent asks whether it may do something itself. Policies
// answer, or the question goes to the person.
func (b *Bridge) permission(frame ndjson.Frame, line []byte) error {
	p, problem := b.readPrompt(frame)
	if problem != "" {
		return b.refuseAgent(frame, methodPermission+": "+problem)
	}
	if p.session == nil { // no rule could be held against it, and the editor may know one of that id
		return b.refuseAgent(frame, methodPermission+": there is no such session")
	}
	turn := b.turnOf(p.session, p.claim.request.Action)
	passage := b.beginPrompt(&p)
	p.place = p.session.toEditor.reserve()
	if passage.Settled() && passage.Close(context.Background()) {
		p.answer = b.toAgent.reserve()
		b.cancelledMeanwhile(turn, &p, passage)
		b.answerPrompt(&p, passage)
		return nil
	}
	if b.isOpen(agentsID(p.id)) { // before anything is held back for it
		p.place.leave()
		return b.refuseAgent(frame, idInUse)
	}
	frame, _ = clone(frame, line)
	b.mu.Lock()
	fits := p.questionStands()
	b.mu.Unlock()
	if !fits {
		b.sayDropped(p.call.id)
	}
	return b.outside(frame, p.session, p.place, func(ctx context.Context, turn *queuedQuestion) error {
		p.queued = turn
		defer b.questionEnded(p.open)
		passage.Finish(ctx, gate.Person{Asker: &p, Patience: b.o.Patience})
		p.answer = b.drop(agentsID(p.id))
		b.cancelledMeanwhile(ctx, &p, passage)
		b.answerPrompt(&p, passage)
		return nil
	})
}

// cancelledMeanwhile has nothing come of an answer whose turn was cancelled while it was put on record.
func (b *Bridge) cancelledMeanwhile(ctx context.Context, p *permissionPrompt, passage *gate.Passage) {
	if cause := context.Cause(ctx); cause != nil && passage.Cause == nil {
		passage.Cause = cause
		b.noteNotDone(p.Event(events.ToolEnded), cause)
	}
}

// beginPrompt decides what can be decided at once. A prompt about a tool of ours is decided by that tool's
// own rules: the agent will come to us to have it run, and only then are the values known for sure. There
// the governors are asked, too.
func (b *Bridge) beginPrompt(p *permissionPrompt) *gate.Passage {
	if request, known, ok := b.aboutOurTool(p); ok {
		return b.o.Gate.Resume(p, b.decideOurTool(p, request, known))
	}
	if d, ok := b.decidedBefore(p); ok {
		return b.o.Gate.Resume(p, d)
	}
	return b.o.Gate.Begin(p)
}

// sessionsCall is the session's own copy of the call. Called with mu held.
func (p *permissionPrompt) sessionsCall() *toolCall {
	if p.call.id == "" {
		return &toolCall{}
	}
	return p.session.calls.get(p.call.id)
}

// readPrompt reads the request and puts what was told of the call before under it.
func (b *Bridge) readPrompt(frame ndjson.Frame) (permissionPrompt, string) {
	p := permissionPrompt{b: b, id: slices.Clone(frame.ID), act: b.ours.nextActID()}
	if len(frame.ID) == 0 {
		return p, "it has no id, so nobody can answer it"
	}
	m := readParams(frame.Params)
	in := m.text("sessionId")
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
	var id string
	if p.session, id = b.agentsSession(in); p.session == nil {
		return p, ""
	}
	p.below = id != in
	b.mu.Lock()
	p.turn, p.before = p.session.turn.ctx, p.session.turn.over
	call := &toolCall{}
	for _, name := range p.named {
		if b.isOurs(name) || b.asking[name] != nil {
			b.mu.Unlock()
			return p, "it names a card in which another question stands"
		}
	}
	if told != nil {
		callID, _ := told.optional("toolCallId")
		if b.isOurs(callID) {
			b.mu.Unlock()
			return p, notItsCard
		}
		if b.asking[callID] != nil {
			b.mu.Unlock()
			return p, "a question about that tool call is not answered yet"
		}
		if callID != "" {
			call = p.session.calls.get(callID)
		}
		if call.withdrawn { // the person may be about to click on what stood there
			b.mu.Unlock()
			return p, "the question about that tool call was withdrawn"
		}
		call.merge(told.members)
	} else {
		call.title, _ = m.optional("title")
	}
	copied := *call
	b.mu.Unlock()
	p.call = &copied
	request := b.newRequest(p.session, id, "", "")
	request.Commands = b.o.Gate.Commands(request.Workspace)
	m.trace(&request)
	p.claim = readClaim(p.session, p.call, request)
	p.unknown = unknown
	p.claim.doubtOurWords(p.words)
	p.claim.doubt(append(permissions.Doubtful(p.words), doubtUnknown(unknown)...)...)
	p.claim.resolve()
	return p, ""
}

// readSubject returns what a request is about in the words of a tool call; nil when it names nothing.
// aboutCall says that it is a tool call, and no other subject.
func (b *Bridge) readSubject(m *params, p *permissionPrompt) (told *params, aboutCall bool) {
	if b.protocol() < 2 {
		m.not("title", "description", "subject")
		if told = m.object("toolCall"); told == nil {
			m.fail("toolCall is missing")
		}
		return told, true
	}
	m.not("toolCall")
	title := m.text("title")
	p.title, p.words = []member{{"title", encode(display.Whole(title))}}, title
	if description, given := m.optional("description"); given {
		p.description = display.Whole(description)
		p.words += "\n" + description
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
		call := object{"kind": []byte(`"execute"`), "title": encode(command),
			"rawInput": join(`{"command":`, encode(command), `,"cwd":`, encode(dir), `}`)}
		for _, key := range []string{"toolCallId", "terminalId"} {
			if id, given := subject.optional(key); given {
				subject.own(key, id)
				if call[key] = encode(id); key == "terminalId" { // nothing runs in it yet that this is about
					p.terminals = append(p.terminals, id)
					continue
				}
				p.told = append(p.told, member{key, encode(id)})
			}
		}
		p.told = append(p.told, member{"command", encode(display.Whole(command))},
			member{"cwd", encode(display.Whole(dir))})
		subject.noMore()
		return &params{members: call, mistake: m.mistake}, false
	}
	if newNames("tool_call", "command").misspelled(p.subject) {
		m.fail("subject.type is another spelling of one that is known")
	}
	// Version 2 allows others. The person sees what it is, and what it may name stays as it is meanwhile.
	raw := slices.Clone(m.raw("subject"))
	p.subject, p.more, p.whole = "", append(p.more, member{"subject", raw}), raw
	for text := range ndjson.Texts(raw) {
		if p.named = append(p.named, text); len(p.named) > mostNamed {
			m.fail("subject: it is of no type that is known here, and names more than %d things", mostNamed)
			break
		}
	}
	ids, ok := terminalsIn(raw, deepest)
	if !ok {
		m.fail("subject: %w", errTooDeep)
	}
	p.terminals = append(p.terminals, ids...)
	return nil, false
}

// mostNamed bounds the texts in a subject that nobody here knows.
const mostNamed = 256

// terminalsIn lists the terminals that a value names, at any depth up to the given one; ok is false where it
// goes deeper.
func terminalsIn(raw []byte, depth int) (ids []string, ok bool) {
	if depth < 0 {
		return nil, false
	}
	ok = true
	add := func(value []byte) {
		more, all := terminalsIn(value, depth-1)
		ids, ok = append(ids, more...), ok && all
	}
	for key, value := range ndjson.Members(raw) {
		if id, err := ndjson.String(value); err == nil && spelling(key) == "terminalid" {
			ids = append(ids, id)
		}
		add(value)
	}
	for value := range ndjson.Elements(raw) {
		add(value)
	}
	return ids, ok
}

// line writes an agent's question for the person: all that was told of the call, as it was read, so that
// what the person sees is what was decided about.
func (p *permissionPrompt) line() []byte {
	members := []member{{"sessionId", encode(p.claim.request.Session)}}
	if p.title == nil {
		members = append(members, member{"toolCall", p.writeCall()})
	} else {
		members = append(members, p.title...)
		description := p.description
		if p.subject != "tool_call" { // there is no card to say it in
			description = strings.Join(append(p.warnings(), description), "\n\n")
		}
		if description = strings.TrimSuffix(description, "\n\n"); description != "" {
			members = append(members, member{"description", encode(description)})
		}
		switch p.subject {
		case "tool_call":
			members = append(members,
				member{"subject", write([]member{{"type", encode(p.subject)}, {"toolCall", p.writeCall()}})})
		case "command":
			members = append(members,
				member{"subject", write(append([]member{{"type", encode(p.subject)}}, p.told...))})
		}
	}
	var options []json.RawMessage
	for _, o := range p.offered() {
		options = append(options, o.write())
	}
	members = append(append(members, member{"options", encode(options)}), p.more...)
	return join(`{"jsonrpc":"2.0","id":`, p.id, `,"method":`, encode(methodPermission), `,"params":`,
		write(members), `}`)
}

// warnings are what a person is told of a question beside the agent's words, and before them.
func (p *permissionPrompt) warnings() (list []string) {
	if words := p.asksBecause(); words != "" {
		if text := p.claim.request.ShellText; p.asked.Source == permissions.SourceDoubt && text != "" &&
			text != p.call.title {
			words += "\n\nWhat it says would run:\n" + display.Fence("bash", display.Full(text))
		}
		list = append(list, words)
	}
	if words := p.around(); words != "" {
		list = append(list, words)
	}
	if words := p.forSession(); words != "" {
		list = append(list, "a2a-acp: "+words)
	}
	if p.whole != nil {
		list = append(list, "a2a-acp: it is about something that nobody here knows\n"+
			display.Fence("json", display.Full(string(p.whole))))
	}
	return list
}

// around says with what variables and in which directory a command would run, where that is not as a person
// would think who reads the command, and to which files names lead: a yes stands for these, too.
func (p *permissionPrompt) around() string {
	r := p.claim.request
	if r.Action != permissions.ActionExecute {
		if p.claim.linked == nil {
			return ""
		}
		return "a2a-acp: not all of these names are those of the files\n" +
			display.Fence("", strings.Join(p.claim.linked, "\n"))
	}
	var lines []string
	if own, err := permissions.Resolve("/", p.session.Dir()); err != nil || own != r.Dir {
		lines = append(lines, "in "+display.FullLine(r.Dir))
	}
	for _, v := range r.Variables {
		lines = append(lines, "with "+display.FullLine(v.Name+"="+v.Value))
	}
	if lines == nil {
		return ""
	}
	return "a2a-acp: it would run\n" + display.Fence("", strings.Join(lines, "\n"))
}

// writeCall writes the call of a question. Characters that hide something are written out, and where the
// question cannot be believed, the card says so before everything else. Nothing is left of what an earlier
// frame showed in the card and this question does not say: to some editors a null says nothing, and to us it
// clears.
func (p *permissionPrompt) writeCall() []byte {
	call := p.call
	members := []member{{"toolCallId", encode(call.id)}}
	title, kind := display.Whole(call.title), call.kind
	if p.shown {
		title, kind = titleOr(title), kindOr(kind)
	}
	for _, m := range []struct{ key, text string }{{"title", title}, {"name", call.name}, {"kind", kind},
		{"status", call.status}} {
		if m.text != "" {
			members = append(members, member{m.key, encode(m.text)})
		}
	}
	var first []any
	for _, words := range p.warnings() {
		first = append(first, text(words))
	}
	content := contentBetween(first, call.content, call.notes)
	if content == nil {
		content = call.content
	}
	for _, m := range []struct {
		key          string
		value, clear []byte
	}{{"content", content, []byte("[]")}, {"locations", call.locations, []byte("[]")},
		{"rawInput", call.rawInput, []byte("{}")}} {
		switch {
		case m.value != nil:
			members = append(members, member{m.key, m.value})
		case p.shown:
			members = append(members, member{m.key, m.clear})
		}
	}
	return write(append(members, p.told...))
}
