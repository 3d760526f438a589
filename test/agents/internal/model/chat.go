package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat is the dialect of OpenAI's chat completions, and the tools of opencode.
type chat struct{ newID func(kind string) string }

func (chat) call(c Call) (name string, arguments any) {
	switch c.Act {
	case Write:
		return "write", map[string]any{"filePath": c.Path, "content": c.Text}
	case Read:
		return "read", map[string]any{"filePath": c.Path}
	case Edit:
		return "edit", map[string]any{"filePath": c.Path, "oldString": c.Old, "newString": c.Text}
	case Shell:
		return "bash", map[string]any{"command": c.Command, "description": "as the script says"}
	case Fetch:
		return "webfetch", map[string]any{"url": c.Path, "format": "text"}
	case Delegate:
		return "task", map[string]any{"description": "as the script says", "prompt": c.Text, "subagent_type": "general"}
	case MCP:
		return plain(c.Server) + "_" + plain(c.Tool), c.Arguments
	}
	return string(c.Act), nil
}

func (chat) read(body []byte) (request, error) {
	var in struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			CallID  string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read a chat completion request: %w", err)
	}
	var out request
	for _, message := range in.Messages {
		text := plainText(message.Content)
		switch message.Role {
		case "assistant":
			out.conversation = append(out.conversation, line{by: machine, text: text})
		case "tool":
			out.conversation = append(out.conversation, line{by: tool})
			out.results = append(out.results, Told{ID: message.CallID, Text: text})
		case "user":
			out.conversation = append(out.conversation, line{by: person, text: text})
		}
	}
	for _, t := range in.Tools {
		out.tools = append(out.tools, t.Function.Name)
	}
	return out, nil
}

func (c chat) whole(w http.ResponseWriter, r reply) {
	message := map[string]any{"role": "assistant", "content": r.say, "tool_calls": chatCalls(r)}
	writeJSON(w, map[string]any{
		"id": c.newID("chat"), "object": "chat.completion", "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish(r)}}, "usage": chatUsage,
	})
}

func (c chat) stream(w *events, r reply) {
	id := c.newID("chat")
	send := func(delta map[string]any, more map[string]any) {
		choice := map[string]any{"index": 0, "delta": delta, "finish_reason": more["finish_reason"]}
		chunk := map[string]any{"id": id, "object": "chat.completion.chunk", "model": "scripted", "choices": []any{choice}}
		if usage := more["usage"]; usage != nil {
			chunk["usage"] = usage
		}
		w.send("", chunk)
	}
	send(map[string]any{"role": "assistant", "content": ""}, nil)
	if r.think != "" {
		send(map[string]any{"reasoning_content": r.think}, nil)
	}
	for _, piece := range pieces(r.say) {
		send(map[string]any{"content": piece}, nil)
	}
	if r.hang {
		return
	}
	if calls := chatCalls(r); len(calls) > 0 {
		send(map[string]any{"tool_calls": calls}, nil)
	}
	send(map[string]any{}, map[string]any{"finish_reason": finish(r), "usage": chatUsage})
	w.done()
}

var chatUsage = map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

func chatCalls(r reply) []any {
	var calls []any
	for i, call := range r.calls {
		arguments, err := json.Marshal(call.arguments)
		if err != nil {
			arguments = []byte("{}")
		}
		calls = append(calls, map[string]any{"index": i, "id": call.id, "type": "function",
			"function": map[string]any{"name": call.name, "arguments": string(arguments)}})
	}
	return calls
}

func finish(r reply) string {
	if len(r.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}
