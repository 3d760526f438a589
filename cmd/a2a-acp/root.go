package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// run is the program: it gives the exit code.
func run(args []string, env *environment) int {
	// The supervisor must be quick and small, and knows nothing of the rest.
	if len(args) > 0 && args[0] == supervisor.Verb {
		return supervisor.Main(args[1:], env.stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := rootCommand(env)
	root.SetArgs(args)
	if len(args) == 0 || !strings.HasPrefix(args[0], "__complete") { // completions are one line each
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
		sayUsage(root)
		fitHelp(root, terminalWidth(env.stdout))
	}
	err := fang.Execute(ctx, root, fang.WithVersion(version), fang.WithErrorHandler(env.explain))
	if err == nil {
		return env.code
	}
	return codeOf(err)
}

// explain writes the error that a verb ended with. The last line of it is the one that an editor shows.
func (e *environment) explain(w io.Writer, _ fang.Styles, err error) {
	var coded *codedError
	if errors.As(err, &coded) && coded.quiet {
		return
	}
	text := strings.TrimSuffix(err.Error(), "\n")
	if list := yamldoc.List(err); len(list) > 0 {
		if text != list.Error() { // what was to be done with the files comes first
			fmt.Fprint(w, "a2a-acp: ")
		}
		fmt.Fprintln(w, yamldoc.Shown(err))
		text = "nothing was done: " + list.Summary()
	}
	if !errors.As(err, &coded) {
		text += "\nhint: a2a-acp --help shows the verbs, a2a-acp VERB --help what one of them takes"
	}
	fmt.Fprintf(w, "a2a-acp: %s\n", text)
}

func rootCommand(env *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "a2a-acp",
		Short: "A safe, audited pair of hands between an AI agent and this machine",
		Long: `a2a-acp sits between an editor and an agent CLI. File access, terminals and permission prompts of
the agent pass your policies; the agent has the tools of your tools.yaml; every decision is on
record before it takes effect.

` + exitHelp,
		Example: `  # set it up: find the agents, write the files, print Zed's settings
  a2a-acp init

  # what an editor is told to run
  a2a-acp bridge gemini

  # try a tool
  a2a-acp tools run grep -p pattern=TODO

  # what happened
  a2a-acp audit list`,
		Args: verbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetIn(env.stdin)
	root.AddCommand(
		bridgeCommand(env),
		mcpCommand(env),
		toolsCommand(env),
		policyCommand(env),
		approvalsCommand(env),
		trustCommand(env),
		auditCommand(env),
		sandboxCommand(env),
		secretsCommand(env),
		doctorCommand(env),
		initCommand(env),
		versionCommand(env),
	)
	return root
}

// verbsOnly refuses a word that is no verb, with the one that was probably meant.
func verbsOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, verb := range cmd.Commands() {
		verbs = append(verbs, verb.Name())
	}
	if near := spelling.Nearest(args[0], verbs); near != "" {
		return fail(exit.Usage, fmt.Errorf("%s has no verb %q; did you mean %s?", cmd.CommandPath(), args[0], near))
	}
	return fail(exit.Usage, fmt.Errorf("%s has no verb %q; there are: %s", cmd.CommandPath(), args[0], strings.Join(verbs, ", ")))
}

func versionCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(env.stdout, version)
			return err
		},
	}
}
