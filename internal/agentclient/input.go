package agentclient

import (
	"bytes"
	"context"
	"encoding/json"
)

// input is an Input that an agent waits for.
type input struct {
	principal string
	reply     chan Reply // of capacity 1
}

// elicitResult is the answer to elicitation/create.
type elicitResult struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content,omitempty"`
	Meta    map[string]any  `json:"_meta,omitempty"`
}

// elicit has somebody tell the agent something.
func (r *running) elicit(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Mode     string          `json:"mode"`
		Message  string          `json:"message"`
		Schema   json.RawMessage `json:"requestedSchema"`
		ToolCall string          `json:"toolCallId"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Mode != "form" || !bytes.HasPrefix(p.Schema, []byte("{")) {
		return nil, &wireError{Code: codeParams, Message: "a2a-acp asks people for what a form says, and for nothing else"}
	}
	t := r.current()
	if t == nil {
		return elicitResult{Action: "cancel"}, nil // nobody has asked the agent for anything
	}
	in := &input{principal: r.of.Principal, reply: make(chan Reply, 1)}
	told := Input{ID: Here + randomName(), Message: p.Message, Schema: p.Schema, ToolCall: p.ToolCall}
	d := r.driver
	d.mu.Lock()
	d.inputs[told.ID] = in
	d.mu.Unlock()
	t.tell(Event{Kind: EventInput, Input: &told})
	result, over := elicitResult{Action: "cancel"}, Answered{Question: told.ID}
	select {
	case reply := <-in.reply:
		if reply.Message != "" {
			result.Meta = map[string]any{"a2a": map[string]string{"messageId": reply.Message, "contextId": r.of.Context}}
		}
		if result.Action = "decline"; !reply.Declined {
			result.Action, result.Content, over.Allowed = "accept", reply.Content, true
		}
	case <-ctx.Done():
		over.Reason = "the agent has taken it back"
	case <-t.asking.Done():
		over.Reason = "the prompt is over"
	}
	d.mu.Lock()
	delete(d.inputs, told.ID)
	d.mu.Unlock()
	t.tell(Event{Kind: EventAnswered, Answered: &over})
	return result, nil
}

// Reply implements Agents.
func (d *Driver) Reply(_ context.Context, id string, reply Reply) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	in := d.inputs[id]
	if in == nil || in.principal != reply.Principal {
		return ErrNoQuestion
	}
	delete(d.inputs, id)
	in.reply <- reply // never blocks: it is the first
	return nil
}

// Outlived implements Agents.
func (d *Driver) Outlived(ctx context.Context, question, principal string) error {
	return d.o.Await(ctx, question, principal)
}
