// Package serve is the verb serve: the daemon.
package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/serve"
)

// flags are what the verb takes.
type flags struct {
	tools, policies []string
	listen          []string
	workspace       string
	noAuth          bool
	grace           time.Duration
	printUnit, user bool
}

// Command returns the verb serve.
func Command(env *cli.Environment) *cobra.Command {
	var flags flags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the tools to programs, over HTTP",
		Long: `serve is the daemon. It listens at 127.0.0.1:8642, and prints one line when it is ready:

  {"url":"http://127.0.0.1:8642","token_file":"…/a2a-acp/daemon.token"}

Who calls shows a token, as "Authorization: Bearer TOKEN" or "X-API-Key: TOKEN". serve: principals: in
a2a-acp.yaml names who may call, and for what; A2A_AUTH_TOKEN is one more token. Where neither is
there, the token is the one in token_file, which is made once, and only you can read.

Addresses that other machines reach need a certificate (serve: tls:). --no-auth lets in everybody who
reaches a loopback address, and works nowhere else.

SIGHUP has the files read again, as changing them does. SIGTERM ends the daemon: no call begins any
more, and those under way have the time of --grace. A second one ends them at once.`,
		Example: `  a2a-acp serve

  # who am I there?
  T=$(cat ~/.local/state/a2a-acp/daemon.token)
  curl -H "X-API-Key: $T" http://127.0.0.1:8642/status

  # a socket that only you can reach, beside the address
  a2a-acp serve --listen 127.0.0.1:8642 --listen unix:/run/user/1000/a2a

  # as a service of yours
  cd ~/.config/systemd/user
  a2a-acp serve --print-unit --user > a2a-acp.service
  systemctl --user enable --now a2a-acp`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.printUnit {
				return printUnit(env, flags.user)
			}
			return start(cmd.Context(), env, flags)
		},
	}
	cli.AddSources(cmd, &flags.tools, &flags.policies)
	cmd.Flags().StringArrayVar(&flags.listen, "listen", nil,
		"an address, in place of those of a2a-acp.yaml: HOST:PORT, https://HOST:PORT, http://HOST:PORT or unix:PATH; may be repeated")
	cmd.Flags().StringVar(&flags.workspace, "workspace", "",
		"the directory that callers work in who have none of their own; the current one by default")
	_ = cmd.MarkFlagDirname("workspace")
	cmd.Flags().BoolVar(&flags.noAuth, "no-auth", false, "let everybody in who reaches the daemon; loopback only")
	cmd.Flags().DurationVar(&flags.grace, "grace", 0, "how long calls under way have when the daemon ends")
	cmd.Flags().Lookup("grace").DefValue = serve.DefaultGrace.String() // 0 takes that of a2a-acp.yaml
	cmd.Flags().BoolVar(&flags.printUnit, "print-unit", false, "print a unit for systemd instead")
	cmd.Flags().BoolVar(&flags.user, "user", false, "with --print-unit: one for your own service manager")
	return cmd
}

func start(ctx context.Context, env *cli.Environment, flags flags) error {
	inherited, err := serve.Inherited(env.Getenv) // before anything is opened or started
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	if flags.workspace != "" {
		if flags.workspace, err = workspace(env, flags.workspace); err != nil {
			return cli.Fail(exit.Usage, err)
		}
	}
	for i, address := range flags.listen {
		if path, ok := strings.CutPrefix(address, "unix:"); ok && path != "" && !filepath.IsAbs(path) {
			flags.listen[i] = "unix:" + filepath.Join(env.AppOptions(nil, nil).Dir, path)
		}
	}
	if flags.grace < 0 {
		return cli.Fail(exit.Usage, errors.New("--grace: want no less than 0"))
	}
	// A hangup reads the files again, and the others end the daemon in order: what they end elsewhere goes on.
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	stdout, err := cli.ClaimStdout(env)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer stdout.Close()
	o := env.AppOptions(flags.tools, flags.policies)
	defer cli.OpenLog(env, &o)()
	a, err := app.New(o)
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	atOnce := false
	if err = a.Start(ctx); err == nil {
		if env.Getenv("GOGC") == "" {
			debug.SetGCPercent(serve.GCPercent)
		}
		atOnce, err = a.Daemon(app.DaemonOptions{
			Listen: flags.listen, Inherited: inherited, Manager: serve.ManagerOf(env.Getenv), NoAuth: flags.noAuth,
			Workspace: flags.workspace, Grace: flags.grace, Stdout: stdout, Signals: signals,
			Agents: app.AgentsOptions{Environ: env.ForAgent(), Find: cli.Finder(env).Find, Stderr: lines.New(env.Stderr)},
		})
	}
	over, cancel := context.WithCancel(ctx)
	cancel() // what had a grace has had it
	code := exit.Host
	var setting *serve.SettingError
	if errors.As(err, &setting) {
		code = exit.Usage
	}
	if err = errors.Join(err, a.Stop(over)); err != nil {
		return cli.Fail(code, err)
	}
	if atOnce {
		return cli.Silent(exit.Interrupt)
	}
	return nil
}

// workspace returns the directory that --workspace names, where it can be a workspace.
func workspace(env *cli.Environment, path string) (string, error) {
	o := env.AppOptions(nil, nil)
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", fmt.Errorf("--workspace %s: there is no such directory", path)
	}
	if o.Dirs().Workspace(path, nil).Root == "" {
		return "", fmt.Errorf("--workspace %s: this cannot be a workspace: it holds your home, or files of this program", path)
	}
	return path, nil
}
