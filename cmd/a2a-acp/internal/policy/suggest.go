package policy

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	record "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
)

func policySuggestCommand(env *cli.Environment) *cobra.Command {
	least := 3
	since := cli.Days(30 * 24 * time.Hour)
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Write the narrowest rules for what you have approved again and again",
		Long: `suggest looks in the record for what a person has approved at least three
times, and writes the narrowest rule for each, with examples of what it
matches and does not match. It changes no file: read the rules, and copy
those that you want into your policy file. A rule holds in the workspaces in
which you have approved it. It goes by the first words of commands that only
read (git log), or run what the project has set up (npm test). Of others, such
as those that remove, print variables or reach the network, it approves only
the very text, in the directory that it ran in.

It suggests none for files that run as code, hold secrets or lie outside the
workspace, for commands that cannot be determined, and for what a person has
also rejected. It lists these on standard error.`,
		Example: `  a2a-acp policy suggest > suggested.yaml
  a2a-acp policy suggest --least 5 --since 7d
  a2a-acp policy replay --policies suggested.yaml`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().IntVar(&least, "least", least, "how often it must have been approved; at least 2")
	cmd.Flags().Var(&since, "since", "answers of this last period, such as 7d or 12h")
	cmd.RunE = func(*cobra.Command, []string) error {
		if least < 2 {
			return cli.Fail(exit.Usage, errors.New("--least: want 2 or more; once is no habit"))
		}
		return suggestPolicies(env, least, time.Duration(since), *f)
	}
	return cmd
}

func suggestPolicies(env *cli.Environment, least int, since time.Duration, f cli.Format) error {
	judge, err := app.NewJudge(env.AppOptions(nil, nil), false)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	acts, err := record.RecordedActs(env, since)
	if err != nil {
		return err
	}
	suggestions, left := judge.Suggest(acts, least)
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, struct {
			Suggestions []replay.Suggestion `json:"suggestions"`
			LeftOut     []replay.LeftOut    `json:"left_out"`
		}{append([]replay.Suggestion{}, suggestions...), append([]replay.LeftOut{}, left...)})
	}
	for _, l := range left {
		env.Say(fmt.Sprintf("no rule for what you approved %s, %s: %s", display.Count(l.Count, "time", "times"),
			l.Act, display.Line(l.Why)))
	}
	if len(suggestions) == 0 {
		other := ""
		if len(left) > 0 {
			other = " else"
		}
		env.Say(fmt.Sprintf("nothing%s was approved at least %s in the same way", other, display.Count(least, "time", "times")))
		return nil
	}
	rules := make([]replay.SuggestedRule, len(suggestions))
	for i, s := range suggestions {
		rules[i] = s.Rule
	}
	data, err := replay.PolicyFile(rules)
	if err != nil {
		return err
	}
	_, err = env.Stdout.Write(data)
	return err
}
