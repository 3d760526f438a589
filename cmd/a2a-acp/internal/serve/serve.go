// Package serve is the verb serve: the daemon.
package serve

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// flags are what the verb takes.
type flags struct {
	tools, policies []string
	listen          []string
	noAuth          bool
	grace           time.Duration
}

// Command returns the verb serve.
func Command(env *cli.Environment) *cobra.Command {
	var flags flags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the tools to programs, over HTTP",
		Long: `serve is the daemon. It listens at 127.0.0.1:8642 and prints one line when it is ready:

  {"url":"http://127.0.0.1:8642","token_file":"…/a2a-acp/daemon.token"}

Who calls shows a token, as "Authorization: Bearer TOKEN" or "X-API-Key: TOKEN": that of the environment
variable A2A_AUTH_TOKEN, else the one in token_file, which is made once.

SIGTERM ends it: no call begins any more, and those under way have the time of --grace. A second one
ends them at once.`,
		Example: `  a2a-acp serve

  # who am I there
  T=$(cat ~/.local/state/a2a-acp/daemon.token)
  curl -H "X-API-Key: $T" http://127.0.0.1:8642/status`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return start(cmd.Context(), env, flags) },
	}
	cli.AddSources(cmd, &flags.tools, &flags.policies)
	cmd.Flags().StringArrayVar(&flags.listen, "listen", nil, "an address to listen at, as 127.0.0.1:8642; may be repeated")
	cmd.Flags().BoolVar(&flags.noAuth, "no-auth", false, "let everybody in who reaches the loopback address")
	cmd.Flags().DurationVar(&flags.grace, "grace", 30*time.Second, "how long calls under way have when the daemon ends")
	return cmd
}

func start(ctx context.Context, env *cli.Environment, flags flags) error {
	// A hangup reloads, and the others end it in order: what the signals end elsewhere goes on here.
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	stdout, err := cli.ClaimStdout(env)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer stdout.Close()
	a, err := app.New(env.AppOptions(flags.tools, flags.policies))
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	atOnce := false
	if err = a.Start(ctx); err == nil {
		atOnce, err = a.Daemon(app.DaemonOptions{Listen: flags.listen, NoAuth: flags.noAuth, Grace: flags.grace,
			Stdout: stdout, Signals: signals})
	}
	over, cancel := context.WithCancel(ctx)
	cancel() // what had a grace has had it
	if err = errors.Join(err, a.Stop(over)); err != nil {
		return cli.Fail(exit.Host, err)
	}
	if atOnce {
		return cli.Silent(exit.Interrupt)
	}
	return nil
}
