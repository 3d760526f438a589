package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// machine is what was found that init is about.
type machine struct {
	agents   []foundAgent
	terminal []agents.Agent  // those that have a program for a terminal, be it the only one
	editors  []editor.Editor // those that have settings
}

// hasAgents reports whether there is an agent that can be started, in an editor or a terminal.
func (m machine) hasAgents() bool { return len(m.agents)+len(m.terminal) > 0 }

type foundAgent struct {
	title   string
	command []string
}

// look finds the agents and editors of this machine, and says so.
func look(env *cli.Environment) machine {
	var m machine
	finder := cli.Finder(env)
	for _, agent := range agents.Known() {
		command, err := finder.Find(agent)
		program, noTerminal := finder.Find(agent.InTerminal())
		if noTerminal == nil {
			m.terminal = append(m.terminal, agent)
		}
		switch {
		case err != nil && noTerminal == nil:
			fmt.Fprintf(env.Stderr, "found  %s, for a terminal: %s; for editors: %s\n", agent.Title, strings.Join(program, " "),
				agent.Install())
			continue
		case err != nil:
			fmt.Fprintf(env.Stderr, "missing %s (%s)\n", agent.Title, agent.Install())
			continue
		}
		if noTerminal != nil {
			fmt.Fprintf(env.Stderr, "found  %s, for editors: %s; for a terminal: %s\n", agent.Title, strings.Join(command, " "),
				agent.InTerminal().Install())
		} else {
			fmt.Fprintf(env.Stderr, "found  %s: %s\n", agent.Title, strings.Join(command, " "))
		}
		m.agents = append(m.agents, foundAgent{agent.Title, command})
	}
	for _, e := range editor.Known() {
		if path, exists := e.Settings(settingsDirs(env)); exists {
			fmt.Fprintf(env.Stderr, "found  %s: %s\n", e.Title, path)
			m.editors = append(m.editors, e)
		}
	}
	if !m.hasAgents() {
		fmt.Fprintln(env.Stderr, "\nno agent was found: what follows works without one; run a2a-acp init again once there is one")
	}
	return m
}

// run says how the agents are started in a terminal, with these flags; "" where there is none.
func (m machine) run(flags []string, confined bool) string {
	var commands []string
	why := ""
	for _, agent := range m.terminal {
		words := append([]string{"a2a-acp run"}, flags...)
		if agent.Terminal().Unguarded != "" && !confined && len(flags) == 0 {
			words = append(words, "--confine")
			why += "\n" + agent.Terminal().Unguarded + ": so it is confined there"
		}
		commands = append(commands, strings.Join(append(words, agent.Name), " "))
	}
	if len(commands) == 0 {
		return ""
	}
	return "In a terminal: " + strings.Join(commands, ", or ") + why
}

// haveEntered reports whether the settings of an editor have these entries already.
func (m machine) haveEntered(env *cli.Environment, entries []editor.Entry) bool {
	return slices.ContainsFunc(m.editors, func(e editor.Editor) bool {
		change, err := e.Enable(settingsDirs(env), entries)
		return err == nil && change.None()
	})
}

func settingsDirs(env *cli.Environment) editor.Dirs {
	return editor.DirsOf(env.Getenv)
}

// guarded returns the agents behind a bridge with these flags, as entries of an editor's settings.
func (m machine) guarded(flags []string) ([]editor.Entry, error) {
	self, err := cli.Self()
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	var entries []editor.Entry
	for _, agent := range m.agents {
		entries = append(entries, editor.Guarded(self, agent.title, agent.command, flags...))
	}
	return entries, nil
}

func editorNames() []string {
	var names []string
	for _, e := range editor.Known() {
		names = append(names, e.Name)
	}
	return names
}

func editorNamed(name string) (editor.Editor, bool) {
	known := editor.Known()
	i := slices.IndexFunc(known, func(e editor.Editor) bool { return e.Name == name })
	if i < 0 {
		return editor.Editor{}, false
	}
	return known[i], true
}

// named returns the editors that are wished for.
func (w wishes) named() ([]editor.Editor, error) {
	var list []editor.Editor
	for _, name := range w.editors {
		e, ok := editorNamed(name)
		if !ok {
			return nil, fmt.Errorf("--editor %q: want %s", name, strings.Join(editorNames(), " or "))
		}
		list = append(list, e)
	}
	return list, nil
}
