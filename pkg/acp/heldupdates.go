package acp

import (
	"bytes"
	"fmt"

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
	b.mu.Unlock()
	for _, line := range lines {
		b.release(s, line)
	}
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
