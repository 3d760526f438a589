package acp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// update owns session/update. Only what it says of tool calls is read: it is remembered, put on record as
// seen when the agent says that it did it by itself, and carries our line when something about the call was
// decided here.
func (b *Bridge) update(frame ndjson.Frame, line []byte) error {
	id, kind, err := updateKind(frame.Params)
	if err == nil && len(frame.ID) > 0 && string(frame.ID) != "null" {
		err = errors.New("it has an id") // what answers it would answer another request of that id
	}
	var told *params
	if err == nil && speaksOfCall(kind) {
		told, err = b.readCallUpdate(frame.Params, kind)
	}
	if err != nil {
		return b.refuseAgent(frame, methodUpdate+": "+err.Error())
	}
	s, of := b.agentsSession(id)
	if s == nil {
		return b.updateElsewhere(frame, told, line)
	}
	if b.holdBackNamed(s, kind, frame.Params, line) {
		return nil
	}
	switch kind {
	case kindToolCall, kindToolCallUpdate:
		return b.toolCallUpdate(s, id, told.members, line)
	case kindBelow, kindBelowDraft:
		b.announceBelow(s, kind, frame.Params)
	case kindContentChunk:
		card := told.members.text("toolCallId")
		if b.holdBack(s, card, line) {
			return nil
		}
		b.mu.Lock()
		b.shown.add(card)
		b.mu.Unlock()
		line, _ = updateAsAgents(line, told.members)
	case kindMode, kindConfigOption:
		if id == of { // else it is the mode of an agent below
			b.modeUpdate(s, frame)
		}
	case kindState: // the turn ends here
		if raw, ok := ndjson.Get(frame.Params, "update", "state"); ok {
			if state, err := ndjson.String(raw); err == nil && state == "idle" && id == of {
				b.withdrawGone(s)
				b.tellSummary(s)
				b.endTurn(s)
			}
		}
	}
	return s.toEditor.relay(line)
}

// The kinds of updates that are read (ACP 1 and 2).
const (
	kindToolCall       = "tool_call"
	kindToolCallUpdate = "tool_call_update"
	kindContentChunk   = "tool_call_content_chunk" // version 2
	kindMode           = "current_mode_update"
	kindConfigOption   = "config_option_update"
	kindState          = "state_update" // version 2
	kindBelow          = "subagent_update"
	kindBelowDraft     = "subagent_spawned"
)

var updateKinds = newNames(kindToolCall, kindToolCallUpdate, kindContentChunk, kindMode, kindConfigOption,
	kindState, kindBelow, kindBelowDraft)

// updateElsewhere passes on an update of a session that nobody here knows: the agent may speak before it has
// named it. Some editors go by the card alone, and one in which a question
// stands is not changed in any session's name.
func (b *Bridge) updateElsewhere(frame ndjson.Frame, told *params, line []byte) error {
	b.mu.Lock()
	stands := false
	for text := range ndjson.Texts(frame.Params) {
		stands = stands || b.asking[text] != nil || b.showing[text] != nil
	}
	if told != nil && !stands {
		b.shown.add(told.members.text("toolCallId"))
	}
	b.mu.Unlock()
	if stands {
		return b.refuseAgent(frame, methodUpdate+": a question stands in that card, and it is of another session")
	}
	if told != nil {
		line, _ = updateAsAgents(line, told.members)
	}
	return b.toEditor.relay(line)
}

// updateKind reads as little as it can: most updates are chunks of text, and there are very many of them.
// Whose it is, and of which kind, must be the same to every reader.
func updateKind(params []byte) (session, kind string, err error) {
	update, _ := ndjson.Get(params, "update")
	if err := spelledExactly(params, updateMembers); err != nil {
		return "", "", err
	}
	if err := spelledExactly(update, cardMembers); err != nil {
		return "", "", fmt.Errorf("update: %w", err)
	}
	of, _ := ndjson.Get(params, "sessionId")
	if session, err = ndjson.String(of); err != nil {
		return "", "", fmt.Errorf("sessionId: %w", err)
	}
	is, _ := ndjson.Get(update, "sessionUpdate")
	if kind, err = ndjson.String(is); err != nil {
		return "", "", fmt.Errorf("update.sessionUpdate: %w", err)
	}
	if updateKinds.misspelled(kind) {
		return "", "", fmt.Errorf("%q is another spelling of a kind of updates", kind)
	}
	return session, kind, nil
}

// The members by which an update is judged, or a card found.
var (
	updateMembers = newNames("sessionId", "update")
	cardMembers   = newNames("sessionUpdate", "toolCallId", "currentModeId", "configOptions", "state", "sessionId",
		"subagentSessionId")
)

// spelledExactly returns an error where an object has two keys that some reader takes for one, or another
// spelling of a member.
func spelledExactly(raw []byte, members names) error {
	if err := ndjson.StrictKeys(raw); err != nil {
		return err
	}
	for key := range ndjson.Members(raw) {
		if members.misspelled(key) {
			return fmt.Errorf("%q is another spelling of a member of it", key)
		}
	}
	return nil
}

func speaksOfCall(kind string) bool {
	return kind == kindToolCall || kind == kindToolCallUpdate || kind == kindContentChunk
}

// readCallUpdate reads what is told of a tool call.
func (b *Bridge) readCallUpdate(raw []byte, kind string) (*params, error) {
	p := readParams(raw)
	update := p.object("update")
	if update == nil {
		return nil, p.err()
	}
	if kind == kindContentChunk {
		update.own("toolCallId", update.text("toolCallId"))
	} else {
		readToolCall(update)
	}
	if p.err() == nil && b.isOurs(update.members.text("toolCallId")) {
		p.fail(notItsCard)
	}
	return update, p.err()
}

const notItsCard = "that card is not the agent's"

// isOurs reports whether a card is one in which a question of ours stands.
func (b *Bridge) isOurs(card string) bool { return strings.HasPrefix(card, b.o.Prefix) }

// toolCallUpdate takes what the agent says of a tool call. While a question about it stands, it waits: the
// person must not be shown another act under the question than the one that was asked about.
func (b *Bridge) toolCallUpdate(s *Session, in string, update object, line []byte) error {
	if b.holdBack(s, update.text("toolCallId"), line) {
		return nil
	}
	b.mu.Lock()
	lines, heard := b.takeUpdate(s, in, update, line)
	b.mu.Unlock()
	for _, line := range lines {
		if err := s.toEditor.relay(line); err != nil {
			return err
		}
	}
	heard()
	return nil
}

// takeUpdate remembers an update that the agent tells in a session. It gives the lines by which the editor
// hears of it, and what follows once it has. Called with mu held.
func (b *Bridge) takeUpdate(s *Session, in string, update object, line []byte) (lines [][]byte, heard func()) {
	call := s.calls.get(update.text("toolCallId"))
	if call.below = in; in == s.id {
		call.below = ""
	}
	unannounced := !call.announced && update.text("sessionUpdate") != "tool_call" && b.version < 2
	b.announced(call)
	call.beginAgain(update)
	if unannounced {
		call.merge(update)
		lines = append(lines, append(announce(s.cardsOf(call), kindToolCall, call, call.status), '\n'))
	}
	call.merge(update)
	call.hearExit(update)
	if call.began.IsZero() {
		call.began = b.o.Now()
	}
	var ended *toolCall // as it was told in the end
	if call.finished() && !call.recorded {
		call.recorded = true
		copied := *call
		ended = &copied
	}
	call.forget()
	line, content := updateAsAgents(line, update)
	if len(call.notes) > 0 {
		line = withNotes(line, content, call.notes)
	}
	history := s.loads > 0
	return append(lines, line), func() {
		if ended != nil && b.callEnded(s, ended, update, history) && !history && s.hooked() {
			b.stopTurn(s, ended.title, errUnasked)
		}
		if !history {
			b.hear(s, call, update)
		}
	}
}

func kindOr(kind string) string {
	if kind == "" {
		return "other"
	}
	return kind
}
