package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func policyTestCommand(env *cli.Environment) *cobra.Command {
	var tools, policies []string
	cmd := &cobra.Command{
		Use:   "test FILE...",
		Short: "Hold the policies against acts with a known answer, for CI",
		Long: `test reads lists of acts with the expected decision of each. It decides each as if an agent had asked
for it in the current directory, and prints those with another decision. It exits with 0 when all are
as expected, with 1 when one is not, and with 2 when a file cannot be read.

  - call: {command: git status && ls}
    expect: approve
    rule: careful-commands            # optional: the rule that has to decide
  - call: {path: .env}                # without a tool it is read
    expect: ask
  - call: {tool: functions.acp_fs__write_text_file, path: .git/hooks/pre-commit}
    expect: ask
  - call: {tool: web_request, params: {method: POST, url: "https://example.com"}, agent: codex}
    expect: reject`,
		Example: `  a2a-acp policy test policy_test.yaml
  a2a-acp policy test --policies ./stricter.yaml policy_test.yaml --json`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := cli.AddFormat(cmd)
	cli.AddSources(cmd, &tools, &policies)
	cmd.RunE = func(_ *cobra.Command, names []string) error {
		tests, err := readTests(names)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		return runTests(env, tests, tools, policies, *f)
	}
	return cmd
}

func readTests(names []string) ([]config.PolicyTest, error) {
	var tests []config.PolicyTest
	var found yamldoc.Errors
	for _, name := range names {
		file, err := config.ReadFile(name, tool.LayerFlag)
		var more []config.PolicyTest
		if err == nil {
			more, err = config.ReadPolicyTests(file)
		}
		list := yamldoc.List(err)
		if err != nil && len(list) == 0 {
			return nil, err
		}
		found = append(found, list...)
		tests = append(tests, more...)
	}
	if found.Broken() {
		return nil, found
	}
	return tests, nil
}

// testResult is what one test came to.
type testResult struct {
	At       string `json:"at"`
	Passed   bool   `json:"passed"`
	Expected string `json:"expected"`
	Decision string `json:"decision"`
	Wanted   string `json:"expected_rule,omitempty"`
	Rule     string `json:"rule,omitempty"`
	RuleAt   string `json:"rule_at,omitempty"`
	Reason   string `json:"reason"`
}

func runTests(env *cli.Environment, tests []config.PolicyTest, tools, policies []string, f cli.Format) (err error) {
	a, err := app.New(env.AppOptions(tools, policies))
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(context.Background())) }()
	results := make([]testResult, 0, len(tests))
	failed := 0
	for _, test := range tests {
		request, err := requestOf(env, a, test.Call)
		if err != nil {
			return err
		}
		d := a.Gate.Decide(request)
		r := testResult{
			At: test.Source.String(), Expected: test.Expect.String(), Decision: d.Verdict.String(),
			Wanted: test.Rule,
			Rule:   d.Rule, RuleAt: d.At, Reason: d.Reason,
		}
		r.Passed = d.Verdict == test.Expect && (test.Rule == "" || test.Rule == d.Rule)
		if !r.Passed {
			failed++
		}
		results = append(results, r)
	}
	if f != cli.FormatTable {
		if err := cli.WriteData(env.Stdout, f, results); err != nil {
			return err
		}
	} else {
		tellFailures(env, results)
		fmt.Fprintf(env.Stderr, "%d of %s as expected\n", len(results)-failed, display.Count(len(results), "test is", "tests are"))
	}
	if failed > 0 {
		return cli.Silent(exit.ToolFailed)
	}
	return nil
}

func tellFailures(env *cli.Environment, results []testResult) {
	for _, r := range results {
		if r.Passed {
			continue
		}
		got, wanted := r.Decision, r.Expected
		if r.Rule != "" {
			got += fmt.Sprintf(" by %s (%s)", r.Rule, env.Short(r.RuleAt))
		}
		if r.Wanted != "" {
			wanted += " by " + r.Wanted
		}
		fmt.Fprintf(env.Stdout, "%s: %s, expected %s: %s\n", r.At, got, wanted, display.Line(r.Reason))
	}
}
