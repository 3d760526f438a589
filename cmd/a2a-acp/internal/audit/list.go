package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

func auditListCommand(env *cli.Environment) *cobra.Command {
	filter := ActFilter{follow: true}
	var last int
	var config, arguments bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was asked, decided and done in the last session, an act a line",
		Long: `list shows the acts of the last session, and later ones that belong to no
session, such as calls from the command line. BY is who decided: a rule by
its name, or a person. ENDED is the outcome; of an act that the agent
carried out itself, it is what the agent reported.

"seen" is an act that the agent did by itself and nobody decided. A
"violation" is one that it did by itself against a rule or an answer.`,
		Example: `  a2a-acp audit list
  a2a-acp audit list --session 2
  a2a-acp audit list --session all --kind write --decision reject
  a2a-acp audit list --session all --since 24h --json | jq '.[].decision'
  a2a-acp audit list --session all --tool 'deploy*' --text production
  a2a-acp audit list --config`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	filter.addTo(cmd)
	cmd.Flags().Lookup("session").DefValue = lastSession
	cmd.Flags().IntVarP(&last, "last", "n", 50, "how many of the last acts; 0 lists all")
	cmd.Flags().BoolVar(&config, "config", false,
		"also when bridges and sessions began, what files were in force, and calls of tools test")
	cmd.Flags().BoolVar(&arguments, "arguments", false,
		"also the arguments of calls, as they stand on record: of a secret one its hash")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		filter.acts = !config
		if !cmd.Flags().Changed("session") {
			filter.session = lastSession
		} else if filter.session != lastSession {
			filter.follow = false
		}
		filter.last = max(0, last)
		acts, err := filter.Acts(env)
		if *f != cli.FormatTable {
			list := []audit.Entry{}
			for _, act := range acts {
				list = append(list, act...)
			}
			filter.sayEarlier(env)
			return errors.Join(cli.WriteData(env.Stdout, *f, list), err)
		}
		if len(acts) == 0 {
			if err == nil {
				filter.sayNone(env)
			}
			return err
		}
		filter.writeList(env, acts, arguments)
		filter.sayEarlier(env)
		return err
	}
	return cmd
}

// writeList writes acts one a line, below the session that they are of; where they are of several, each has
// its agent's name.
func (f *ActFilter) writeList(env *cli.Environment, acts []audit.ActRecord, arguments bool) {
	out := cli.Table{Head: []string{"NO", "TIME", "AGENT", "DECISION", "BY", "ENDED", "ACT"}, Whole: arguments}
	several := f.session == "" && slices.ContainsFunc(acts, func(c audit.ActRecord) bool { return c[0].Agent != "" })
	if f.session != "" {
		own := slices.DeleteFunc(slices.Clone(acts), func(c audit.ActRecord) bool { return c[0].Session != f.session })
		s, beyond := audit.Summarise(own), ""
		switch {
		case len(own) == 0:
			s = audit.Summarise(acts)
			s.Agent = ""
		case len(own) < len(acts):
			beyond = ", and what came after it had begun"
		}
		s.Session = f.session
		fmt.Fprintln(env.Stdout, cli.Fold(env.Stdout, heading(env, &s)+beyond+" (--session all lists all)", 2))
	}
	if !several {
		out.Head = slices.Delete(out.Head, 2, 3)
	}
	clock := time.DateTime
	if f.session != "" {
		clock = clockOf(acts[0][0].Time, acts[len(acts)-1][0].Time, cli.TerminalWidth(env.Stdout))
	}
	for _, c := range acts {
		title := TitleOf(c)
		if act := c.Act(); arguments && act != nil && len(act.Arguments) > 0 {
			title += ": " + strings.Join(values("", act.Arguments), ", ")
		}
		row := []string{strconv.FormatInt(c[0].Seq, 10), c[0].Time.Local().Format(clock), orDash(agents.Short(c[0].Agent)),
			orDash(c.Result()), orDash(c.By()), endOf(c), title}
		if !several {
			row = slices.Delete(row, 2, 3)
		}
		out.Add(row...)
	}
	out.Write(env.Stdout)
}

// narrow is how many columns leave little room for the act beside a date.
const narrow = 120

// clockOf is how the times of a session's acts are written: in a narrow terminal those of one day without the day, which the
// head has. The width is 0 for what is no terminal.
func clockOf(first, last time.Time, width int) string {
	if width == 0 || width >= narrow || !sameDay(first, last) {
		return time.DateTime
	}
	return time.TimeOnly
}

func sameDay(a, b time.Time) bool {
	return a.Local().Format(time.DateOnly) == b.Local().Format(time.DateOnly)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return display.Line(text)
}
