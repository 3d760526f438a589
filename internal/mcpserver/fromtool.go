package mcpserver

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// outputSchema is what every result of a tool of ours holds; see FromResult.
const outputSchema = `{"type":"object","properties":{` +
	`"stdout":{"type":"string"},"stderr":{"type":"string"},` +
	`"exitCode":{"type":"integer","description":"128+n after signal n; -1 when nothing ran"}},` +
	`"required":["stdout","stderr","exitCode"]}`

// FromTool shows a tool of ours as MCP does.
func FromTool(t *tool.Tool) Tool {
	schema, err := json.Marshal(t.InputSchema())
	if err != nil { // a default that JSON has no words for; the call's own check still holds
		schema = []byte(`{"type":"object"}`)
	}
	title := t.Annotations.Title
	if title == "" {
		title = t.Name
	}
	readOnly, idempotent := t.IsReadOnly(), t.Annotations.Idempotent != nil && *t.Annotations.Idempotent
	return Tool{
		Name: ToolName(t.ID), Title: title, Description: t.Description, InputSchema: schema,
		OutputSchema: json.RawMessage(outputSchema),
		Annotations: Annotations{
			Title: title, ReadOnly: &readOnly, Destructive: t.Annotations.Destructive,
			Idempotent: &idempotent, OpenWorld: t.Annotations.OpenWorld,
		},
	}
}
