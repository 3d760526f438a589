package audit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// summary counts what became of acts. What was let through counts by what it did, whether it succeeded or
// not; Failed says how many of them did not.
type summary struct {
	Session string    `json:"session_id,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`

	Wrote   int `json:"wrote"` // files written, deleted or moved
	Ran     int `json:"ran"`   // commands
	Read    int `json:"read"`  // files read or searched
	Called  int `json:"called"`
	Fetched int `json:"fetched"`
	Other   int `json:"other"`
	Failed  int `json:"failed"`
	Stopped int `json:"stopped"` // by a rule, a governor or a person, or since nobody answered
	Refused int `json:"refused"` // by the sandbox of a confined agent
	Seen    int `json:"seen"`    // the agent did it by itself: nobody decided it
	Waiting int `json:"waiting"` // for an answer

	Asked int `json:"asked"` // questions that a person has answered
	Yes   int `json:"yes"`

	stopped, seen []audit.Chapter
}

// summarise counts the acts among chapters.
func summarise(chapters []audit.Chapter) summary {
	var s summary
	for _, c := range chapters {
		first, last := c[0], c[len(c)-1]
		if s.From.IsZero() || first.Time.Before(s.From) {
			s.From = first.Time
		}
		if last.Time.After(s.To) {
			s.To = last.Time
		}
		if s.Agent == "" {
			s.Agent = first.Agent
		}
		if actOf(c) == nil {
			continue
		}
		s.count(c)
		for _, entry := range c {
			if entry.Type == events.ApprovalAnswered && entry.Decision != nil &&
				entry.Decision.Source == string(permissions.SourcePerson) {
				s.Asked++
				if entry.Decision.Result == permissions.Approve.String() {
					s.Yes++
				}
			}
		}
	}
	return s
}

// count counts one act by what became of it.
func (s *summary) count(c audit.Chapter) {
	switch resultOf(c) {
	case permissions.Reject.String():
		s.Stopped++
		s.stopped = append(s.stopped, c)
		return
	case resultRefused:
		s.Refused++
		s.stopped = append(s.stopped, c)
		return
	case "seen":
		s.Seen++
		s.seen = append(s.seen, c)
		return
	case "asked":
		s.Waiting++
		return
	}
	switch permissions.Action(actOf(c).Kind) {
	case permissions.ActionWrite, permissions.ActionDelete, permissions.ActionMove:
		s.Wrote++
	case permissions.ActionExecute:
		s.Ran++
	case permissions.ActionRead, permissions.ActionSearch:
		s.Read++
	case permissions.ActionCall:
		s.Called++
	case permissions.ActionFetch:
		s.Fetched++
	default:
		s.Other++
	}
	if ended := c.Ended(); ended != nil && ended.Outcome != nil &&
		ended.Outcome.Status != string(tool.StatusCompleted) {
		s.Failed++
	}
}

// line says a summary in one line: what an agent does in every session, and whatever else there is.
func (s *summary) line() string {
	var words []string
	for _, part := range []struct {
		word   string
		n      int
		always bool
	}{
		{"wrote", s.Wrote, true}, {"ran", s.Ran, true}, {"read", s.Read, true}, {"called", s.Called, false},
		{"fetched", s.Fetched, false}, {"did otherwise", s.Other, false}, {"failed", s.Failed, false},
		{"stopped", s.Stopped, true}, {"refused by its sandbox", s.Refused, false},
		{"waiting", s.Waiting, false}, {"only seen", s.Seen, true},
	} {
		if part.always || part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", part.word, part.n))
		}
	}
	return strings.Join(words, ", ")
}

func auditSummaryCommand(env *cli.Environment) *cobra.Command {
	filter := ActFilter{session: lastSession}
	cmd := &cobra.Command{
		Use:   "summary",
		Short: "Count what a session did, and list what was stopped in it",
		Long: `summary counts what the last session did, was kept from doing, and did by itself where nobody decides.
--session takes the id of another one, 2 for the one before the last, and so on, or all.`,
		Example: `  a2a-acp audit summary
  a2a-acp audit summary --session 2
  a2a-acp audit summary --session all --since 7d --json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringVar(&filter.session, "session", lastSession,
		"this session: its id, last, 2 for the one before that, …, or all")
	cmd.Flags().Var(&filter.since, "since", "only acts of the last so long, such as 7d or 90m")
	cmd.RunE = func(*cobra.Command, []string) error {
		chapters, err := filter.Chapters(env)
		if len(chapters) == 0 && err == nil && *f == cli.FormatTable {
			env.Say("nothing is on record yet that fits")
			return nil
		}
		s := summarise(chapters)
		s.Session = filter.session
		if *f != cli.FormatTable {
			return errors.Join(cli.WriteData(env.Stdout, *f, s), err)
		}
		writeSummary(env, &s)
		return err
	}
	return cmd
}

func writeSummary(env *cli.Environment, s *summary) {
	what := "all sessions, and what belongs to none"
	if s.Session != "" {
		what = "session " + s.Session
		if s.Agent != "" {
			what += " of " + s.Agent
		}
	}
	fmt.Fprintf(env.Stdout, "%s, %s to %s\n", display.Line(what), s.From.Local().Format(time.DateTime),
		s.To.Local().Format(time.DateTime))
	fmt.Fprintln(env.Stdout, s.line())
	if s.Asked > 0 {
		fmt.Fprintf(env.Stdout, "answered by people %d, with yes %d\n", s.Asked, s.Yes)
	}
	writeSome(env, "stopped", s.stopped)
	writeSome(env, "only seen: the agent did it by itself, and nobody decided it", s.seen)
}

// mostListed is how many acts of a kind a summary lists.
const mostListed = 10

// writeSome lists the last of some acts.
func writeSome(env *cli.Environment, head string, chapters []audit.Chapter) {
	if len(chapters) == 0 {
		return
	}
	fmt.Fprintf(env.Stdout, "\n%s\n", head)
	if more := len(chapters) - mostListed; more > 0 {
		fmt.Fprintf(env.Stdout, "  … and %d before these\n", more)
		chapters = chapters[more:]
	}
	out := cli.Table{Head: []string{"", "", ""}}
	for _, c := range chapters {
		out.Add("  "+strconv.FormatInt(c[0].Seq, 10), deciderOf(c), TitleOf(c))
	}
	out.WriteRows(env.Stdout)
}

// The sessions that --session takes beside an id.
const (
	lastSession = "last"
	allSessions = "all"
)

// find puts the id of a session in the place of `last`, of a number that counts back, and of `all`.
func (f *ActFilter) find(dir string) error {
	if f.session == "" || f.session == allSessions {
		f.session = ""
		return nil
	}
	var sessions []string // by when they began
	known := map[string]bool{}
	err := audit.Read(dir, func(e audit.Entry) error {
		if e.Session != "" && !known[e.Session] {
			known[e.Session] = true
			sessions = append(sessions, e.Session)
		}
		return nil
	})
	var damaged *audit.Damage
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	back := 1
	switch n, err := strconv.Atoi(f.session); {
	case known[f.session]:
		return nil
	case f.session == lastSession:
	case err == nil:
		back = n
	default: // an id that nothing on record has
		return nil
	}
	if len(sessions) == 0 {
		return cli.Fail(exit.Usage, errors.New("no session is on record yet; --session all takes what belongs to none"))
	}
	if back < 1 || back > len(sessions) {
		return cli.Fail(exit.Usage, fmt.Errorf("--session %s: no session is so far back; on record: %d", f.session, len(sessions)))
	}
	f.session = sessions[len(sessions)-back]
	return nil
}
