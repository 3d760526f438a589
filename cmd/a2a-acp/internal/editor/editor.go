// Package editor is the verb editor: it edits the guarded agents in the settings of editors.
package editor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// Command returns the verb editor.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "editor",
		Short: "Enter guarded agents, or your tools, into an editor's settings, or take them out",
		Long: `editor writes the entries of guarded agents into the settings of Zed and of
the JetBrains IDEs, and your tools, as an MCP server, into those of Claude
Desktop, Claude Code, Cursor, VS Code, Windsurf, Junie, Gemini CLI, Codex,
opencode and Zed (--mcp). It shows the change and asks before it writes.
Comments, order and everything else in the file stay as they are. The settings of
Neovim and Emacs are programs, which a2a-acp does not change: have them run
a2a-acp bridge NAME instead of the agent.`,
		Example: `  a2a-acp editor enable zed
  a2a-acp editor enable claude-desktop --workspace=~/project
  a2a-acp editor list
  a2a-acp editor disable zed`,
	}
	cmd.AddCommand(list(env), enable(env), disable(env))
	return cmd
}

func enable(env *cli.Environment) *cobra.Command {
	var dry, yes, confine bool
	var mcp mcpFlags
	cmd := &cobra.Command{
		Use:   "enable EDITOR [AGENT...]",
		Short: "Enter agents that are found, each below a bridge, or your tools into an editor's settings",
		Long: `enable adds agents, each behind a bridge, to an editor's settings: those
that you name, or all that are found. The agents' own entries stay; choose the
guarded ones in the editor.

For an MCP client it adds a2a-acp mcp, which offers your tools, with the PATH
that you have here. A token for --http is referred to as the variable
A2A_AUTH_TOKEN, and not written.

The previous file is kept beside it, as NAME.before-a2a-acp; disable restores
it.`,
		Example: `  a2a-acp editor enable zed
  a2a-acp editor enable jetbrains claude gemini
  a2a-acp editor enable --confine zed claude
  a2a-acp editor enable cursor --workspace
  a2a-acp editor enable vscode --http http://127.0.0.1:8642/mcp
  a2a-acp editor enable zed --dry-run`,
		ValidArgsFunction: completeEnable,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := known(env, args); err != nil {
				return err
			}
			if c, ok := clientOf(args[0]); ok && (mcp.meant() || !hasAgents(args[0])) {
				args = mcp.takeWorkspace(args)
				if len(args) > 1 || confine {
					return cli.Fail(exit.Usage, errors.New("agents are entered in zed and jetbrains only: leave them, and --confine, out"))
				}
				return enableMCP(cmd, env, c, mcp, dry, yes)
			}
			if mcp.meant() {
				return cli.Fail(exit.Usage, errors.New(args[0]+" takes agents only: no --mcp, --http, --env, --workspace or --config-path"))
			}
			e, err := named(env, args)
			if err != nil {
				return err
			}
			flags, err := confineFlags(env, confine, cmd.Flags().Changed("confine"))
			if err != nil {
				return err
			}
			entries, err := guarded(env, args[1:], flags...)
			if err != nil {
				return err
			}
			return enter(cmd.Context(), env, e, entries, dry, yes)
		},
	}
	cmd.Flags().BoolVar(&confine, "confine", false,
		"start the agents in their sandbox (bridge --confine), as where a2a-acp.yaml says confine: default")
	mcp.add(cmd)
	addFlags(cmd, &dry, &yes)
	return cmd
}

// confineFlags returns the flags of bridge by which agents are confined or not, as a flag says, else as the settings have
// it by default.
func confineFlags(env *cli.Environment, confine, said bool) ([]string, error) {
	set, err := cli.Load(env, nil, nil)
	if err != nil {
		return nil, err
	}
	byDefault := set.Settings.ConfineByDefault
	switch {
	case confine || byDefault && !said:
		return []string{"--confine"}, nil
	case byDefault:
		return []string{"--confine=off"}, nil
	}
	return nil, nil
}

func disable(env *cli.Environment) *cobra.Command {
	var dry, yes bool
	var mcp mcpFlags
	cmd := &cobra.Command{
		Use:   "disable EDITOR",
		Short: "Take the guarded agents and your tools out of an editor's settings",
		Long: `disable removes every agent that runs behind a bridge, and a2a-acp mcp, from an
editor's settings. If nothing else was changed since enable, the file is then what it
was before, byte for byte. The agents' own entries stay, and agents that are
started by these are not guarded.`,
		Example:           `  a2a-acp editor disable zed`,
		ValidArgsFunction: completeEditor,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := known(env, args); err != nil {
				return err
			}
			if args = mcp.takeWorkspace(args); len(args) > 1 {
				return cli.Fail(exit.Usage, errors.New("disable takes one editor: a2a-acp editor disable "+args[0]))
			}
			c, isClient := clientOf(args[0])
			if isClient && (mcp.meant() || !hasAgents(args[0])) {
				return disableMCP(cmd, env, c, mcp, dry, yes)
			}
			e, err := named(env, args)
			if err != nil {
				return err
			}
			change, err := e.Disable(settingsDirs(env))
			if isClient {
				change, err = editor.DisableAll(e, c, settingsDirs(env))
			}
			if err != nil {
				return cli.Fail(exit.Usage, err)
			}
			return takeOut(cmd.Context(), env, change, dry, yes)
		},
	}
	mcp.addPlace(cmd)
	addFlags(cmd, &dry, &yes)
	return cmd
}

// takeOut applies what disable changes, and says which copy of the settings stays.
func takeOut(ctx context.Context, env *cli.Environment, c editor.Change, dry, yes bool) error {
	if err := apply(ctx, env, c, dry, yes); err != nil || dry {
		return err
	}
	if left := c.Left(); left != "" {
		env.Say(env.Short(left) + " stays, as the settings were before enable: they were changed by others since; remove it if you " +
			"do not need it")
	}
	return nil
}

func addFlags(cmd *cobra.Command, dry, yes *bool) {
	cmd.Flags().BoolVar(dry, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "do not ask before the file is written")
}

// enter shows what entries change in an editor's settings, asks, and writes it.
func enter(ctx context.Context, env *cli.Environment, e editor.Editor, entries []editor.Entry, dry, yes bool) error {
	change, err := e.Enable(settingsDirs(env), entries)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	return apply(ctx, env, change, dry, yes)
}

// Enable is `editor enable` for these entries: it shows the change, and asks unless yes is set.
func Enable(ctx context.Context, env *cli.Environment, e editor.Editor, entries []editor.Entry, yes bool) error {
	return enter(ctx, env, e, entries, false, yes)
}

// apply shows a change, asks, and writes it. An agent must not take its own guard away, so a person has to
// have started this.
func apply(ctx context.Context, env *cli.Environment, c editor.Change, dry, yes bool) error {
	if c.None() {
		env.Say("nothing changes in " + env.Short(c.Path))
		return nil
	}
	text, kept := shown(c)
	fmt.Fprint(env.Stdout, text)
	if len(kept) > 0 {
		env.Say(env.Short(c.Path) + " keeps " + strings.Join(kept, " and ") + ", which the lines above do not show")
	}
	if dry {
		return nil
	}
	if err := cli.CheckPerson(); err != nil {
		return err
	}
	if !yes {
		if err := cli.CheckAtTerminal(env, "changing an editor's settings without --yes"); err != nil {
			return err
		}
		question := "Write this to %s?"
		if c.Removes() {
			question = "Remove %s, in which nothing else stands?"
		}
		switch agreed, err := env.AskYes(ctx, fmt.Sprintf("\n"+question, env.Short(c.Path))); {
		case err != nil:
			return err
		case !agreed:
			env.Say("nothing is changed")
			return cli.Silent(exit.Denied)
		}
	}
	if err := cli.Confirm(ctx, env); err != nil {
		return err
	}
	if err := c.Apply(); err != nil {
		return cli.Fail(exit.Host, err)
	}
	if c.Removes() {
		env.Say("removed " + env.Short(c.Path) + ", which enable had made")
	} else {
		env.Say("wrote " + env.Short(c.Path))
	}
	if backup := c.Backup(); backup != "" {
		env.Say("what it was is in " + env.Short(backup))
	}
	return nil
}

// shown is a change as people read it, and what all of the file has and the change leaves as it is, for which each line
// would end in an escape.
func shown(c editor.Change) (text string, kept []string) {
	before, after := c.Before, c.After
	if mark := []byte("\ufeff"); bytes.HasPrefix(before, mark) && bytes.HasPrefix(after, mark) {
		before, after = before[len(mark):], after[len(mark):]
		kept = append(kept, "its byte order mark")
	}
	ends := func(text []byte) (all, crlf int) {
		return bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	}
	linesBefore, crlfBefore := ends(before)
	linesAfter, crlfAfter := ends(after)
	text = string(diff.Diff(c.Path, before, c.Path, after))
	if linesBefore == crlfBefore && linesAfter == crlfAfter && crlfBefore+crlfAfter > 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		kept = append(kept, "its line ends of Windows (CRLF)")
	}
	return display.Whole(text), kept
}

// guarded returns the entries of agents by their names, or of all that are found.
func guarded(env *cli.Environment, names []string, flags ...string) ([]editor.Entry, error) {
	known := agents.Known()
	for _, name := range names {
		if !slices.ContainsFunc(known, func(a agents.Agent) bool { return a.Name == name }) {
			return nil, cli.Fail(exit.Usage, fmt.Errorf("no agent is called %q (%s)", name, cli.KnownAgents(name)))
		}
	}
	program, err := cli.Self()
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	var entries []editor.Entry
	for _, agent := range known {
		if len(names) > 0 && !slices.Contains(names, agent.Name) {
			continue
		}
		command, err := cli.Finder(env).Find(agent)
		switch {
		case err == nil:
			entries = append(entries, editor.Guarded(program, agent.Title, command, flags...))
		case len(names) > 0:
			return nil, cli.Fail(exit.Host, err)
		}
	}
	if len(entries) == 0 {
		return nil, cli.Fail(exit.Host, errors.New("no agent was found; a2a-acp init says how to install one"))
	}
	return entries, nil
}
