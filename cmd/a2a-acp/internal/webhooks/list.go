package webhooks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/inbox"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// listed is a webhook in `webhooks list`. What in it a receiver has said is escaped, and there is no secret in it.
type listed struct {
	ID     string `json:"id"`
	Source string `json:"source"` // record or checkpoints
	// State is on, waiting (no process delivers now), quiet, failing, paused, off (by its receiver), or removed
	// from the configuration.
	State  string     `json:"state"`
	Reason string     `json:"reason,omitempty"` // of paused and off
	Since  *time.Time `json:"since,omitempty"`
	URL    string     `json:"url,omitempty"` // without what may be a token
	Format string     `json:"format,omitempty"`
	At     string     `json:"configured_at,omitempty"`

	Position  int64      `json:"position"` // the number of the last item that is settled
	End       int64      `json:"end"`      // that of the last one there is
	Behind    int64      `json:"behind"`
	Delivered int64      `json:"delivered"`
	Last      *time.Time `json:"last_delivered,omitempty"`

	Attempts int        `json:"attempts,omitempty"` // that have failed, of the item that it is at
	Failing  *time.Time `json:"failing_since,omitempty"`
	Due      *time.Time `json:"due,omitempty"`
	Error    string     `json:"error,omitempty"`
	GivenUp  int64      `json:"given_up"`
	Again    int64      `json:"redelivering,omitempty"`
	Process  string     `json:"process,omitempty"` // that delivers
}

func show(k app.KnownWebhook, now time.Time) listed {
	s := listed{ID: k.ID, Source: k.Source, State: stateOf(k, now), Reason: display.Line(k.Reason), Since: some(k.Since),
		Position: k.Position, End: k.End, Behind: k.Behind(), Delivered: k.Delivered, Last: some(k.Last),
		Attempts: k.Attempts, Failing: some(k.Failing), Due: some(k.Due), Error: display.Line(k.Error), GivenUp: k.Dead,
		Again: k.Again, Process: k.Process}
	if k.Spec != nil {
		s.URL, s.Format, s.At = k.Spec.Target.Shown(), k.Spec.Format.String(), k.Spec.Source.String()
	}
	return s
}

func some(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// stateOf is the state of a webhook in a word.
func stateOf(k app.KnownWebhook, now time.Time) string {
	switch {
	case k.Spec == nil:
		return "removed"
	case k.State != store.WebhookOn:
		return string(k.State)
	case k.Process == "" || k.Until.Before(now):
		return "waiting"
	case k.Error != "":
		return "failing"
	case k.Spec.Quiet.Now(now):
		return "quiet"
	}
	return "on"
}

func listCommand(env *cli.Environment) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the webhooks, and how far each is",
		Long: `list shows each webhook with what it has been told. BEHIND is how many entries
of the record it has not been told of, or does not want. With state waiting,
no process is there that delivers: start serve, mcp or a bridge. GIVEN UP are
deliveries that failed for a day; webhooks redeliver sends them once more.`,
		Example: `  a2a-acp webhooks list
  a2a-acp webhooks list --json | jq '.[] | select(.behind > 100)'`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "also those that stand in no configuration any more")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		rows := []listed{}
		err := with(cmd.Context(), env, func(w *app.Webhooks) error {
			list, err := w.List(cmd.Context())
			if err != nil {
				return cli.Fail(exit.Host, err)
			}
			for _, k := range list {
				if all || k.Spec != nil {
					rows = append(rows, show(k, env.Now()))
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, rows)
		}
		if len(rows) == 0 {
			env.Say(errNone.Error())
			return nil
		}
		out := cli.Table{Head: []string{"ID", "STATE", "BEHIND", "DELIVERED", "LAST", "GIVEN UP", "URL", "WHY"}, Whole: true}
		for _, s := range rows {
			out.Add(s.name(), s.State, fmt.Sprint(s.Behind), fmt.Sprint(s.Delivered), ago(env, s.Last), fmt.Sprint(s.GivenUp),
				s.URL, s.why(env))
		}
		out.Write(env.Stdout)
		return nil
	}
	return cmd
}

// name is the id, and the source where it is not the record.
func (s *listed) name() string {
	if s.Source == webhook.RecordSource {
		return s.ID
	}
	return s.ID + " (" + s.Source + ")"
}

// why says what keeps it from being on.
func (s *listed) why(env *cli.Environment) string {
	switch {
	case s.State == "removed":
		return "it stands in no configuration any more"
	case s.Reason != "":
		return s.Reason
	}
	// Why the last attempt failed may be mended since: a secret that there was not is set.
	var parts []string
	if s.State == "waiting" {
		parts = append(parts, "no process is there that delivers: start serve, mcp or a bridge")
	}
	if s.Error != "" {
		parts = append(parts, "the last attempt failed: "+s.Error)
	}
	if s.State != "failing" {
		return strings.Join(parts, "; ")
	}
	if s.Attempts > 0 {
		parts = append(parts, display.Count(s.Attempts, "attempt", "attempts"))
	}
	if s.Due != nil && s.Due.After(env.Now()) {
		parts = append(parts, fmt.Sprintf("the next in %s, or at once with a2a-acp webhooks resume %s",
			inbox.Short(s.Due.Sub(env.Now())), display.Line(s.ID)))
	}
	return strings.Join(parts, "; ")
}

func ago(env *cli.Environment, at *time.Time) string {
	if at == nil {
		return "-"
	}
	return inbox.Short(env.Now().Sub(*at))
}
