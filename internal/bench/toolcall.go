package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/app"
)

const (
	toolCalls   = 101 // that are timed
	maxToolCall = 1.7 // of the floor's time
)

// toolCallRow is the row of one tool call through the whole pipeline: validate, render, decide, fsync, run,
// map. call makes one such call of a tool whose script is the given one; the floor is bash itself with the
// script in a file, started with nothing around it.
func toolCallRow(call func() error, script string) row {
	r := comparedRow("tool call, whole pipeline", "ms", "bash script", maxToolCall)
	return r.byTurns(toolCalls, call, func() error { return bash(script) })
}

// bash runs a script and gathers what it prints. os/exec starts it by clone(CLONE_VFORK|CLONE_VM), as
// posix_spawn does.
func bash(script string) error {
	var out bytes.Buffer
	cmd := exec.Command("bash", script)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bash %s: %w: %s", script, err, out.Bytes())
	}
	return nil
}

// byTurns measures what is ours beside its floor: n times each, by turns of two, so that each finds the machine as the
// other leaves it. With a third between them one would have the caches, and the other what that has left. The first
// round, which opens and makes things, is not counted.
func (r row) byTurns(n int, ours, floor func() error) row {
	var taken, floors []float64
	for i := range n + 1 {
		least, err := timed(floor)
		if err != nil {
			return r.unmeasured(fmt.Errorf("the floor: %w", err))
		}
		took, err := timed(ours)
		if err != nil {
			return r.unmeasured(err)
		}
		if i > 0 {
			taken, floors = append(taken, took), append(floors, least)
		}
	}
	return r.measured(median(taken), median(floors), fmt.Sprintf("%d each", n))
}

func timed(f func() error) (ms float64, err error) {
	begun := time.Now()
	err = f()
	return milliseconds(time.Since(begun)), err
}

// benchTool is the tool that is called, and benchScript what its script comes to: an argument, and one line
// of output.
const (
	benchTool = `version: 2
tools:
  bench:
    name: Bench
    description: Says what it is given
    script: |
      #!/bin/bash
      echo "hello {{name}}"
    parameters:
      - {name: name, type: string, required: true, description: whom}
    annotations: {readOnlyHint: true}
`
	benchScript = "#!/bin/bash\nname=world\necho \"hello $name\"\n"
)

// toolCall takes the row with the program's own parts, put together as they always are, in a directory of
// its own.
func toolCall(dir string) (r row, err error) {
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte(benchScript), 0o600); err != nil {
		return row{}, err
	}
	a, err := openApp(dir, benchTool)
	if err != nil {
		return row{}, err
	}
	defer func() { err = errors.Join(err, a.Stop(context.Background())) }()
	call := benchCall(dir, `{"name":"world"}`)
	return toolCallRow(func() error {
		result := a.Executor.Execute(context.Background(), call, nil)
		if result.Stdout != "hello world\n" {
			return fmt.Errorf("the call came to %+v", result)
		}
		return nil
	}, script), nil
}

// openApp puts the program's own parts together, with the tools of a file. Whoever calls it stops them.
func openApp(dir, toolsFile string) (*app.App, error) {
	tools := filepath.Join(dir, "tools.yaml")
	if err := os.WriteFile(tools, []byte(toolsFile), 0o600); err != nil {
		return nil, err
	}
	environment := map[string]string{"HOME": dir, "A2A_STATE_DIR": filepath.Join(dir, "state"),
		"PATH": os.Getenv("PATH")}
	return app.New(app.Options{
		ToolFiles: []string{tools}, Getenv: func(name string) string { return environment[name] }, Dir: dir,
		Say: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
}
