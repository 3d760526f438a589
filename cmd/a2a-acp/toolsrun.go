package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// runFlags are what `tools run` takes.
type runFlags struct {
	pairs    []string
	params   string
	tools    []string
	policies []string
	agent    string
	batch    string
	atOnce   int
	yes      bool
	dryRun   bool
	wait     bool
}

func toolsRunCommand(env *environment) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run (TOOL | --batch FILE)",
		Short: "Run a tool, as an agent would have it run",
		Long: `run makes one call: it is validated, decided, recorded and confined exactly as an agent's. Your
typing it is the approval; a rejecting rule still rejects, and a tool that wants to be confirmed
asks on the terminal, or needs --yes. With --wait it waits where there is none, ten minutes at the
most, for an answer from another one (a2a-acp approvals).

Without --json the tool's own output is printed as it is.

--as AGENT makes the call as that agent's: it is decided by the rules for agents, and where they ask, you
are asked as the editor would ask you. It prints what the model is offered, what you see, and what the
model gets back. With --dry-run nothing runs.

--batch makes many calls, some at the same time: FILE holds a JSON list of {"tool": …, "params": {…}},
or one such object on each line. Each call is decided and recorded by itself, one that fails does not
stop the others, and the results stand in the order of the file. The exit code is that of the first
call that did not complete.`,
		Example: `  a2a-acp tools run grep -p pattern=TODO -p path=src
  a2a-acp tools run web_request --params '{"url":"https://example.com"}'
  a2a-acp tools run grep --params @call.json --json
  a2a-acp tools run grep -p pattern=TODO --dry-run
  a2a-acp tools run grep -p pattern=TODO --as gemini
  a2a-acp tools run --batch calls.jsonl --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTools(env, &flags.tools),
	}
	cmd.Flags().StringArrayVarP(&flags.pairs, "param", "p", nil, "an argument, name=value; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("param", completeParameters(env, &flags.tools))
	cmd.Flags().StringVar(&flags.params, "params", "", "all arguments as a JSON object, @FILE, or - for standard input")
	addSources(cmd, &flags.tools, &flags.policies)
	cmd.Flags().StringVar(&flags.agent, "as", "", "call as this agent would (claude, codex, gemini, opencode), and show what its model and you would see")
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(agentNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "confirm a tool that wants to be confirmed")
	cmd.Flags().BoolVar(&flags.wait, "wait", false, "where nobody can be asked, wait for a2a-acp approvals approve at another terminal")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "show what would run; run nothing")
	cmd.Flags().StringVar(&flags.batch, "batch", "", "make the calls of this file; - for standard input")
	cmd.Flags().IntVar(&flags.atOnce, "at-once", 0, "how many calls of a batch run at the same time: 4 if not given, 64 at the most")
	asJSON := cmd.Flags().Bool("json", false, "print the whole result as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if found := person.Look(); flags.agent != "" && found.AgentsAct() { // or it would choose whose rules it is decided by
			return fail(exit.Denied, found.Err())
		}
		switch {
		case flags.batch == "" && len(args) == 1:
			return runTool(cmd.Context(), env, args[0], flags, *asJSON)
		case flags.batch == "":
			return fail(exit.Usage, errors.New("which tool? a2a-acp tools run TOOL, or --batch FILE; a2a-acp tools list shows them"))
		case len(args) > 0 || len(flags.pairs) > 0 || flags.params != "" || flags.dryRun:
			return fail(exit.Usage, errors.New("--batch FILE says what is called; leave TOOL, -p, --params and --dry-run out"))
		}
		return runBatch(cmd.Context(), env, flags, *asJSON)
	}
	return cmd
}

func runTool(ctx context.Context, env *environment, id string, flags runFlags, asJSON bool) (err error) {
	a, err := app.New(env.appOptions(flags.tools, flags.policies))
	if err != nil {
		return fail(startCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	call, err := makeCall(env, a, id, flags)
	if err != nil {
		return err
	}
	if flags.agent != "" {
		return runAs(ctx, env, a, call, flags, asJSON)
	}
	if flags.dryRun {
		return dryRun(env, a, call, asJSON)
	}
	result := a.Executor.Execute(ctx, call, newTerminal(env, flags.yes).beside(a.Questions, flags.wait))
	if asJSON {
		if err := writeData(env.stdout, formatJSON, result.InText()); err != nil {
			return err
		}
		return env.ends(codeOfResult(result))
	}
	if _, err := io.WriteString(env.stdout, result.Stdout); err != nil {
		return fail(exit.Host, fmt.Errorf("the tool ran, but its output cannot be written: %w", err))
	}
	fmt.Fprint(env.stderr, result.Stderr)
	if n, ok := result.Metadata.Diagnostics["attempts"].(int); ok {
		env.say(fmt.Sprintf("that was attempt %d", n))
	}
	if result.Error != nil {
		env.say(fmt.Sprintf("%s: %s", result.Error.Code, result.Error.Message))
	} else if result.ExitCode != 0 {
		env.say(fmt.Sprintf("the tool ended with code %d%s", result.ExitCode, meaningOf(result)))
	}
	refused := false
	for _, hint := range result.Metadata.Sandbox.Hints {
		switch {
		case hint.Refused != "":
			env.say("hint: " + hint.String())
			refused = true
		case hint.Changed:
			env.say(display.Line(hint.Says))
		}
	}
	sayMore(env, result, refused)
	return env.ends(codeOfResult(result))
}

func meaningOf(result tool.Result) string {
	if result.MCPError == nil || result.MCPError.Message == "" || result.MCPError.Unmapped {
		return ""
	}
	return fmt.Sprintf(" (%s)", display.Line(strings.TrimSuffix(result.MCPError.Message+": "+result.MCPError.DetailText(), ": ")))
}

// sayMore says what to do about a failure, unless the sandbox has said it better, and where output lies that was not passed on.
func sayMore(env *environment, result tool.Result, refused bool) {
	if cure, ok := result.Metadata.Diagnostics[tool.CureKey].(string); ok && !refused {
		env.say("hint: " + display.Line(cure))
	}
	blobs, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	for _, name := range slices.Sorted(maps.Keys(blobs)) {
		env.say(fmt.Sprintf("all of %s, %d bytes, is in %s", name, blobs[name].Bytes, blobs[name].Path))
	}
	if why, ok := result.Metadata.Diagnostics[tool.BlobErrorKey].(string); ok {
		env.say(display.Line(why))
	}
}

// startCode gives the exit code of an App that could not be started.
func startCode(err error) int {
	if len(yamldoc.List(err)) > 0 {
		return exit.Usage
	}
	return exit.Host
}

// newCall makes a call without arguments, as if the agent had made it when one is named.
func newCall(env *environment, id, agent string) tool.Call {
	o := env.appOptions(nil, nil)
	call := tool.Call{
		Tool: id, Dir: o.Dir, Workspace: o.Dirs().Workspace(o.Dir, nil),
		Origin: tool.Origin{Door: tool.DoorCLI, Agent: agent, Headless: !isTerminal(env.stdin)},
	}
	below := person.Look().AgentsAct()
	if agent != "" || below {
		call.Origin.Door = tool.DoorMCP // an agent typed it, so it is decided as an agent's call
	}
	if below {
		call.Origin.Principal = "some agent's own call of a2a-acp" // what a person was asked at a terminal is another's
	}
	return call
}

// makeCall puts the arguments together.
func makeCall(env *environment, a *app.App, id string, flags runFlags) (tool.Call, error) {
	call := newCall(env, id, flags.agent)
	if flags.params != "" && len(flags.pairs) > 0 {
		return call, fail(exit.Usage, errors.New("give the arguments with -p or with --params, not with both"))
	}
	var err error
	if flags.params != "" {
		call.Arguments, err = readParams(env, flags.params)
	} else {
		call.Arguments, err = pairsToJSON(env, a, id, flags.pairs)
	}
	if err != nil {
		return call, fail(exit.Usage, err)
	}
	return call, nil
}

// longestParams is how many bytes of arguments are read.
const longestParams = 64 << 20

// readParams reads the arguments as JSON: from the flag itself, a file, or standard input.
func readParams(env *environment, params string) (json.RawMessage, error) {
	var data []byte
	var err error
	switch {
	case params == "-":
		data, err = io.ReadAll(io.LimitReader(env.stdin, longestParams))
	case strings.HasPrefix(params, "@"):
		data, err = os.ReadFile(params[1:])
	default:
		data = []byte(params)
	}
	if err != nil {
		return nil, fmt.Errorf("--params: %w", err)
	}
	return json.RawMessage(bytes.TrimSpace(data)), nil
}

// pairsToJSON makes an object of name=value pairs. A value is taken for what its parameter is: text for a string, JSON for
// everything else.
func pairsToJSON(env *environment, a *app.App, id string, pairs []string) (json.RawMessage, error) {
	types := map[string]tool.Type{}
	o := env.appOptions(nil, nil)
	if entry, ok := a.Configuration().Tools.LookupIn(o.Dirs().Workspace(o.Dir, nil), id); ok {
		for _, p := range entry.Tool.Parameters {
			types[p.Name] = p.Type
		}
	}
	object := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("-p %s: want name=value", pair)
		}
		if !utf8.ValidString(pair) { // JSON would put another character in the place of each byte, and the tool would get another value
			return nil, fmt.Errorf("-p %q: the value is not UTF-8, and a tool's parameters are; hand bytes on as base64, or in a file", name)
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("-p %s is given twice; a list is given as JSON: -p %s='[\"a\",\"b\"]'", name, name)
		}
		if t := types[name]; t != "" && t != tool.TypeString && json.Valid([]byte(value)) {
			object[name] = json.RawMessage(value)
			continue
		}
		object[name] = value
	}
	return json.Marshal(object)
}

// dryRun shows what would run and how it would be decided.
func dryRun(env *environment, a *app.App, call tool.Call, asJSON bool) error {
	preview, failure := a.Executor.Preview(call)
	if failure != nil {
		result := tool.Result{ToolID: call.Tool, Status: tool.StatusFailed, ExitCode: -1, Error: failure}
		env.say(fmt.Sprintf("%s: %s", failure.Code, failure.Message))
		return env.ends(codeOfResult(result))
	}
	if asJSON {
		return writeData(env.stdout, formatJSON, preview)
	}
	fmt.Fprintf(env.stdout, "decision: %s (%s%s)\nin:       %s\nlevel:    %s\n\n%s\n", preview.Decision.Result, preview.Decision.Source,
		atRule(preview.Decision), preview.Dir, preview.Sandbox.Level, indent(preview.Shown))
	for _, value := range preview.Values {
		fmt.Fprintf(env.stdout, "  %s\n", display.Text(value))
	}
	if len(preview.Parameters) > 0 {
		fmt.Fprintf(env.stdout, "  %s\n", display.Text(string(preview.Parameters)))
	}
	return nil
}

func atRule(d tool.DecisionSummary) string {
	if d.Rule == "" {
		return ""
	}
	return fmt.Sprintf(", rule %s at %s", d.Rule, d.At)
}
