package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses is the dialect of OpenAI's responses, always streamed, and the tools of Codex, whose model reads
// and writes by its shell.
type responses struct{ newID func(kind string) string }

func (responses) call(c Call) (name string, arguments any) {
	patch := func(change string) string {
		return "apply_patch <<'PATCH'\n*** Begin Patch\n" + change + "*** End Patch\nPATCH"
	}
	command := c.Command
	switch c.Act {
	case Write:
		text := strings.ReplaceAll(strings.TrimSuffix(c.Text, "\n"), "\n", "\n+")
		command = patch("*** Add File: " + c.Path + "\n+" + text + "\n")
	case Edit:
		command = patch("*** Update File: " + c.Path + "\n@@\n-a " + c.Old + "\n+a " + c.Text + "\n")
	case Read:
		command = "cat " + c.Path
	case Shell:
	case Fetch: // its maker does it
		return webSearch, map[string]any{"type": "search", "query": c.Path}
	case MCP:
		return "mcp__" + strings.ReplaceAll(plain(c.Server), "-", "_") + "::" + plain(c.Tool), c.Arguments
	case Delegate:
		return "multi_agent_v1::spawn_agent", map[string]any{"message": c.Text}
	case Wait:
		return "multi_agent_v1::wait_agent", map[string]any{"targets": []any{textOf(`"agent_id":"([^"]+)"`)}, "timeout_ms": 60000}
	case Open:
		return "exec_command", map[string]any{"cmd": command, "tty": true, "yield_time_ms": 500}
	case Type:
		return "write_stdin", map[string]any{"session_id": numberOf(`session ID ([0-9]+)`), "chars": c.Text, "yield_time_ms": 500}
	default:
		return string(c.Act), nil
	}
	return "exec_command", map[string]any{"cmd": command}
}

const webSearch = "web_search"

func (responses) read(body []byte) (request, error) {
	var in struct {
		Input []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			CallID  string          `json:"call_id"`
			Output  json.RawMessage `json:"output"`
		} `json:"input"`
		Tools []struct {
			Type  string `json:"type"`
			Name  string `json:"name"`
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read a responses request: %w", err)
	}
	var out request
	for _, item := range in.Input {
		switch {
		case item.Role == "user":
			out.conversation = append(out.conversation, line{by: person, text: allText(item.Content)})
		case item.Role == "assistant", strings.HasSuffix(item.Type, "_call"):
			out.conversation = append(out.conversation, line{by: machine})
		case strings.HasSuffix(item.Type, "_output"):
			out.conversation = append(out.conversation, line{by: tool})
			out.results = append(out.results, Told{ID: item.CallID, Text: allText(item.Output)})
		}
	}
	for _, t := range in.Tools {
		if t.Name == "" { // a tool of the model's maker
			t.Name = t.Type
		}
		out.tools = append(out.tools, t.Name)
		for _, inner := range t.Tools { // of a namespace
			out.tools = append(out.tools, t.Name+"::"+inner.Name)
		}
	}
	return out, nil
}

// allText returns the texts of a list of parts, whatever they are called, or the one text.
func allText(raw json.RawMessage) string {
	var texts []string
	for _, b := range blocks(raw) {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}

func (responses) whole(w http.ResponseWriter, _ reply) {
	refuse(w, http.StatusBadRequest, "responses are streamed here")
}

func (r responses) stream(w *events, reply reply) {
	number := 0
	send := func(kind string, fields map[string]any) {
		fields["type"], fields["sequence_number"] = kind, number
		number++
		w.send(kind, fields)
	}
	response := func(status string, output []any) map[string]any {
		return map[string]any{"id": "resp", "object": "response", "created_at": 0, "model": "scripted", "status": status,
			"output": output, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
				"input_tokens_details":  map[string]any{"cached_tokens": 0},
				"output_tokens_details": map[string]any{"reasoning_tokens": 0}}}
	}
	send("response.created", map[string]any{"response": response("in_progress", []any{})})
	var output []any
	item := func(done map[string]any) {
		at := map[string]any{"output_index": len(output), "item": done}
		send("response.output_item.added", at)
		send("response.output_item.done", at)
		output = append(output, done)
	}
	if reply.say != "" || len(reply.calls) == 0 {
		item(map[string]any{"type": "message", "id": r.newID("msg"), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": reply.say, "annotations": []any{}}}})
	}
	if reply.hang {
		return
	}
	for _, call := range reply.calls {
		arguments, err := json.Marshal(call.arguments)
		if err != nil {
			arguments = []byte("{}")
		}
		if call.name == webSearch {
			item(map[string]any{"type": "web_search_call", "id": call.id, "status": "completed", "action": call.arguments})
			continue
		}
		done := map[string]any{"type": "function_call", "id": r.newID("fc"), "call_id": call.id, "name": call.name,
			"arguments": string(arguments), "status": "completed"}
		if space, name, found := strings.Cut(call.name, "::"); found {
			done["namespace"], done["name"] = space, name
		}
		item(done)
	}
	send("response.completed", map[string]any{"response": response("completed", output)})
}
