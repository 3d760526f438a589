package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The MCP server by which Claude Code asks once more where it prints (--permission-prompt-tool).
const (
	againVerb   = "claude-again"
	againServer = "a2a-acp"
	againTool   = "decided"
)

// serveAgain is that server: each call of its tool goes to the bridge as the question that a hook would ask.
// It ends with its input.
func serveAgain(ctx context.Context, socket string, stdin io.Reader, stdout io.Writer) error {
	lines := bufio.NewReaderSize(stdin, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // Claude Code has ended
		}
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Version   string          `json:"protocolVersion"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &request) != nil || len(request.ID) == 0 {
			continue
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": request.ID}
		switch request.Method {
		case "initialize":
			answer["result"] = map[string]any{"protocolVersion": request.Params.Version,
				"capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo":   map[string]any{"name": againServer, "version": "1"}}
		case "tools/list":
			answer["result"] = map[string]any{"tools": []any{map[string]any{"name": againTool,
				"description": "Says whether a2a-acp has allowed a call. Not for models.",
				"inputSchema": map[string]any{"type": "object"}}}}
		case "tools/call":
			answer["result"] = map[string]any{"content": []any{map[string]any{"type": "text",
				"text": string(askAgain(ctx, socket, request.Params.Arguments))}}}
		default:
			answer["error"] = map[string]any{"code": -32601, "message": "there is no such method"}
		}
		if _, err := stdout.Write(append(encode(answer), '\n')); err != nil {
			return err
		}
	}
}

// askAgain returns the decision about a call as Claude Code reads it. What cannot be decided is not allowed.
func askAgain(ctx context.Context, socket string, arguments json.RawMessage) []byte {
	deny := func(format string, args ...any) []byte {
		return encode(map[string]any{"behavior": "deny", "message": fmt.Sprintf(format, args...)})
	}
	asked, err := readEvent(arguments)
	if err != nil {
		return deny("a2a-acp could not decide about this, so it is not allowed: %v", err)
	}
	event := encode(map[string]any{"hook_event_name": claudeAgain, "tool_name": asked.members["tool_name"],
		"tool_input": asked.members["input"], "tool_use_id": asked.members["tool_use_id"]})
	heard, err := ask(ctx, []string{"claude", socket}, strings.NewReader(string(event)))
	var answer struct {
		Said struct {
			Decision json.RawMessage `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	if err == nil {
		err = json.Unmarshal(heard, &answer)
	}
	switch {
	case err != nil:
		return deny("a2a-acp could not decide about this, so it is not allowed: %v", err)
	case len(answer.Said.Decision) == 0:
		return deny("the agent asks its person about this, and there is nobody to ask here")
	}
	return answer.Said.Decision
}
