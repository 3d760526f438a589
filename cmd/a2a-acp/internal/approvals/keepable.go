package approvals

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	record "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

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
	if len(rules) > 0 && flags.scope == "" && slices.ContainsFunc(rules, func(k replay.Keepable) bool {
		return k.Scope == replay.ScopeWords && k.Why != ""
	}) {
		sayPack(env, judge, act)
	}
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

// sayPack says which pack of rules would approve an act that can only be kept as it was written.
func sayPack(env *cli.Environment, judge *replay.Judge, act replay.Recorded) {
	if pack := judge.Pack(act); pack != "" {
		env.Say(fmt.Sprintf("the rules of the pack %s approve this, also with other words: a2a-acp init --pack %s prints them, "+
			"and adds them where you have no rules yet", pack, pack))
	}
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

// showKeepable shows the rules that an answer can be kept as.
func showKeepable(ctx context.Context, env *cli.Environment, name string, flags keepFlags, f cli.Format) error {
	_, rules, err := keepable(ctx, env, name, flags)
	if err != nil {
		return err
	}
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, slices.DeleteFunc(rules, func(k replay.Keepable) bool { return k.Why != "" }))
	}
	for _, k := range rules {
		if k.Why != "" {
			fmt.Fprintf(env.Stdout, "# --scope %s: %s is not kept: %s\n", k.Scope, k.Covers, display.Line(k.Why))
			continue
		}
		text, err := k.Rule.YAML()
		if err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "# --scope %s: %s%s\n- %s\n", k.Scope, k.Covers, inWorkspaces(k.Rule),
			strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n  "))
	}
	return nil
}
