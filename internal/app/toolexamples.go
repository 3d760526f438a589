package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/tooltest"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// setupSuffix makes the id under which the setup of an example is on record. A tool of that name would be
// replaced for the time of the test, which none has: ids of tools have no colon.
const setupSuffix = ":setup"

// TestTools makes the calls that these tools give as examples, one after the other, as calls of the door:
// they are decided and recorded like any other, in the sandbox of their tool. told hears of each. What an
// entry says about failing and repeating does not hold meanwhile: each example is to meet the script.
func (a *App) TestTools(ctx context.Context, tools []*config.Loaded, door tool.Door, asker approval.Asker,
	told func(tooltest.Outcome)) error {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return err
	}
	for _, loaded := range tools {
		for i := range loaded.Tool.Examples {
			x := &loaded.Tool.Examples[i]
			if x.Text != "" {
				continue
			}
			if err := a.useExample(loaded, x); err != nil {
				told(tooltest.Outcome{
					Tool: loaded.Tool.ID, Example: x.Name,
					At:     fmt.Sprintf("%s:%d", loaded.Tool.Source.File, x.Line),
					Status: tooltest.Failed, Problems: []string{err.Error()},
				})
				continue
			}
			call := func(ctx context.Context, id string, arguments []byte, dir string) tool.Result {
				return a.Executor.Execute(ctx, tool.Call{
					Tool: id, Arguments: arguments, Dir: dir, Workspace: a.o.Dirs().Workspace(dir, nil),
					Origin: tool.Origin{Door: door, Trial: true},
				}, asker)
			}
			runner := tooltest.Runner{
				LookPath: exec.LookPath, TempDir: temp,
				Call: func(ctx context.Context, id string, x *tool.Example, dir string) tool.Result {
					return call(ctx, id, x.Arguments, dir)
				},
				Setup: func(ctx context.Context, id string, _ *tool.Example, dir string) tool.Result {
					return call(ctx, id+setupSuffix, nil, dir)
				},
			}
			outcome, err := runner.Run(ctx, &loaded.Tool, x)
			if err != nil {
				return err
			}
			told(outcome)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// useExample makes the tool of an example, and its setup, all that can be called.
func (a *App) useExample(loaded *config.Loaded, x *tool.Example) error {
	t := loaded.Tool
	t.Retry, t.CircuitBreaker, t.Caching = tool.Retry{}, tool.CircuitBreaker{}, tool.Caching{}
	entries := []*executor.Entry{{Tool: &t, Template: loaded.Template, Request: loaded.Request, Answer: loaded.Answer,
		Look: loaded.Look, Cancel: loaded.Cancel,
		Confirmation: loaded.Confirmation,
		Details:      loaded.Details, Output: loaded.Output}}
	if x.Setup != "" {
		template, err := config.CompileSetup(*x)
		if err != nil {
			return err
		}
		entries = append(entries, &executor.Entry{Template: template, Tool: &tool.Tool{
			ID: t.ID + setupSuffix, Name: "Setup of an example of " + t.ID, Script: x.Setup, Source: t.Source,
			Sandbox: tool.Sandbox{
				// The directory is the example's, and what tools meet in one is what examples are about.
				WorkingDirectory: ".", AllowedPaths: []tool.AllowedPath{{Path: ".", Anything: true}},
				Network: tool.NetworkOff, Limits: tool.DefaultLimits(),
			},
		}})
	}
	a.reading.Lock()
	defer a.reading.Unlock()
	next := *a.Configuration()
	a.holdBack(next.Set, entries)
	next.Tools = next.Tools.With(entries)
	a.configuration.Store(&next)
	return nil
}
