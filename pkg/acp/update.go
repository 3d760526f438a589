package acp

import (
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// update owns session/update. Only what it says of tool calls is read: it is remembered, put on record as seen when the
// agent did it by itself, and carries our line when something about the call was decided here.
func (b *Bridge) update(frame ndjson.Frame, line []byte) error {
	id, kind := updateKind(frame.Params)
	s := b.session(id)
	if s == nil {
		return b.toEditor.Relay(line)
	}
	switch kind {
	case "tool_call", "tool_call_update":
		return b.toolCallUpdate(s, frame, line)
	case "current_mode_update", "config_option_update":
		b.modeUpdate(s, frame)
	case "state_update": // version 2: the turn ends here
		if raw, ok := ndjson.Get(frame.Params, "update", "state"); ok {
			if state, err := ndjson.String(raw); err == nil && state == "idle" {
				b.endTurn(s)
			}
		}
	}
	return b.toEditor.Relay(line)
}

// updateKind reads as little as it can: most updates are chunks of text, and there are very many of them.
func updateKind(params []byte) (session, kind string) {
	if raw, ok := ndjson.Get(params, "sessionId"); ok {
		session, _ = ndjson.String(raw)
	}
	if raw, ok := ndjson.Get(params, "update", "sessionUpdate"); ok {
		kind, _ = ndjson.String(raw)
	}
	return session, kind
}

func (b *Bridge) toolCallUpdate(s *Session, frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseAgent(frame, "session/update: "+err.Error())
	}
	update := params.object("update")
	id := update.text("toolCallId")
	if id == "" {
		return b.toEditor.Relay(line)
	}
	isNew := update.text("sessionUpdate") == "tool_call"

	b.mu.Lock()
	call := s.calls.get(id)
	unannounced := !call.announced && !isNew && b.version < 2
	call.announced = true
	var announcement []byte
	if unannounced {
		call.merge(update)
		announcement = announce(s.id, call, call.status)
	}
	call.merge(update)
	notes := call.notes
	var seen *events.Event
	if call.finished() && !call.decided && !call.recorded {
		call.recorded = true
		seen = &events.Event{Type: events.ToolSeen, Session: s.id, ToolCall: id, Act: seenAct(call, update)}
	}
	b.mu.Unlock()

	if announcement != nil {
		if err := b.toEditor.Send(announcement); err != nil {
			return err
		}
	}
	if len(notes) > 0 {
		line = withNotes(line, update["content"], notes)
	}
	if err := b.toEditor.Relay(line); err != nil {
		return err
	}
	if seen != nil {
		b.note(*seen)
	}
	return nil
}

// seenAct is an act that we know only from the agent's words, after it.
func seenAct(call *toolCall, last object) *events.Act {
	act := &events.Act{Kind: kindOr(call.kind), Title: permissions.ShowLine(call.title), Claimed: true}
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
