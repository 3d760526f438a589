package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// uv run, npx, bundle exec and their like run the program that a word behind names. A rule that names one
// means the tools of the project, whatever they are called. What is known of another program counts for it
// there, too.

// startedAt finds the word that may name a program which another one runs: -1 for none. Of options that take
// a value only some are known, so it may be such a value; then the program is one of the words behind.
func (v *evaluation) startedAt(program string, args []string) int {
	base := filepath.Base(program)
	from := 0
	if words := command.Subcommands(command.CommandRunners, base); words != nil {
		if from = slices.IndexFunc(args, func(word string) bool { return words[word] }) + 1; from == 0 {
			return -1
		}
	} else if !in(command.CommandRunners, base) {
		return -1
	}
	if end := slices.Index(args[from:], "--"); end >= 0 {
		from += end + 1
		if from == len(args) {
			return -1
		}
		return from
	}
	roles := shellwords.Read(shellwords.Fixed(append([]string{base}, args...)...), v.Commands).Roles
	for i := from; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") && !isValue(roles[i+1]) {
			return i
		}
	}
	return -1
}

// startedWidens tells why a program must not be given a word by which it runs another one than the rule
// means.
func (v *evaluation) startedWidens(program string, args []string, spelled int) string {
	at := v.startedAt(program, args)
	if at < 0 {
		return ""
	}
	if words := command.Subcommands(command.CommandRunners, program); words != nil &&
		!slices.ContainsFunc(args[:spelled], func(word string) bool { return words[word] }) {
		return fmt.Sprintf("it runs %s, which is another program, so a rule must spell that", display.Line(args[at]))
	}
	for i := max(at, spelled); i < len(args); i++ {
		if name := v.harms(args[i]); name != "" {
			return fmt.Sprintf("it could run %s, so a rule must spell it", display.Line(name))
		}
	}
	inner := shellscan.Command{Name: args[at], Args: fixed(args[at+1:])}
	row, _ := command.Lookup(inner.Name, args[at+1:])
	if row != nil || isInterpreter(inner.Name) || strings.ContainsAny(inner.Name, " /") {
		return "" // its files and its code are looked at as words of the whole
	}
	return v.wordsExceed(inner, args[at+1:], max(0, spelled-at-1))
}

// harms returns the name of a program that a word names, or that a text of several words begins with, where
// it removes, copies or writes, prints what variables hold or reaches other machines as its own purpose; ""
// for another word.
func (v *evaluation) harms(word string) string {
	name, _, _ := strings.Cut(word, " ")
	base := filepath.Base(name)
	client := in(command.NetworkClients, base) && !v.in(command.ProjectTools, base)
	if client || v.in(command.Removers, base) || in(command.Copiers, base) || v.in(command.Unpackers, base) ||
		in(command.VariablePrinters, base) {
		return base
	}
	return ""
}

// fixed returns words that are known.
func fixed(texts []string) []shellscan.Word {
	words := make([]shellscan.Word, len(texts))
	for i, text := range texts {
		words[i] = shellscan.Word{Text: text, Fixed: true}
	}
	return words
}
