package main

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func policyCommand(env *environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check policies, and explain what they decide",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(policyCheckCommand(env), policyExplainCommand(env))
	return cmd
}

// ruleShadowed is the id of the message about a rule that can never decide.
const ruleShadowed = "shadowed-rule"

func policyCheckCommand(env *environment) *cobra.Command {
	return checkCommand(env, &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Check policy and governors files: every mistake at once, and rules that can never decide",
		Long: `check reads files of policies and of governors as the program does, and prints every mistake as
file:line:column: message [rule]. A rule that can never decide, because another one always does, is a
warning. Without a file it checks all the configuration that is in use.`,
		Example: `  a2a-acp policy check ./auto_approval_policies.yaml
  a2a-acp policy check ./governors.yaml
  a2a-acp policy check -o json`,
	}, "rules and governors", checkPolicies)
}

// checkPolicies reads the files, or all the configuration when there are none, and gives everything that is to be said,
// with the number of rules and governors.
func checkPolicies(env *environment, names []string) (config.Errors, int, error) {
	var files []permissions.File
	var found config.Errors
	rules := 0
	if len(names) == 0 {
		set, err := config.Load(app.Sources(env.appOptions(nil, nil)))
		if err != nil {
			return toList(err)
		}
		files = set.Policies
		for _, governors := range set.Governors {
			rules += len(governors.Permission) + len(governors.Output)
		}
		for _, warning := range set.Warnings {
			if governorsSaid(set, warning) {
				found = append(found, warning)
			}
		}
	}
	for _, name := range names {
		file, err := config.ReadFile(name, tool.LayerFlag)
		var policies permissions.File
		if err == nil && config.IsGovernors(file) {
			governors, told, err := config.ReadGovernors(file)
			found = append(append(found, told...), config.List(err)...)
			rules += len(governors.Permission) + len(governors.Output)
			continue
		}
		if err == nil {
			policies, err = config.ReadPolicies(file)
		}
		if err != nil {
			list, _, err := toList(err)
			if err != nil {
				return nil, 0, err
			}
			found = append(found, list...)
			continue
		}
		files = append(files, policies)
	}
	for _, file := range files {
		rules += len(file.Rules)
	}
	for _, s := range permissions.Shadows(files) {
		at := s.Rule.Source
		found = append(found, config.Error{
			File: at.File, Line: at.Line, Column: at.Column, Severity: config.SeverityWarning, Rule: ruleShadowed,
			Message: fmt.Sprintf("rule %s can never decide: %s", s.Rule.ID, s.Why), Hint: "remove one of the two, or give the other one a condition",
		})
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].File < found[j].File })
	return found, rules, nil
}

// governorsSaid tells whether a warning is about a governors file.
func governorsSaid(set *config.Set, warning config.Error) bool {
	return slices.ContainsFunc(set.Governors, func(file governor.File) bool { return file.Name == warning.File })
}

// explainFlags are the flags of `policy explain`.
type explainFlags struct {
	tools, policies []string
	tool, shell     string
	pairs, paths    []string
	write           bool
	agent           string
}

func policyExplainCommand(env *environment) *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:   "explain (--shell TEXT | --path FILE | --tool TOOL [-p NAME=VALUE])",
		Short: "Explain how an act of an agent would be decided, rule by rule",
		Long: `explain decides an act as if an agent had asked for it in the current directory, and says what every
rule thought of it: whether it matches, or the first of its conditions that does not, with the value
that was found. Nothing is done, and nobody is asked.`,
		Example: `  a2a-acp policy explain --shell 'git status && rm -rf build'
  a2a-acp policy explain --path .github/workflows/ci.yml --write
  a2a-acp policy explain --tool web_request -p url=https://example.com --json
  a2a-acp policy explain --policies ./stricter.yaml --shell 'ls'`,
		Args: cobra.NoArgs,
	}
	f := addFormat(cmd)
	cmd.Flags().StringArrayVar(&flags.tools, "tools", nil, "a tools file, in addition to the others; may be repeated")
	cmd.Flags().StringArrayVar(&flags.policies, "policies", nil, "a policy file, in addition to the others; may be repeated")
	cmd.Flags().StringVar(&flags.shell, "shell", "", "a command text that the agent would run")
	cmd.Flags().StringArrayVar(&flags.paths, "path", nil, "a file that the agent would read; may be repeated")
	cmd.Flags().BoolVar(&flags.write, "write", false, "the files of --path would be written")
	cmd.Flags().StringVar(&flags.tool, "tool", "", "a tool that the agent would call")
	cmd.Flags().StringArrayVarP(&flags.pairs, "param", "p", nil, "an argument of the tool, name=value; may be repeated")
	cmd.Flags().StringVar(&flags.agent, "as", "", "the agent that would do it")
	cmd.MarkFlagsOneRequired("shell", "path", "tool")
	cmd.MarkFlagsMutuallyExclusive("shell", "path", "tool")
	_ = cmd.RegisterFlagCompletionFunc("tool", completeTools(env, &flags.tools))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case flags.write && len(flags.paths) == 0:
			return fail(exitUsage, errors.New("--write is about the files of --path"))
		case len(flags.pairs) > 0 && flags.tool == "":
			return fail(exitUsage, errors.New("-p is about the arguments of --tool"))
		}
		return explainPolicy(env, cmd.Flags().Changed("shell"), flags, *f)
	}
	return cmd
}

func explainPolicy(env *environment, shell bool, flags explainFlags, f format) (err error) {
	a, err := app.New(env.appOptions(flags.tools, flags.policies))
	if err != nil {
		return fail(startCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	request, err := explainedRequest(env, a, shell, flags)
	if err != nil {
		return err
	}
	told := explanationOf(request, a.Authority.Decide(request))
	if f != formatTable {
		return writeData(env.stdout, f, told)
	}
	told.write(env)
	return nil
}

// explainedRequest is the act that the flags tell of, as the bridge would see it.
func explainedRequest(env *environment, a *app.App, shell bool, flags explainFlags) (permissions.Request, error) {
	o := env.appOptions(nil, nil)
	request := permissions.Request{Door: tool.DoorACP, Agent: flags.agent, Dir: o.Dir, Workspace: app.WorkspaceOf(o, o.Dir, nil)}
	switch {
	case shell:
		request.Action, request.Tools = permissions.ActionExecute, []string{"functions.shell"}
		request.SetShellText(flags.shell)
		request.Arguments = map[string]any{"command": flags.shell}
	case flags.tool != "":
		if _, ok := a.Registry.Lookup(flags.tool); !ok {
			return request, fail(exitUsage, fmt.Errorf("there is no tool %q; a2a-acp tools list shows those that there are", flags.tool))
		}
		arguments, err := pairsToJSON(a, flags.tool, flags.pairs)
		if err != nil {
			return request, fail(exitUsage, err)
		}
		call := tool.Call{Tool: flags.tool, Arguments: arguments, Dir: o.Dir, Workspace: request.Workspace, Origin: tool.Origin{Door: tool.DoorMCP, Agent: flags.agent}}
		if _, failure := a.Executor.Preview(call); failure != nil {
			return request, fail(exitUsage, errors.New(failure.Message))
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
	Decision string            `json:"decision"`
	Source   string            `json:"source"`
	Rule     string            `json:"rule,omitempty"`
	At       string            `json:"at,omitempty"`
	Reason   string            `json:"reason"`
	Asked    string            `json:"asked,omitempty"` // who would be asked
	Commands []string          `json:"commands,omitempty"`
	Reasons  []explainedReason `json:"reasons"`
	Policy   string            `json:"policy_sha256"`
}

// explainedReason is what one rule thought.
type explainedReason struct {
	Rule     string `json:"rule"`
	At       string `json:"at"`
	Matched  bool   `json:"matched"`
	Decision string `json:"decision"` // what it says where it matches
	Why      string `json:"why"`
}

func explanationOf(r permissions.Request, d permissions.Decision) explanation {
	e := explanation{
		Decision: d.Verdict.String(), Source: string(d.Source), Rule: d.Rule, At: d.At, Reason: d.Reason, Policy: d.Policy,
		Commands: r.CommandLines(), Reasons: make([]explainedReason, 0, len(d.Reasons)),
	}
	if d.Verdict == permissions.Ask {
		e.Asked = "the person at the editor; where there is none, it is denied"
	}
	for _, reason := range d.Reasons {
		e.Reasons = append(e.Reasons, explainedReason{reason.Rule, reason.At, reason.Matched, reason.Verdict.String(), reason.Why})
	}
	return e
}

func (e explanation) write(env *environment) {
	w := env.stdout
	fmt.Fprintf(w, "decision: %s (%s%s)\n", e.Decision, e.Source, atRule(tool.DecisionSummary{Rule: e.Rule, At: e.At}))
	if e.Reason != "" {
		fmt.Fprintf(w, "because:  %s\n", permissions.ShowLine(e.Reason))
	}
	if e.Asked != "" {
		fmt.Fprintf(w, "asked:    %s\n", e.Asked)
	}
	for i, command := range e.Commands {
		fmt.Fprintf(w, "%-9s %s\n", map[bool]string{true: "runs:"}[i == 0], command)
	}
	fmt.Fprintln(w)
	out := table{head: []string{"RULE", "SAYS", "MATCHES", "AT", "WHY"}}
	for _, r := range e.Reasons {
		matches := "no"
		if r.Matched {
			matches = "yes"
		}
		out.add(permissions.ShowLine(r.Rule), r.Decision, matches, env.short(r.At), permissions.ShowLine(r.Why))
	}
	out.write(w)
}
