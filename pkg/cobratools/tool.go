package cobratools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// command is a command of the program as a tool.
type command struct {
	tool   tool.Tool
	around Middleware // nil: nothing
}

// commands returns the tools of the program that own was added to. own is the command that Command returned, and
// executable the program's file. The warnings say what could not be read.
func (c Config) commands(own *cobra.Command, executable string) (list []command, warnings []string) {
	root := own.Root()
	prefix := c.ToolNamePrefix
	if prefix == "" {
		prefix = root.Name()
	}
	var names toolyaml.Names
	var visit func(cmd *cobra.Command, path []string)
	visit = func(cmd *cobra.Command, path []string) {
		if cmd == own || cmd.Hidden || cmd.Deprecated != "" || len(path) == 1 && isBuiltIn(path[0]) {
			return
		}
		s, ok := c.selector(cmd)
		// Cobra takes the first command that has the name, or the alias.
		if run, _, err := root.Find(path); ok && cmd.Runnable() && (err != nil || run != cmd) {
			warnings = append(warnings, fmt.Sprintf("%s: no tool, since %s has that name, too", cmd.CommandPath(), run.CommandPath()))
		} else if ok && cmd.Runnable() {
			t, wrong := c.tool(cmd, s)
			t.ID = names.Of(prefix, path)
			t.Exec = &tool.Exec{Command: executable, Argv: path, EndOfFlags: cmd.HasSubCommands()}
			list = append(list, command{t, s.around()})
			warnings = append(warnings, wrong...)
		}
		for _, below := range cmd.Commands() {
			visit(below, append(slices.Clone(path), below.Name()))
		}
	}
	visit(root, nil)
	return list, warnings
}

// isBuiltIn reports whether Cobra adds a command of the name below the root.
func isBuiltIn(name string) bool {
	return name == "help" || name == "completion" || strings.HasPrefix(name, cobra.ShellCompRequestCmd)
}

// selector returns the one that counts for a command.
func (c Config) selector(cmd *cobra.Command) (Selector, bool) {
	for _, s := range c.Selectors {
		if s.CmdSelector == nil || s.CmdSelector(cmd) {
			return s, true
		}
	}
	return Selector{}, len(c.Selectors) == 0
}

// tool returns a command as a tool, but for its id and what it runs.
func (c Config) tool(cmd *cobra.Command, s Selector) (t tool.Tool, warnings []string) {
	t.Name = cmd.CommandPath()
	for _, about := range []string{cmd.Long, cmd.Short, t.Name} {
		if t.Description = toolyaml.Clean(about); t.Description != "" {
			break
		}
	}
	t.Annotations, warnings = annotations(cmd)
	t.Parameters = append(parameters(cmd.LocalFlags(), s.LocalFlagSelector),
		parameters(cmd.InheritedFlags(), s.InheritedFlagSelector)...)
	slices.SortStableFunc(t.Parameters, func(a, b tool.Parameter) int { return strings.Compare(a.Name, b.Name) })
	cmd.InitDefaultHelpFlag() // which is among the flags of a call, as its help says
	if !cmd.HasSubCommands() || endsByDashes(cmd) {
		t.Parameters = append(t.Parameters, tool.Parameter{Name: words, Type: tool.TypeArray,
			Items: &tool.Parameter{Type: tool.TypeString}, Description: toolyaml.Clean("Arguments: " + cmd.UseLine())})
	}
	t.Sandbox.Network = tool.NetworkOff
	if open := t.Annotations.OpenWorld; open != nil && *open {
		t.Sandbox.Network = tool.NetworkOn
	}
	if !t.IsReadOnly() {
		t.Sandbox.AllowedPaths = []tool.AllowedPath{{Path: "."}}
	}
	t.Sandbox.Limits = tool.DefaultLimits()
	if c.Timeout > 0 {
		t.Sandbox.Limits.Timeout = c.Timeout
	}
	t.Sandbox.Grants = c.Grants
	return t, warnings
}

// endsByDashes reports whether -- in front of the arguments of a command keeps the first from being a command below it,
// which is another tool, or none. Where parents parse their flags, Cobra takes -- for a flag that has a value; where a
// command parses its own, -- is an argument of it.
func endsByDashes(cmd *cobra.Command) bool {
	return !cmd.Root().TraverseChildren && !cmd.DisableFlagParsing
}

// words is the parameter that has the words of a call that are no flags.
const words = "args"

// annotations reads those of a command.
func annotations(cmd *cobra.Command) (a tool.Annotations, warnings []string) {
	a.Title = toolyaml.Clean(cmd.Annotations[AnnotationTitle])
	if a.Title == "" {
		a.Title = cmd.CommandPath()
	}
	for _, hint := range []struct {
		name string
		is   **bool
	}{
		{AnnotationReadOnly, &a.ReadOnly}, {AnnotationDestructive, &a.Destructive},
		{AnnotationIdempotent, &a.Idempotent}, {AnnotationOpenWorld, &a.OpenWorld},
	} {
		said, ok := cmd.Annotations[hint.name]
		if !ok {
			continue
		}
		value, err := strconv.ParseBool(said)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s: annotation %s is neither true nor false: %q", cmd.CommandPath(), hint.name, said))
			continue
		}
		*hint.is = &value
	}
	return a, warnings
}

// parameters returns the flags that are chosen as parameters.
func parameters(flags *pflag.FlagSet, chosen FlagSelector) (list []tool.Parameter) {
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden, f.Deprecated != "", f.Name == "help", f.Name == "version", f.Name == words, chosen != nil && !chosen(f):
			return
		}
		list = append(list, parameter(f))
	})
	return list
}

// parameter returns a flag as a parameter.
func parameter(f *pflag.Flag) tool.Parameter {
	kind, known := pflagkind.OfType(f.Value.Type())
	if !known {
		kind = pflagkind.Kind{Of: tool.TypeString}
		if _, isList := f.Value.(pflag.SliceValue); isList { // which may split what it gets at commas
			kind.List, kind.Form = true, tool.FormPlain
		} else if f.NoOptDefVal == "true" && slices.Contains([]string{"", "true", "false"}, f.DefValue) { // kubectl's tristate
			kind.Of = tool.TypeBoolean
		}
	}
	p := kind.Parameter(f.Name, toolyaml.Clean(f.Usage))
	if required := f.Annotations[cobra.BashCompOneRequiredFlag]; len(required) > 0 && required[0] == "true" {
		p.Required = true
	}
	p.Default = defaultOf(f, p)
	return p
}

// defaultOf returns what a flag is where it is not given, as a value of the parameter; nil where that says nothing, or is
// no such value. It is told and never sent: the program has it.
func defaultOf(f *pflag.Flag, p tool.Parameter) any {
	var value any
	switch text := f.DefValue; p.Type {
	case tool.TypeBoolean:
		if text == "true" {
			value = true
		}
	case tool.TypeInteger, tool.TypeNumber:
		if text != "0" {
			value = json.Number(text)
		}
	case tool.TypeString:
		if text != "" && p.Format == "" && text == toolyaml.Clean(text) {
			value = text
		}
	case tool.TypeArray:
		if list := pflagkind.List(text, p.Items.Type); len(list) > 0 {
			value = list
		}
	}
	if value == nil || !pflagkind.Fits(&p, value) {
		return nil
	}
	return value
}
