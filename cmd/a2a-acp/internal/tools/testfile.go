package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/tooltest"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func toolsTestCommand(env *cli.Environment) *cobra.Command {
	var tools, policies []string
	cmd := &cobra.Command{
		Use:   "test [TOOL...]",
		Short: "Make the calls that tools give as examples, and compare",
		Long: `test runs the examples in tools files. Each call is made in a temporary
directory, in the tool's own sandbox; its exit code, output and files are
compared with what the example expects. Typing it is the approval, also for
tools that require confirmation. A rejecting rule still rejects, and every
call is recorded.

Without a name it tests your own tools, or the included ones if you have
none. An example that needs a missing program is skipped, with a message.`,
		Example: `  a2a-acp tools test
  a2a-acp tools test grep functions.apply_patch
  a2a-acp tools test --tools ./tools.yaml -o json`,
		ValidArgsFunction: completeManyTools(env, &tools),
	}
	f := cli.AddFormat(cmd)
	cli.AddSources(cmd, &tools, &policies)
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		return testTools(cmd.Context(), env, ids, tools, policies, *f)
	}
	return cmd
}

func testTools(ctx context.Context, env *cli.Environment, ids, files, policies []string, f cli.Format) (err error) {
	a, err := app.New(env.AppOptions(files, policies))
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(ctx)) }()
	tested, err := toTest(a.Set(), ids)
	if err != nil {
		return err
	}
	door := tool.DoorCLI
	if person.Look().AgentsAct() {
		door = tool.DoorMCP // an agent typed it, so its calls are decided as an agent's
	}
	outcomes := []tooltest.Outcome{}
	count := map[tooltest.Status]int{}
	err = a.TestTools(ctx, tested, door, cli.NewTerminal(env, true), func(o tooltest.Outcome) {
		outcomes = append(outcomes, o)
		count[o.Status]++
		if f == cli.FormatTable {
			fmt.Fprintln(env.Stdout, outcomeLine(o))
		}
	})
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	if f != cli.FormatTable {
		if err := cli.WriteData(env.Stdout, f, outcomes); err != nil {
			return err
		}
	}
	if len(outcomes) == 0 {
		return cli.Fail(exit.Usage, errors.New("there is nothing to test: give the tools examples: with params and expect"))
	}
	env.Say(fmt.Sprintf("%d passed, %d failed, %d skipped", count[tooltest.Passed], count[tooltest.Failed],
		count[tooltest.Skipped]))
	if count[tooltest.Failed] > 0 {
		return cli.Silent(exit.ToolFailed)
	}
	return nil
}

// toTest finds the tools by their ids; without ids a person's own, or the shipped ones where there are no
// others.
func toTest(set *config.Set, ids []string) ([]*config.Loaded, error) {
	var found []*config.Loaded
	for _, id := range ids {
		loaded, err := findTool(set, id)
		if err != nil {
			return nil, err
		}
		if !hasExamples(loaded) {
			return nil, cli.Fail(exit.Usage,
				fmt.Errorf("%s: the tool %q has no example with params and expect", loaded.Tool.Source, id))
		}
		found = append(found, loaded)
	}
	if len(ids) > 0 {
		return found, nil
	}
	for _, shipped := range []bool{false, true} {
		for i := range set.Tools {
			if loaded := &set.Tools[i]; loaded.Tool.Shipped() == shipped && hasExamples(loaded) {
				found = append(found, loaded)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found, nil
}

func hasExamples(loaded *config.Loaded) bool {
	for _, x := range loaded.Tool.Examples {
		if x.Text == "" {
			return true
		}
	}
	return false
}

// outcomeLine tells of one example: one line, and one for each thing that is wrong.
func outcomeLine(o tooltest.Outcome) string {
	line := fmt.Sprintf("%-7s  %s: %s", o.Status, o.Tool, display.Line(o.Example))
	switch o.Status {
	case tooltest.Failed:
		line += fmt.Sprintf("  (%s)", o.At)
		for _, problem := range o.Problems {
			line += "\n         " + display.Line(problem)
		}
		if o.Result != nil {
			for _, hint := range hints(*o.Result, "") {
				line += "\n         " + hint
			}
		}
	case tooltest.Skipped:
		line += "  (" + strings.Join(o.Problems, ", ") + ")"
	}
	return line
}

// completeManyTools completes ids that have not been given yet.
func completeManyTools(env *cli.Environment, tools *[]string) cobra.CompletionFunc {
	one := cli.CompleteTools(env, tools)
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		all, directive := one(cmd, nil, word)
		left := all[:0]
		for _, candidate := range all {
			id, _, _ := strings.Cut(candidate, "\t")
			if !slices.Contains(args, id) {
				left = append(left, candidate)
			}
		}
		return left, directive
	}
}
