package audit

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

func auditSummaryCommand(env *cli.Environment) *cobra.Command {
	filter := ActFilter{session: lastSession}
	cmd := &cobra.Command{
		Use:   "summary",
		Short: "Count what a session did, and list what was stopped in it",
		Long: `summary counts what the last session did, what it was kept from doing, and
what it did by itself where nobody decides. --session takes the id of
another session, 2 for the one before the last and so on, or all. Where no
session is on record, it counts what belongs to none, such as the calls of
tools run.`,
		Example: `  a2a-acp audit summary
  a2a-acp audit summary --session 2
  a2a-acp audit summary --session all --since 7d --json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringVar(&filter.session, "session", lastSession,
		"this session: its id, last, 2 for the one before that, …, or all")
	cmd.Flags().Var(&filter.since, "since", "only acts of this last period, such as 7d or 90m")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		acts, err := filter.Acts(env)
		none := errors.Is(err, errNoSession) && !cmd.Flags().Changed("session")
		if none { // then there is nothing but what belongs to none
			filter.session = allSessions
			acts, err = filter.Acts(env)
		}
		if len(acts) == 0 && *f == cli.FormatTable {
			if err == nil {
				filter.sayNone(env)
			}
			return err
		}
		s := audit.Summarise(acts)
		s.Session = filter.session
		if *f != cli.FormatTable {
			return errors.Join(cli.WriteData(env.Stdout, *f, s), err)
		}
		if none {
			env.Say("no session is on record yet: these acts belong to none")
		}
		writeSummary(env, &s)
		return err
	}
	return cmd
}

func writeSummary(env *cli.Environment, s *audit.Summary) {
	fmt.Fprintln(env.Stdout, cli.Fold(env.Stdout, heading(env, s), 2))
	fmt.Fprintln(env.Stdout, s.Line())
	if s.Asked > 0 {
		keep := ""
		if s.Yes > 0 {
			keep = " (a2a-acp approvals keep writes a rule for one)"
		}
		fmt.Fprintf(env.Stdout, "questions answered by a person: %d, allowed: %d%s\n", s.Asked, s.Yes, keep)
	}
	writeSome(env, "violations: the agent did it by itself, against a rule or an answer", s.WereViolations)
	writeSome(env, "stopped", s.WereStopped)
	writeSome(env, "only seen: the agent did it by itself, and nobody decided it", s.WereSeen)
}

// heading says which session a list or a summary is of, and when it was.
func heading(env *cli.Environment, s *audit.Summary) string {
	what := "all sessions, and what belongs to none"
	if s.Session != "" {
		what = "session " + s.Session
		if s.Agent != "" {
			what += " of " + agents.Short(s.Agent)
		}
	}
	clock := time.DateTime
	if cli.TerminalWidth(env.Stdout) > 0 && sameDay(s.From, s.To) {
		clock = time.TimeOnly
	}
	return display.Line(fmt.Sprintf("%s, %s to %s", what, s.From.Local().Format(time.DateTime), s.To.Local().Format(clock)))
}

// mostListed is how many acts of a kind a summary lists.
const mostListed = 10

// writeSome lists the last of some acts.
func writeSome(env *cli.Environment, head string, acts []audit.ActRecord) {
	if len(acts) == 0 {
		return
	}
	fmt.Fprintf(env.Stdout, "\n%s\n", head)
	if more := len(acts) - mostListed; more > 0 {
		fmt.Fprintf(env.Stdout, "  … and %d before these\n", more)
		acts = acts[more:]
	}
	out := cli.Table{Head: []string{"", "", ""}}
	for _, c := range acts {
		out.Add("  "+strconv.FormatInt(c[0].Seq, 10), orDash(c.By()), TitleOf(c))
	}
	out.WriteRows(env.Stdout)
}
