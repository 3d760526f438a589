package cobratools

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// alone is the tools where nobody guards them. It implements mcpserver.Tools.
type alone struct {
	commands  map[string]*command // by the names that clients know
	catalogue *mcpserver.Catalogue
}

func newAlone(list []command) *alone {
	a := &alone{commands: map[string]*command{}}
	var shown []mcpserver.Tool
	for i := range list {
		one := mcpserver.FromTool(&list[i].tool)
		a.commands[one.Name] = &list[i]
		shown = append(shown, one)
	}
	a.catalogue = mcpserver.NewCatalogue(shown)
	return a
}

// List implements mcpserver.Tools.
func (a *alone) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	return a.catalogue, nil
}

// Call implements mcpserver.Tools.
func (a *alone) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	c := a.commands[call.Name]
	if c == nil {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	if c.around == nil {
		return withoutGuard(mcpserver.FromResult(run(ctx, &c.tool, call.Arguments))), nil
	}
	in, failure := inputOf(&c.tool, call.Arguments)
	if failure != nil {
		return mcpserver.CallResult{Content: failure.Error(), IsError: true}, nil //nolint:nilerr // the model is told
	}
	var ran tool.Result
	said, out, err := c.around(ctx, &Request{Name: call.Name, Arguments: call.Arguments}, in,
		func(ctx context.Context, _ *Request, in ToolInput) (*Result, ToolOutput, error) {
			given, err := json.Marshal(in)
			if err != nil {
				return nil, ToolOutput{}, err
			}
			ran = run(ctx, &c.tool, given)
			out := ToolOutput{StdOut: ran.Stdout, StdErr: ran.Stderr, ExitCode: ran.ExitCode}
			if ran.Error != nil {
				return nil, out, ran.Error
			}
			return &Result{IsError: ran.Status != tool.StatusCompleted}, out, nil
		})
	ran.ToolID, ran.Stdout, ran.Stderr, ran.ExitCode, ran.Error = c.tool.ID, out.StdOut, out.StdErr, out.ExitCode, nil
	told := mcpserver.FromResult(ran)
	told.IsError = err != nil
	if said != nil {
		told.IsError = told.IsError || said.IsError
		if said.Content != "" {
			told.Content = said.Content
		}
	}
	if err != nil {
		told.Content = err.Error()
	}
	return withoutGuard(told), nil
}

// withoutGuard has a result say that nobody guards.
func withoutGuard(told mcpserver.CallResult) mcpserver.CallResult {
	told.Blocks = append(told.Blocks, mcpserver.TextBlock(unguarded))
	return told
}

// inputOf reads the arguments of a call, with numbers as they were written.
func inputOf(t *tool.Tool, given json.RawMessage) (in ToolInput, failure error) {
	if _, wrong := t.CheckArguments(given); wrong != nil {
		return in, wrong
	}
	if len(given) == 0 {
		return in, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(given))
	decoder.UseNumber()
	return in, decoder.Decode(&in)
}
