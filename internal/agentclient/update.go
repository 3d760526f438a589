package agentclient

import (
	"bytes"
	"encoding/json"
)

// sessionUpdate is what is read of a session/update, of either version.
type sessionUpdate struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"` // a block, or a list of blocks

	Entries []PlanEntry `json:"entries"` // plan of version 1
	Plan    struct {
		Type    string      `json:"type"`
		Entries []PlanEntry `json:"entries"`
	} `json:"plan"` // plan_update of version 2

	State      string `json:"state"`
	StopReason string `json:"stopReason"`

	Title       string `json:"title"` // of a notice
	Description string `json:"description"`
}

// update reads a session/update, and tells of it.
func (r *running) update(params json.RawMessage) {
	var p struct {
		Update json.RawMessage `json:"update"`
	}
	if r.loading.Load() || json.Unmarshal(params, &p) != nil {
		return
	}
	t := r.current()
	if t == nil {
		return // nobody has asked for what the agent says by itself
	}
	var u sessionUpdate
	raw := bytes.Clone(p.Update)
	if json.Unmarshal(raw, &u) != nil { // of a kind that has these members in another shape
		t.tell(Event{Kind: EventOther, Other: raw})
		return
	}
	switch u.Kind {
	case "agent_message_chunk":
		t.chunk(EventMessage, u, raw)
	case "agent_thought_chunk":
		t.chunk(EventThought, u, raw)
	case "agent_message":
		t.whole(EventMessage, u, raw)
	case "agent_thought":
		t.whole(EventThought, u, raw)
	case "user_message_chunk", "user_message": // what was said is known
	case "plan":
		t.tell(Event{Kind: EventPlan, Plan: u.Entries})
	case "plan_update":
		if u.Plan.Type != "items" {
			t.tell(Event{Kind: EventOther, Other: raw})
			return
		}
		t.tell(Event{Kind: EventPlan, Plan: u.Plan.Entries})
	case "tool_call", "tool_call_update":
		if call := t.calls.patch(raw); call != nil {
			t.tellCall(call)
		}
	case "tool_call_content_chunk":
		if call := t.calls.extend(raw); call != nil {
			t.tellCall(call)
		}
	case "usage_update":
		t.tell(Event{Kind: EventUsage, Usage: raw})
	case "notice":
		words := u.Title
		if u.Description != "" {
			words += ": " + u.Description
		}
		t.tell(Event{Kind: EventNotice, Notice: words})
	case "state_update":
		t.state(u)
	default:
		t.tell(Event{Kind: EventOther, Other: raw})
	}
}

// mostMessages bounds how many messages of a turn are remembered.
const mostMessages = 4096

// chunk tells of a piece of a message.
func (t *turn) chunk(kind EventKind, u sessionUpdate, raw json.RawMessage) {
	content, ok := contentOf(u.Content)
	if !ok {
		t.tell(Event{Kind: EventOther, Other: raw})
		return
	}
	if t.running.can.version == draft && len(t.chunked) < mostMessages {
		t.chunked[u.MessageID] = true
	}
	t.tell(Event{Kind: kind, Chunk: &Chunk{Message: u.MessageID, Content: content}})
}

// whole tells of a message that comes as a whole, unless its chunks have told it.
func (t *turn) whole(kind EventKind, u sessionUpdate, raw json.RawMessage) {
	if t.chunked[u.MessageID] {
		return
	}
	var blocks []json.RawMessage
	if json.Unmarshal(u.Content, &blocks) != nil {
		t.tell(Event{Kind: EventOther, Other: raw})
		return
	}
	for _, b := range blocks {
		u.Content = b
		t.chunk(kind, u, raw)
	}
}

// state learns from version 2 whether the agent works. What it says before it has taken the prompt is about
// another one.
func (t *turn) state(u sessionUpdate) {
	switch u.State {
	case "running":
		t.began.Store(true)
	case "idle":
		if t.began.Load() {
			select {
			case t.idle <- StopReason(u.StopReason):
			default: // it has said so
			}
		}
	}
}
