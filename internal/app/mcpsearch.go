package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// With `expose: search` a client is offered two tools in place of all: one that finds tools, and one that calls
// what was found, decided as the tool that is called.
const (
	findTool = "find_tool"
	callTool = "call_tool"
)

// mostFound is how many tools are told at once.
const mostFound = 10

// SearchTools are the two, in place of n.
func SearchTools(prefix string, n int) []mcpserver.Tool {
	yes, no := true, false
	return []mcpserver.Tool{
		{
			Name: mcpserver.ToolName(prefix + findTool), Title: "Find a tool",
			Description: fmt.Sprintf("Finds tools by what they do. There are %d of them; "+
				"each result has the name and the input schema that %s needs.", n, prefix+callTool),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"query":` +
				`{"type":"string","description":"words for what is to be done"}},"required":["query"],"additionalProperties":false}`),
			Annotations: mcpserver.Annotations{Title: "Find a tool", ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no},
		},
		{
			Name: mcpserver.ToolName(prefix + callTool), Title: "Call a tool",
			Description: "Calls a tool that " + prefix + findTool + " has found.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},` +
				`"required":["name"],"additionalProperties":false}`),
			Annotations: mcpserver.Annotations{Title: "Call a tool", ReadOnly: &no, Idempotent: &no},
		},
	}
}

// searched answers a call of one of the two, of which a client is offered tools. It returns the call that is
// meant where it is one of another tool.
func searched(prefix string, tools []mcpserver.Tool, call mcpserver.Call) (
	meant mcpserver.Call, told *mcpserver.CallResult, err error) {
	switch call.Name {
	case mcpserver.ToolName(prefix + findTool):
		found := find(tools, call.Arguments)
		return call, &found, nil
	case mcpserver.ToolName(prefix + callTool):
		meant, ok := called(call)
		if !ok {
			return call, &mcpserver.CallResult{Content: "name has to be that of a tool", IsError: true}, nil
		}
		if !slices.ContainsFunc(tools, func(t mcpserver.Tool) bool { return t.Name == meant.Name }) {
			no := fmt.Sprintf("there is no tool %q; %s finds those that there are", display.Line(meant.Name), prefix+findTool)
			return call, &mcpserver.CallResult{Content: no, IsError: true}, nil
		}
		return meant, nil, nil
	}
	return call, nil, mcpserver.ErrUnknownTool
}

// find answers find_tool: the tools whose names and descriptions have most of the words, the best first.
func find(tools []mcpserver.Tool, arguments json.RawMessage) mcpserver.CallResult {
	var said struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal(arguments, &said); err != nil {
		return mcpserver.CallResult{Content: "query has to be a text", IsError: true}
	}
	type found struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
		score       int
	}
	var list []found
	words := strings.Fields(strings.ToLower(said.Query))
	for _, t := range tools {
		score, name, about := 0, strings.ToLower(t.Name), strings.ToLower(t.Title+" "+t.Description)
		for _, word := range words {
			if strings.Contains(name, word) {
				score += 2
			}
			if strings.Contains(about, word) {
				score++
			}
		}
		if score > 0 || len(words) == 0 {
			list = append(list, found{t.Name, t.Description, t.InputSchema, score})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	text, err := json.Marshal(map[string]any{"tools": append([]found{}, list[:min(len(list), mostFound)]...)})
	if err != nil {
		return mcpserver.CallResult{Content: err.Error(), IsError: true}
	}
	return mcpserver.CallResult{Content: string(text), Structured: text}
}

// called returns the call that call_tool means.
func called(call mcpserver.Call) (mcpserver.Call, bool) {
	said := call.Arguments
	if ndjson.StrictKeys(said) != nil { // whoever shows the call may take another "name" for the tool's
		return call, false
	}
	name, _ := ndjson.Get(said, "name")
	call.Arguments, _ = ndjson.Get(said, "arguments")
	var err error
	call.Name, err = ndjson.String(name)
	return call, err == nil && call.Name != ""
}
