package webhooks

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// shown is a webhook in `webhooks show`: no value of a secret is in it, only where it stands.
type shown struct {
	listed
	Events         []string       `json:"events,omitempty"`
	DisabledEvents []string       `json:"disabled_events,omitempty"`
	Tools          []string       `json:"tools,omitempty"`
	Decisions      []string       `json:"decisions,omitempty"`
	Agents         []string       `json:"agents,omitempty"`
	QuietHours     string         `json:"quiet_hours,omitempty"`
	Authentication string         `json:"authentication,omitempty"`
	Signing        []string       `json:"signing,omitempty"`
	PublicKeys     []string       `json:"public_keys,omitempty"`
	AllowAddresses []netip.Prefix `json:"allow_addresses,omitempty"`
	AllowPorts     []uint16       `json:"allow_ports,omitempty"`
	CAFile         string         `json:"ca_file,omitempty"`
	Letters        []letter       `json:"letters,omitempty"`
}

// letter is a delivery that was given up, or is sent once more.
type letter struct {
	Number   int64      `json:"number"`
	ID       string     `json:"id,omitempty"` // webhook-id
	Event    string     `json:"event,omitempty"`
	Attempts int        `json:"attempts,omitempty"`
	GivenUp  *time.Time `json:"given_up,omitempty"`
	Error    string     `json:"error,omitempty"`
	Again    *time.Time `json:"redelivering_since,omitempty"`
}

func showCommand(env *cli.Environment) *cobra.Command {
	var c chosen
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a webhook, what it is owed and what was given up",
		Long: `show tells all about one webhook: what it wants, how far it is, what its
receiver has said last, and the deliveries that were given up. Values of
secrets are not shown, nor the path of its URL, which may be one; it says in
which line of which file they stand.`,
		Example: `  a2a-acp webhooks show alarms
  a2a-acp webhooks show alarms --json | jq -r '.public_keys[]'`,
		Args:              oneID,
		ValidArgsFunction: complete(env),
	}
	f := cli.AddFormat(cmd)
	c.addCheckpoints(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.id = args[0]
		return with(cmd.Context(), env, func(w *app.Webhooks) error {
			k, err := c.find(cmd.Context(), w)
			if err != nil {
				return err
			}
			s := shown{listed: show(k, env.Now())}
			letters, err := w.Letters(cmd.Context(), k.WebhookKey)
			if err != nil {
				return cli.Fail(exit.Host, err)
			}
			for _, l := range letters {
				s.Letters = append(s.Letters, showLetter(l))
			}
			if k.Spec != nil {
				s.describe(k.Spec)
				if k.Spec.Target.Signing.Ed25519 {
					if s.PublicKeys, err = w.PublicKeys(); err != nil {
						return cli.Fail(exit.Host, err)
					}
				}
			}
			if *f != cli.FormatTable {
				return cli.WriteData(env.Stdout, *f, s)
			}
			return s.write(env)
		})
	}
	return cmd
}

func showLetter(l store.Letter) letter {
	return letter{Number: l.Position, ID: l.Item, Event: display.Line(l.Event), Attempts: l.Attempts, GivenUp: some(l.GivenUp),
		Error: display.Line(l.Error), Again: some(l.Again)}
}

// describe says what is configured.
func (s *shown) describe(spec *webhook.Spec) {
	f, t := spec.Filter, spec.Target
	s.Events, s.DisabledEvents, s.Tools, s.Decisions, s.Agents = f.Events, f.Disabled, f.Tools, f.Decisions, f.Agents
	if spec.Quiet != nil {
		s.QuietHours = spec.Quiet.String()
	}
	if t.Auth.Kind != webhook.AuthNone {
		s.Authentication = strings.TrimSpace(fmt.Sprintf("%s %s %s", t.Auth.Kind, t.Auth.Name, t.Auth.Value))
	}
	for _, secret := range t.Signing.Secrets {
		s.Signing = append(s.Signing, secret.String())
	}
	if t.Signing.Ed25519 {
		s.Signing = append(s.Signing, "ed25519")
	}
	s.AllowAddresses, s.AllowPorts, s.CAFile = t.Allow, t.Ports, t.CAFile
}

// write writes it for people: a line for each thing that there is, in the order of the data.
func (s *shown) write(env *cli.Environment) error {
	out := cli.Table{Head: []string{"", ""}, Whole: true}
	add := func(name, value string) {
		if value != "" {
			out.Add(name, value)
		}
	}
	add("webhook", s.name())
	add("state", s.State)
	add("why", s.why(env))
	add("url", s.URL)
	add("configured at", s.At)
	add("events", strings.Join(s.Events, " "))
	add("not", strings.Join(s.DisabledEvents, " "))
	add("tools", strings.Join(s.Tools, " "))
	add("decisions", strings.Join(s.Decisions, " "))
	add("agents", strings.Join(s.Agents, " "))
	add("quiet hours", s.QuietHours)
	add("authentication", s.Authentication)
	add("signed with", strings.Join(s.Signing, ", "))
	add("public keys", strings.Join(s.PublicKeys, " "))
	add("format", s.Format)
	add("delivered", fmt.Sprintf("%d, up to number %d of %d", s.Delivered, s.Position, s.End))
	if s.Process != "" {
		add("by process", s.Process)
	}
	out.WriteRows(env.Stdout)
	if len(s.Letters) == 0 {
		return nil
	}
	fmt.Fprintln(env.Stdout)
	letters := cli.Table{Head: []string{"GIVEN UP", "NUMBER", "EVENT", "ATTEMPTS", "WHY"}}
	for _, l := range s.Letters {
		when := "sent again"
		if l.Again == nil {
			when = ago(env, l.GivenUp) + " ago"
		}
		letters.Add(when, fmt.Sprint(l.Number), l.Event, fmt.Sprint(l.Attempts), l.Error)
	}
	letters.Write(env.Stdout)
	return nil
}

// tried is what `webhooks test --json` prints.
type tried struct {
	OK     bool    `json:"ok"`
	ID     string  `json:"id"` // webhook-id
	Status int     `json:"status,omitempty"`
	Millis float64 `json:"ms"`
	Error  string  `json:"error,omitempty"`
}

func testCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test ID",
		Short: "Send a webhook an event that is about nothing, now",
		Long: `test sends an event of type webhook.test, as the webhook is configured: signed,
with its authentication, in its format. It is tried once, whatever the state
of the webhook and its filters, and stands on no record. The exit code is 1
where the receiver does not answer with 2xx.`,
		Example: `  a2a-acp webhooks test alarms
  a2a-acp webhooks test alarms --json`,
		Args:              oneID,
		ValidArgsFunction: complete(env),
	}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.CheckToTighten(); err != nil {
			return err
		}
		return with(cmd.Context(), env, func(w *app.Webhooks) error {
			trial, err := w.Try(cmd.Context(), args[0], env.Version)
			if err != nil {
				return cli.Fail(exit.Usage, fmt.Errorf("%s: %w; a2a-acp webhooks list shows them", display.Line(args[0]), err))
			}
			result := tried{OK: trial.Why == "", ID: trial.ID, Status: trial.Status,
				Millis: float64(trial.Took.Microseconds()) / 1000, Error: trial.Why}
			if *f != cli.FormatTable {
				if err := cli.WriteData(env.Stdout, *f, result); err != nil {
					return err
				}
				if !result.OK {
					return cli.Silent(exit.ToolFailed)
				}
				return nil
			}
			if !result.OK {
				return cli.Fail(exit.ToolFailed, fmt.Errorf("%s was not told: %s", args[0], trial.Why))
			}
			fmt.Fprintf(env.Stdout, "%s has it: HTTP status %d after %s (%s)\n", args[0], trial.Status,
				trial.Took.Round(time.Millisecond), trial.ID)
			return nil
		})
	}
	return cmd
}
