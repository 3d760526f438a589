package tooltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Status is what an example came to.
type Status string

// The statuses. A skipped example needs a program that this machine does not have.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// Outcome is what one example came to.
type Outcome struct {
	Tool     string   `json:"tool"`
	Example  string   `json:"example"`
	At       string   `json:"at"` // file:line
	Status   Status   `json:"status"`
	Problems []string `json:"problems"` // one for each expectation that does not hold, or why it was skipped
	Millis   float64  `json:"execution_time_ms"`
	// Result is that of the call, when an expectation does not hold.
	Result *tool.Result `json:"result,omitempty"`
}

// Runner makes the calls of examples.
type Runner struct {
	// Call makes one call from a directory. Required.
	Call func(ctx context.Context, id string, x *tool.Example, dir string) tool.Result
	// Setup runs an example's own preparation in a directory. Required where an example has one.
	Setup func(ctx context.Context, id string, x *tool.Example, dir string) tool.Result
	// LookPath finds a program. Required.
	LookPath func(name string) (string, error)
	TempDir  string // where the throw-away directories are made; "" for the system's place
}

// Run makes the call of one example. The error is one of this machine, such as a full disk; what is wrong
// with the example or its tool stands in the Outcome.
func (r *Runner) Run(ctx context.Context, t *tool.Tool, x *tool.Example) (out Outcome, err error) {
	out = Outcome{
		Tool: t.ID, Example: x.Name, At: fmt.Sprintf("%s:%d", t.Source.File, x.Line), Status: Passed,
		Problems: []string{},
	}
	if missing := r.missing(x.Needs); missing != "" {
		out.Status, out.Problems = Skipped, []string{missing + " is not installed"}
		return out, nil
	}
	dir, err := os.MkdirTemp(r.TempDir, "a2a-acp-example-")
	if err != nil {
		return out, fmt.Errorf("example %q of %s: %w", x.Name, t.ID, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := lay(dir, x.Files); err != nil {
		return out, fmt.Errorf("example %q of %s: %w", x.Name, t.ID, err)
	}
	if x.Setup != "" {
		if result := r.Setup(ctx, t.ID, x, dir); result.Status != tool.StatusCompleted {
			out.Status, out.Result = Failed, &result
			out.Problems = []string{"the setup " + howItEnded(result)}
			return out, nil
		}
	}
	before, err := picture(dir)
	if err != nil {
		return out, err
	}
	result := r.Call(ctx, t.ID, x, dir)
	out.Millis = result.ExecutionTimeMS
	out.Problems = append(out.Problems, misfits(x.Expect, result)...)
	changes, err := changed(dir, x.Expect, before)
	if err != nil {
		return out, err
	}
	if out.Problems = append(out.Problems, changes...); len(out.Problems) > 0 {
		out.Status, out.Result = Failed, &result
	}
	return out, nil
}

// missing returns the first program that this machine does not have.
func (r *Runner) missing(needs []string) string {
	for _, name := range needs {
		if _, err := r.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// lay makes an example's files. The directory is new and ours, and the names are checked; a link that an
// example makes is not followed by a later file of its own.
func lay(dir string, files []tool.ExampleFile) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // its files are closed
	for _, file := range files {
		if parent := filepath.Dir(file.Name); parent != "." {
			if err := root.MkdirAll(parent, 0o755); err != nil {
				return err
			}
		}
		if file.Link != "" {
			err = root.Symlink(file.Link, file.Name)
		} else {
			err = root.WriteFile(file.Name, []byte(file.Content), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// misfits says where a result is not what is expected.
func misfits(want tool.Expectation, got tool.Result) []string {
	var all []string
	note := func(what, why string) {
		if why != "" {
			all = append(all, what+": "+why)
		}
	}
	switch {
	case want.Error != "" && got.Error == nil:
		note("error", fmt.Sprintf("want %s, but the call %s", want.Error, howItEnded(got)))
	case want.Error != "" && got.Error.Code != want.Error:
		note("error", fmt.Sprintf("want %s, but the call %s", want.Error, howItEnded(got)))
	case want.Error == "" && got.Error != nil:
		note("exit", fmt.Sprintf("want %d, but the call %s", want.Exit, howItEnded(got)))
	case want.Error == "" && got.ExitCode != want.Exit:
		note("exit", fmt.Sprintf("want %d, but the call %s", want.Exit, howItEnded(got)))
	}
	note("stdout", want.Stdout.Misfit(got.Stdout))
	note("stderr", want.Stderr.Misfit(got.Stderr))
	return all
}

// howItEnded tells the end of a call in a few words.
func howItEnded(r tool.Result) string {
	if r.Error != nil {
		return "was not carried out: " + r.Error.Error()
	}
	said := strings.TrimSpace(r.Stderr)
	if said != "" {
		said = ": " + lastLine(said)
	}
	return fmt.Sprintf("ended with code %d%s", r.ExitCode, said)
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
