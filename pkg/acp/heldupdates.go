package acp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// heldUpdates are the agent's updates of a card in which a question stands. They go to the editor once the
// question has ended. Guarded by Bridge.mu.
type heldUpdates struct {
	lines     [][]byte
	bytes     int
	terminals bool // that the editor runs have been put away
}

// The bounds of what is held back for one card. What goes beyond them is dropped, which is said.
const (
	mostHeldUpdates = 256
	mostHeldBytes   = 4 << 20
)

// holdBack keeps a line about a card while a question stands in it.
func (b *Bridge) holdBack(s *Session, card string, line []byte) (held bool) {
	b.mu.Lock()
	call := s.calls.byID[card]
	if call == nil || call.question == nil {
		b.mu.Unlock()
		return false
	}
	h := call.question
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
	b.mu.Lock()
	call := s.calls.byID[card]
	if call == nil || call.question == nil {
		b.mu.Unlock()
		return
	}
	held, terminals := call.question.lines, call.question.terminals
	call.question = nil
	if terminals {
		s.toEditor.put(updateFrame(s.id, cardUpdate{
			SessionUpdate: "tool_call_update", ToolCallID: card, Content: contentWith(call.content, call.notes),
		}))
	}
	maps.DeleteFunc(s.terminals, func(_, shownIn string) bool { return shownIn == card })
	var hear []func()
	for _, line := range held {
		p := readParams(ndjson.Scan(line).Params)
		update := p.object("update")
		if kind, _ := update.optional("sessionUpdate"); kind != "tool_call" && kind != "tool_call_update" {
			s.toEditor.put(line)
			continue
		}
		lines, heard := b.takeUpdate(s, update.members, line)
		s.toEditor.put(lines...)
		hear = append(hear, heard)
	}
	b.mu.Unlock()
	for _, heard := range hear {
		heard()
	}
}

// questionsEnded lets go what was held back for all questions of a session: no answer to them counts any more.
func (b *Bridge) questionsEnded(s *Session) {
	b.mu.Lock()
	var cards []string
	for card, call := range s.calls.byID {
		if call.question != nil {
			cards = append(cards, card)
		}
	}
	b.mu.Unlock()
	slices.Sort(cards)
	for _, card := range cards {
		b.questionEnded(s, card)
	}
}

// questionStands begins to hold back what would change the card of a question: what is said of its call,
// and what is written to the terminals that it shows, whoever's card that is said in. Called with mu held.
func (p *prompt) questionStands() {
	call := p.sessionsCall()
	call.question = &heldUpdates{}
	if p.call.content, call.question.terminals = p.session.withoutRunning(p.call.content); call.question.terminals && call.announced {
		rest := contentWith(p.call.content, call.notes)
		if rest == nil {
			rest = p.call.content // an empty list clears the card
		}
		p.place.add(updateFrame(p.session.id,
			cardUpdate{SessionUpdate: "tool_call_update", ToolCallID: call.id, Content: rest}))
	}
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

// showsTerminal finds the card with a question that shows a terminal of which an update speaks, anywhere in
// it: agents write to their terminals by the _meta of any update.
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
