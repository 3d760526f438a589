package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/jsonrpc2"
)

// add offers a tool. The SDK panics at a schema that it cannot take, so that is looked at before.
func (a *attachment) add(server *mcp.Server, t Tool) error {
	var schema struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(t.InputSchema, &schema); err != nil || schema.Type != "object" {
		return errors.Join(errors.New("its input schema is not that of an object"), err)
	}
	if len(t.OutputSchema) > 0 && !json.Valid(t.OutputSchema) {
		return errors.New("its output schema is not JSON")
	}
	server.AddTool(t.Listed(), a.call)
	return nil
}

// Listed returns the tool as tools/list shows it.
func (t Tool) Listed() *mcp.Tool {
	offered := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Title,
			ReadOnlyHint:    t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly,
			DestructiveHint: t.Annotations.Destructive,
			IdempotentHint:  t.Annotations.Idempotent != nil && *t.Annotations.Idempotent,
			OpenWorldHint:   t.Annotations.OpenWorld,
		},
	}
	if len(t.OutputSchema) > 0 {
		offered.OutputSchema = t.OutputSchema
	}
	return offered
}

// call passes a call on to the bridge and waits for its end. ctx ends when the agent gives the call up or
// goes away, and the bridge is told.
func (a *attachment) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if n := len(r.Params.Arguments); n > mostArguments {
		return forModel(fmt.Sprintf("the arguments have %d bytes, and %d is what can be passed on; "+
			"the tool was not called", n, mostArguments)), nil
	}
	id := a.nextID()
	a.tellProgress(ctx, id.Str, r)
	defer a.forget(id.Str)

	waiter, err := a.bridge.DispatchCall(ctx, methodCall, callParams{
		Name: r.Params.Name, Arguments: r.Params.Arguments, ToolCall: toolCallOf(r),
	}, jsonrpc2.PickID(id))
	if err != nil {
		return nil, failed(err)
	}
	var result CallResult
	err = waiter.Wait(ctx, &result)
	if ctx.Err() != nil {
		//nolint:errcheck // a bridge that is gone has ended the call
		a.bridge.Notify(context.WithoutCancel(ctx), methodCancel, aboutCall{ID: id.Str})
		return nil, context.Cause(ctx)
	}
	var said *jsonrpc2.Error
	if errors.As(err, &said) && said.Code == codeForModel {
		return forModel(said.Message), nil
	}
	if err != nil {
		return nil, failed(err)
	}
	if e := result.Error; e != nil {
		return nil, &jsonrpc.Error{Code: int64(codeFor(e.Code, versionOf(r))), Message: e.Message, Data: e.Data}
	}
	return toMCP(result)
}

// toolCallOf returns the agent's own id of a call, under which its editor knows it too: Claude tells it. It
// is a hint; one that is no id is none.
func toolCallOf(r *mcp.CallToolRequest) string {
	id, _ := r.Params.Meta["claudecode/toolUseId"].(string)
	if len(id) > longestToolCall {
		return ""
	}
	return id
}

// forModel is the result of a call that came to nothing, for a reason that the model can do something about.
func forModel(why string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: why}}}
}

// failed gives an error of the bridge as the agent gets it.
func failed(err error) error {
	var said *jsonrpc2.Error
	if errors.As(err, &said) {
		return &jsonrpc.Error{Code: said.Code, Message: said.Message}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: inWords(err).Error()}
}

func toMCP(r CallResult) (*mcp.CallToolResult, error) {
	out := &mcp.CallToolResult{IsError: r.IsError, Content: []mcp.Content{&mcp.TextContent{Text: r.Content}}}
	for _, image := range r.Images {
		out.Content = append(out.Content, &mcp.ImageContent{MIMEType: image.Type, Data: image.Data})
	}
	if len(r.Structured) > 0 {
		out.StructuredContent = r.Structured
	}
	if len(r.Meta) > 0 {
		if err := json.Unmarshal(r.Meta, &out.Meta); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
				Message: "the bridge sent a result that cannot be read"}
		}
	}
	return out, nil
}

// tellProgress sees to it that progress of a call reaches the agent, if it wants to hear of it (MCP
// 2025-11-25, progress).
func (a *attachment) tellProgress(ctx context.Context, id string, r *mcp.CallToolRequest) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}
	told := 0.0
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sinks[id] = func(text string) {
		told++ // must grow each time; nobody knows the whole
		params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: told, Message: text}
		r.Session.NotifyProgress(ctx, params) //nolint:errcheck // an agent that is gone
	}
}

func (a *attachment) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sinks, id)
}

// handle takes what the bridge says by itself: progress, and that the tools have changed. It is called by
// the goroutine that reads, one at a time, so that no result overtakes the progress before it.
func (a *attachment) handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if r.Method == methodChanged {
		select {
		case a.changed <- struct{}{}:
		default: // one is still to be looked at
		}
		return
	}
	var about aboutCall
	if r.Method != methodProgress || json.Unmarshal(params(r), &about) != nil {
		return
	}
	a.mu.Lock()
	sink := a.sinks[about.ID]
	a.mu.Unlock()
	if sink != nil {
		sink(about.Text)
	}
}
