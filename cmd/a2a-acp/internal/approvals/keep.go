package approvals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	record "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
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
			return cli.Fail(exit.Usage, fmt.Errorf("--scope: want %s", strings.Join(scopes, ", ")))
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

// keepable finds an act and the rules that its answer can be kept as.
func keepable(ctx context.Context, env *cli.Environment, name string, flags keepFlags) (act replay.Recorded,
	rules []replay.Keepable, err error) {
	judge, err := app.NewJudge(env.AppOptions(nil, nil), false)
	if err != nil {
		return act, nil, cli.Fail(exit.Usage, err)
	}
	acts, err := record.RecordedActs(env, keptSince)
	if err != nil {
		return act, nil, err
	}
	if act, err = namedAct(ctx, env, name, acts); err != nil {
		return act, nil, err
	}
	rules, why := judge.Keep(act, acts, flags.everywhere)
	if len(rules) == 0 {
		return act, nil, cli.Fail(exit.Usage, fmt.Errorf("%s is not kept: %s", shownAct(act), display.Line(why)))
	}
	if flags.scope == "" {
		return act, rules, nil
	}
	i := slices.IndexFunc(rules, func(k replay.Keepable) bool { return string(k.Scope) == flags.scope })
	switch {
	case i < 0:
		there := make([]string, len(rules))
		for i, k := range rules {
			there[i] = string(k.Scope)
		}
		return act, nil, cli.Fail(exit.Usage, fmt.Errorf("%s has no scope %s; there is %s", shownAct(act), flags.scope,
			strings.Join(there, ", ")))
	case rules[i].Why != "":
		return act, nil, cli.Fail(exit.Usage, fmt.Errorf("%s is not kept with --scope %s: %s", shownAct(act), flags.scope,
			display.Line(rules[i].Why)))
	}
	return act, rules[i : i+1], nil
}

// namedAct finds an act by its question's ID, or by its number.
func namedAct(ctx context.Context, env *cli.Environment, name string, acts []replay.Recorded) (replay.Recorded, error) {
	questions, err := listApprovals(ctx, env, func(store.Approval) bool { return true })
	if err != nil {
		return replay.Recorded{}, cli.Fail(exit.Host, err)
	}
	id := name
	number, noNumber := strconv.ParseInt(name, 10, 64)
	if noNumber != nil {
		if id, err = wholeID(name, namedQuestions(questions)); err != nil {
			return replay.Recorded{}, err
		}
	}
	calls := map[string]bool{}
	for _, q := range questions {
		if q.ID == id {
			calls[q.CallID], calls[q.UsedBy] = true, q.UsedBy != ""
		}
	}
	for _, act := range slices.Backward(acts) {
		if calls[act.Entry.CallID] || len(calls) == 0 && act.Seq == number {
			return act, nil
		}
	}
	if noNumber != nil && len(name) < leastOfID {
		return replay.Recorded{}, cli.Fail(exit.Usage, fmt.Errorf(
			"%s: write %d characters of the ID at least, or the number of the act", display.Line(name), leastOfID))
	}
	return replay.Recorded{}, cli.Fail(exit.Usage, fmt.Errorf("%s: no act of the last 30 days that was decided has this number, "+
		"or a question of this ID; a2a-acp approvals keep lists what you have approved", display.Line(name)))
}

// shownAct names an act in a sentence.
func shownAct(act replay.Recorded) string {
	return fmt.Sprintf("number %d on record (%s)", act.Seq, record.TitleOf(audit.ActRecord{act.Entry}))
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
	path := filepath.Join(env.AppOptions(nil, nil).Dirs().Config(), config.PoliciesName)
	file, data, line, err := withRule(env, path, chosen.Rule)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "\nThis rule comes into %s, line %d:\n\n%s", env.Short(path), line, addedText(file.Data, data))
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
	if now, err := readPolicyFile(path); err != nil || !bytes.Equal(now, file.Data) {
		return cli.Fail(exit.Host, errors.Join(fmt.Errorf("%s was changed meanwhile; nothing is kept", env.Short(path)), err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cli.Fail(exit.Host, err)
	}
	if err := cli.ReplaceFile(path, data, 0o600); err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say(fmt.Sprintf("kept, from the next decision on; remove rule %s at %s:%d to be asked again",
		chosen.Rule.ID, env.Short(path), line))
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

// withRule reads the person's policy file, and adds a rule to it.
func withRule(env *cli.Environment, path string, rule replay.SuggestedRule) (file config.File, data []byte, line int, err error) {
	file = config.File{Name: env.Short(path), Layer: tool.LayerUser}
	if file.Commands, err = cli.Commands(env); err != nil {
		return file, nil, 0, err
	}
	if file.Data, err = readPolicyFile(path); err != nil {
		return file, nil, 0, cli.Fail(exit.Host, err)
	}
	text, err := rule.YAML()
	if err != nil {
		return file, nil, 0, err
	}
	data, line, err = config.AddRule(file, "Kept by a2a-acp approvals keep.", text)
	if err != nil {
		env.Say("the rule, for you to put where it belongs:")
		fmt.Fprintf(env.Stdout, "%s", text)
		return file, nil, 0, cli.Fail(exit.Usage, err)
	}
	return file, data, line, nil
}

// readPolicyFile returns what the person's policy file says; nothing where there is none.
func readPolicyFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// addedText returns what stands in a text that does not in another, of which every byte is in it in order.
func addedText(before, after []byte) []byte {
	from := 0
	for from < len(before) && before[from] == after[from] {
		from++
	}
	added := after[from : len(after)-(len(before)-from)]
	return append(bytes.Trim(added, "\r\n"), '\n')
}
