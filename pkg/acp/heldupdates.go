package acp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// heldUpdates are the agent's updates of a card in which a question stands. They go to the editor once the question has ended.
// Guarded by Bridge.mu.
type heldUpdates struct {
	standing bool
	lines    [][]byte
	bytes    int
}

// The bounds of what is held back for one card. What goes beyond them is dropped, which is said.
const (
	mostHeldUpdates = 256
	mostHeldBytes   = 4 << 20
)

// stands reports whether the question has not ended.
func (h *heldUpdates) stands() bool { return h != nil && h.standing }

// holdBack keeps a line about a card while a question stands in it. Once that has ended, lines about that card go behind those
// that were kept.
func (b *Bridge) holdBack(s *Session, card string, line []byte) (held bool) {
	b.mu.Lock()
	call := s.calls.byID[card]
	if call == nil || call.question == nil {
		b.mu.Unlock()
		return false
	}
	h := call.question
	if !h.standing {
		b.mu.Unlock()
		b.releasing.Lock()
		defer b.releasing.Unlock()
		b.release(s, bytes.Clone(line))
		return true
	}
	fits := len(h.lines) < mostHeldUpdates && h.bytes+len(line) <= mostHeldBytes
	if fits {
		h.lines, h.bytes = append(h.lines, bytes.Clone(line)), h.bytes+len(line)
	}
	b.mu.Unlock()
	if !fits {
		b.o.Say(fmt.Sprintf("the agent changes a card again and again while a question stands in it (%s); that is dropped", card))
	}
	return true
}

// questionEnded lets go what was held back. It may be called more than once.
func (b *Bridge) questionEnded(s *Session, card string) {
	if s == nil || card == "" {
		return
	}
	b.releasing.Lock()
	defer b.releasing.Unlock()
	b.mu.Lock()
	call := s.calls.byID[card]
	if call == nil || !call.question.stands() {
		b.mu.Unlock()
		return
	}
	lines := call.question.lines
	call.question.standing, call.question.lines = false, nil
	if len(lines) == 0 {
		call.question = nil
	}
	maps.DeleteFunc(s.terminals, func(_, shownIn string) bool { return shownIn == card })
	b.mu.Unlock()
	for _, line := range lines {
		b.release(s, line)
	}
}

// questionsEnded lets go what was held back for all questions of a session: no answer to them counts any more.
func (b *Bridge) questionsEnded(s *Session) {
	b.mu.Lock()
	var cards []string
	for card, call := range s.calls.byID {
		if call.question.stands() {
			cards = append(cards, card)
		}
	}
	b.mu.Unlock()
	slices.Sort(cards)
	for _, card := range cards {
		b.questionEnded(s, card)
	}
}

// letOut waits until the editor has been sent all that was held back for questions that have ended, so that none of it changes the
// card of the next one.
func (b *Bridge) letOut() {
	b.releasing.Lock()
	defer b.releasing.Unlock()
	b.backToEditor.flush()
}

// questionStands begins to hold back what would change the card of a question: what is said of its call, and what is written to
// the terminals that it shows, whoever's card that is said in. Called with mu held.
func (p *prompt) questionStands() {
	p.sessionsCall().question = &heldUpdates{standing: true}
	items, _ := (object{"c": p.call.content}).objects("c")
	for _, m := range p.told {
		if m.key == "terminalId" { // of a command, in version 2
			items = append(items, object{m.key: m.value})
		}
	}
	for _, item := range items {
		if id := item.text("terminalId"); id != "" {
			if p.session.terminals == nil {
				p.session.terminals = map[string]string{}
			}
			p.session.terminals[id] = p.call.id
		}
	}
}

// showsTerminal finds the card with a question that shows a terminal of which an update speaks, anywhere in it: agents write to
// their terminals by the _meta of any update.
func (b *Bridge) showsTerminal(s *Session, params []byte) (card string, shown bool) {
	b.mu.Lock()
	terminals := maps.Clone(s.terminals)
	b.mu.Unlock()
	if len(terminals) == 0 {
		return "", false
	}
	for text := range ndjson.Texts(params) {
		if card, shown = terminals[text]; shown {
			return card, true
		}
	}
	return "", false
}

// release takes a line that was held back and sends it by way of the outbox, in whose order all of the card's lines then stay.
// Called with releasing held.
func (b *Bridge) release(s *Session, line []byte) {
	frame := ndjson.Scan(line)
	p := readParams(frame.Params)
	update := p.object("update")
	if kind, _ := update.optional("sessionUpdate"); kind != "tool_call" && kind != "tool_call_update" {
		b.backToEditor.put(bytes.TrimRight(line, "\r\n"))
		return
	}
	lines, seen := b.takeUpdate(s, update.members, line)
	for _, line := range lines {
		b.backToEditor.put(bytes.TrimRight(line, "\r\n"))
	}
	b.tookUpdate(s, update.members, seen)
}
