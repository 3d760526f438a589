// Package run is the verb run: an agent's own terminal program, guarded.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// Command returns the verb run.
func Command(env *cli.Environment) *cobra.Command {
	var flags flags
	cmd := &cobra.Command{
		Use:   "run NAME [ARGS...]",
		Short: "Start an agent's own terminal program, guarded",
		Long: `run starts an agent's own program in this terminal, with the arguments that follow its name. The agent's
hooks ask before each act, and your policies decide, as behind a bridge: what a rule rejects does not
happen, and everything is recorded. The hooks are written to none of your files. Your own settings, hooks
and rules for the agent stay in force.

NAME is one of ` + strings.Join(cli.AgentNames(), ", ") + `. Gemini's hooks cannot be set up this way: it starts
only with --confine, where the sandbox holds it and nothing is decided.

A question waits for your answer in another terminal (a2a-acp approvals watch), because no agent's own
prompt reports an answer before the act begins. Start it in the directory that the agent is to work in.
Arguments that could make it work without its hooks are refused.

With --confine the whole agent runs in the sandbox, as with a2a-acp bridge --confine. Where a2a-acp.yaml
says confine: default, that is so without the flag, and --confine=off starts it without.`,
		Example: `  # Claude Code in this directory
  a2a-acp run claude

  # not interactive
  a2a-acp run claude -p "fix the failing test"
  a2a-acp run codex exec "fix the failing test"
  a2a-acp run opencode run "fix the failing test"

  # in another terminal: what waits for you
  a2a-acp approvals watch

  # the whole agent in the sandbox, too
  a2a-acp run --confine claude`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.FixedCompletions(cli.AgentNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if own := ownFlag(cmd, args); own != "" {
				return cli.Fail(exit.Usage, fmt.Errorf("run %s: %s is a2a-acp's own, and stands before the agent: a2a-acp run %s %s",
					args[0], own, own, args[0]))
			}
			return start(cmd.Context(), env, flags, args)
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the name is the agent's own
	cli.AddPolicies(cmd, &flags.policies)
	flags.AddTo(cmd)
	return cmd
}

// ownFlag returns a flag of ours that stands behind the agent's name, where it would be the agent's.
func ownFlag(cmd *cobra.Command, args []string) string {
	for _, word := range args {
		name, _, _ := strings.Cut(word, "=")
		if own, isLong := strings.CutPrefix(name, "--"); isLong && own != "help" && cmd.Flags().Lookup(own) != nil {
			return name
		}
	}
	return ""
}

// flags are what the verb takes.
type flags struct {
	policies []string
	cli.ConfineFlags
}

func start(ctx context.Context, env *cli.Environment, flags flags, args []string) error {
	if len(args) == 0 {
		return cli.Fail(exit.Usage, fmt.Errorf("which agent? a2a-acp run %s", strings.Join(cli.AgentNames(), "|")))
	}
	agent, known := agents.ByName(args[0])
	if !known {
		return cli.Fail(exit.Usage, fmt.Errorf("no agent is called %q (%s)", args[0], cli.KnownAgents(args[0])))
	}
	editors := agent
	agent, words, terminal := agent.InTerminal(), args[1:], agent.Terminal()
	set, err := cli.Load(env, nil, flags.policies)
	if err != nil {
		return err
	}
	prints := false
	if terminal.Unguarded == "" {
		if prints, err = terminal.Check(words); err != nil {
			return cli.Fail(exit.Usage, fmt.Errorf("run %s: %w", args[0], err))
		}
	} else if !flags.On(set.Settings) {
		return cli.Fail(exit.Usage, fmt.Errorf("run %s: %s; start it in a sandbox (a2a-acp run "+
			"--confine %s), or in an editor (a2a-acp editor enable)", args[0], terminal.Unguarded, args[0]))
	}
	command, err := cli.Finder(env).Find(agent)
	if errors.Is(err, agents.ErrNotFound) && editors.Program != agent.Program {
		if found, notThere := cli.Finder(env).Find(editors); notThere == nil {
			err = fmt.Errorf("%w; what is here (%s) is for editors: a2a-acp bridge %s starts it there", err,
				strings.Join(found, " "), editors.Name)
		}
	}
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	confined, err := flags.Confinement(env, set.Settings, agent.Name, command)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	stdio, err := env.Stdio()
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	// An agent that draws on the terminal is not to find our lines there.
	draws := !prints && cli.IsTerminal(env.Stdin) && cli.IsTerminal(env.Stdout)
	says := &lines{env: env, hold: draws && cli.IsTerminal(env.Stderr)}
	o := env.AppOptions(nil, flags.policies)
	o.Say = says.say
	defer cli.OpenLog(env, &o)()
	a, err := app.New(o)
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	// What keys send is the agent's, and ends nothing of ours.
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	code := exit.Host
	if err = a.Start(ctx); err == nil {
		code, err = a.Run(ctx, app.RunOptions{
			Agent: agent, Command: command, Words: words, AgentEnv: env.ForAgent(), Stdio: stdio, Signals: signals,
			Prints: prints || !cli.IsTerminal(env.Stdout), Hooks: terminal.Unguarded == "", Confinement: confined,
			Shown:  "a2a-acp decides; a question waits at: a2a-acp approvals watch",
			Stands: says.stands, Theirs: says.theirs,
		})
	}
	if err = errors.Join(err, a.Stop(ctx)); err != nil {
		return cli.Fail(code, err)
	}
	return env.Ends(code)
}

// lines are what we say beside the agent: at once, or where it draws on the same terminal, once it has ended.
type lines struct {
	env  *cli.Environment
	hold bool

	mu   sync.Mutex
	held []string
	away bool // the terminal is the agent's
}

func (l *lines) say(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hold && l.away {
		l.held = append(l.held, line)
		return
	}
	l.env.Say(line)
}

// stands tells of a question, where it does not spoil what the agent draws.
func (l *lines) stands(q approval.Question, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.hold {
		l.env.Say(fmt.Sprintf("asks: %s; answer from another terminal: a2a-acp approvals approve %s (or deny)",
			display.Line(q.Title), id))
	}
}

func (l *lines) theirs(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
	for ; !away && len(l.held) > 0; l.held = l.held[1:] {
		l.env.Say(l.held[0])
	}
}
