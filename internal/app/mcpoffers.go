package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mcpParams is JSON-RPC's code of params that do not fit.
const mcpParams = -32602

// notRead is the code of an error of ours: a tool did not print what was to be read.
const notRead = 2

// mayHave reports whether a client is offered a resource or prompt: what a principal's tools name, or --only, is all
// that there is for it.
func (d *mcpDoor) mayHave(client *mcpserver.Client, name string) bool {
	if !isOneOf(d.o.Only, name) {
		return false
	}
	if d.visitors == nil {
		return true
	}
	p := d.visitors.of(client.Principal)
	return p != nil && mayUse(p, name)
}

// mcpResources are the resources of tools files, and outputs. It implements mcpserver.Resources.
type mcpResources struct{ *mcpDoor }

// offered returns the resources that a client may read where it is, and the tools that it may call there.
func (r mcpResources) offered(ctx context.Context, client *mcpserver.Client) ([]config.Resource, mcpPlace, mcpListed, error) {
	p, err := r.place(ctx, client)
	if err != nil {
		return nil, p, mcpListed{}, &mcpserver.ProtocolError{Code: notHere, Message: err.Error()}
	}
	listed := r.listed(ctx, client, p)
	var list []config.Resource
	for _, one := range listed.of.Set.Resources {
		if r.mayHave(client, one.Name) && (one.Tool == "" || listed.entry(one.Tool) != nil) {
			list = append(list, one)
		}
	}
	return list, p, listed, nil
}

// entry returns a tool of the list by its id.
func (l mcpListed) entry(id string) *executor.Entry {
	for _, entry := range l.entries {
		if entry.Tool.ID == id {
			return entry
		}
	}
	return nil
}

// List implements mcpserver.Resources.
func (r mcpResources) List(ctx context.Context, client *mcpserver.Client) (list []mcpserver.Resource, err error) {
	all, _, _, err := r.offered(ctx, client)
	for i := range all {
		if one := &all[i]; len(one.Variables()) == 0 {
			list = append(list, mcpserver.Resource{URI: one.URI, Name: one.Name, Title: one.Title,
				Description: one.Description, Type: one.Type})
		}
	}
	return list, err
}

// Templates implements mcpserver.Resources.
func (r mcpResources) Templates(ctx context.Context, client *mcpserver.Client) ([]mcpserver.ResourceTemplate, error) {
	all, _, _, err := r.offered(ctx, client)
	list := []mcpserver.ResourceTemplate{{Template: outputsURI + "{hash}{?offset,length}", Name: "outputs",
		Description: "Outputs of your calls that were too long for their results, which link to them."}}
	for i := range all {
		if one := &all[i]; len(one.Variables()) > 0 {
			list = append(list, mcpserver.ResourceTemplate{Template: one.URI, Name: one.Name, Title: one.Title,
				Description: one.Description, Type: one.Type})
		}
	}
	return list, err
}

// Read implements mcpserver.Resources.
func (r mcpResources) Read(ctx context.Context, client *mcpserver.Client, uri string) (mcpserver.ReadResult, error) {
	if strings.HasPrefix(uri, outputsURI) {
		return r.readOutput(client, uri)
	}
	all, place, listed, err := r.offered(ctx, client)
	if err != nil {
		return mcpserver.ReadResult{}, err
	}
	for i := range all {
		one := &all[i]
		values, ok := one.Match(uri)
		if !ok {
			continue
		}
		data, kind := one.Blob, one.Type
		switch {
		case one.Text != nil:
			text, err := one.Text.Render(texts(values))
			if err != nil {
				return mcpserver.ReadResult{}, &mcpserver.ProtocolError{Code: mcpParams, Message: err.Error()}
			}
			data = []byte(text)
		case one.Tool != "":
			if data, err = r.readByTool(ctx, client, place, listed.entry(one.Tool), one, values); err != nil {
				return mcpserver.ReadResult{}, err
			}
			if kind == "" {
				kind = map[bool]string{true: "application/json", false: "text/plain"}[listed.entry(one.Tool).Tool.Output.JSON]
			}
		}
		contents := contentsOf(uri, kind, data)
		if one.Blob != nil {
			contents.Text, contents.Blob = nil, data
		}
		return mcpserver.ReadResult{Contents: []mcpserver.ResourceContents{contents}}, nil
	}
	return mcpserver.ReadResult{}, mcpserver.ErrNoResource
}

func texts(values map[string]string) map[string]any {
	all := make(map[string]any, len(values))
	for name, value := range values {
		all[name] = value
	}
	return all
}

// readByTool calls the tool that prints a resource, as a call that the client makes. Who reads a resource can
// be asked nothing by its client: a question stands where others answer it.
func (r mcpResources) readByTool(ctx context.Context, client *mcpserver.Client, place mcpPlace, entry *executor.Entry,
	one *config.Resource, values map[string]string) ([]byte, error) {
	arguments := map[string]any{}
	for name, value := range one.Arguments {
		arguments[name] = value
	}
	for name, value := range values {
		arguments[name] = argumentOf(entry.Tool, name, value)
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	over, err := r.placeFor(client)
	if err != nil {
		return nil, err
	}
	defer over()
	quiet := *client
	quiet.Capabilities.Elicitation = false
	caller := &mcpCaller{door: r.mcpDoor, place: place, call: mcpserver.Call{Client: &quiet, Name: entry.Tool.ID, Arguments: raw}}
	result := r.call(ctx, caller, Begun{Tool: entry.Tool.ID, Arguments: raw}, nil)
	if result.Status != tool.StatusCompleted {
		return nil, &mcpserver.ProtocolError{Code: notRead, Message: mcpserver.FromResult(result).Content}
	}
	if result.Structured != nil {
		return result.Structured, nil
	}
	return []byte(result.Stdout), nil
}

// placeFor takes a place among the calls of the client's principal, until over is called.
func (d *mcpDoor) placeFor(client *mcpserver.Client) (over func(), err error) {
	p := d.visitors.of(client.Principal)
	if p == nil {
		return func() {}, nil
	}
	over, wait, ok := d.visitors.admit(p)
	if !ok {
		return nil, &mcpserver.ProtocolError{Code: notRead,
			Message: fmt.Sprintf("too many calls; try again in %d s", max(1, int(wait.Seconds()+0.999)))}
	}
	return over, nil
}

// argumentOf is the value of a variable as the tool's parameter has it: numbers and booleans as such.
func argumentOf(t *tool.Tool, name, value string) any {
	i := slices.IndexFunc(t.Parameters, func(p tool.Parameter) bool { return p.Name == name })
	if i >= 0 && t.Parameters[i].Type != tool.TypeString && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return value
}

// mcpPrompts are the prompts of tools files. It implements mcpserver.Prompts.
type mcpPrompts struct{ *mcpDoor }

func (p mcpPrompts) offered(ctx context.Context, client *mcpserver.Client) ([]config.Prompt, error) {
	place, err := p.place(ctx, client)
	if err != nil {
		return nil, &mcpserver.ProtocolError{Code: notHere, Message: err.Error()}
	}
	var list []config.Prompt
	for _, one := range p.listed(ctx, client, place).of.Set.Prompts {
		if p.mayHave(client, one.Name) {
			list = append(list, one)
		}
	}
	return list, nil
}

// List implements mcpserver.Prompts.
func (p mcpPrompts) List(ctx context.Context, client *mcpserver.Client) (list []mcpserver.Prompt, err error) {
	all, err := p.offered(ctx, client)
	for _, one := range all {
		told := mcpserver.Prompt{Name: one.Name, Title: one.Title, Description: one.Description}
		for _, a := range one.Arguments {
			told.Arguments = append(told.Arguments, mcpserver.PromptArgument(a))
		}
		list = append(list, told)
	}
	return list, err
}

// Get implements mcpserver.Prompts.
func (p mcpPrompts) Get(ctx context.Context, call mcpserver.PromptCall) (mcpserver.PromptResult, error) {
	all, err := p.offered(ctx, call.Client)
	if err != nil {
		return mcpserver.PromptResult{}, err
	}
	i := slices.IndexFunc(all, func(one config.Prompt) bool { return one.Name == call.Name })
	if i < 0 {
		return mcpserver.PromptResult{}, mcpserver.ErrNoPrompt
	}
	one := all[i]
	wrong := func(format string, args ...any) (mcpserver.PromptResult, error) {
		return mcpserver.PromptResult{}, &mcpserver.ProtocolError{Code: mcpParams, Message: fmt.Sprintf(format, args...)}
	}
	known := map[string]bool{}
	for _, a := range one.Arguments {
		known[a.Name] = true
		if _, given := call.Arguments[a.Name]; a.Required && !given {
			return wrong("the argument %s is required, and not given", a.Name)
		}
	}
	for name := range call.Arguments {
		if !known[name] {
			return wrong("there is no argument %q", name)
		}
	}
	result := mcpserver.PromptResult{Description: one.Description}
	for _, m := range one.Messages {
		content, err := contentOf(m, texts(call.Arguments))
		if err != nil {
			return wrong("%v", err)
		}
		role := map[bool]string{true: "assistant", false: "user"}[m.Assistant]
		result.Messages = append(result.Messages, mcpserver.PromptMessage{Role: role, Content: content})
	}
	return result, nil
}

// contentOf is a message as MCP has it.
func contentOf(m config.PromptMessage, values map[string]any) (json.RawMessage, error) {
	if m.Image != nil {
		return json.Marshal(map[string]any{"type": "image", "data": m.Image, "mimeType": m.Type})
	}
	text, err := m.Text.Render(values)
	if err != nil {
		return nil, err
	}
	if m.URI == nil {
		return mcpserver.TextBlock(text), nil
	}
	uri, err := m.URI.Render(values)
	if err != nil {
		return nil, err
	}
	resource := map[string]string{"uri": uri, "text": text}
	if m.Type != "" {
		resource["mimeType"] = m.Type
	}
	return json.Marshal(map[string]any{"type": "resource", "resource": resource})
}
