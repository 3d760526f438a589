package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// gemini is the dialect of Gemini's generateContent, and the tools of Gemini CLI.
type gemini struct{ newID func(kind string) string }

func (gemini) call(c Call) (name string, arguments any) {
	switch c.Act {
	case Write:
		return "write_file", map[string]any{"file_path": c.Path, "content": c.Text}
	case Read:
		return "read_file", map[string]any{"file_path": c.Path}
	case Edit:
		return "replace", map[string]any{
			"file_path": c.Path, "old_string": c.Old, "new_string": c.Text, "instruction": "as the script says",
		}
	case Shell:
		return "run_shell_command", map[string]any{"command": c.Command, "description": "as the script says"}
	case Fetch:
		return "web_fetch", map[string]any{"prompt": "What " + c.Path + " says."}
	case Delegate:
		return "invoke_agent", map[string]any{"agent_name": c.Tool, "prompt": c.Text}
	case MCP:
		return "mcp_" + c.Server + "_" + c.Tool, c.Arguments
	}
	return string(c.Act), nil
}

func (gemini) read(body []byte) (request, error) {
	var in struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text   string `json:"text"`
				Result *struct {
					ID       string          `json:"id"`
					Name     string          `json:"name"`
					Response json.RawMessage `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Generation struct {
			MIME       string          `json:"responseMimeType"`
			Schema     json.RawMessage `json:"responseSchema"`
			JSONSchema json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read a generateContent request: %w", err)
	}
	var out request
	for _, content := range in.Contents {
		by, texts := person, []string(nil)
		if content.Role == "model" {
			by = machine
		}
		for _, part := range content.Parts {
			if part.Result != nil {
				by = tool
				out.results = append(out.results, Told{
					ID: part.Result.ID, Tool: part.Result.Name, Text: string(part.Result.Response),
				})
			}
			texts = append(texts, part.Text)
		}
		out.conversation = append(out.conversation, line{by: by, text: strings.Join(texts, "\n")})
	}
	for _, set := range in.Tools {
		for _, function := range set.Functions {
			out.tools = append(out.tools, function.Name)
		}
	}
	out.json = in.Generation.MIME == "application/json"
	out.schema = in.Generation.Schema
	if out.schema == nil {
		out.schema = in.Generation.JSONSchema
	}
	return out, nil
}

func (g gemini) whole(w http.ResponseWriter, r reply) {
	parts := []any{text(r.say)}
	writeJSON(w, g.response(append(parts, functionCalls(r.calls)...), true))
}

func (g gemini) stream(w *events, r reply) {
	if r.think != "" {
		w.send("", g.response([]any{map[string]any{"text": r.think, "thought": true}}, false))
	}
	for _, piece := range pieces(r.say) {
		w.send("", g.response([]any{text(piece)}, false))
	}
	if r.hang {
		return
	}
	last := functionCalls(r.calls)
	if len(last) == 0 {
		last = []any{text("")}
	}
	w.send("", g.response(last, true))
}

func (g gemini) response(parts []any, last bool) any {
	candidate := map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "index": 0}
	if last {
		candidate["finishReason"] = "STOP"
	}
	return map[string]any{
		"candidates":    []any{candidate},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  "scripted", "responseId": g.newID("response"),
	}
}

func text(s string) any { return map[string]any{"text": s} }

func functionCalls(calls []toolCall) []any {
	var out []any
	for _, call := range calls {
		out = append(out, map[string]any{
			"functionCall": map[string]any{"id": call.id, "name": call.name, "args": call.arguments},
		})
	}
	return out
}
