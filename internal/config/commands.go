package config

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleCommand = "command"

// checkCommands holds the author's script against its own allowed_commands, and finds out whether it is meant
// to use the network where the entry does not say.
//
// The script is read with a word in the place of each tag. What cannot be told about it is left to the
// kernel, which holds the running script to the same list. Reading it takes longer than the rest of an entry
// altogether, so it is read only where something depends on it.
func (e *toolEntry) checkCommands() {
	s := &e.tool.Sandbox
	if s.Network == tool.NetworkUnsaid && e.networkGranted {
		s.Network = tool.NetworkOn
	}
	if e.tool.Script == "" && e.tool.Exec == nil || s.Commands == nil && s.Network != tool.NetworkUnsaid {
		return
	}
	commands := commandsOf(&e.tool, e.file.file.Commands)
	if s.Commands != nil {
		for _, command := range commands {
			name := command.Name
			if command.Builtin || slices.Contains(s.Commands, name) ||
				slices.Contains(s.Commands, path.Base(name)) {
				continue
			}
			e.commands.Fail(ruleCommand, "add it to the list, or take it out of the script",
				"the script calls %s (its line %d), which is not among allowed_commands", yamldoc.Quote(name),
				command.Line)
		}
	}
	if s.Network == tool.NetworkUnsaid {
		s.Network = tool.NetworkOff
		if slices.ContainsFunc(commands, callsNetwork) {
			s.Network = tool.NetworkOn
		}
	}
}

// authorsCommands lists the commands that a script names itself, each once for a line.
func authorsCommands(script string, known *command.Catalogue) []shellscan.Command {
	var commands []shellscan.Command
	outline := render.Outlined(script)
	for _, text := range outline.Texts {
		for _, command := range shellscan.Scan(text, known).Commands {
			if outline.Holds(command.Name) || slices.ContainsFunc(commands, func(c shellscan.Command) bool {
				return reflect.DeepEqual(c, command)
			}) {
				continue
			}
			for i, arg := range command.Args {
				if outline.Holds(arg.Text) {
					command.Args[i] = shellscan.Word{}
				}
			}
			commands = append(commands, command)
		}
	}
	return commands
}

// CallsNetwork reports whether a script is given the network where its entry does not say.
func CallsNetwork(script string, known *command.Catalogue) bool {
	return slices.ContainsFunc(authorsCommands(script, known), callsNetwork)
}

// callsNetwork reports whether a script is given the network because it calls a command.
func callsNetwork(c shellscan.Command) bool {
	name := path.Base(c.Name)
	if command.In(command.NetworkClients, name) || command.In(command.NetworkScripts, name) {
		return true
	}
	subcommands := command.Subcommands(command.NetworkScripts, name)
	if subcommands == nil {
		return false
	}
	for i, role := range shellwords.Read(wordsOf(c), nil).Roles[1:] {
		word := c.Args[i]
		switch role.Kind {
		case shellwords.Operand, shellwords.Program: // git names what it does not know as its own a program
			return word.Fixed && subcommands[word.Text]
		case shellwords.Option:
			if !strings.HasPrefix(word.Text, "-") {
				return word.Fixed && subcommands[word.Text]
			}
		}
	}
	return false
}
