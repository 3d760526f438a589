package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	record "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
)

func policyReplayCommand(env *cli.Environment) *cobra.Command {
	var policies []string
	var only bool
	since := cli.Days(7 * 24 * time.Hour)
	cmd := &cobra.Command{
		Use:   "replay --policies FILE",
		Short: "Decide the calls of the record again by other policies, and print what changes",
		Long: `replay decides the recorded calls again, in their order and as if the rules
had been in force then, and prints those with another decision. It does
nothing and asks nobody. The files of --policies are added to those in use,
where a rule replaces the one with its id; with --only they are the only
ones.

What a person was asked about counts as ask, whatever the answer was. A call
whose decision depends on a value that is not in the record, because it is
secret or long, cannot be decided again and is counted apart. Links and
files are checked as they are now.`,
		Example: `  a2a-acp policy replay --policies ./stricter.yaml
  a2a-acp policy replay --policies ./new.yaml --only --json | jq .changes`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringArrayVar(&policies, "policies", nil, "a policy file; may be repeated")
	cmd.Flags().BoolVar(&only, "only", false, "nothing but the files of --policies, not even the defaults")
	cmd.Flags().Var(&since, "since", "calls of this last period, such as 7d or 12h")
	_ = cmd.MarkFlagFilename("policies", "yaml", "yml")
	cmd.RunE = func(*cobra.Command, []string) error {
		if only && len(policies) == 0 {
			return cli.Fail(exit.Usage,
				errors.New("--only needs the policies that there are to be: --policies FILE"))
		}
		return replayPolicies(env, policies, only, time.Duration(since), *f)
	}
	return cmd
}

// replayed is what a replay found.
type replayed struct {
	Calls     int       `json:"calls"`
	Same      int       `json:"same"`
	Untold    int       `json:"untold"` // of which nobody can tell
	Changes   []change  `json:"changes"`
	Changed   []changed `json:"changed"`
	Untellers []untold  `json:"untold_because"`
}

// change counts the calls that came out otherwise in the same way.
type change struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"`
}

// changed is one of them.
type changed struct {
	Seq    int64     `json:"seq"`
	Time   time.Time `json:"time"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	Before string    `json:"before_rule,omitempty"`
	Rule   string    `json:"rule,omitempty"`
	At     string    `json:"at,omitempty"`
	Reason string    `json:"reason"`
	Act    string    `json:"act"`
}

// untold counts the calls of which nobody can tell for the same reason.
type untold struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

func replayPolicies(env *cli.Environment, policies []string, only bool, since time.Duration, f cli.Format) error {
	judge, err := app.NewJudge(env.AppOptions(nil, policies), only)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	r := replayed{Changes: []change{}, Changed: []changed{}, Untellers: []untold{}}
	if err := judge.Replay(func(each func(replay.Recorded)) error {
		acts, err := record.RecordedActs(env, since)
		for _, act := range acts {
			each(act)
		}
		return err
	}, r.add); err != nil {
		return err
	}
	slices.SortFunc(r.Changes, func(a, b change) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	slices.SortFunc(r.Untellers, func(a, b untold) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Why, b.Why))
	})
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, r)
	}
	r.write(env)
	return nil
}

// Add counts one act that was decided again.
func (r *replayed) add(act replay.Redecided) {
	r.Calls++
	d, why := act.Decision, act.Untold
	from, to := act.Before.String(), d.Verdict.String()
	switch {
	case why != "":
		r.Untold++
		if i := slices.IndexFunc(r.Untellers, func(u untold) bool { return u.Why == why }); i >= 0 {
			r.Untellers[i].Count++
		} else {
			r.Untellers = append(r.Untellers, untold{why, 1})
		}
		return
	case from == to:
		r.Same++
		return
	}
	if i := slices.IndexFunc(r.Changes, func(c change) bool { return c.From == from && c.To == to }); i >= 0 {
		r.Changes[i].Count++
	} else {
		r.Changes = append(r.Changes, change{from, to, 1})
	}
	r.Changed = append(r.Changed, changed{
		Seq: act.Seq, Time: act.Time, From: from, To: to, Before: act.Entry.Decision.Rule, Rule: d.Rule,
		At: d.At, Reason: d.Reason,
		Act: record.TitleOf(audit.ActRecord{act.Entry}),
	})
}

// sum says in one line what a replay found: 412 calls: 38 ask -> approve, 2 approve -> reject; 3 cannot be
// decided again.
func (r *replayed) sum() string {
	var parts []string
	for _, c := range r.Changes {
		parts = append(parts, fmt.Sprintf("%d %s -> %s", c.Count, c.From, c.To))
	}
	if len(parts) == 0 {
		parts = append(parts, "none changes")
	}
	text := fmt.Sprintf("%s: %s", display.Count(r.Calls, "call", "calls"), strings.Join(parts, ", "))
	if r.Untold > 0 {
		text += fmt.Sprintf("; %d cannot be decided again", r.Untold)
	}
	return text
}

func (r *replayed) write(env *cli.Environment) {
	if len(r.Changed) > 0 {
		out := cli.Table{Head: []string{"NO", "TIME", "WAS", "WOULD", "BY", "ACT"}}
		for _, c := range r.Changed {
			by := c.Rule
			if by == "" {
				by = "-"
			}
			out.Add(strconv.FormatInt(c.Seq, 10), c.Time.Local().Format(time.DateTime), c.From, c.To,
				display.Line(by), c.Act)
		}
		out.Write(env.Stdout)
		fmt.Fprintln(env.Stdout)
	}
	fmt.Fprintln(env.Stdout, r.sum())
	for _, u := range r.Untellers {
		fmt.Fprintf(env.Stdout, "  %d: %s\n", u.Count, display.Line(u.Why))
	}
}
