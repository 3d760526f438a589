package agentclient

import (
	"bytes"
	"encoding/json"
	"slices"
)

// mostCalls bounds how many tool calls of a turn are remembered.
const mostCalls = 1024

// toolCalls are the tool calls of a turn as they were told so far. Used by the goroutine that reads.
type toolCalls struct {
	byID  map[string]*toolCall
	order []string
}

// toolCall is a tool call with the content that it was told with: terminals are shown as they are when that
// is told of.
type toolCall struct {
	ToolCall
	content []json.RawMessage
}

// get finds a call, or begins to keep one.
func (c *toolCalls) get(id string) *toolCall {
	if call := c.byID[id]; call != nil {
		return call
	}
	if c.byID == nil {
		c.byID = map[string]*toolCall{}
	}
	if len(c.order) >= mostCalls {
		delete(c.byID, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
	call := &toolCall{ToolCall: ToolCall{ID: id, Kind: "other", Status: "pending"}}
	c.byID[id] = call
	c.order = append(c.order, id)
	return call
}

// patch takes what an update says: a member that is not there leaves what was said before, null clears it (ACP,
// tool calls). It returns nil for an update of no call.
func (c *toolCalls) patch(raw json.RawMessage) *toolCall {
	var u struct {
		ID       string                     `json:"toolCallId"`
		Title    member[string]             `json:"title"`
		Name     member[string]             `json:"name"`
		Kind     member[string]             `json:"kind"`
		Status   member[string]             `json:"status"`
		Content  member[[]json.RawMessage]  `json:"content"`
		Files    member[[]locationOfUpdate] `json:"locations"`
		RawInput member[json.RawMessage]    `json:"rawInput"`
		Output   member[json.RawMessage]    `json:"rawOutput"`
	}
	if json.Unmarshal(raw, &u) != nil || u.ID == "" {
		return nil
	}
	call := c.get(u.ID)
	u.Title.set(&call.Title)
	u.Name.set(&call.Name)
	u.Kind.set(&call.Kind)
	u.Status.set(&call.Status)
	u.Content.set(&call.content)
	u.RawInput.set(&call.Input)
	u.Output.set(&call.Result)
	if u.Files.there {
		call.Files = nil
		for _, file := range u.Files.value {
			call.Files = append(call.Files, Location(file))
		}
	}
	if call.Kind == "" {
		call.Kind = "other"
	}
	if call.Status == "" {
		call.Status = "pending"
	}
	return call
}

type locationOfUpdate struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// extend takes a piece of the content of a call (version 2).
func (c *toolCalls) extend(raw json.RawMessage) *toolCall {
	var u struct {
		ID      string          `json:"toolCallId"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &u) != nil || u.ID == "" || len(u.Content) == 0 {
		return nil
	}
	call := c.get(u.ID)
	call.content = append(call.content, u.Content)
	return call
}

// forget drops what may be large of a call that has ended.
func (c *toolCall) forget() {
	switch c.Status {
	case "completed", "failed", "cancelled":
		c.content, c.Input, c.Result = nil, nil, nil
	}
}

// output returns what a call shows.
func (c *toolCall) output(terminals *terminals) []ToolOutput {
	var list []ToolOutput
	for _, raw := range c.content {
		var item struct {
			Type       string          `json:"type"`
			Content    json.RawMessage `json:"content"`
			Path       string          `json:"path"`
			OldText    *string         `json:"oldText"`
			NewText    string          `json:"newText"`
			TerminalID string          `json:"terminalId"`
			Patch      struct {
				Format string `json:"format"`
				Text   string `json:"text"`
			} `json:"patch"`
		}
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		switch item.Type {
		case "content":
			if content, ok := contentOf(item.Content); ok {
				list = append(list, ToolOutput{Content: &content})
			}
		case "diff":
			diff := Diff{Path: item.Path, OldText: item.OldText, NewText: item.NewText}
			if item.Patch.Format == "git_patch" {
				diff.Patch = item.Patch.Text
			}
			list = append(list, ToolOutput{Diff: &diff})
		case "terminal":
			if t := terminals.find(item.TerminalID); t != nil { // else it is one of the agent's own
				shown := t.shown()
				list = append(list, ToolOutput{Terminal: &shown})
			}
		}
	}
	return list
}

// member is a member of an object that may be absent, or null.
type member[T any] struct {
	there bool
	value T // the zero value for null
}

// UnmarshalJSON implements json.Unmarshaler. A value of another type is as good as none.
func (m *member[T]) UnmarshalJSON(raw []byte) error {
	m.there = true
	if string(raw) != "null" {
		if json.Unmarshal(bytes.Clone(raw), &m.value) != nil {
			m.there = false
		}
	}
	return nil
}

// set sets a field where the member is there.
func (m member[T]) set(field *T) {
	if m.there {
		*field = m.value
	}
}
