package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/cliimport"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	maxArgvCall = 1.35 // of the floor's time
	completions = 100
)

// argvTool is a tool that runs a program: the one under test itself, which is a program of Cobra's as others are, or one
// that ends at once.
const argvTool = `version: 2
tools:
  bench:
    description: Runs it
    exec: {command: %q, argv: [version]}
    parameters: [{name: args, type: array, items: {type: string}}]
    annotations: {readOnlyHint: true}
`

// cliRows are what programs as tools cost: a call, and an import.
func cliRows(bin, dir string) []row {
	return []row{
		argvRow(comparedRow("argv tool call, whole pipeline", "ms", "the program", maxArgvCall), bin, dir),
		argvRow(comparedRow("argv tool call of a program that ends at once", "ms", "posix_spawn", 0), "/bin/true", dir),
		importRow(bin),
	}
}

// argvRow is a call of a program through the whole pipeline. The floor is the program, started with nothing around it by
// clone(CLONE_VFORK|CLONE_VM), as posix_spawn does.
func argvRow(r row, bin, dir string) row {
	place, err := os.MkdirTemp(dir, "argv-")
	if err != nil {
		return r.unmeasured(err)
	}
	a, err := openApp(place, fmt.Sprintf(argvTool, bin))
	if err != nil {
		return r.unmeasured(err)
	}
	call := benchCall(place, `{}`)
	r = r.byTurns(toolCalls, func() error { return completed(a, call) }, func() error { return exec.Command(bin, "version").Run() })
	if err := a.Stop(context.Background()); err != nil {
		return r.unmeasured(err)
	}
	return r
}

// importRow is the import of all commands of the program under test, for each 100 of them. Beside it stand as many bare
// runs of what it asks, one after the other.
func importRow(bin string) (r row) {
	r = comparedRow("import cli, each 100 commands", "ms", "100 × __complete", 0)
	host, err := sandbox.Open(sandbox.Options{})
	if err != nil {
		return r.unmeasured(err)
	}
	defer func() {
		if err := host.Close(); err != nil {
			r = r.unmeasured(err)
		}
	}()
	program, err := cliimport.Find(bin, "", "/")
	if err != nil {
		return r.unmeasured(err)
	}
	made, err := cliimport.Make(context.Background(), host, cliimport.Request{Program: program,
		Import: config.Import{Name: filepath.Base(bin), Command: bin,
			Selectors: []config.Selector{{InheritedFlags: config.FlagSelector{None: true}}}}})
	if err != nil {
		return r.unmeasured(err)
	}
	floor, err := timed(func() error {
		for range completions {
			if err := exec.Command(bin, "__complete", "").Run(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return r.unmeasured(fmt.Errorf("the floor: %w", err))
	}
	each := milliseconds(made.Took) * completions / float64(max(made.Commands, 1))
	return r.measured(each, floor, fmt.Sprintf("%d commands, %d questions", made.Commands, made.Asked))
}

// benchCall is a call of the one tool.
func benchCall(dir, arguments string) tool.Call {
	return tool.Call{
		Tool: "bench", Arguments: json.RawMessage(arguments), Dir: dir, Workspace: tool.Workspace{Root: dir},
		Origin: tool.Origin{Door: tool.DoorCLI},
	}
}
