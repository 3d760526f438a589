package acp

import (
	"errors"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// update owns session/update. Only what it says of tool calls is read: it is remembered, put on record as
// seen when the agent did it by itself, and carries our line when something about the call was decided
// here.
func (b *Bridge) update(frame ndjson.Frame, line []byte) error {
	id, kind, err := updateKind(frame.Params)
	if err != nil {
		return b.refuseAgent(frame, methodUpdate+": "+err.Error())
	}
	s := b.session(id)
	if s == nil {
		return b.toEditor.relay(line)
	}
	if card, shown := b.showsTerminal(s, frame.Params); shown && b.holdBack(s, card, line) {
		return nil
	}
	switch kind {
	case "tool_call", "tool_call_update":
		return b.toolCallUpdate(s, frame, line)
	case "tool_call_content_chunk": // version 2
		if raw, ok := ndjson.Get(frame.Params, "update", "toolCallId"); ok {
			card, _ := ndjson.String(raw)
			if b.isOurs(card) {
				return b.refuseAgent(frame, methodUpdate+": "+notItsCard)
			}
			if b.holdBack(s, card, line) {
				return nil
			}
		}
	case "current_mode_update", "config_option_update":
		b.modeUpdate(s, frame)
	case "state_update": // version 2: the turn ends here
		if raw, ok := ndjson.Get(frame.Params, "update", "state"); ok {
			if state, err := ndjson.String(raw); err == nil && state == "idle" {
				b.endTurn(s)
			}
		}
	}
	return s.toEditor.relay(line)
}

// updateKind reads as little as it can: most updates are chunks of text, and there are very many of them.
// Which kind it is must be the same to every reader.
func updateKind(params []byte) (session, kind string, err error) {
	update, ok := ndjson.Get(params, "update")
	if !ok {
		return "", "", nil
	}
	if err := errors.Join(ndjson.StrictKeys(params), ndjson.StrictKeys(update)); err != nil {
		return "", "", err
	}
	if raw, ok := ndjson.Get(params, "sessionId"); ok {
		session, _ = ndjson.String(raw)
	}
	if raw, ok := ndjson.Get(update, "sessionUpdate"); ok {
		kind, err = ndjson.String(raw)
	}
	return session, kind, err
}

const notItsCard = "that card is not the agent's"

// isOurs reports whether a card is one in which a question of ours stands.
func (b *Bridge) isOurs(card string) bool { return strings.HasPrefix(card, b.o.Prefix) }

// toolCallUpdate takes what the agent says of a tool call. While a question about it stands, it waits: the
// person must not be shown another act under the question than the one that was asked about.
func (b *Bridge) toolCallUpdate(s *Session, frame ndjson.Frame, line []byte) error {
	p := readParams(frame.Params)
	update := p.object("update")
	if update != nil {
		readToolCall(update)
	}
	if p.err() != nil {
		return b.refuseAgent(frame, "session/update: "+p.err().Error())
	}
	id, _ := update.optional("toolCallId")
	if b.isOurs(id) {
		return b.refuseAgent(frame, "session/update: "+notItsCard)
	}
	if b.holdBack(s, id, line) {
		return nil
	}
	b.mu.Lock()
	lines, heard := b.takeUpdate(s, update.members, line)
	b.mu.Unlock()
	for _, line := range lines {
		if err := s.toEditor.relay(line); err != nil {
			return err
		}
	}
	heard()
	return nil
}

// takeUpdate remembers an update. It gives the lines by which the editor hears of it, and what follows once
// it has. Called with mu held.
func (b *Bridge) takeUpdate(s *Session, update object, line []byte) (lines [][]byte, heard func()) {
	call := s.calls.get(update.text("toolCallId"))
	unannounced := !call.announced && update.text("sessionUpdate") != "tool_call" && b.version < 2
	call.announced = true
	if unannounced {
		call.merge(update)
		lines = append(lines, append(announce(s.id, call, call.status), '\n'))
	}
	call.merge(update)
	var seen *events.Event
	if call.finished() && !call.decided && !call.recorded {
		call.recorded = true
		seen = &events.Event{Type: events.ToolSeen, Session: s.id, ToolCall: call.id, Act: seenAct(call, update)}
	}
	if len(call.notes) > 0 {
		line = withNotes(line, update["content"], call.notes)
	}
	return append(lines, line), func() {
		if seen != nil {
			b.note(*seen)
		}
		b.hear(s, call, update)
	}
}

// seenAct is an act that we know only from the agent's words, after it.
func seenAct(call *toolCall, last object) *events.Act {
	act := &events.Act{Kind: kindOr(call.kind), Title: display.Line(call.title), Claimed: true}
	locations, _ := last.objects("locations")
	for _, location := range locations {
		act.Paths = append(act.Paths, location.text("path"))
	}
	return act
}

func kindOr(kind string) string {
	if kind == "" {
		return "other"
	}
	return kind
}
