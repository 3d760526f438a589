// Package agents is the verb agents: the agents of a2a-acp.yaml, driven without an editor.
package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/lines"
)

// Command returns the verb agents.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Drive agents without an editor",
		Long: `agents starts the agents of a2a-acp.yaml behind a bridge, and plays the editor for them: what they do is
decided, asked, confined and recorded as it is in an editor, and they have the tools of tools.yaml.

  agents:
    gemini:
      agent: gemini
      workspace: /home/maria/shop
      confine: true`,
		Example: `  a2a-acp agents list
  a2a-acp agents check
  a2a-acp agents prompt gemini 'Which tests are slow?'`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(listCommand(env), checkCommand(env), promptCommand(env), loginCommand(env))
	return cmd
}

// with opens what drives the agents for as long as do runs. What they, and we beside them, say goes to the writer.
func with(ctx context.Context, env *cli.Environment, policies []string, to io.Writer,
	do func(*agentclient.Driver) error) error {
	options := env.AppOptions(nil, policies)
	stderr := lines.New(to)
	options.Say = func(line string) { stderr.Line(cli.Said(line)) }
	a, err := app.New(options)
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	agents, err := a.Agents(app.AgentsOptions{Environ: env.ForAgent(), Find: cli.Finder(env).Find, Stderr: stderr})
	if err != nil {
		err = cli.Fail(exit.Usage, err)
	} else if err = a.Start(ctx); err == nil {
		err = do(agents)
	}
	over, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cancel() // nothing is under way any more
	if stopErr := a.Stop(over); stopErr != nil {
		err = errors.Join(err, cli.Fail(exit.Host, stopErr))
	}
	return err
}

// codeOf gives an error of an agent's the exit code that it leads to.
func codeOf(err error) error {
	var needed *agentclient.LoginError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, agentclient.ErrNoAgent):
		return cli.Fail(exit.Usage, fmt.Errorf("%w; a2a-acp agents list shows them, and a2a-acp.yaml has them (agents:)", err))
	case errors.As(err, &needed):
		return cli.Fail(exit.Host, fmt.Errorf("%w; a2a-acp agents login shows how", err))
	case errors.Is(err, context.Canceled):
		return cli.Fail(exit.Interrupt, err)
	}
	return cli.Fail(exit.Host, err)
}

const noAgents = "no agents are configured; a2a-acp.yaml has them (agents: {gemini: {agent: gemini, workspace: …}})"

// listed is an agent for scripts.
type listed struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Program     string `json:"program"`
	Workspace   string `json:"workspace"`
	Confined    string `json:"confined,omitempty"` // the profile
}

func listCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "Which agents are configured", Args: cobra.NoArgs}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return with(cmd.Context(), env, nil, env.Stderr, func(d *agentclient.Driver) error {
			list := []listed{}
			table := cli.Table{Head: []string{"NAME", "PROGRAM", "CONFINED", "WORKSPACE"}}
			for _, a := range d.List() {
				list = append(list, listed{a.Name, a.Title, a.Description, a.Program, a.Workspace, a.Confined})
				confined := "no"
				if a.Confined != "" {
					confined = a.Confined
				}
				table.Add(a.Name, display.Line(a.Program), confined, env.Short(display.Line(a.Workspace)))
			}
			if *f != cli.FormatTable {
				return cli.WriteData(env.Stdout, *f, list)
			}
			if len(list) == 0 {
				env.Say(noAgents)
				return nil
			}
			table.Write(env.Stdout)
			return nil
		})
	}
	return cmd
}

// heldBack is what was said, and not told yet. It is safe for concurrent use.
type heldBack struct {
	mu   sync.Mutex
	said []byte
}

func (h *heldBack) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, p...)
	return len(p), nil
}

func (h *heldBack) take() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	said := h.said
	h.said = nil
	return said
}

// checked is what came of starting an agent, for scripts.
type checked struct {
	Name   string   `json:"name"`
	State  string   `json:"state"` // ready, login or broken
	Error  string   `json:"error,omitempty"`
	Logins []string `json:"logins,omitempty"`
}

func checkCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use: "check [NAME...]", Short: "Start agents, and see whether they begin a session",
		Long: `check starts each agent, all where none is named, and has it begin a session. It exits with 5 where one does
not start or needs a login first, and prints what that one said.`,
	}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		ctx := cmd.Context()
		var said heldBack
		return with(ctx, env, nil, &said, func(d *agentclient.Driver) error {
			if len(names) == 0 {
				for _, a := range d.List() {
					names = append(names, a.Name)
				}
			}
			if len(names) == 0 && *f == cli.FormatTable {
				env.Say(noAgents)
				return nil
			}
			fine, list := true, []checked{}
			table := cli.Table{Head: []string{"NAME", "STATE", ""}, Whole: true}
			for _, name := range names {
				c := checked{Name: name, State: "ready"}
				in, err := d.LoggedIn(ctx, name)
				switch {
				case errors.Is(err, agentclient.ErrNoAgent):
					return codeOf(err)
				case err != nil:
					c.State, c.Error = "broken", err.Error()
				case !in:
					c.State = "login"
					logins, err := d.Logins(ctx, name)
					if err != nil {
						c.State, c.Error = "broken", err.Error()
					}
					for _, login := range logins {
						c.Logins = append(c.Logins, login.ID)
					}
				}
				if words := said.take(); c.State != "ready" { // else nobody has to know how it began
					fine = false
					_, _ = env.Stderr.Write(words)
				}
				list = append(list, c)
				words := c.Error
				if c.State == "login" {
					words = "a2a-acp agents login " + name
				}
				table.Add(c.Name, c.State, display.Whole(words))
			}
			if *f != cli.FormatTable {
				if err := cli.WriteData(env.Stdout, *f, list); err != nil {
					return err
				}
			} else {
				table.Write(env.Stdout)
			}
			if !fine {
				return cli.Silent(exit.Host)
			}
			return nil
		})
	}
	return cmd
}

func loginCommand(env *cli.Environment) *cobra.Command {
	out := false
	cmd := &cobra.Command{
		Use: "login NAME [METHOD]", Short: "Have an agent log in, or show how it can",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return with(ctx, env, nil, env.Stderr, func(d *agentclient.Driver) error {
				switch {
				case out:
					return codeOf(d.Logout(ctx, args[0]))
				case len(args) == 2:
					return codeOf(d.Login(ctx, args[0], args[1]))
				}
				logins, err := d.Logins(ctx, args[0])
				if err != nil {
					return codeOf(err)
				}
				if len(logins) == 0 {
					env.Say("the agent offers no login")
				}
				table := cli.Table{Head: []string{"METHOD", "HOW", ""}, Whole: true}
				for _, l := range logins {
					how := "a2a-acp agents login " + args[0] + " " + display.ShellWord(l.ID)
					if l.Terminal != nil {
						how = fmt.Sprint("in a terminal: ", l.Terminal)
					}
					table.Add(display.Line(l.ID), display.Line(how), display.Line(l.Name+" "+l.Description))
				}
				table.Write(env.Stdout)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&out, "out", false, "log out")
	return cmd
}
