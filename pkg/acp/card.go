package acp

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// A card is what the editor shows of a tool call. The editor must hear of a call before anything else is
// said of it: Zed shows "Tool call not found" for an update of an unknown id and drops what the update
// holds.

// cardUpdate is a session/update about one tool call, of ours. Absent members leave the card as it is.
type cardUpdate struct {
	SessionUpdate string          `json:"sessionUpdate"`
	ToolCallID    string          `json:"toolCallId"`
	Title         string          `json:"title,omitempty"`
	Kind          string          `json:"kind,omitempty"`
	Status        string          `json:"status,omitempty"`
	Content       json.RawMessage `json:"content,omitempty"`
	Locations     json.RawMessage `json:"locations,omitempty"`
	RawInput      json.RawMessage `json:"rawInput,omitempty"`
}

// textContent is one line of ours in a card.
type textContent struct {
	Type    string    `json:"type"`
	Content textBlock `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func text(s string) textContent { return textContent{"content", textBlock{"text", s}} }

func updateFrame(session string, update cardUpdate) []byte {
	return request("", methodUpdate, map[string]any{"sessionId": session, "update": update})
}

// announce makes the update, of the kind that the protocol has for it, by which the editor first hears of a
// call that the agent did not announce.
func announce(session, kind string, call *toolCall, status string) []byte {
	if status == "" {
		status = "pending"
	}
	return updateFrame(session, cardUpdate{
		SessionUpdate: kind, ToolCallID: call.id, Title: asAgents(titleOr(call.title)), Kind: kindOr(call.kind), Status: status,
		Content: contentWith(call.content, call.notes), Locations: call.locations, RawInput: call.rawInput,
	})
}

func titleOr(title string) string {
	if title == "" {
		return "Tool call"
	}
	return title
}

// contentWith returns a content array with our lines at its end; nil when there is nothing in it.
func contentWith(content []byte, notes []string) json.RawMessage {
	return contentBetween(nil, content, notes)
}

// contentBetween is contentWith with items of ours in front, too.
func contentBetween(items []any, content []byte, notes []string) json.RawMessage {
	for item := range ndjson.Elements(content) {
		items = append(items, json.RawMessage(contentAsAgents(item)))
	}
	for _, note := range notes {
		items = append(items, text(note))
	}
	if items == nil {
		return nil
	}
	return encode(items)
}

// withNotes returns the agent's update with our lines at the end of its content, every other byte as it
// was. An update that does not speak of content leaves what the card holds, our lines included. The content
// is a part of line.
func withNotes(line, content []byte, notes []string) []byte {
	if content == nil || string(content) == "null" {
		return line
	}
	for _, note := range notes {
		at := ndjson.Offset(line, content)
		grown := ndjson.AppendElement(line, content, encode(text(note)))
		if grown == nil {
			return line // content is no array: the agent's own business
		}
		content = grown[at : at+len(content)+len(grown)-len(line)]
		line = grown
	}
	return line
}

// decided puts a decision of ours into the card of the call: one line. It gives the frame by which the editor
// hears of it. There is none while a question stands in the card, which stays as it is: questionEnded makes
// it.
func (b *Bridge) decided(s *Session, call *toolCall, note, status string) (frames [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	call.notes = append(call.notes, "a2a-acp: "+note)
	if q := b.asking[call.id]; q != nil {
		q.note(s, call, status)
		return nil
	}
	if call.own != nil && !call.announced && status == "" { // where the agent shows the call, it does so later
		return nil
	}
	return [][]byte{b.noted(s, call, status)}
}

// announced notes that the editor hears of a call. Called with mu held.
func (b *Bridge) announced(call *toolCall) {
	call.announced = true
	b.shown.add(call.id)
}

// noted makes the frame by which the editor hears what the card of a call holds, our lines included. A call
// that the editor does not know yet is announced with it. Called with mu held.
func (b *Bridge) noted(s *Session, call *toolCall, status string) []byte {
	known := call.announced
	b.announced(call)
	switch {
	case !known && b.version < 2:
		return announce(s.cardsOf(call), kindToolCall, call, status)
	case !known && call.title != "":
		return announce(s.cardsOf(call), kindToolCallUpdate, call, status)
	}
	return updateFrame(s.cardsOf(call), cardUpdate{
		SessionUpdate: kindToolCallUpdate, ToolCallID: call.id, Status: status,
		Content: contentWith(call.content, call.notes),
	})
}

// showCard shows a card of ours that is about no call: a title, and the lines below it.
func (b *Bridge) showCard(s *Session, title string, lines ...textContent) {
	card := cardUpdate{SessionUpdate: kindToolCall, ToolCallID: b.ours.nextID(), Title: "a2a-acp: " + title, Kind: "other",
		Status: statusCompleted}
	if len(lines) > 0 {
		card.Content = encode(lines)
	}
	b.mu.Lock()
	if b.version >= 2 {
		card.SessionUpdate = kindToolCallUpdate
	}
	id := s.id
	b.mu.Unlock()
	s.toEditor.put(updateFrame(id, card))
}
