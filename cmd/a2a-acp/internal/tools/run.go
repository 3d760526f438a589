package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
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

func toolsRunCommand(env *cli.Environment) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run (TOOL | --batch FILE)",
		Short: "Run a tool, as an agent would have it run",
		Long: `run makes one call. It is checked, decided, recorded and confined exactly as
an agent's call. Typing it is the approval. A rejecting rule still rejects,
and a tool that requires confirmation asks on the terminal, or needs --yes.
Without a terminal, --wait waits up to ten minutes for an answer from
another one (a2a-acp approvals).

Without --json the tool's own output is printed as it is, while it comes. That of
a tool with retry or keep_kb, or whose output a governor looks at, comes at the end.

--as AGENT makes the call as that agent. It is decided by the rules for
agents, and where they ask, you are asked as the editor would ask you. It
prints what the model is offered, what you see, and what the model gets.
With --dry-run nothing runs.

--batch makes many calls, several at the same time. FILE holds a JSON list
of {"tool": …, "params": {…}}, or one such object on each line. Each call is
decided and recorded by itself, one that fails does not stop the others, and
the results are in the order of the file. The exit code is that of the first
call that failed.`,
		Example: `  a2a-acp tools run grep -p pattern=TODO -p path=src
  a2a-acp tools run web_request --params '{"url":"https://example.com"}'
  a2a-acp tools run grep --params @call.json --json
  a2a-acp tools run grep -p pattern=TODO --dry-run
  a2a-acp tools run grep -p pattern=TODO --as gemini
  a2a-acp tools run --batch calls.jsonl --json`,
		Args:              oneTool,
		ValidArgsFunction: cli.CompleteTools(env, &flags.tools),
	}
	cmd.Flags().StringArrayVarP(&flags.pairs, "param", "p", nil, "an argument, name=value; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("param", completeParameters(env, &flags.tools))
	cmd.Flags().StringVar(&flags.params, "params", "",
		"all arguments as a JSON object, @FILE, or - for standard input")
	cli.AddSources(cmd, &flags.tools, &flags.policies)
	cmd.Flags().StringVar(&flags.agent, "as", "",
		"call as this agent would (claude, codex, gemini, opencode), and show what its model and you would see")
	_ = cmd.RegisterFlagCompletionFunc("as",
		cobra.FixedCompletions(cli.AgentNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "confirm a tool that requires confirmation")
	cmd.Flags().BoolVar(&flags.wait, "wait", false,
		"if nobody can be asked here, wait for a2a-acp approvals at another terminal")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "show what would run; run nothing")
	cmd.Flags().StringVar(&flags.batch, "batch", "", "make the calls in this file; - for standard input")
	cmd.Flags().IntVar(&flags.atOnce, "at-once", 0,
		"how many calls of a batch run at the same time: 4 if not given, 64 at the most")
	asJSON := cmd.Flags().Bool("json", false, "print the whole result as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Or it would choose whose rules it is decided by.
		if found := person.Look(); flags.agent != "" && found.AgentsAct() {
			return cli.Fail(exit.Denied, found.Err())
		}
		// A reader that is gone, as head is, ends the printing and not us: how the call ends belongs on record.
		gone := make(chan os.Signal, 1)
		signal.Notify(gone, syscall.SIGPIPE)
		defer signal.Stop(gone)
		switch {
		case flags.batch == "" && len(args) == 1:
			return runTool(cmd.Context(), env, args[0], flags, *asJSON)
		case flags.batch == "":
			return cli.Fail(exit.Usage,
				errors.New("which tool? a2a-acp tools run TOOL, or --batch FILE; a2a-acp tools list shows them"))
		case len(args) > 0 || len(flags.pairs) > 0 || flags.params != "" || flags.dryRun:
			return cli.Fail(exit.Usage,
				errors.New("--batch FILE says what is called; leave TOOL, -p, --params and --dry-run out"))
		}
		return runBatch(cmd.Context(), env, flags, *asJSON)
	}
	return cmd
}

// oneTool refuses words behind the tool, which many would take for its arguments.
func oneTool(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return cli.Fail(exit.Usage, fmt.Errorf("arguments of a tool stand behind -p: a2a-acp tools run %s -p NAME=VALUE; found %s\n"+
		"hint: a2a-acp tools show %[1]s lists its parameters", display.Line(args[0]), display.Line(strings.Join(args[1:], " "))))
}

func runTool(ctx context.Context, env *cli.Environment, id string, flags runFlags, asJSON bool) (err error) {
	options := env.AppOptions(flags.tools, flags.policies)
	options.OnlyTool = id
	a, err := app.New(options)
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(ctx)) }()
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
	terminal := cli.NewTerminal(env, flags.yes).WithBoard(a.Questions, flags.wait)
	if asJSON {
		result := a.Executor.Execute(ctx, call, terminal)
		if err := cli.WriteData(env.Stdout, cli.FormatJSON, result.InText()); err != nil {
			return err
		}
		return env.Ends(cli.CodeOfResult(result))
	}
	live := &liveOutput{Terminal: terminal, env: env}
	var caller executor.Caller = live
	if entry, ok := a.Configuration().Tools.LookupIn(call.Workspace, id); ok {
		live.entry = entry.Tool.Source.String()
		if entry.Tool.Output.Keep > 0 {
			caller = terminal // what is printed is what its author has shortened
		}
	}
	return tellResult(env, live, a.Executor.Execute(ctx, call, caller))
}

// tellResult prints what a call came to that is not printed yet, and returns its exit code.
func tellResult(env *cli.Environment, live *liveOutput, result tool.Result) error {
	if err := live.finish(result); err != nil && !errors.Is(err, syscall.EPIPE) {
		return cli.Fail(exit.Host, fmt.Errorf("the tool ran, but its output cannot be written: %w", err))
	}
	if n, ok := result.Metadata.Diagnostics["attempts"].(int); ok {
		env.Say(fmt.Sprintf("that was attempt %d", n))
	}
	if result.Error != nil {
		env.Say(fmt.Sprintf("%s: %s", result.Error.Code, result.Error.Message))
		if result.Error.Code == tool.FailValidation {
			env.Say(fmt.Sprintf("hint: a2a-acp tools show %s lists its parameters; -p NAME=VALUE gives one", result.ToolID))
		}
	} else if result.ExitCode != 0 {
		env.Say(fmt.Sprintf("the tool ended with code %d%s", result.ExitCode, meaningOf(result)))
	}
	for _, line := range hints(result, live.entry) {
		env.Say(line)
	}
	sayMore(env, result)
	return env.Ends(cli.CodeOfResult(result))
}

// hints returns what the sandbox refused and what would allow it, what the call has changed that runs later, and, where the
// sandbox refused nothing, what to do about a failure. entry is where the tool stands, "" where that is told already.
func hints(result tool.Result, entry string) (lines []string) {
	refused := false
	for _, hint := range result.Metadata.Sandbox.Hints {
		switch {
		case hint.Refused != "":
			said := "hint: " + hint.String()
			if hint.Allow != "" && entry != "" {
				said += " (" + entry + ")"
			}
			lines, refused = append(lines, said), true
		case hint.Changed:
			lines = append(lines, display.Line(hint.Says))
		}
	}
	if cure, ok := result.Metadata.Diagnostics[tool.CureKey].(string); ok && !refused {
		lines = append(lines, "hint: "+display.Line(cure))
	}
	return lines
}

func meaningOf(result tool.Result) string {
	if result.MCPError == nil || result.MCPError.Message == "" || result.MCPError.Unmapped {
		return ""
	}
	return fmt.Sprintf(" (%s)", display.Line(strings.TrimSuffix(result.MCPError.Message+": "+
		result.MCPError.DetailText(), ": ")))
}

// sayMore says where output lies that was not passed on.
func sayMore(env *cli.Environment, result tool.Result) {
	blobs, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	for _, name := range slices.Sorted(maps.Keys(blobs)) {
		env.Say(fmt.Sprintf("all of %s, %d bytes, is in %s", name, blobs[name].Bytes, blobs[name].Path))
	}
	if why, ok := result.Metadata.Diagnostics[tool.BlobErrorKey].(string); ok {
		env.Say(display.Line(why))
	}
}

// newCall makes a call without arguments, as if the agent had made it when one is named.
func newCall(env *cli.Environment, id, agent string) tool.Call {
	o := env.AppOptions(nil, nil)
	call := tool.Call{
		Tool: id, Dir: o.Dir, Workspace: o.Dirs().Workspace(o.Dir, nil),
		Origin: tool.Origin{Door: tool.DoorCLI, Agent: agent, Headless: !cli.IsTerminal(env.Stdin)},
	}
	below := person.Look().AgentsAct()
	if agent != "" || below {
		call.Origin.Door = tool.DoorMCP // an agent typed it, so it is decided as an agent's call
	}
	if below {
		// What a person was asked at a terminal is another's.
		call.Origin.Principal = "some agent's own call of a2a-acp"
	}
	return call
}

// makeCall puts the arguments together.
func makeCall(env *cli.Environment, a *app.App, id string, flags runFlags) (tool.Call, error) {
	call := newCall(env, id, flags.agent)
	if flags.params != "" && len(flags.pairs) > 0 {
		return call, cli.Fail(exit.Usage, errors.New("give the arguments with -p or with --params, not with both"))
	}
	var err error
	if flags.params != "" {
		call.Arguments, err = readParams(env, flags.params)
	} else {
		call.Arguments, err = cli.PairsToJSON(env, a, id, flags.pairs)
	}
	if err != nil {
		return call, cli.Fail(exit.Usage, err)
	}
	return call, nil
}

// longestParams is how many bytes of arguments are read.
const longestParams = 64 << 20

// readParams reads the arguments as JSON: from the flag itself, a file, or standard input.
func readParams(env *cli.Environment, params string) (json.RawMessage, error) {
	var data []byte
	var err error
	switch {
	case params == "-":
		data, err = io.ReadAll(io.LimitReader(env.Stdin, longestParams))
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

// dryRun shows what would run and how it would be decided.
func dryRun(env *cli.Environment, a *app.App, call tool.Call, asJSON bool) error {
	preview, failure := a.Executor.Preview(call)
	if failure != nil {
		result := tool.Result{ToolID: call.Tool, Status: tool.StatusFailed, ExitCode: -1, Error: failure}
		env.Say(fmt.Sprintf("%s: %s", failure.Code, failure.Message))
		return env.Ends(cli.CodeOfResult(result))
	}
	if asJSON {
		return cli.WriteData(env.Stdout, cli.FormatJSON, preview)
	}
	if preview.Request != nil {
		fmt.Fprintf(env.Stdout, "decision: %s (%s%s)\n\n%s\n", preview.Decision.Result, preview.Decision.Source,
			cli.AtRule(preview.Decision), cli.Indent(display.Whole(preview.Shown)))
		for _, name := range slices.Sorted(maps.Keys(preview.Request.Given)) {
			fmt.Fprintf(env.Stdout, "  given, and not shown: %s = %s\n", name, display.Line(preview.Request.Given[name]))
		}
		return nil
	}
	fmt.Fprintf(env.Stdout, "decision: %s (%s%s)\nin:       %s\nlevel:    %s\n\n%s\n",
		preview.Decision.Result, preview.Decision.Source,
		cli.AtRule(preview.Decision), preview.Dir, preview.Sandbox.Level, cli.Indent(preview.Shown))
	for _, value := range preview.Values {
		fmt.Fprintf(env.Stdout, "  %s\n", display.Text(value))
	}
	if len(preview.Parameters) > 0 {
		fmt.Fprintf(env.Stdout, "  %s\n", display.Text(string(preview.Parameters)))
	}
	return nil
}
