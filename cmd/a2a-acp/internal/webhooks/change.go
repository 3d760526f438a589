package webhooks

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func redeliverCommand(env *cli.Environment) *cobra.Command {
	var c chosen
	cmd := &cobra.Command{
		Use:   "redeliver ID [NUMBER...]",
		Short: "Send deliveries once more, with the ids that they had",
		Long: `redeliver has deliveries that were given up sent once more, or the entries of
the record with these numbers, whether the webhook wants such or not. They
are sent before what is owed otherwise, at once if a process delivers.`,
		Example: `  a2a-acp webhooks redeliver alarms
  a2a-acp webhooks redeliver alarms 120 121`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: complete(env),
	}
	c.addCheckpoints(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var numbers []int64
		for _, text := range args[1:] {
			n, err := number(text)
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		return change(cmd, env, &c, args[0], func(w *app.Webhooks, k app.KnownWebhook) error {
			n, err := w.Redeliver(cmd.Context(), k.WebhookKey, numbers)
			if err != nil {
				return cli.Fail(exit.Host, err)
			}
			if n == 0 {
				env.Say("nothing was given up")
				return nil
			}
			env.Say(fmt.Sprintf("%d of %s: sent once more%s", n, k.ID, by(k, env)))
			return nil
		})
	}
	return cmd
}

func pauseCommand(env *cli.Environment) *cobra.Command {
	var c chosen
	var reason string
	cmd := &cobra.Command{
		Use:   "pause ID",
		Short: "Stop deliveries to a webhook; what happens is owed to it",
		Long: `pause stops deliveries to a webhook in all processes, within a second, until
webhooks resume. What happens meanwhile is owed and sent then. It is recorded
who did it.`,
		Example:           `  a2a-acp webhooks pause alarms --reason "the receiver moves"`,
		Args:              oneID,
		ValidArgsFunction: complete(env),
	}
	c.addCheckpoints(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "is shown in list and show; at most 200 bytes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(reason) > 200 {
			return cli.Fail(exit.Usage, errors.New("--reason: want 200 bytes or fewer"))
		}
		return change(cmd, env, &c, args[0], func(w *app.Webhooks, k app.KnownWebhook) error {
			return failed(w.Pause(cmd.Context(), k.WebhookKey, env.Approver("cli"), reason))
		})
	}
	return cmd
}

func resumeCommand(env *cli.Environment) *cobra.Command {
	var c chosen
	var from string
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Deliver again at once: after a pause, a 410, or a failure",
		Long: `resume has deliveries go on at once, where they were: after a pause, after the
receiver has switched the webhook off with status 410, and in place of waiting
for the next attempt. With --from they go on elsewhere: with now, what is owed
is not sent; with a number, everything from that entry of the record on is
sent, once more if need be.`,
		Example: `  a2a-acp webhooks resume alarms
  a2a-acp webhooks resume alarms --from 120`,
		Args:              oneID,
		ValidArgsFunction: complete(env),
	}
	c.addCheckpoints(cmd)
	cmd.Flags().StringVar(&from, "from", "", "now, beginning, or the number of an entry")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at := int64(-1)
		switch from {
		case "", "now":
		case "beginning":
			at = 0
		default:
			n, err := number(from)
			if err != nil {
				return err
			}
			at = n
		}
		return change(cmd, env, &c, args[0], func(w *app.Webhooks, k app.KnownWebhook) error {
			if from == "now" {
				at = k.End + 1
			}
			if at > k.End+1 {
				return cli.Fail(exit.Usage, fmt.Errorf("--from: the last number is %d", k.End))
			}
			return failed(w.Resume(cmd.Context(), k.WebhookKey, at, env.Approver("cli")))
		})
	}
	return cmd
}

// change changes something about a webhook, which no agent may.
func change(cmd *cobra.Command, env *cli.Environment, c *chosen, id string,
	do func(*app.Webhooks, app.KnownWebhook) error) error {
	if err := cli.CheckToTighten(); err != nil {
		return err
	}
	c.id = id
	return with(cmd.Context(), env, func(w *app.Webhooks) error {
		k, err := c.find(cmd.Context(), w)
		if err != nil {
			return err
		}
		return do(w, k)
	})
}

// failed gives what the machine could not do its exit code.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return cli.Fail(exit.Host, err)
}

// by says which process does it, or that none is there.
func by(k app.KnownWebhook, env *cli.Environment) string {
	if k.Process == "" || k.Until.Before(env.Now()) {
		return ", as soon as serve, mcp or a bridge is started"
	}
	return " by process " + k.Process
}

func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, cli.Fail(exit.Usage, fmt.Errorf("want the number of an entry of the record, from 1; found %q", display.Line(text)))
	}
	return n, nil
}
