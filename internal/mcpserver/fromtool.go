package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// outputSchema is what every result of a tool of ours holds; see FromResult.
const outputSchema = `{"type":"object","properties":{` +
	`"stdout":{"type":"string"},"stderr":{"type":"string"},` +
	`"exitCode":{"type":"integer","description":"128+n after signal n; -1 when nothing ran"}},` +
	`"required":["stdout","stderr","exitCode"]}`

// FromTool shows a tool of ours as MCP does.
func FromTool(t *tool.Tool) Tool {
	schema, err := json.Marshal(askedSchema(t))
	if err != nil { // a default that JSON has no words for; the call's own check still holds
		schema = []byte(`{"type":"object"}`)
	}
	title := t.Annotations.Title
	if title == "" {
		title = t.Name
	}
	// What the author does not say is told as the sandbox holds it.
	hints := t.Annotations
	readOnly := said(hints.ReadOnly, t.ChangesNothing())
	destructive := said(hints.Destructive, !readOnly)
	openWorld := said(hints.OpenWorld, !t.IsClosed())
	idempotent := said(hints.Idempotent, false)
	return Tool{
		Name: ToolName(t.ID), Title: title, Description: t.Description, InputSchema: schema,
		OutputSchema: outputSchemaOf(t.Output),
		Annotations: Annotations{
			Title: title, ReadOnly: &readOnly, Destructive: &destructive,
			Idempotent: &idempotent, OpenWorld: &openWorld,
		},
	}
}

// Tokens returns what FromTool(t).Tokens() does. The schema, which is most of it, is written once for that, and not read
// and copied again.
func Tokens(t *tool.Tool) int {
	told := FromTool(t)
	size := len(told.InputSchema) // as it is sent
	told.InputSchema = json.RawMessage(`0`)
	text, err := encode(told)
	if err != nil {
		return 0
	}
	return tokensOf(len(text) - 1 + size)
}

// askedSchema is the input schema as a model gets it: it may leave out what a person is asked for.
func askedSchema(t *tool.Tool) map[string]any {
	schema := t.InputSchema()
	required, _ := schema["required"].([]string)
	properties, _ := schema["properties"].(map[string]any)
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if !p.Ask {
			continue
		}
		required = slices.DeleteFunc(required, func(name string) bool { return name == p.Name })
		if property, ok := properties[p.Name].(map[string]any); ok {
			property["description"] = strings.TrimSpace(p.Description + " (Leave it out, and the person is asked.)")
		}
	}
	if schema["required"] = required; len(required) == 0 {
		delete(schema, "required")
	}
	return schema
}

// outputSchemaOf is what the structured content of a tool's results fits.
func outputSchemaOf(o tool.Output) json.RawMessage {
	switch {
	case !o.JSON:
		return json.RawMessage(outputSchema)
	case o.Schema == "":
		return json.RawMessage(`{"type":"object"}`)
	case !o.Wrapped:
		return json.RawMessage(o.Schema)
	}
	var inner map[string]json.RawMessage
	if json.Unmarshal([]byte(o.Schema), &inner) != nil { // it was read before
		return json.RawMessage(`{"type":"object"}`)
	}
	outer := map[string]any{"type": "object", "required": []string{"result"}, "properties": map[string]any{"result": inner}}
	for _, key := range []string{"$schema", "$defs", "definitions"} { // references begin at the top
		if value, ok := inner[key]; ok {
			outer[key] = value
			delete(inner, key)
		}
	}
	text, err := json.Marshal(outer)
	if err != nil { // of JSON there is none
		return json.RawMessage(`{"type":"object"}`)
	}
	return text
}

// said is what a hint says, or what it is where it says nothing.
func said(hint *bool, unsaid bool) bool {
	if hint == nil {
		return unsaid
	}
	return *hint
}

// Unheld returns the tool as it is told where the machine does not keep its calls from writing: what its author does not
// say is then as in MCP itself, and not as its entry has it.
func (t Tool) Unheld(of *tool.Tool) Tool {
	readOnly := said(of.Annotations.ReadOnly, false)
	destructive := said(of.Annotations.Destructive, !readOnly)
	t.Annotations.ReadOnly, t.Annotations.Destructive = &readOnly, &destructive
	return t
}

// enforcedKey is the member of a tool's _meta that lists what the kernel holds its calls to, in place of a hint.
const enforcedKey = "a2a-acp/enforced"

// Enforced returns the tool with what the kernel holds its calls to.
func (t Tool) Enforced(of *tool.Tool) Tool {
	held := []string{}
	if of.Sandbox.Network == tool.NetworkOff {
		held = append(held, "no network")
	}
	if len(of.Sandbox.Sockets) == 0 {
		held = append(held, "no sockets")
	}
	if of.IsReadOnly() || of.ChangesNothing() {
		held = append(held, "no writable path")
	}
	if text, err := json.Marshal(map[string][]string{enforcedKey: held}); err == nil {
		t.Meta = text
	}
	return t
}
