package toolsocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// List implements mcpserver.Tools.
func (a *attachment) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.catalogue, nil
}

// Call implements mcpserver.Tools: it passes a call on to the bridge and waits for its end. ctx ends when the
// agent gives the call up or goes away, and the bridge is told.
func (a *attachment) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	if n := len(call.Arguments); n > mostArguments {
		return forModel(fmt.Sprintf("the arguments have %d bytes, and %d is what can be passed on; "+
			"the tool was not called", n, mostArguments)), nil
	}
	if !a.offers(call.Name) {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	id := a.nextID()
	a.tellProgress(id.Str, call.Progress)
	defer a.forget(id.Str)

	waiter, err := a.bridge.DispatchCall(ctx, methodCall, callParams{
		Name: call.Name, Arguments: call.Arguments, ToolCall: call.ToolCall,
		Traceparent: call.Trace.Header(), Tracestate: call.Trace.State,
	}, jsonrpc2.PickID(id))
	if err != nil {
		return mcpserver.CallResult{}, failed(err)
	}
	var result mcpserver.CallResult
	err = waiter.Wait(ctx, &result)
	if ctx.Err() != nil {
		//nolint:errcheck // a bridge that is gone has ended the call
		a.bridge.Notify(context.WithoutCancel(ctx), methodCancel, aboutCall{ID: id.Str})
		return mcpserver.CallResult{}, context.Cause(ctx)
	}
	var said *jsonrpc2.Error
	if errors.As(err, &said) && said.Code == codeForModel {
		return forModel(said.Message), nil
	}
	if err != nil {
		return mcpserver.CallResult{}, failed(err)
	}
	return result, nil
}

// offers reports whether a tool is in the list.
func (a *attachment) offers(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.catalogue.Tools, func(t mcpserver.Tool) bool { return t.Name == name })
}

// forModel is the result of a call that came to nothing, for a reason that the model can do something about.
func forModel(why string) mcpserver.CallResult {
	return mcpserver.CallResult{IsError: true, Content: why}
}

// failed gives an error of the bridge as the agent gets it.
func failed(err error) error {
	var said *jsonrpc2.Error
	if errors.As(err, &said) {
		return &mcpserver.ProtocolError{Code: int(said.Code), Message: said.Message}
	}
	return &mcpserver.ProtocolError{Code: jsonrpc2.CodeInternalError, Message: inWords(err).Error()}
}

// tellProgress sees to it that progress of a call reaches the agent.
func (a *attachment) tellProgress(id string, tell func(mcpserver.Progress)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sinks[id] = func(text string) { tell(mcpserver.Progress{Text: text}) }
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
