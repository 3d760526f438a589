package acp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// openQuestion is a question that stands in a card of the agent's, with the agent's updates that would change
// what it shows. They go to the editor once the question has ended. Guarded by Bridge.mu.
type openQuestion struct {
	session   *Session
	call      *toolCall // the session's own copy
	lines     []heldLine
	bytes     int
	terminals bool   // in its card have been put away
	without   bool   // lines of ours about what was decided before are not shown
	noted     []note // of which the editor has not heard
}

// heldLine is an update that waits, in the order of its session.
type heldLine struct {
	session *Session // nil for one that was heard of before the question
	at      *queue   // then where it waited
	line    []byte
}

// note says that there are lines of ours in the card of a call, and the status that goes with them.
type note struct {
	session *Session
	call    *toolCall
	status  string
}

// The bounds of what is held back for one card. What goes beyond them is dropped, which is said.
const (
	mostHeldUpdates = 256
	mostHeldBytes   = 4 << 20
)

// holdBack keeps a line about a card while a question stands in it.
func (b *Bridge) holdBack(s *Session, card string, line []byte) (held bool) {
	b.mu.Lock()
	q := b.asking[card]
	held, fits := q != nil, q.hold(s, line)
	b.mu.Unlock()
	if held && !fits {
		b.sayDropped(card)
	}
	return held
}

// holdBackNamed keeps a line that speaks of a terminal which a question shows, anywhere in it: agents write
// to their terminals by the _meta of any update. An update of a kind that is not read here may change a card,
// so it may name none in which a question stands.
func (b *Bridge) holdBackNamed(s *Session, kind string, params, line []byte) (held bool) {
	b.mu.Lock()
	named := maps.Clone(b.showing)
	if !speaksOfCall(kind) {
		maps.Copy(named, b.asking)
	}
	b.mu.Unlock()
	if len(named) == 0 {
		return false
	}
	for text := range ndjson.Texts(params) {
		if named[text] == nil {
			continue
		}
		b.mu.Lock()
		q := named[text]
		if q != b.showing[text] && q != b.asking[text] {
			q = nil // it has ended meanwhile
		}
		held, fits := q != nil, q.hold(s, line)
		b.mu.Unlock()
		if held && !fits {
			b.sayDropped(text)
		}
		return held
	}
	return false
}

func (b *Bridge) sayDropped(name string) {
	b.o.Say(fmt.Sprintf("the agent changes again and again what a question shows that stands (%s); that is dropped",
		display.Line(name)))
}

// hold keeps a line until the question has ended; false where that is too much. Called with mu held.
func (q *openQuestion) hold(s *Session, line []byte) (fits bool) {
	if q == nil || len(q.lines) >= mostHeldUpdates || q.bytes+len(line) > mostHeldBytes {
		return false
	}
	q.lines, q.bytes = append(q.lines, heldLine{session: s, line: bytes.Clone(line)}), q.bytes+len(line)
	return true
}

// holdEarlier holds back what was heard of before the question, and waits in the order of another session: it
// would reach the editor while the question stands; false where that is too much. Called with mu held.
func (b *Bridge) holdEarlier(q *openQuestion, from *queue) (fits bool) {
	fits = true
	from.takeOut(func(line []byte) bool { return b.changes(q, line) }, func(at *queue, line []byte) {
		if len(q.lines) >= mostHeldUpdates || q.bytes+len(line) > mostHeldBytes {
			fits = false
			return
		}
		q.lines, q.bytes = append(q.lines, heldLine{at: at, line: line}), q.bytes+len(line)
	})
	return fits
}

// changes reports whether a line is an update that would change what a question shows. Called with mu held.
func (b *Bridge) changes(q *openQuestion, line []byte) bool {
	frame := ndjson.Scan(line)
	if frame.MethodName() != methodUpdate {
		return false
	}
	update := readParams(frame.Params).object("update")
	if update == nil {
		return false
	}
	kind, _ := update.optional("sessionUpdate")
	card, _ := update.optional("toolCallId")
	if speaksOfCall(kind) && b.asking[card] == q {
		return true
	}
	for text := range ndjson.Texts(frame.Params) {
		if b.showing[text] == q || !speaksOfCall(kind) && b.asking[text] == q {
			return true
		}
	}
	return false
}

// note has a card say something of ours once the question has ended. Called with mu held.
func (q *openQuestion) note(s *Session, call *toolCall, status string) {
	at := slices.IndexFunc(q.noted, func(n note) bool { return n.call == call })
	if at < 0 {
		q.noted = append(q.noted, note{session: s, call: call})
		at = len(q.noted) - 1
	}
	if status != "" {
		q.noted[at].status = status
	}
}

// questionEnded lets go what was held back. It may be called more than once.
func (b *Bridge) questionEnded(q *openQuestion) {
	b.mu.Lock()
	if q == nil || q.call.question != q {
		b.mu.Unlock()
		return
	}
	q.call.question = nil
	over := func(_ string, other *openQuestion) bool { return other == q }
	maps.DeleteFunc(b.asking, over)
	maps.DeleteFunc(b.showing, over)
	if (q.terminals || q.without) && q.call.announced {
		q.note(q.session, q.call, "")
	}
	for _, n := range q.noted {
		n.session.toEditor.put(b.noted(n.session, n.call, n.status))
	}
	var hear []func()
	for _, held := range q.lines {
		if held.session == nil {
			held.at.put(held.line)
			continue
		}
		p := readParams(ndjson.Scan(held.line).Params)
		update := p.object("update")
		if kind, _ := update.optional("sessionUpdate"); kind != kindToolCall && kind != kindToolCallUpdate {
			held.session.toEditor.put(held.line)
			continue
		}
		in, _ := p.optional("sessionId")
		lines, heard := b.takeUpdate(held.session, in, update.members, held.line)
		held.session.toEditor.put(lines...)
		hear = append(hear, heard)
	}
	b.mu.Unlock()
	for _, heard := range hear {
		heard()
	}
}

// questionsEnded lets go what was held back for all questions of a session: no answer to them counts any
// more.
func (b *Bridge) questionsEnded(s *Session) {
	b.mu.Lock()
	var questions []*openQuestion
	for _, card := range slices.Sorted(maps.Keys(b.asking)) {
		if q := b.asking[card]; q.session == s {
			questions = append(questions, q)
		}
	}
	b.mu.Unlock()
	for _, q := range questions {
		b.questionEnded(q)
	}
}

// questionStands begins to hold back what would change what a question shows: what is said of its call and of
// what else its subject names, and what is written to its terminals, whoever's card or session that is said
// in; false where more of that waits already than is held back. Called with mu held.
func (p *permissionPrompt) questionStands() (fits bool) {
	b, call := p.b, p.sessionsCall()
	q := &openQuestion{session: p.session, call: call}
	call.question, p.open = q, q
	for _, card := range p.cards() {
		b.asking[card] = q
	}
	p.shown = b.shown.has(p.call.id)
	content, terminals := withoutTerminals(p.call.content)
	p.call.content, q.terminals = content, terminals != nil
	if q.terminals && call.announced {
		rest := contentWith(content, call.notes)
		if rest == nil {
			rest = content // an empty list clears the card
		}
		p.place.add(updateFrame(p.session.cardsOf(call),
			cardUpdate{SessionUpdate: "tool_call_update", ToolCallID: call.id, Content: rest}))
	}
	for _, id := range append(p.terminals, terminals...) {
		if id != "" {
			b.showing[id] = q
		}
	}
	return b.holdEarlier(q, p.session.toEditor)
}

// cards are the names of the cards that the question stands in, or speaks of.
func (p *permissionPrompt) cards() []string {
	if p.call.id == "" {
		return p.named
	}
	return append(slices.Clip(p.named), p.call.id)
}
