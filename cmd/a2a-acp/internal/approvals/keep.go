package approvals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
)

// keptSince is how far back answers are looked for that can be kept, and what was rejected.
const keptSince = 30 * 24 * time.Hour

type keepFlags struct {
	scope                 string
	everywhere, show, yes bool
	all                   bool
}

func approvalsKeepCommand(env *cli.Environment) *cobra.Command {
	var flags keepFlags
	scopes := make([]string, len(replay.Scopes()))
	for i, scope := range replay.Scopes() {
		scopes[i] = string(scope)
	}
	cmd := &cobra.Command{
		Use:   "keep [ID|NUMBER]",
		Short: "Keep a yes for good: write the rule for it",
		Long: `keep turns one yes of yours into a rule, so that you are not asked about the
same again. It shows how far such a rule can go: exactly this command or with
further words, this file, its kind, its folder or all files, a tool with these
arguments or any. You choose, see the rule, and confirm. It is written behind
the rules of your auto_approval_policies.yaml, with where it comes from; all
else in that file stays as it is. To be asked again, remove these lines.

The rule holds in the workspace of the act, for the agent that asked, unless
--everywhere says that the workspace does not matter. A command that removes,
prints variables or reaches the network is kept as it was written, in the
directory that it ran in.

Name the act by the ID of its question, or by its number in audit list. Without
one, keep lists what you have approved in the last 30 days. It keeps nothing
about files that run as code, hold secrets or lie outside the workspace, about
what cannot be determined, and no rule that would have approved what you have
rejected.

It needs a terminal that no agent has started, with --yes too.`,
		Example: `  a2a-acp approvals keep
  a2a-acp approvals keep 123
  a2a-acp approvals keep k3f9 --scope words --yes
  a2a-acp approvals keep 123 --show --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringVar(&flags.scope, "scope", "", "how far the rule goes: "+strings.Join(scopes, ", "))
	cmd.Flags().BoolVar(&flags.everywhere, "everywhere", false, "in all workspaces, not only in that of the act")
	cmd.Flags().BoolVar(&flags.show, "show", false, "show the rules that there can be, and write none")
	cmd.Flags().BoolVarP(&flags.yes, "yes", "y", false, "do not ask for confirmation")
	cmd.Flags().BoolVar(&flags.all, "all", false, "list all that you have approved, not only the last of it")
	cmd.MarkFlagsMutuallyExclusive("show", "yes")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(scopes, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case flags.scope != "" && !slices.Contains(scopes, flags.scope):
			return cli.Fail(exit.Usage, fmt.Errorf("--scope %q: want one of %s", flags.scope, strings.Join(scopes, ", ")))
		case len(args) == 0:
			return listKeepable(env, flags.all, *f)
		case *f != cli.FormatTable && !flags.show:
			return cli.Fail(exit.Usage, errors.New("a rule is written after you have seen it; --show --json only shows it"))
		case flags.show:
			return showKeepable(cmd.Context(), env, args[0], flags, *f)
		}
		if err := cli.CheckAtTerminal(env, "keeping an answer"); err != nil {
			return err
		}
		return keep(cmd.Context(), env, args[0], flags)
	}
	return cmd
}

// keep shows the rules, asks which, and writes it, if the person means it.
func keep(ctx context.Context, env *cli.Environment, name string, flags keepFlags) error {
	act, rules, err := keepable(ctx, env, name, flags)
	if err != nil {
		return err
	}
	chosen := rules[0]
	if flags.scope == "" {
		if chosen, err = chooseScope(ctx, env, act, rules); err != nil {
			return err
		}
	}
	change, err := addRule(env, chosen.Rule)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "\nThis rule comes into %s, line %d:\n\n%s\n", env.Short(change.path), change.line,
		bytes.Trim(change.added, "\r\n"))
	if !flags.yes {
		switch means, err := env.AskYes(ctx, fmt.Sprintf("\nWrite it, so that this needs no question any more%s: %s?",
			inWorkspaces(chosen.Rule), chosen.Covers)); {
		case err != nil:
			env.Say("nothing is kept")
			return err
		case !means:
			env.Say("nothing is kept")
			return cli.Silent(exit.Denied)
		}
	}
	if err := cli.Confirm(ctx, env); err != nil {
		return err
	}
	if err := change.write(env); err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say(fmt.Sprintf("kept, from the next decision on; remove rule %s at %s:%d to be asked again",
		chosen.Rule.ID, env.Short(change.path), change.line))
	return nil
}

// chooseScope asks which of several rules is meant.
func chooseScope(ctx context.Context, env *cli.Environment, act replay.Recorded, rules []replay.Keepable) (
	replay.Keepable, error,
) {
	fmt.Fprintf(env.Stderr, "You approved %s.\nWhat shall need no question any more%s?\n\n", shownAct(act),
		inWorkspaces(rules[0].Rule))
	for i, k := range rules {
		number, covers := strconv.Itoa(i+1), k.Covers
		if k.Why != "" {
			number, covers = "-", k.Covers+" (not kept: "+display.Line(k.Why)+")"
		}
		fmt.Fprintln(env.Stderr, cli.Fold(env.Stderr, fmt.Sprintf("  %s  %-6s  %s", number, k.Scope, covers), 13))
	}
	line, err := env.Ask(ctx, "\nWhich? Its number, or nothing: ")
	if err != nil {
		return replay.Keepable{}, err
	}
	for i, k := range rules {
		if k.Why == "" && (line == strconv.Itoa(i+1) || line == string(k.Scope)) {
			return k, nil
		}
	}
	env.Say("nothing is kept")
	return replay.Keepable{}, cli.Silent(exit.Denied)
}

// inWorkspaces says where a rule holds.
func inWorkspaces(rule replay.SuggestedRule) string {
	if len(rule.Workspaces) == 0 {
		return ", in any workspace"
	}
	return " in " + display.Line(strings.Join(rule.Workspaces, ", "))
}
