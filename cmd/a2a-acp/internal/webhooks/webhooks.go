// Package webhooks is the verb webhooks: who is told what happens, what they are owed, and what became of it.
package webhooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// Command returns the verb webhooks.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "Tell other systems what happens, signed and in order",
		Long: `A webhook is a URL that is sent what goes on record: a POST for each event,
signed, in order, until the receiver has answered with 2xx. They stand in
a2a-acp.yaml:

  webhooks:
    - id: alarms
      url: https://hooks.example.com/a2a
      events: [tool.violated, approval.asked]
      signing: {secret: ALARM_KEY}

Bridges, run, mcp and serve deliver while they live; what happens meanwhile
is owed. Nothing that is owed is lost by a crash. A delivery that fails is tried
again over a day. It may come twice, with the same webhook-id.`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(listCommand(env), showCommand(env), testCommand(env), redeliverCommand(env), pauseCommand(env),
		resumeCommand(env))
	return cmd
}

var errNone = errors.New("there are no webhooks: they stand in a2a-acp.yaml, under webhooks")

// with opens the webhooks for a function.
func with(ctx context.Context, env *cli.Environment, do func(*app.Webhooks) error) (err error) {
	w, err := app.OpenWebhooks(ctx, env.AppOptions(nil, nil))
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Fail(exit.Usage, errNone)
	}
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return do(w)
}

// chosen is what an argument names: a webhook, and whether its checkpoints are meant.
type chosen struct {
	id          string
	checkpoints bool
}

// addCheckpoints gives a verb the flag for the second source of a webhook.
func (c *chosen) addCheckpoints(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.checkpoints, "checkpoints", false, "of a webhook that gets both: its checkpoints")
}

// find returns the subscription that is meant: of a webhook that gets one thing only, that.
func (c *chosen) find(ctx context.Context, w *app.Webhooks) (app.KnownWebhook, error) {
	list, err := w.List(ctx)
	if err != nil {
		return app.KnownWebhook{}, cli.Fail(exit.Host, err)
	}
	list = slices.DeleteFunc(list, func(k app.KnownWebhook) bool { return k.ID != c.id })
	if i := slices.IndexFunc(list, func(k app.KnownWebhook) bool {
		return (k.Source == webhook.CheckpointSource) == c.checkpoints
	}); i >= 0 {
		return list[i], nil
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return app.KnownWebhook{}, cli.Fail(exit.Usage, fmt.Errorf("there is no webhook %s; a2a-acp webhooks list shows them",
		display.Line(c.id)))
}

// oneID asks for an id in words that help.
func oneID(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cli.Fail(exit.Usage, errors.New("which webhook? a2a-acp webhooks list shows their ids"))
	}
	return nil
}

// complete completes the id of a webhook.
func complete(env *cli.Environment) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []cobra.Completion
		_ = with(cmd.Context(), env, func(w *app.Webhooks) error { // without one there is nothing to complete
			list, err := w.List(cmd.Context())
			for _, k := range list {
				if !slices.Contains(ids, k.ID) {
					ids = append(ids, k.ID)
				}
			}
			return err
		})
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
