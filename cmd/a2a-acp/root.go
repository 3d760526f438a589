package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/a2a"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/approvals"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/bridge"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/doctor"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/imports"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/mcp"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/policy"
	runverb "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/run"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/sandbox"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/secrets"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/setup"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/tools"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/upgrade"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/webhooks"
	"github.com/a2a-acp/a2a-acp/internal/hook"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

// run is the program: it gives the exit code.
func run(args []string, env *cli.Environment) int {
	// The supervisor must be quick and small, and knows nothing of the rest.
	if len(args) > 0 && args[0] == supervisor.Verb {
		return supervisor.Main(args[1:], env.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if len(args) > 0 && args[0] == hook.Verb { // it is started for every act, and must be quick, too
		return hook.Main(ctx, args[1:], env.Stdin, env.Stdout, env.Stderr)
	}
	root := rootCommand(env)
	root.SetArgs(args)
	if len(args) == 0 || !strings.HasPrefix(args[0], "__complete") { // completions are one line each
		cli.LibraryVerbs(root, env.Stdout)
		cli.SayUsage(root)
		cli.FitHelp(helped(root, args), cli.HelpWidth(env.Stdout, env.Stderr))
	}
	var failure cli.Failure
	failure.KeepFrom(root)
	err := fang.Execute(ctx, root, fang.WithVersion(env.Version), fang.WithErrorHandler(env.Explain))
	if failure.Err != nil {
		err = failure.Err
		env.Explain(env.Stderr, fang.Styles{}, err)
	}
	if err == nil {
		return env.Code
	}
	return cli.CodeOf(err)
}

// helped returns the command whose help may be shown, with that of those below it: of what is started all the
// time, an agent's bridge and its MCP server, that is not the help of the whole program.
func helped(root *cobra.Command, args []string) *cobra.Command {
	if len(args) == 0 || args[0] == "help" {
		return root
	}
	cmd, _, err := root.Find(args)
	if err != nil {
		return root
	}
	return cmd
}

func rootCommand(env *cli.Environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "a2a-acp",
		Short: "A safe, audited pair of hands between an AI agent and this machine",
		Long: `a2a-acp sits between an editor and an agent CLI. File access, terminals and permission prompts of
the agent pass your policies; the agent has the tools of your tools.yaml; every decision is on
record before it takes effect.

` + cli.ExitHelp,
		Example: `  # set it up: find the agents, write the files, print Zed's settings
  a2a-acp init

  # what an editor is told to run
  a2a-acp bridge gemini

  # try a tool
  a2a-acp tools run grep -p pattern=TODO

  # what happened
  a2a-acp audit list`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(cli.HelpOutput(env.Stdout))
	root.SetErr(env.Stderr)
	root.SetIn(env.Stdin)
	root.AddCommand(
		bridge.Command(env),
		runverb.Command(env),
		mcp.Command(env),
		serve.Command(env),
		agents.Command(env),
		tools.Command(env),
		imports.Command(env),
		policy.Command(env),
		approvals.Command(env),
		trust.Command(env),
		audit.Command(env),
		webhooks.Command(env),
		sandbox.Command(env),
		secrets.Command(env),
		doctor.Command(env),
		setup.Command(env),
		editor.Command(env),
		versionCommand(env),
		upgrade.Command(env),
	)
	root.AddCommand(a2a.Commands(env)...)
	return root
}

// build is what version tells scripts.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func versionCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  a2a-acp version
  a2a-acp version --json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		if *f == cli.FormatTable {
			_, err := fmt.Fprintln(env.Stdout, env.Version)
			return err
		}
		return cli.WriteData(env.Stdout, *f, build{env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH})
	}
	return cmd
}
