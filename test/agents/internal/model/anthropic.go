package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// anthropic is the dialect of Anthropic's messages API, and the tools of Claude Code.
type anthropic struct{ newID func(kind string) string }

func (anthropic) call(c Call) (name string, arguments any) {
	switch c.Act {
	case Write:
		return "Write", map[string]any{"file_path": c.Path, "content": c.Text}
	case Read:
		return "Read", map[string]any{"file_path": c.Path}
	case Edit:
		return "Edit", map[string]any{"file_path": c.Path, "old_string": c.Old, "new_string": c.Text}
	case Shell:
		return "Bash", map[string]any{"command": c.Command, "description": "as the script says"}
	case Fetch:
		return "WebFetch", map[string]any{"url": c.Path, "prompt": "what it says"}
	case Delegate:
		return "Agent", map[string]any{"description": "as the script says",
			"prompt": c.Text, "subagent_type": "general-purpose", "run_in_background": false}
	case MCP:
		return "mcp__" + plain(c.Server) + "__" + plain(c.Tool), c.Arguments
	}
	return string(c.Act), nil
}

// plain returns a name as Claude Code offers it: what Anthropic's API does not allow in the name of a tool
// becomes "_".
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// block is one part of a message.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
}

// blocks reads what stands where the API takes a string or a list of blocks.
func blocks(raw json.RawMessage) []block {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	_ = json.Unmarshal(raw, &list) // anything else has no parts that we know
	return list
}

func plainText(raw json.RawMessage) string {
	var texts []string
	for _, b := range blocks(raw) {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (anthropic) read(body []byte) (request, error) {
	var in struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Output struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read a messages request: %w", err)
	}
	out := request{schema: in.Output.Format.Schema}
	for _, message := range in.Messages {
		if message.Role == "assistant" {
			out.conversation = append(out.conversation, line{by: machine, text: plainText(message.Content)})
			continue
		}
		for _, b := range blocks(message.Content) {
			switch b.Type {
			case "tool_result":
				out.conversation = append(out.conversation, line{by: tool})
				out.results = append(out.results, Told{ID: b.ID, Text: plainText(b.Content)})
			case "text":
				out.conversation = append(out.conversation, line{by: person, text: b.Text})
			}
		}
	}
	for _, t := range in.Tools {
		out.tools = append(out.tools, t.Name)
	}
	return out, nil
}

func (a anthropic) whole(w http.ResponseWriter, r reply) {
	content := []any{map[string]any{"type": "text", "text": r.say}}
	for _, call := range r.calls {
		content = append(content, map[string]any{
			"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
		})
	}
	writeJSON(w, a.message(content, stopReason(r)))
}

func (a anthropic) stream(w *events, r reply) {
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		w.send(kind, fields)
	}
	send("message_start", map[string]any{"message": a.message([]any{}, nil)})
	index := 0
	block := func(start map[string]any, deltas ...map[string]any) {
		send("content_block_start", map[string]any{"index": index, "content_block": start})
		for _, delta := range deltas {
			send("content_block_delta", map[string]any{"index": index, "delta": delta})
		}
		if r.hang {
			return // what hangs is left open
		}
		send("content_block_stop", map[string]any{"index": index})
		index++
	}
	if r.think != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""},
			map[string]any{"type": "thinking_delta", "thinking": r.think},
			map[string]any{"type": "signature_delta", "signature": "c2lnbmVk"})
	}
	if r.say != "" || len(r.calls) == 0 {
		var deltas []map[string]any
		for _, piece := range pieces(r.say) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
		block(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	if r.hang {
		return
	}
	for _, call := range r.calls {
		input, err := json.Marshal(call.arguments)
		if err != nil {
			input = []byte("{}")
		}
		block(map[string]any{"type": "tool_use", "id": call.id, "name": call.name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": string(input)})
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stopReason(r), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 5},
	})
	send("message_stop", map[string]any{})
}

func (a anthropic) message(content []any, stop any) map[string]any {
	return map[string]any{
		"id": a.newID("msg"), "type": "message", "role": "assistant", "model": "scripted", "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		},
	}
}

func stopReason(r reply) any {
	if len(r.calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}
