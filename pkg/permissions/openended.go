package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// OpenEnded returns why a rule that goes by the first words of the act's command would approve more than people take
// it for: what else stands behind these words is another file to remove, or an option that nobody knows. It returns
// "" where further words do the same to other files of the workspace, or go to what the project has set up.
func (a *Authority) OpenEnded(r Request) (why string) {
	defer a.sayPanic(&why, "")
	v := a.newEvaluation(r)
	v.gather(func() { why = v.openEnded() })
	return why
}

func (v *evaluation) openEnded() string {
	if d := v.danger(); d.risk >= RiskHigh {
		return d.why
	}
	if v.shell == nil {
		return "it cannot be told what it runs"
	}
	for i, c := range v.shell.commands {
		if v.shell.launches(i) {
			continue
		}
		if why := v.endsOpen(c); why != "" {
			return fmt.Sprintf("`%s` %s", display.Line(c.Name), why)
		}
	}
	return ""
}

// endsOpen is openEnded for one command.
func (v *evaluation) endsOpen(c shellscan.Command) string {
	words := fixedTexts(c)
	row, _ := command.Lookup(c.Name, words)
	switch {
	case in(command.VariablePrinters, c.Name):
		return "prints variables"
	case (row != nil || c.Builtin) && v.exceeds(c, 0) == "":
		return "" // it only reads, and a word that has it do more exceeds the rule
	case !v.in(command.ProjectTools, c.Name) || in(command.Targets, c.Name):
		return "may do something else with further words"
	case needsVerb(filepath.Base(c.Name), words):
		return "does what its next word says"
	}
	return ""
}

// needsVerb reports whether the words of a program that the project has set up do not say yet what it does.
func needsVerb(program string, words []string) bool {
	runners := command.Subcommands(command.CommandRunners, program)
	if slices.ContainsFunc(words, func(word string) bool { return runners[word] }) {
		return true
	}
	if !command.In(command.Verbs, program) && !command.In(command.Families, program) {
		return false
	}
	verbs := command.Subcommands(command.Verbs, program)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.HasPrefix(word, "-") && !verbs[word] })
}
