package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

func auditSummaryCommand(env *cli.Environment) *cobra.Command {
	filter := ActFilter{session: lastSession}
	cmd := &cobra.Command{
		Use:   "summary",
		Short: "Count what a session did, and list what was stopped in it",
		Long: `summary counts what the last session did, what it was kept from doing, and
what it did by itself where nobody decides. --session takes the id of
another session, 2 for the one before the last and so on, or all.`,
		Example: `  a2a-acp audit summary
  a2a-acp audit summary --session 2
  a2a-acp audit summary --session all --since 7d --json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringVar(&filter.session, "session", lastSession,
		"this session: its id, last, 2 for the one before that, …, or all")
	cmd.Flags().Var(&filter.since, "since", "only acts of this last period, such as 7d or 90m")
	cmd.RunE = func(*cobra.Command, []string) error {
		acts, err := filter.Acts(env)
		if len(acts) == 0 && *f == cli.FormatTable {
			if err == nil {
				env.Say("no recorded act matches")
			}
			return err
		}
		s := audit.Summarise(acts)
		s.Session = filter.session
		if *f != cli.FormatTable {
			return errors.Join(cli.WriteData(env.Stdout, *f, s), err)
		}
		writeSummary(env, &s)
		return err
	}
	return cmd
}

func writeSummary(env *cli.Environment, s *audit.Summary) {
	fmt.Fprintln(env.Stdout, heading(s))
	fmt.Fprintln(env.Stdout, s.Line())
	if s.Asked > 0 {
		fmt.Fprintf(env.Stdout, "questions answered by a person: %d, allowed: %d\n", s.Asked, s.Yes)
	}
	writeSome(env, "violations: the agent did it by itself, against a rule or an answer", s.WereViolations)
	writeSome(env, "stopped", s.WereStopped)
	writeSome(env, "only seen: the agent did it by itself, and nobody decided it", s.WereSeen)
}

// heading says which session a list or a summary is of, and when it was.
func heading(s *audit.Summary) string {
	what := "all sessions, and what belongs to none"
	if s.Session != "" {
		what = "session " + s.Session
		if s.Agent != "" {
			what += " of " + s.Agent
		}
	}
	return display.Line(fmt.Sprintf("%s, %s to %s", what, s.From.Local().Format(time.DateTime),
		s.To.Local().Format(time.DateTime)))
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

// The sessions that --session takes beside an id.
const (
	lastSession = "last"
	allSessions = "all"
)

// find puts the id of a session in the place of `last`, of a number that counts back, and of `all`. from is
// the number of the entry behind which what belongs to no session counts as well; 0 for nothing of that.
func (f *ActFilter) find(dir string) (from int64, err error) {
	if f.session == "" || f.session == allSessions {
		f.session = ""
		return 0, nil
	}
	var sessions []string // by when they were opened last
	began := map[string]int64{}
	var files, bridge int64 // when the last files came into force, and the last bridge began
	marks := audit.OfType(events.ConfigLoaded, events.BridgeStarted, events.SessionOpened)
	want := func(line []byte) bool {
		id := sessionOf(line)
		_, known := began[id]
		return id != "" && !known || marks(line)
	}
	err = audit.Scan(dir, want, func(e audit.Entry) error {
		switch e.Type {
		case events.ConfigLoaded:
			files = e.Seq
		case events.BridgeStarted:
			if bridge = e.Seq; files == e.Seq-1 {
				bridge = files
			}
		}
		if _, known := began[e.Session]; e.Session == "" || known && e.Type != events.SessionOpened {
			return nil
		} else if known {
			sessions = slices.DeleteFunc(sessions, func(id string) bool { return id == e.Session })
		} else {
			began[e.Session] = e.Seq
			if bridge > 0 {
				began[e.Session] = bridge
			}
		}
		sessions = append(sessions, e.Session)
		return nil
	})
	var damaged *audit.Damage
	if err != nil && !errors.As(err, &damaged) {
		return 0, err
	}
	f.sessions = len(sessions)
	back := 1
	n, err := strconv.Atoi(f.session)
	_, known := began[f.session]
	switch {
	case known:
		return 0, nil
	case f.session == lastSession:
	case err == nil:
		back = n
	default: // an id that nothing on record has
		return 0, nil
	}
	if len(sessions) == 0 && f.follow {
		f.session = ""
		return 0, nil
	}
	if len(sessions) == 0 {
		return 0, cli.Fail(exit.Usage, errors.New("no session is on record yet; --session all also shows acts outside of sessions"))
	}
	if back < 1 || back > len(sessions) {
		return 0, cli.Fail(exit.Usage, fmt.Errorf("--session %s: no session is so far back; on record: %d", f.session, len(sessions)))
	}
	if f.session = sessions[len(sessions)-back]; f.follow {
		from = began[f.session]
	}
	return from, nil
}

// sessionOf returns the session that a line of the record is of, as it stands there; "" for none.
func sessionOf(line []byte) string {
	_, after, _ := bytes.Cut(line, []byte(`"session_id":"`))
	id, _, _ := bytes.Cut(after, []byte(`"`))
	return string(id)
}
