package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	record "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// explainFlags are the flags of `policy explain`.
type explainFlags struct {
	tools, policies []string
	tool, shell     string
	pairs, paths    []string
	write           bool
	agent           string
	principal       string
	confined        bool
	audit           int64
}

func policyExplainCommand(env *cli.Environment) *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:   "explain [CALL.json]",
		Short: "Explain how an act of an agent would be decided, rule by rule",
		Long: `explain decides an act as if an agent had asked for it in the current directory. For every rule it
prints whether it matches, or the first condition that does not, with the value that was found. Then it
lists the governors that would be asked, and what each could change. It does nothing and asks nobody.
With --as it also says what that agent does by itself, without asking.

CALL is a file with one act, as JSON or YAML: {"tool": …, "params": {…}}, {"command": …}, {"argv": […]},
optionally with path, paths, dir, env, agent, principal, mode and headless. --audit explains a recorded act, by the
number that audit list prints, as the current rules would decide it.`,
		Example: `  a2a-acp policy explain --shell 'git status && rm -rf build'
  a2a-acp policy explain --path .github/workflows/ci.yml --write
  a2a-acp policy explain --as claude --path .env
  a2a-acp policy explain --tool web_request -p url=https://example.com
  a2a-acp policy explain --policies ./stricter.yaml --shell 'ls'
  a2a-acp policy explain call.json
  a2a-acp policy explain --audit 412`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json", "yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringArrayVar(&flags.tools, "tools", nil,
		"a tools file, in addition to the others; may be repeated")
	cmd.Flags().StringArrayVar(&flags.policies, "policies", nil,
		"a policy file, in addition to the others; may be repeated")
	cmd.Flags().StringVar(&flags.shell, "shell", "", "a command text that the agent would run")
	cmd.Flags().StringArrayVar(&flags.paths, "path", nil, "a file that the agent would read; may be repeated")
	cmd.Flags().BoolVar(&flags.write, "write", false, "the files of --path would be written")
	cmd.Flags().StringVar(&flags.tool, "tool", "",
		"a tool that the agent would call, or acp.search and the like for an act of its own")
	cmd.Flags().StringArrayVarP(&flags.pairs, "param", "p", nil,
		"an argument of the tool, name=value; may be repeated")
	cmd.Flags().StringVar(&flags.agent, "as", "", "the agent that would do it")
	cmd.Flags().StringVar(&flags.principal, "principal", "", "the principal of the daemon (a2a-acp serve) that would ask for it")
	cmd.Flags().BoolVar(&flags.confined, "confined", false, "the agent would be in its sandbox (bridge --confine)")
	cmd.Flags().Int64Var(&flags.audit, "audit", 0, "the number of an act on record")
	_ = cmd.RegisterFlagCompletionFunc("tool", cli.CompleteTools(env, &flags.tools))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		asked := len(args)
		for _, name := range []string{"shell", "path", "tool", "audit"} {
			if cmd.Flags().Changed(name) {
				asked++
			}
		}
		switch {
		case flags.tool != "" && len(flags.paths) > 0:
			return cli.Fail(exit.Usage,
				errors.New("--path is an act of its own, reading or writing that file; "+
					"with --tool, name the file as the tool does: -p path=FILE"))
		case asked > 1:
			return cli.Fail(exit.Usage,
				errors.New("one act at a time: give a file, or one of --shell, --path, --tool and --audit"))
		case asked == 0:
			return cli.Fail(exit.Usage,
				errors.New("which act? Give a file, or one of --shell, --path, --tool and --audit"))
		case flags.write && len(flags.paths) == 0:
			return cli.Fail(exit.Usage, errors.New("--write is about the files of --path"))
		case len(flags.pairs) > 0 && flags.tool == "":
			return cli.Fail(exit.Usage, errors.New("-p is about the arguments of --tool"))
		}
		if cmd.Flags().Changed("audit") {
			return explainRecorded(env, flags, *f)
		}
		return explainPolicy(env, func(a *app.App) (permissions.Request, error) {
			if len(args) == 1 {
				return requestInFile(env, a, args[0])
			}
			return explainedRequest(env, a, cmd.Flags().Changed("shell"), flags)
		}, flags, *f)
	}
	return cmd
}

// explainPolicy decides the act and tells why. What makes the request is called once everything is read.
func explainPolicy(env *cli.Environment, make func(*app.App) (permissions.Request, error), flags explainFlags,
	f cli.Format) (err error) {
	a, err := app.New(env.AppOptions(flags.tools, flags.policies))
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(context.Background())) }()
	request, err := make(a)
	if err != nil {
		return err
	}
	decision := a.Gate.Decide(request)
	e := explanationOf(request, decision, a.Configuration().Governors.Candidates(replay.ReviewOf(request, decision)))
	switch {
	case request.Confined && request.Action == permissions.ActionRead && decision.Verdict == permissions.Reject:
		e.Hidden, e.Unenforced = whatIsHidden(a, request)
	case request.Agent != "" && decision.Verdict != permissions.Approve && request.Action != permissions.ActionCall:
		held := agents.Holds(request.Agent, string(request.Action))
		e.Unenforced = fmt.Sprintf("%s. Where it does not ask, it is on record as %s; %s", held.But,
			map[bool]string{true: "a violation", false: "seen"}[decision.Verdict == permissions.Reject], held.Cure)
	}
	return e.print(env, f)
}

// whatIsHidden says which files of a request a confined agent does not see, since rules keep it from reading
// them, and which it does.
func whatIsHidden(a *app.App, request permissions.Request) (hidden, seen string) {
	found := a.Configuration().Authority.Unreadable(request.Workspace, filepath.WalkDir)
	var covered, open []string
	for _, path := range request.Paths {
		real, err := permissions.Resolve(request.Dir, path.Name)
		isHidden := err == nil && slices.ContainsFunc(found.Paths, func(h string) bool {
			return real == h || strings.HasPrefix(real, h+"/")
		})
		if isHidden {
			covered = append(covered, display.Line(path.Name))
		} else {
			open = append(open, display.Line(path.Name))
		}
	}
	if len(covered) > 0 {
		hidden = "a confined agent does not see " + strings.Join(covered, ", ")
	}
	if len(open) > 0 {
		seen = strings.Join(open, ", ") + " is not hidden from a confined agent as things are: its own commands can read a file " +
			"that comes after it was started, or that its sandbox shows for another reason than the workspace"
	}
	return hidden, seen
}

// explainRecorded explains an act of the record, as far as the record holds what the rules look at.
func explainRecorded(env *cli.Environment, flags explainFlags, f cli.Format) error {
	judge, err := app.NewJudge(env.AppOptions(flags.tools, flags.policies), false)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	acts, err := (&record.ActFilter{}).Acts(env)
	if err != nil {
		env.Say(err.Error()) // the act may be whole all the same
	}
	act, known := replay.ReadBackAct(record.Find(acts, []string{strconv.FormatInt(flags.audit, 10)}), judge.Set.Commands)
	if !known {
		return cli.Fail(exit.Usage,
			fmt.Errorf("number %d of the record is no act that rules decided; a2a-acp audit list lists them", flags.audit))
	}
	if act.Untold != "" {
		return cli.Fail(exit.Usage, fmt.Errorf("number %d cannot be decided again: %s", flags.audit, act.Untold))
	}
	act.Time = env.Now() // by the rules of now
	decision, untold := judge.Decide(act)
	told := explanationOf(act.Request, decision, judge.Candidates(act.Request, decision))
	then := act.Entry.Decision
	told.Then = &then.DecisionSummary
	told.Untold = untold
	return told.print(env, f)
}

// requestInFile is the act that a file tells of.
func requestInFile(env *cli.Environment, a *app.App, name string) (permissions.Request, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return permissions.Request{}, cli.Fail(exit.Usage, fmt.Errorf("there is no file %s; "+
			"an act that stands in none is told by --tool, --path or --shell", display.Line(name)))
	}
	file, err := config.ReadFile(name, tool.LayerFlag)
	if err != nil {
		return permissions.Request{}, cli.Fail(exit.Usage, err)
	}
	call, err := config.ReadCall(file)
	if err != nil {
		return permissions.Request{}, cli.Fail(exit.Usage, err)
	}
	return requestOf(env, a, call)
}

// requestOf is an act that is told in few words, in the current directory unless it says another workspace: of a tool as
// the executor would see it.
func requestOf(env *cli.Environment, a *app.App, call permissions.Example) (permissions.Request, error) {
	o := env.AppOptions(nil, nil)
	workspace, dir := o.Dirs().Workspace(o.Dir, nil), o.Dir
	if call.Workspace != "" {
		workspace = call.In(workspace, o.Getenv("HOME"))
		dir = workspace.Root
	}
	// What agents ask the editor to do has the ids of shipped tools, and is another act.
	if _, ours := a.Configuration().Tools.LookupIn(workspace, call.Tool); !ours ||
		permissions.KnownTool(call.Tool) {
		if call.Tool != "" && !permissions.KnownTool(call.Tool) {
			return permissions.Request{},
				cli.Fail(exit.Usage,
					fmt.Errorf("%s: there is no tool %q; a2a-acp tools list lists them",
						call.Source, call.Tool))
		}
		request := call.Request(workspace, a.Set().Commands)
		if call.Dir == "" {
			request.Dir = dir
		}
		return request, nil
	}
	arguments := []byte("{}")
	if call.Arguments != nil {
		var err error
		if arguments, err = json.Marshal(call.Arguments); err != nil {
			return permissions.Request{}, cli.Fail(exit.Usage, err)
		}
	}
	made := tool.Call{
		Tool: call.Tool, Arguments: arguments, Dir: dir, Workspace: workspace,
		Origin: tool.Origin{Door: tool.DoorMCP, Agent: call.Agent, Mode: call.Mode, Headless: call.Headless,
			Principal: call.Principal, Served: call.Principal != ""},
	}
	if _, failure := a.Executor.Preview(made); failure != nil {
		return permissions.Request{}, cli.Fail(exit.Usage, fmt.Errorf("%s: %s", call.Source, failure.Message))
	}
	return a.Executor.Request(made), nil
}

// explainedRequest is the act that the flags tell of, as the bridge would see it.
func explainedRequest(env *cli.Environment, a *app.App, shell bool, flags explainFlags) (permissions.Request,
	error) {
	o := env.AppOptions(nil, nil)
	request := permissions.Request{Door: tool.DoorACP, Agent: flags.agent, Confined: flags.confined, Dir: o.Dir,
		Principal: flags.principal, Served: flags.principal != "",
		TakesProfile: true, // as for an agent whose hooks ask; the answer says so
		Workspace:    o.Dirs().Workspace(o.Dir, nil), Commands: a.Set().Commands}
	switch {
	case shell:
		request.Action, request.Tools = permissions.ActionExecute, []string{"functions.shell"}
		request.SetShellText(flags.shell)
		request.Arguments = map[string]any{"command": flags.shell}
	case flags.tool != "":
		_, ours := a.Configuration().Tools.LookupIn(request.Workspace, flags.tool)
		if !ours && !permissions.KnownTool(flags.tool) {
			return request, cli.Fail(exit.Usage, fmt.Errorf("there is no tool %q; a2a-acp tools list lists them; "+
				"what agents do themselves is %s, or mcp.SERVER.TOOL", flags.tool, strings.Join(permissions.KnownTools(), ", ")))
		}
		arguments, err := cli.PairsToJSON(env, a, flags.tool, flags.pairs)
		if err != nil {
			return request, cli.Fail(exit.Usage, err)
		}
		if !ours { // the agent asks before it does it itself
			act := permissions.Example{Tool: flags.tool, Agent: flags.agent, Principal: flags.principal, Confined: flags.confined}
			if err := json.Unmarshal(arguments, &act.Arguments); err != nil {
				return request, cli.Fail(exit.Usage, err)
			}
			request = act.Request(request.Workspace, request.Commands)
			request.Dir, request.Prompt = o.Dir, true
			return request, nil
		}
		call := tool.Call{Tool: flags.tool, Arguments: arguments, Dir: o.Dir, Workspace: request.Workspace,
			Origin: tool.Origin{Door: tool.DoorMCP, Agent: flags.agent,
				Principal: flags.principal, Served: flags.principal != ""}}
		if _, failure := a.Executor.Preview(call); failure != nil {
			return request, cli.Fail(exit.Usage, errors.New(failure.Message))
		}
		request = a.Executor.Request(call)
	default:
		request.Action, request.Tools = permissions.ActionRead, []string{"functions.acp_fs__read_text_file"}
		if flags.write {
			request.Action, request.Tools = permissions.ActionWrite, []string{"functions.acp_fs__write_text_file"}
		}
		for _, path := range flags.paths {
			request.Paths = append(request.Paths, permissions.Path{Name: path, Write: flags.write})
		}
	}
	return request, nil
}

// explanation is a decision as `policy explain` tells it.
type explanation struct {
	Decision string `json:"decision"`
	Source   string `json:"source"`
	Rule     string `json:"rule,omitempty"`
	At       string `json:"at,omitempty"`
	Reason   string `json:"reason"`
	Asked    string `json:"asked,omitempty"` // who would be asked
	// Unenforced says what the agent could do all the same, where it does not ask first; "" for an act that
	// nobody does but we and the editor, and where no agent was named.
	Unenforced string            `json:"unenforced,omitempty"`
	Hidden     string            `json:"hidden,omitempty"` // what of it the agent does not even see
	Commands   []string          `json:"commands,omitempty"`
	Reasons    []explainedReason `json:"reasons"`
	// Governors would be asked next, before any person. None was.
	Governors []governor.Candidate `json:"governors"`
	// Then is what was decided, of an act of the record, and Untold why nobody can tell what would be now.
	Then   *tool.DecisionSummary `json:"then,omitempty"`
	Untold string                `json:"untold,omitempty"`
	Policy string                `json:"policy_sha256"`
}

// explainedReason is what one rule thought.
type explainedReason struct {
	permissions.Reason
	Decision string `json:"decision"` // what it says where it matches
}

func explanationOf(r permissions.Request, d permissions.Decision, governors []governor.Candidate) explanation {
	e := explanation{
		Decision: d.Verdict.String(), Source: string(d.Source), Rule: d.Rule, At: d.At, Reason: d.Reason,
		Policy:   d.Policy,
		Commands: r.ShownCommands(), Reasons: make([]explainedReason, 0, len(d.Reasons)), Governors: governors,
	}
	if d.Obligation.Profile != "" {
		e.Reason += "; " + d.Obligation.Why
	}
	if d.Verdict == permissions.Ask {
		// Whether an agent works in an editor or in a terminal stands in no request.
		e.Asked = "a person: in the editor or client of the agent, or with a2a-acp approvals; where there is nobody, it is denied"
		switch {
		case r.Headless:
			e.Asked = "nobody, so it is denied"
		case r.Door == tool.DoorCLI:
			e.Asked = "the person at the terminal, or with a2a-acp approvals; where there is nobody, it is denied"
		}
	}
	for _, reason := range d.Reasons {
		e.Reasons = append(e.Reasons, explainedReason{reason, reason.Verdict.String()})
	}
	return e
}

// print writes the explanation in the form that was asked for.
func (e explanation) print(env *cli.Environment, f cli.Format) error {
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, e)
	}
	e.write(env)
	return nil
}

func (e explanation) write(env *cli.Environment) {
	w := env.Stdout
	if e.Then != nil {
		fmt.Fprintf(w, "was:      %s (%s%s)\n", e.Then.Result, e.Then.Source, cli.AtRule(*e.Then))
	}
	if e.Untold != "" {
		fmt.Fprintf(w, "unknown:  %s\n", display.Line(e.Untold))
	}
	fmt.Fprintf(w, "decision: %s (%s%s)\n", e.Decision, e.Source,
		cli.AtRule(tool.DecisionSummary{Rule: e.Rule, At: e.At}))
	for _, line := range []struct{ name, text string }{
		{"because:", e.Reason}, {"asked:", e.Asked}, {"hidden:", e.Hidden}, {"but:", e.Unenforced},
	} {
		if line.text != "" {
			fmt.Fprintln(w, cli.Fold(w, fmt.Sprintf("%-9s %s", line.name, display.Line(line.text)), 10))
		}
	}
	for i, command := range e.Commands {
		fmt.Fprintf(w, "%-9s %s\n", map[bool]string{true: "runs:"}[i == 0], command)
	}
	fmt.Fprintln(w)
	out := cli.Table{Head: []string{"LAYER", "RULE", "SAYS", "MATCHES", "AT", "WHY"}, Whole: true}
	for _, r := range e.Reasons {
		matches := "no"
		if r.Matched {
			matches = "yes"
		}
		if r.Observed {
			matches = "watched"
		}
		out.Add(r.Layer, display.Line(r.Rule), r.Decision, matches, env.Short(r.At), display.Line(r.Why))
	}
	out.Write(w)
	e.writeGovernors(env)
}

// writeGovernors tells who would be asked after the rules.
func (e explanation) writeGovernors(env *cli.Environment) {
	if len(e.Governors) == 0 {
		return
	}
	fmt.Fprintln(env.Stdout, "\nThen these governors would be asked. None was: explain runs no program and reaches nobody.")
	out := cli.Table{Head: []string{"GOVERNOR", "TYPE", "COULD", "AT"}}
	for _, g := range e.Governors {
		var could []string
		for _, verdict := range g.Could {
			could = append(could, map[string]string{"reject": "reject it", "ask": "have a person asked",
				"approve": "approve it in the person's place"}[verdict])
		}
		if len(could) == 0 {
			could = []string{"only add its reasons"}
		}
		out.Add(display.Line(g.Governor), g.Type, strings.Join(could, ", "), env.Short(g.At))
	}
	out.Write(env.Stdout)
}
