// Package bridge is the verb bridge: what an editor is told to run.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

// bridgeFlags are what the bridge verb takes.
type bridgeFlags struct {
	tools    []string
	policies []string
	maxFrame int

	hooks       string
	summaryCard bool
	cli.ConfineFlags
}

// Command returns the verb bridge.
func Command(env *cli.Environment) *cobra.Command {
	var flags bridgeFlags
	cmd := &cobra.Command{
		Use:   "bridge NAME | -- AGENT [ARGS...]",
		Short: "Sit between an editor and an agent",
		Long: `bridge starts an agent and relays between it and the editor, over standard input and output (ACP).
Policies decide its file access, terminals and permission prompts, and it gets the tools of
tools.yaml.

NAME is one of ` + strings.Join(cli.AgentNames(), ", ") + `. Everything after -- is the agent's own command.

With --confine the whole agent runs in the sandbox, with its shell and its MCP servers. It can write to
the directory that the bridge starts in and to its own state, and reaches no UNIX socket, key or other
project of yours (a2a-acp sandbox exec --help lists the profiles). The editor does for it only what the
sandbox allows. --allow and --env grant more; a2a-acp doctor --agent NAME shows what it gets, and tries it.
Where a2a-acp.yaml says confine: default, that is so without the flag, and --confine=off starts it without.

With a terminal as standard input, or for the agent's own login, the bridge runs the agent unguarded, in
the sandbox if --confine is given, and says so.`,
		Example: `  # Zed's settings.json (a2a-acp init prints it with your paths):
  #   "agent_servers": {"Gemini, guarded":
  #     {"type": "custom", "command": "a2a-acp",
  #      "args": ["bridge", "gemini"]}}
  a2a-acp bridge gemini

  # any agent that speaks ACP
  a2a-acp bridge -- my-agent --acp

  # the whole agent in the sandbox: it writes to this directory only
  a2a-acp bridge --confine gemini
  a2a-acp bridge --confine=terminal -- my-agent --acp

  # with a policy file of your own
  a2a-acp bridge --policies ~/strict.yaml -- gemini --acp`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.FixedCompletions(cli.AgentNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bridge(cmd.Context(), env, cmd.Flags(), flags, args, cmd.ArgsLenAtDash())
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the agent is the agent's own
	cli.AddSources(cmd, &flags.tools, &flags.policies)
	cmd.Flags().StringVar(&flags.hooks, "hooks", hooksAuto,
		"auto: an agent asks before each act of its own where it has hooks, or rules, for that (Claude, Codex, Gemini, opencode); "+
			"on: it is not started without; off: it asks where it does so by itself")
	_ = cmd.RegisterFlagCompletionFunc("hooks",
		cobra.FixedCompletions([]string{hooksAuto, hooksOn, hooksOff}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&flags.summaryCard, "summary-card", false,
		"say at the end of each turn, in a card, what was written, run, read and stopped in it")
	flags.AddTo(cmd)
	cmd.Flags().IntVar(&flags.maxFrame, "max-frame-mb", 64, "longest line that is relayed, in MiB; at least 64")
	return cmd
}

func bridge(ctx context.Context, env *cli.Environment, given *pflag.FlagSet, flags bridgeFlags, args []string, dash int) (
	err error,
) {
	stdout := os.Stdout
	told := cli.IsTerminal(env.Stdin) // a person reads standard error, and an editor may not show it
	defer func() {
		if err != nil && !told {
			app.RefuseEditor(env.Stdin, stdout, err)
		}
		if stdout != os.Stdout {
			err = errors.Join(err, stdout.Close())
		}
	}()
	if dash != 0 {
		if err := checkBehind(given, args); err != nil {
			return err
		}
	}
	use, known := hookUses[flags.hooks]
	if !known {
		return cli.Fail(exit.Usage, fmt.Errorf("--hooks=%s: want auto, on or off", flags.hooks))
	}
	command, err := agentCommand(env, args, dash)
	if err != nil {
		return err
	}
	agent, _ := agents.ByCommand(command)
	if unguarded, why := directCall(env, command); unguarded {
		set, err := cli.Load(env, flags.tools, flags.policies)
		if err != nil {
			return err
		}
		confined, err := flags.Confinement(env, set.Settings, agent.Name, command)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		if err := app.MustConfine(set, confined.On(), flags.BestEffort); err != nil {
			return cli.Fail(exit.Denied, err)
		}
		told = true
		return direct(env, flags, command, confined, why)
	}
	if flags.maxFrame < 64 {
		return cli.Fail(exit.Usage, errors.New("--max-frame-mb: want 64 or more; a smaller limit would lose what agents really send"))
	}
	claimed, err := cli.ClaimStdout(env)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	stdout = claimed
	stderr := lines.New(env.Stderr)
	o := env.AppOptions(flags.tools, flags.policies)
	o.Say, o.Quick = func(line string) { stderr.Line(cli.Said(line)) }, true
	defer cli.OpenLog(env, &o)()
	a, err := app.New(o)
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	code := exit.Usage
	confined, err := flags.Confinement(env, a.Set().Settings, agent.Name, command)
	if err == nil {
		code, err = exit.Host, a.Start(ctx)
	}
	if err == nil {
		told = true // by a.Bridge
		code, err = a.Bridge(ctx, app.BridgeOptions{
			Command: command, AgentEnv: env.ForAgent(),
			EditorIn: env.Stdin, EditorOut: stdout, Stderr: stderr,
			MaxFrame:    flags.maxFrame << 20,
			Hooks:       use,
			SummaryCard: flags.summaryCard,
			Confinement: confined, Again: flags.again(confined),
		})
	}
	if err = errors.Join(err, a.Stop(ctx)); err != nil {
		return cli.Fail(code, err)
	}
	return cli.Silent(code)
}

// again returns the words that start a bridge like this one, wherever it is started, up to the agent's own.
func (f bridgeFlags) again(confined confine.Confinement) []string {
	words := []string{"bridge"}
	add := func(flag string, values ...string) {
		for _, value := range values {
			words = append(words, "--"+flag+"="+value)
		}
	}
	add("tools", absolute(f.tools)...)
	add("policies", absolute(f.policies)...)
	if f.hooks != hooksAuto {
		add("hooks", f.hooks)
	}
	if confined.On() {
		add("confine", confined.Profile)
	} else if f.Off() {
		add("confine", f.Profile)
	}
	for _, allowed := range confined.Allow {
		path := allowed.Path
		if allowed.ReadOnly {
			path += ":ro"
		}
		add("allow", path)
	}
	add("env", confined.Environment...)
	if confined.BestEffort {
		words = append(words, "--best-effort")
	}
	return append(words, "--")
}

// absolute returns paths as they are named anywhere.
func absolute(paths []string) []string {
	var list []string
	for _, path := range paths {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		list = append(list, path)
	}
	return list
}

// What --hooks may be.
const (
	hooksAuto = "auto"
	hooksOn   = "on"
	hooksOff  = "off"
)

var hookUses = map[string]app.HookUse{hooksAuto: app.HooksAuto, hooksOn: app.HooksOn, hooksOff: app.HooksOff}

// checkBehind refuses flags of ours behind an agent's name. An editor adds there what the agent says that
// its login is called with, so an agent would choose them; and a person who wrote one means it.
func checkBehind(flags *pflag.FlagSet, args []string) error {
	for i, word := range args {
		if i == 0 {
			continue
		}
		if word == "--" {
			return cli.Fail(exit.Usage,
				fmt.Errorf("%q stands before --; name an agent, or give its command after --, not both", args[0]))
		}
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if strings.HasPrefix(word, "-") && flags.Lookup(name) != nil {
			return cli.Fail(exit.Usage,
				fmt.Errorf("--%s stands behind %s, where the agent's own options stand; "+
					"write it before %s, or, if it is the agent's, give the agent's command after --", name, args[0], args[0]))
		}
	}
	return nil
}

// agentCommand finds the command that starts the agent: what stands after --, or a known agent's.
func agentCommand(env *cli.Environment, args []string, dash int) ([]string, error) {
	switch {
	case dash == 0 && len(args) > 0:
		return args, nil
	case len(args) == 0:
		return nil, cli.Fail(exit.Usage,
			fmt.Errorf("which agent? a2a-acp bridge %s, or a2a-acp bridge -- COMMAND",
				strings.Join(cli.AgentNames(), "|")))
	}
	agent, ok := agents.ByName(args[0])
	if !ok {
		return nil, cli.Fail(exit.Usage,
			fmt.Errorf("no agent is called %q (%s); for any other: a2a-acp bridge -- %s", args[0],
				cli.KnownAgents(args[0]), strings.Join(args, " ")))
	}
	command, err := cli.Finder(env).Find(agent)
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	return append(command, args[1:]...), nil
}

// direct makes this process the agent, without a bridge. One that is to be confined is confined then too:
// it was the agent that told the editor what its login is called with.
func direct(env *cli.Environment, flags bridgeFlags, command []string, confined confine.Confinement, why string) error {
	if !confined.On() {
		env.Say("the agent runs unguarded: " + why)
		return replaceWith(command, env.ForAgent())
	}
	self, err := os.Executable()
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	options := env.AppOptions(flags.tools, flags.policies)
	if confined, err = app.HideUnreadable(options, confined); err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	if command, err = confined.Command(options.Confine(), self, command); err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say("the agent runs confined, and nothing that it asks for is decided: " + why)
	return replaceWith(command, env.ForAgent())
}

// replaceWith makes this process the agent, which is known as one from then on.
func replaceWith(command, environ []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return cli.Fail(exit.Host, fmt.Errorf("start the agent: %w", err))
	}
	supervisor.Mark()
	return cli.Fail(exit.Host, fmt.Errorf("start %s: %w", path, syscall.Exec(path, command, environ)))
}

// directCall reports whether a person or a login wants the agent itself: a terminal on standard input, or
// the arguments that the agent asked the editor to add for its login (ACP, terminal authentication).
func directCall(env *cli.Environment, command []string) (bool, string) {
	if cli.IsTerminal(env.Stdin) {
		return true, "standard input is a terminal, so a person is talking to it; a2a-acp run guards an agent in a terminal"
	}
	if dir, err := app.StateDir(env.AppOptions(nil, nil)); err == nil && agents.LoginsIn(dir).Match(command) {
		return true, "the editor calls for its login"
	}
	return false, ""
}
