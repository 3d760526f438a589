package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// sandboxDetails is what a tool's calls may touch, in `tools show -o json`. Of variables only the names are
// told.
type sandboxDetails struct {
	Network     bool            `json:"network"`
	Paths       []allowedDetail `json:"allowed_paths"`
	Commands    []string        `json:"allowed_commands,omitempty"`
	Sockets     []string        `json:"sockets,omitempty"`
	Environment []string        `json:"environment_variables,omitempty"`
	Require     []string        `json:"require,omitempty"`
	BestEffort  bool            `json:"best_effort"`
	Strict      bool            `json:"strict"`
}

type allowedDetail struct {
	Path   string `json:"path"`
	Access string `json:"access"`
}

func shownSandbox(s tool.Sandbox) sandboxDetails {
	d := sandboxDetails{
		Network: s.Network == tool.NetworkOn, Paths: []allowedDetail{}, Commands: s.Commands, Sockets: s.Sockets,
		Environment: slices.Sorted(maps.Keys(s.Environment)), Require: s.Require, BestEffort: s.BestEffort,
		Strict: s.Strict,
	}
	for _, path := range s.AllowedPaths {
		d.Paths = append(d.Paths, allowedDetail{path.Path,
			map[bool]string{true: "read", false: "write"}[path.ReadOnly]})
	}
	return d
}

// verdictOf decides an agent's call of a tool here, as far as it can be told without arguments.
func verdictOf(env *cli.Environment, set *config.Set, t *tool.Tool) tool.DecisionSummary {
	o := env.AppOptions(nil, nil)
	authority := permissions.New(permissions.Options{Policies: permissions.NewSet(set.Policies),
		Commands: set.Commands,
		Home:     env.Getenv("HOME")})
	return authority.Decide(permissions.Request{
		Door: tool.DoorMCP, Action: permissions.ActionCall, Tools: []string{t.ID}, Dir: o.Dir,
		Workspace: o.Dirs().Workspace(o.Dir, nil),
		ReadOnly:  t.IsReadOnly(), RequiresConfirmation: t.Sandbox.RequiresConfirmation,
	}).Summary()
}

// writeVerdict tells how an agent's call would be decided.
func writeVerdict(w io.Writer, d tool.DecisionSummary) {
	fmt.Fprintf(w, "\nAn agent's call here\n  %s (%s%s)", d.Result, d.Source, cli.AtRule(d))
	if d.Reason != "" {
		fmt.Fprintf(w, ": %s", display.Line(d.Reason))
	}
	fmt.Fprintln(w, "\n  a rule about paths or values may decide otherwise; -p name=value tells")
}

// writeOutcomes tells what exit codes mean, and which examples there are.
func writeOutcomes(w io.Writer, t *tool.Tool) {
	if len(t.ErrorMapping) > 0 {
		fmt.Fprintln(w, "\nExit codes")
		for _, code := range slices.Sorted(maps.Keys(t.ErrorMapping)) {
			m := t.ErrorMapping[code]
			if m.If != "" {
				fmt.Fprintf(w, "  if %s\n    ", display.Line(m.If))
			} else {
				fmt.Fprintf(w, "  %d  ", code)
			}
			fmt.Fprintf(w, "%s (%d)%s\n", display.Line(m.Message), m.Code,
				map[bool]string{true: ", trying again may help"}[m.Retryable])
		}
	}
	if len(t.Examples) > 0 {
		fmt.Fprintln(w, "\nExamples")
		for _, x := range t.Examples {
			if x.Text != "" {
				fmt.Fprintf(w, "  %s\n", display.Line(x.Text))
				continue
			}
			fmt.Fprintf(w, "  %s  %s\n", display.Line(x.Name), display.Line(string(x.Arguments)))
		}
	}
}

// showCall shows what a call with these arguments would be: decided as an agent's, and not carried out.
func showCall(env *cli.Environment, id string, pairs, files []string, f cli.Format) (err error) {
	a, err := app.New(env.AppOptions(files, nil))
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(context.Background())) }()
	call, err := makeCall(env, a, id, runFlags{pairs: pairs})
	if err != nil {
		return err
	}
	call.Origin.Door = tool.DoorMCP
	preview, failure := a.Executor.Preview(call)
	if failure != nil {
		env.Say(fmt.Sprintf("%s: %s", failure.Code, failure.Message))
		return cli.Silent(cli.CodeOfResult(tool.Result{Error: failure}))
	}
	switch f {
	case cli.FormatTable:
	case formatCurl:
		entry, _ := a.Configuration().Tools.LookupIn(call.Workspace, id) // it has just been previewed
		var api tool.API
		if entry != nil && entry.Tool.HTTP != nil {
			api = entry.Tool.HTTP.API
		}
		if err := writeCurl(env.Stdout, preview.Request, api); err != nil {
			return cli.Fail(exit.Usage, err)
		}
		return nil
	default:
		return cli.WriteData(env.Stdout, f, preview)
	}
	w := env.Stdout
	fmt.Fprintf(w, "%s\n\nAn agent's call here\n  %s (%s%s)", id, preview.Decision.Result,
		preview.Decision.Source, cli.AtRule(preview.Decision))
	if preview.Decision.Reason != "" {
		fmt.Fprintf(w, ": %s", display.Line(preview.Decision.Reason))
	}
	if preview.ScriptPreview != nil {
		fmt.Fprintf(w, "\n  in %s, confined at level %s, network: %s", preview.Dir, preview.Sandbox.Level,
			map[bool]string{true: "yes", false: "no"}[preview.Sandbox.Network])
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "\nAs a person reads it\n%s\n", cli.Indent(display.Whole(preview.Shown)))
	if preview.Request != nil {
		return nil
	}
	if preview.Script != "" {
		fmt.Fprintf(w, "\nAs it runs\n%s\n", cli.Indent(preview.Script))
	}
	writeWords(w, preview.Argv)
	writeValues(w, preview.Values, preview.Parameters)
	return nil
}

// writeWords lists the words of a program, each as it is.
func writeWords(w io.Writer, words []string) {
	if len(words) > 0 {
		fmt.Fprintln(w, "\nIts words")
	}
	for i, word := range words {
		fmt.Fprintf(w, "  %d  %s\n", i, strings.ReplaceAll(display.Text(word), "\n", "\n     "))
	}
}

// shownExec is the program of a tool in place of a script, in `tools show -o json`.
type shownExec struct {
	Command string   `json:"command"`
	Argv    []string `json:"argv"`
	Ended   bool     `json:"end_of_flags,omitempty"`
	SHA256  string   `json:"sha256,omitempty"`
	Pin     bool     `json:"pin"`
}

// shownA2A is the remote agent of a tool, likewise.
type shownA2A struct {
	URL   string `json:"url"`
	Skill string `json:"skill,omitempty"`
}

func a2aDetails(t *tool.Tool) *shownA2A {
	if t.A2A == nil {
		return nil
	}
	return &shownA2A{t.A2A.URL, t.A2A.Skill}
}

func execDetails(t *tool.Tool) *shownExec {
	if t.Exec == nil {
		return nil
	}
	return &shownExec{t.Exec.Command, append([]string{}, t.Exec.Argv...), t.Exec.EndOfFlags, t.Exec.SHA256, t.Exec.Pin}
}

// writeWork tells what a tool runs: its script, or its program with the flags that calls may give.
func writeWork(w io.Writer, t *tool.Tool) {
	if t.HTTP != nil {
		fmt.Fprintf(w, "\nRequest\n  %s\n", display.Line(t.HTTP.Line))
		return
	}
	if t.A2A != nil {
		fmt.Fprintf(w, "\nRemote agent\n  %s\n", display.Line(strings.TrimSpace(t.A2A.URL+" "+t.A2A.Skill)))
		return
	}
	if t.Exec == nil {
		fmt.Fprintf(w, "\nScript\n%s\n", cli.Indent(t.Script))
		return
	}
	words := append([]string{t.Exec.Command}, t.Exec.Argv...)
	for _, p := range t.Parameters {
		if p.Flag != "" {
			words = append(words, "["+p.Flag+"]")
		}
	}
	fmt.Fprintf(w, "\nProgram\n  %s\n", display.Line(strings.Join(words, " ")))
	if t.Exec.SHA256 != "" {
		fmt.Fprintf(w, "  sha256 %s%s\n", t.Exec.SHA256, map[bool]string{true: ", or it does not run"}[t.Exec.Pin])
	}
}

// writeValues lists what a script refers to, in its order.
func writeValues(w io.Writer, values []string, parameters json.RawMessage) {
	if len(values) == 0 && len(parameters) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWith the values")
	for i, value := range values {
		fmt.Fprintf(w, "  %d  %s\n", i, strings.ReplaceAll(display.Text(value), "\n", "\n     "))
	}
	if len(parameters) > 0 {
		fmt.Fprintf(w, "  %s\n", display.Text(string(parameters)))
	}
}
