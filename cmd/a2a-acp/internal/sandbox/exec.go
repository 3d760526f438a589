package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// execFlags are what `sandbox exec` takes.
type execFlags struct {
	profile, tool, dir, level string
	tools                     []string
	allow, sockets, variables []string
	require                   []string
	network, bestEffort       bool
	atLeast, ticket           string
	hide, keep                []string
	limits                    []func(*tool.Limits)
}

const sandboxExecHelp = `exec runs a command in the sandbox. It sees the system's own directories, the directory that it starts
in, and a /tmp of its own. Your home is empty, the network is off, your environment variables are not
passed on, and nothing that it starts outlives it. Grant more by name:

  --allow PATH      to read and write; --allow PATH:ro to read. --allow . makes the directory that it
                    starts in writable
  --network         the internet; UNIX sockets (docker, D-Bus, ssh-agent) only by --socket
  --env NAME        one of your variables; --env NAME=VALUE any other

Files that other programs run or believe without a look (.git/hooks, .envrc, agents' settings, …) stay
as they are in a directory that may be written to; --allow with that very path lets the command change
one. New ones are reported when the command ends, and not removed, since they may be yours.

With a terminal, editors, pagers and shells with job control work.

COMMAND is found in the sandbox's own PATH. The exit code is the command's, 128+n when signal n ended
it. Otherwise it is 2 for wrong usage, 5 if this machine cannot do it, 124 after --timeout, and 128+n
if a2a-acp got signal n (130 for Ctrl-C).

Limits are numbers, sizes such as 512M or times such as 90s; 0 is none.

Profiles:
`

func sandboxExecCommand(env *cli.Environment) *cobra.Command {
	var flags execFlags
	profiles, _ := profile.All() // a test reads what is embedded
	cmd := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARGS...]",
		Short: "Run a command in the sandbox, with the terminal if there is one",
		Long:  sandboxExecHelp + profileList(profiles),
		Example: `  # what does this script want? it can read the project and change nothing
  a2a-acp sandbox exec -- ./install.sh

  # let it write to the project
  a2a-acp sandbox exec --allow . -- make

  # a build that downloads: network, caches, toolchains, no limits
  a2a-acp sandbox exec --profile terminal -- npm install

  # a shell to look around in
  a2a-acp sandbox exec --profile terminal -- bash

  # data to read, one host's worth of network, a minute
  a2a-acp sandbox exec --allow /data:ro --network --timeout 1m -- ./report

  # exactly what a tool of yours gets
  a2a-acp sandbox exec --tool grep -- bash

  # rather not at all than with less
  a2a-acp sandbox exec --require fs,net,tree -- ./untrusted`,
		Args: cobra.ArbitraryArgs,
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command is the command's own
	f.StringVar(&flags.profile, "profile", "",
		"what it gets, by name: "+strings.Join(cli.ProfileNames(profiles), ", "))
	f.StringVar(&flags.tool, "tool", "", "give it what this tool gets")
	f.StringArrayVar(&flags.tools, "tools", nil,
		"a tools file for --tool, in addition to the others; may be repeated")
	f.StringArrayVar(&flags.allow, "allow", nil, "a file or directory that it may use, PATH[:ro]; may be repeated")
	f.BoolVar(&flags.network, "network", false, "switch the network on")
	f.StringArrayVar(&flags.sockets, "socket", nil,
		"a UNIX socket that it may connect to; may be repeated")
	f.StringVar(&flags.dir, "dir", "", "start in this directory, not in the current one")
	f.StringArrayVar(&flags.variables, "env", nil, "a variable for it, NAME[=VALUE]; may be repeated")
	cli.AddLimits(f, &flags.limits)
	f.StringSliceVar(&flags.require, "require", nil,
		"refuse where this machine does not enforce these: fs, net, processes, memory, tree")
	f.BoolVar(&flags.bestEffort, "best-effort", false,
		"run even if this machine enforces less than required")
	f.StringVar(&flags.atLeast, "at-least", "",
		"refuse if this machine reaches only a lower level than this (a2a-acp doctor shows them)")
	f.StringArrayVar(&flags.hide, "hide", nil, "PATH, never shown")
	f.StringArrayVar(&flags.keep, "keep", nil, "PATH, never changed")
	f.StringVar(&flags.ticket, "ticket", "", "what a bridge has left for the editor to run")
	_ = f.MarkHidden("hide")
	_ = f.MarkHidden("keep")
	_ = f.MarkHidden("ticket")
	f.StringVar(&flags.level, "level", "", "use at most this level, to try a weaker machine")
	_ = cmd.MarkFlagDirname("dir")
	_ = cmd.RegisterFlagCompletionFunc("profile", cli.CompleteProfiles)
	_ = cmd.RegisterFlagCompletionFunc("tool", cli.CompleteTools(env, &flags.tools))
	_ = cmd.RegisterFlagCompletionFunc("at-least",
		cobra.FixedCompletions([]string{"landlock", "no-proc", "full", "full+cgroup"},
			cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("require",
		cobra.FixedCompletions([]string{"fs", "net", "processes", "memory", "tree"},
			cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return sandboxExec(cmd.Context(), env, flags, args)
	}
	return cmd
}

func sandboxExec(ctx context.Context, env *cli.Environment, flags execFlags, command []string) error {
	if flags.profile != "" && flags.tool != "" {
		return cli.Fail(exit.Usage, errors.New("--profile and --tool both say what the command gets; give one of them"))
	}
	stdio, err := env.Stdio()
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	o := confine.ExecOptions{
		Options: env.AppOptions(flags.tools, nil).Confine(), Command: command, Stdio: stdio,
		Profile: flags.profile, Tool: flags.tool, Network: flags.network, Environment: flags.variables,
		Limits: flags.limits, Require: flags.require, BestEffort: flags.bestEffort, Level: flags.level,
		AtLeast: flags.atLeast, Hidden: flags.hide, Ticket: flags.ticket,
	}
	o.Kept = append(o.Kept, flags.keep...)
	if flags.dir != "" {
		o.StartIn = cli.Absolute(o.Dir, flags.dir)
	}
	o.Allow = cli.Allowed(o.Dir, flags.allow)
	for _, path := range flags.sockets {
		o.Sockets = append(o.Sockets, cli.Absolute(o.Dir, path))
	}
	// The program's own handling of signals (see run) would end the command where that would rather hear of
	// them itself.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP,
		syscall.SIGCONT)
	defer signal.Stop(signals)
	o.Signals = signals
	code, err := confine.Exec(context.WithoutCancel(ctx), o)
	if err != nil {
		return cli.Fail(code, err)
	}
	env.Code = code
	return nil
}

// profileList says what there is, a line or two each.
func profileList(all []profile.Profile) string {
	var b strings.Builder
	for _, p := range all {
		name := p.Name
		if name == profile.Default {
			name += ", when none is named"
		}
		fmt.Fprintf(&b, "  %s\n    %s\n", name, strings.TrimSpace(p.Says+" "+p.Inner))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
