//nolint:lll,nilerr,forbidigo // what the suite says stands in a line of JSON; a failure is a result; it prints where it listens
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// offers are the tools that the suite calls by name.
type offers struct {
	server *mcpserver.Server
	tools  map[string]offer
}

// offer is one tool: its schema, "" for any object, and what it does.
type offer struct {
	schema string
	call   func(context.Context, *offers, mcpserver.Call) (mcpserver.CallResult, error)
}

// List implements mcpserver.Tools.
func (o *offers) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	var list []mcpserver.Tool
	for _, name := range slices.Sorted(maps.Keys(o.tools)) {
		schema := o.tools[name].schema
		if schema == "" {
			schema = `{"type":"object"}`
		}
		list = append(list, mcpserver.Tool{Name: name, Description: "of the conformance suite: " + name, InputSchema: json.RawMessage(schema)})
	}
	return mcpserver.NewCatalogue(list), nil
}

// Call implements mcpserver.Tools.
func (o *offers) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	tool, ok := o.tools[call.Name]
	if !ok {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	return tool.call(ctx, o, call)
}

// Complete implements mcpserver.Completer.
func (o *offers) Complete(context.Context, *mcpserver.Client, json.RawMessage, string, string) ([]string, error) {
	return nil, nil
}

const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func text(format string, args ...any) mcpserver.CallResult {
	return mcpserver.CallResult{Content: fmt.Sprintf(format, args...)}
}

// says is a tool that always answers the same.
func says(what string) offer {
	return offer{call: func(context.Context, *offers, mcpserver.Call) (mcpserver.CallResult, error) {
		return text("%s", what), nil
	}}
}

// shows is a tool that answers with blocks.
func shows(blocks ...string) offer {
	return offer{call: func(context.Context, *offers, mcpserver.Call) (mcpserver.CallResult, error) {
		var result mcpserver.CallResult
		for _, block := range blocks {
			result.Blocks = append(result.Blocks, json.RawMessage(block))
		}
		return result, nil
	}}
}

const (
	image    = `{"type":"image","data":"` + pixel + `","mimeType":"image/png"}`
	audio    = `{"type":"audio","data":"` + silence + `","mimeType":"audio/wav"}`
	embedded = `{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource"}}`
	mixed    = `{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}`
)

// asks is a tool that asks the client in the middle of its call.
func asks(method string, params func(arguments map[string]any) string, told string) offer {
	return offer{call: func(ctx context.Context, _ *offers, call mcpserver.Call) (mcpserver.CallResult, error) {
		var arguments map[string]any
		_ = json.Unmarshal(call.Arguments, &arguments) // then there are none
		request := mcpserver.InputRequest{Method: method, Params: json.RawMessage(params(arguments))}
		if call.Ask == nil {
			return mcpserver.CallResult{Content: "the client cannot be asked", IsError: true}, nil
		}
		answer, err := call.Ask(ctx, request)
		if err != nil {
			return mcpserver.CallResult{Content: err.Error(), IsError: true}, nil
		}
		return text(told, read(answer)), nil
	}}
}

// read is an answer in words.
func read(answer json.RawMessage) string {
	var said struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
		Role    string          `json:"role"`
	}
	_ = json.Unmarshal(answer, &said) // what is no answer is shown as nothing
	if said.Role != "" {
		var block struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(said.Content, &block) // see above
		return block.Text
	}
	return fmt.Sprintf("action=%s, content=%s", said.Action, said.Content)
}

func elicit(message, schema string) string {
	words, _ := json.Marshal(message) // a text always can be
	return `{"mode":"form","message":` + string(words) + `,"requestedSchema":` + schema + `}`
}

func form(properties string, required string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
}

// fixed are params that do not depend on the arguments.
func fixed(params string) func(map[string]any) string {
	return func(map[string]any) string { return params }
}

func newOffers() *offers {
	o := &offers{tools: map[string]offer{
		"test_simple_text":            says("This is a simple text response for testing."),
		"test_image_content":          shows(image),
		"test_audio_content":          shows(audio),
		"test_embedded_resource":      shows(embedded),
		"test_multiple_content_types": shows(`{"type":"text","text":"Multiple content types test:"}`, image, mixed),
		"test_error_handling": {call: func(context.Context, *offers, mcpserver.Call) (mcpserver.CallResult, error) {
			return mcpserver.CallResult{Content: "This tool intentionally returns an error for testing", IsError: true}, nil
		}},
		"test_tool_with_logging":  {call: logs},
		"test_tool_with_progress": {call: progresses},
		"test_sampling": asks("sampling/createMessage", func(arguments map[string]any) string {
			words, _ := json.Marshal(arguments["prompt"]) // it was JSON
			return `{"messages":[{"role":"user","content":{"type":"text","text":` + string(words) + `}}],"maxTokens":100}`
		}, "LLM response: %s"),
		"test_elicitation": asks("elicitation/create", func(arguments map[string]any) string {
			return elicit(fmt.Sprint(arguments["message"]),
				form(`"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}`, `"username","email"`))
		}, "User response: %s"),
		"test_elicitation_sep1034_defaults": asks("elicitation/create", fixed(elicit("Please review the defaults", form(
			`"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},`+
				`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}`, ``))),
			"Elicitation completed: %s"),
		"test_elicitation_sep1330_enums": asks("elicitation/create", fixed(elicit("Please choose", form(
			`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},`+
				`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},`+
				`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},`+
				`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},`+
				`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}`, ``))),
			"Elicitation completed: %s"),
		"json_schema_2020_12_tool": {schema: schema202012, call: says("called").call},
		"test_reconnection": {call: func(ctx context.Context, _ *offers, call mcpserver.Call) (mcpserver.CallResult, error) {
			call.Detach(10 * time.Millisecond)
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond): // the suite comes back meanwhile
			}
			return text("Reconnection test completed successfully."), nil
		}},
		"test_x_mcp_header": {schema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
			call: says("called").call},
		"test_missing_capability": {call: func(_ context.Context, _ *offers, call mcpserver.Call) (mcpserver.CallResult, error) {
			if !call.Client.Capabilities.Sampling {
				return mcpserver.CallResult{}, mcpserver.NeedsCapability(map[string]any{"sampling": map[string]any{}})
			}
			return text("the client can sample"), nil
		}},
		"test_streaming_elicitation": says("only results are on this stream"),
		"test_logging_tool": {call: func(_ context.Context, _ *offers, call mcpserver.Call) (mcpserver.CallResult, error) {
			call.Log(mcpserver.LevelInfo, "", "test_logging_tool runs")
			return text("logged"), nil
		}},
		"test_trigger_tool_change": {call: func(_ context.Context, o *offers, _ mcpserver.Call) (mcpserver.CallResult, error) {
			o.server.Changed()
			return text("changed"), nil
		}},
		"test_trigger_prompt_change": {call: func(_ context.Context, o *offers, _ mcpserver.Call) (mcpserver.CallResult, error) {
			o.server.Changed()
			return text("changed"), nil
		}},
	}}
	maps.Copy(o.tools, rounds)
	maps.Copy(o.tools, jobs)
	return o
}

func logs(_ context.Context, _ *offers, call mcpserver.Call) (mcpserver.CallResult, error) {
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		call.Log(mcpserver.LevelInfo, "", line)
	}
	return text("Tool with logging executed successfully"), nil
}

func progresses(_ context.Context, _ *offers, call mcpserver.Call) (mcpserver.CallResult, error) {
	for _, done := range []float64{0, 50, 100} {
		call.Progress(mcpserver.Progress{Done: done, Total: 100, Text: fmt.Sprintf("Completed step %.0f of 100", done)})
	}
	return text("done"), nil
}

const schema202012 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
	"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

func bytesOf(encoded string) []byte {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		panic(err)
	}
	return data
}

// resources and prompts are those that the suite asks for.
type resources struct{}

func (o *offers) resources() mcpserver.Resources { return resources{} }

func (resources) List(context.Context, *mcpserver.Client) ([]mcpserver.Resource, error) {
	return []mcpserver.Resource{
		{URI: "test://static-text", Name: "static-text", Description: "A text", Type: "text/plain"},
		{URI: "test://static-binary", Name: "static-binary", Description: "A picture", Type: "image/png"},
		{URI: "test://watched-resource", Name: "watched-resource", Description: "It changes", Type: "text/plain"},
	}, nil
}

func (resources) Templates(context.Context, *mcpserver.Client) ([]mcpserver.ResourceTemplate, error) {
	return []mcpserver.ResourceTemplate{{Template: "test://template/{id}/data", Name: "template", Description: "One for each id", Type: "application/json"}}, nil
}

func (resources) Read(_ context.Context, _ *mcpserver.Client, uri string) (mcpserver.ReadResult, error) {
	one := mcpserver.ResourceContents{URI: uri, Type: "text/plain"}
	write := func(text string) { one.Text = &text }
	id, isTemplate := strings.CutPrefix(uri, "test://template/")
	switch {
	case uri == "test://static-text":
		write("This is the content of the static text resource.")
	case uri == "test://watched-resource":
		write("Watched resource content")
	case uri == "test://static-binary":
		one.Type, one.Blob = "image/png", bytesOf(pixel)
	case isTemplate && strings.HasSuffix(id, "/data"):
		id = strings.TrimSuffix(id, "/data")
		one.Type = "application/json"
		write(fmt.Sprintf(`{"id": %q, "templateTest": true, "data": "Data for ID: %s"}`, id, id))
	default:
		return mcpserver.ReadResult{}, mcpserver.ErrNoResource
	}
	return mcpserver.ReadResult{Contents: []mcpserver.ResourceContents{one}}, nil
}

type prompts struct{}

func (o *offers) prompts() mcpserver.Prompts { return prompts{} }

func (prompts) List(context.Context, *mcpserver.Client) ([]mcpserver.Prompt, error) {
	return []mcpserver.Prompt{
		{Name: "test_input_required_result_prompt", Description: "It asks first"},
		{Name: "test_prompt_with_arguments", Description: "With arguments", Arguments: []mcpserver.PromptArgument{
			{Name: "arg1", Description: "First test argument", Required: true}, {Name: "arg2", Description: "Second test argument", Required: true}}},
		{Name: "test_prompt_with_embedded_resource", Description: "With a resource", Arguments: []mcpserver.PromptArgument{
			{Name: "resourceUri", Description: "URI of the resource to embed", Required: true}}},
		{Name: "test_prompt_with_image", Description: "With a picture"},
		{Name: "test_simple_prompt", Description: "A simple one"},
	}, nil
}

func (prompts) Get(_ context.Context, call mcpserver.PromptCall) (mcpserver.PromptResult, error) {
	says := func(blocks ...json.RawMessage) mcpserver.PromptResult {
		var result mcpserver.PromptResult
		for _, block := range blocks {
			result.Messages = append(result.Messages, mcpserver.PromptMessage{Role: "user", Content: block})
		}
		return result
	}
	switch call.Name {
	case "test_simple_prompt":
		return says(mcpserver.TextBlock("This is a simple prompt for testing.")), nil
	case "test_prompt_with_arguments":
		return says(mcpserver.TextBlock(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", call.Arguments["arg1"], call.Arguments["arg2"]))), nil
	case "test_prompt_with_embedded_resource":
		uri, _ := json.Marshal(call.Arguments["resourceUri"]) // a text always can be
		return says(json.RawMessage(`{"type":"resource","resource":{"uri":`+string(uri)+`,"mimeType":"text/plain","text":"Embedded resource content for testing."}}`),
			mcpserver.TextBlock("Please process the embedded resource above.")), nil
	case "test_prompt_with_image":
		return says(json.RawMessage(image), mcpserver.TextBlock("Please analyze the image above.")), nil
	case "test_input_required_result_prompt":
		if said := accepted(call.Answers, "user_context"); said != nil {
			return says(mcpserver.TextBlock(fmt.Sprintf("Context: %v", said["context"]))), nil
		}
		return mcpserver.PromptResult{Input: &mcpserver.InputRequired{Requests: map[string]mcpserver.InputRequest{
			"user_context": {Method: "elicitation/create", Params: json.RawMessage(elicit("Please provide context for the prompt", form(`"context":{"type":"string"}`, `"context"`)))}}}}, nil
	}
	return mcpserver.PromptResult{}, mcpserver.ErrNoPrompt
}
