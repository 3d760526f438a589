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

// exceeds tells why a command whose first words a rule spells is not covered all the same; spelled is how
// many of its arguments the rule spells.
//
// What it looks at does not depend on the rule, so it is looked at once for all of them.
func (v *evaluation) exceeds(c shellscan.Command, spelled int) string {
	key := exceedsKey(c, spelled)
	why, known := v.exceeding[key]
	if !known {
		if v.exceeding == nil {
			v.exceeding = map[string]string{}
		}
		why = v.commandExceeds(c, spelled)
		v.exceeding[key] = why
	}
	return why
}

// exceedsKey names what exceeds looks at: every word, and how many of them a rule spells.
func exceedsKey(c shellscan.Command, spelled int) string {
	return fmt.Sprintf("%d %#v", spelled, c) // every text in it is quoted, so no two commands have one key
}

func (v *evaluation) commandExceeds(c shellscan.Command, spelled int) string {
	why := ""
	if c.Builtin {
		why = v.builtinExceeds(c, spelled)
	} else {
		why = v.programExceeds(c, spelled)
	}
	if why != "" {
		why = fmt.Sprintf("`%s`: %s", display.Line(c.Name), why)
	}
	return why
}

// builtinExceeds is exceeds for what bash does itself.
func (v *evaluation) builtinExceeds(c shellscan.Command, spelled int) string {
	words := c.Args
	switch {
	case c.Name == "echo": // prints whatever it is
		words = withoutPrinted(words)
		for i := range words {
			if words[i].PrintedMany {
				words[i] = shellscan.Word{Text: "printed", Fixed: true}
			}
		}
	case c.Name == "printf" && len(words) > 0: // prints it, but for a -v in front, and what its format says
		format := 1
		if words[0].Text == "--" {
			format = min(2, len(words))
		}
		words = append(words[:format:format], withoutPrinted(words[format:])...)
	}
	args, ok := fixedWords(words)
	check, known := builtins[c.Name]
	switch {
	case !ok:
		return "one of its words is not fixed"
	case known:
		return check(args)
	case spelled < len(args):
		return "bash may evaluate its words, so a rule must spell the whole command"
	}
	return ""
}

// programExceeds is exceeds for a program.
func (v *evaluation) programExceeds(c shellscan.Command, spelled int) string {
	if len(v.shell.dirs) == 0 {
		return "the directory that it runs in cannot be told"
	}
	for _, dir := range v.shell.dirs {
		if why := v.chosen(c.Name, dir); why != "" {
			return why
		}
	}
	begin, _ := fixedWords(c.Args[:fixedPrefix(c.Args)])
	row, _ := command.Lookup(c.Name, begin)
	for _, dir := range v.shell.dirs {
		args, why := v.expand(c, dir, row)
		if why == "" {
			why = v.wordsExceed(c, args, spelled)
		}
		if why != "" || len(begin) == len(c.Args) {
			return why // the same in every directory
		}
	}
	return ""
}

// withoutPrinted returns words with something that is no option in the place of what commands print.
func withoutPrinted(words []shellscan.Word) []shellscan.Word {
	all := slices.Clone(words)
	for i := range all {
		if all[i].Printed {
			all[i] = shellscan.Word{Text: "printed", Fixed: true}
		}
	}
	return all
}

// fixedPrefix counts the words in front of the first that is not fixed.
func fixedPrefix(words []shellscan.Word) int {
	if at := slices.IndexFunc(words, func(w shellscan.Word) bool { return !w.Fixed }); at >= 0 {
		return at
	}
	return len(words)
}

// wordsExceed is carefulProgram for the words that bash hands on.
func (v *evaluation) wordsExceed(c shellscan.Command, args []string, spelled int) string {
	if strings.Contains(c.Name, "/") && !filepath.IsAbs(c.Name) && len(v.shell.dirs) > 1 {
		return "behind a cd it is another program"
	}
	if v.Commands.IsAdded(filepath.Base(c.Name)) {
		if v.in(command.Asked, c.Name) && spelled < len(args) {
			return "your commands.yaml has it asked about, unless a rule spells the whole command"
		}
		if why := v.widens(c.Name, args, spelled); why != "" {
			return why
		}
	}
	if at := moduleSpelled(c.Name, args, spelled); at > 0 {
		// A rule that spells python -m pytest is about that program, whose other words are looked at as behind its own name.
		module := c
		module.Name, module.Args = args[at-1], c.Args[min(at, len(c.Args)):]
		return v.wordsExceed(module, args[at:], spelled-at)
	}
	row, at := command.Lookup(c.Name, args)
	switch {
	case isInterpreter(c.Name) && spelled < len(args) && (row == nil || row.Language == "" && at == 0):
		return "it runs code from its words or its files, so a rule must spell the whole command"
	case row != nil:
		if w, why := readCommandWords(row, args[at:], max(0, spelled-at)); c.Finder != nil && why == "" && w.tree {
			return "it reads all below directories, and a find may give it one"
		}
		if why := v.readerExceeds(row, c.Name, args[at:], max(0, spelled-at)); why != "" {
			return why
		}
		return v.showsSecret(c)
	case command.In(command.Families, c.Name) &&
		!slices.ContainsFunc(args[:spelled], func(arg string) bool { return !strings.HasPrefix(arg, "-") }):
		return fmt.Sprintf("it is not known that %s only reads, so a rule must name the subcommand",
			display.Line(strings.Join(append([]string{c.Name}, args[:min(1, len(args))]...), " ")))
	}
	if why := v.widens(c.Name, args, spelled); why != "" {
		return why
	}
	for i, arg := range args[spelled:] {
		if at := kindAt(c); at > 0 && spelled+i == at && arg == c.Args[at].Text {
			continue
		}
		if strings.HasPrefix(arg, "-") && len(arg) > longestOption {
			return "one of its options is too long to be looked at"
		}
		names, ok := possibleFiles(arg)
		if !ok {
			return tooMuch
		}
		for _, name := range names {
			if why := v.opens(name, writer(c.Name)); why != "" {
				return why
			}
		}
	}
	if why := v.removesSensitive(c, args[spelled:]); why != "" || spelled == len(args) {
		return why
	}
	return v.takesSecret(c)
}

// moduleSpelled returns where the words of a tool begin that an interpreter runs by its name, where a rule spells that name
// as the first thing: python -m pytest; 0 where it does not, or the tool is none that runs the project's own code anyway. Of any
// other a file of that name in the project would be run, which a rule for a formatter does not mean.
func moduleSpelled(program string, args []string, spelled int) int {
	options := command.Subcommands(command.ModuleOptions, filepath.Base(program))
	if spelled < 2 || !options[args[0]] || !in(command.Builders, args[1]) {
		return 0
	}
	return 2
}

// readerExceeds is exceeds for a program that only reads.
func (v *evaluation) readerExceeds(row *command.Row, program string, args []string, spelled int) string {
	w, why := readCommandWords(row, args, spelled)
	if why != "" {
		return why
	}
	if len(v.Shell.Sets) > 0 {
		return fmt.Sprintf("it sets %s, and nobody knows what that has a program do that only reads",
			display.Line(v.Shell.Sets[0]))
	}
	use, pathUse := readsFile, looksAt
	if w.spelled && !isGit(program) { // git is looked at below
		if why := v.widens(program, args, spelled); why != "" {
			return why
		}
	}
	if w.spelled {
		use, pathUse = writesFile, writesFile
	}
	for _, name := range w.files {
		if why := v.opens(name, use); why != "" {
			return why
		}
	}
	for _, name := range w.paths {
		if why := v.opens(name, pathUse); why != "" {
			return why
		}
	}
	for _, dir := range v.shell.dirs {
		if why := v.toolchain(row, program, dir); why != "" {
			return why
		}
		read := w
		if isGit(program) {
			if why := v.gitReads(dir, row, args[min(spelled, len(args)):], &read); why != "" {
				return why
			}
		}
		if why := v.treesHazard(read, dir); why != "" {
			return why
		}
	}
	return ""
}

// isInterpreter reports whether a program runs code, whatever version its name ends with.
func isInterpreter(name string) bool {
	return in(command.WholeCommands, name) ||
		in(command.WholeCommands, strings.TrimRight(filepath.Base(name), "0123456789.-"))
}
