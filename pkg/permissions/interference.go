package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// What the commands of one line do to each other: each was looked at as if it came alone.

// leadsElsewhere tells why a command may have names lead elsewhere that another one goes by, which no rule covers with it;
// "" if none does. by holds the rules that cover each command. The order of the commands does not count, since those of
// pipes and loops have none.
func (v *evaluation) leadsElsewhere(by [][]*compiledRule) string {
	for i, c := range v.shell.commands {
		if len(by[i]) == 0 || v.onlyReads(c) {
			continue
		}
		leaves := v.leavesNames(c)
		if !leaves && v.redirects() {
			return shownCommand(c) + redirectedElsewhere
		}
		for j, other := range v.shell.commands {
			if i == j || v.shell.launches(j) ||
				slices.ContainsFunc(by[i], func(rule *compiledRule) bool { return slices.Contains(by[j], rule) }) {
				continue
			}
			switch {
			case v.obeysInput(c) && other.Name != "cd":
				return fmt.Sprintf("%s may do what %s prints, so one rule has to cover both", shownCommand(c), shownCommand(other))
			case !leaves && v.goesByNames(j, by[j]):
				return fmt.Sprintf("%s may have the names that %s goes by lead elsewhere, so one rule has to cover both",
					shownCommand(c), shownCommand(other))
			}
		}
	}
	return v.makesRepository()
}

const redirectedElsewhere = " may have the name of a redirection lead elsewhere"

// makesRepository tells why a command may make a repository of a directory in which git runs, whatever rule covers them; "" if
// none does. Its settings came with the directory, and nobody has looked at them.
func (v *evaluation) makesRepository() string {
	if v.shell.unfinished == "" {
		return ""
	}
	if slices.ContainsFunc(v.Shell.Writes, writesHead) {
		return fmt.Sprintf("it writes a HEAD, which may make a repository of %s, in which git runs", v.shell.unfinished)
	}
	for i, c := range v.shell.commands {
		if !isGit(c.Name) && !v.onlyReads(c) && !v.shell.launches(i) {
			return fmt.Sprintf("%s may make a repository of %s, in which git runs", shownCommand(c), v.shell.unfinished)
		}
	}
	return ""
}

// redirectsElsewhere is leadsElsewhere for what one rule covers, where bash prints something that the rule does not name: git
// checkout other && echo "$(< up)". A program that nobody knows could do that by itself.
func (v *evaluation) redirectsElsewhere() string {
	if !v.redirects() {
		return ""
	}
	for _, c := range v.shell.commands {
		name := filepath.Base(c.Name)
		if (isGit(name) || command.In(command.Copiers, name) || v.in(command.Unpackers, name)) && !v.onlyReads(c) && !v.leavesNames(c) {
			return shownCommand(c) + redirectedElsewhere
		}
	}
	return ""
}

// onlyReads reports whether a command changes nothing that another one could meet.
func (v *evaluation) onlyReads(c shellscan.Command) bool {
	if isFree(c) {
		return true
	}
	c = withoutGlobals(c)
	begin := fixedTexts(c)
	row, at := command.Lookup(c.Name, begin)
	if row == nil || len(begin) != len(c.Args) {
		return false
	}
	w, why := readCommandWords(row, begin[at:], 0)
	return why == "" && !w.spelled
}

// leavesNames reports whether every name of a file leads behind a command to where it led before, as far as the command
// itself is concerned. One that runs the project's own code could do all by itself that another one does by such a name.
func (v *evaluation) leavesNames(c shellscan.Command) bool {
	c = withoutGlobals(c)
	begin := fixedTexts(c)
	switch {
	case !isGit(c.Name) && !command.In(command.FileWorkers, c.Name) && namesFile(c, ignoreFiles):
		return false // what it writes there could have rg and git read what is hidden
	case command.In(command.NameKeepers, c.Name), v.runsProject(c),
		len(begin) > 0 && command.Subcommands(command.NameKeepers, c.Name)[begin[0]]:
		return true
	}
	name := c.Name
	for _, word := range begin[:min(2, len(begin))] { // gh pr create
		if name += " " + word; command.In(command.NameKeepers, name) {
			return true
		}
	}
	return false
}

// obeysInput reports whether what a command does may stand in its standard input: which files it packs (zip -@), what it applies
// (kubectl apply -f -).
func (v *evaluation) obeysInput(c shellscan.Command) bool {
	texts := fixedTexts(c)
	return len(texts) < len(c.Args) || command.In(command.Packers, c.Name) ||
		shellwords.Read(shellwords.Fixed(append([]string{c.Name}, texts...)...), v.Commands).Input != "" ||
		slices.ContainsFunc(texts, func(word string) bool {
			return word == "-" || strings.HasSuffix(word, "=-") || strings.HasPrefix(word, "/dev/")
		})
}

// redirects reports whether a file is read or written that the shell itself finds by its name.
func (v *evaluation) redirects() bool {
	return len(v.Shell.Reads) > 0 ||
		slices.ContainsFunc(v.Shell.Writes, func(w shellscan.Write) bool { return w.Path != "/dev/null" })
}

// goesByNames reports whether a command of the act, by its index, does something with files that it finds by their names,
// which are not those of the project that it runs, or is itself found by one: a version manager goes by a file that says
// which node is meant. by are the rules that cover it.
func (v *evaluation) goesByNames(i int, by []*compiledRule) bool {
	c := v.shell.commands[i]
	if c.Name == "cd" && c.Builtin {
		return i > 0 || v.Shell.Enters == "" // what is entered first was looked at as it is
	}
	if isFree(c) {
		return false
	}
	begin := fixedTexts(c)
	row, at := command.Lookup(c.Name, begin)
	switch {
	case row == nil && v.runsProject(c):
		return slices.ContainsFunc(c.Args[spelledWords(c, by):], mayName)
	case row == nil || isGit(c.Name) || len(begin) != len(c.Args):
		return true
	case row.Language == "" && (v.runsProject(c) || isInterpreter(c.Name)):
		return true // npm --version
	}
	w, why := readCommandWords(row, begin[at:], 0)
	return why != "" || w.tree || len(w.files) > 0 || len(w.paths) > 0
}

// spelledWords is how many of a command's words one of the rules spells: the author of the rule has named these.
func spelledWords(c shellscan.Command, rules []*compiledRule) (most int) {
	for _, rule := range rules {
		for _, l := range rule.commands {
			for _, prefix := range l.prefixes {
				if begins(c, prefix) {
					most = max(most, len(prefix)-1)
				}
			}
		}
	}
	return most
}

// mayName reports whether a word could have the name of a file in it: every one but an option without a value, and what
// means the directory itself (./...).
func mayName(word shellscan.Word) bool {
	text := word.Text
	switch {
	case !word.Fixed:
		return true
	case strings.HasPrefix(text, "--"):
		return strings.Contains(text, "=")
	}
	return strings.Trim(text, "./") != "" && !(len(text) == 2 && text[0] == '-')
}

// findUnfinished finds a directory in which git runs that would be a repository of its own if more lay there: where a HEAD
// stands (mkdir refs && git status), or the text may make one, the settings that are there could run anything, and git has
// not been asked about them.
func (v *evaluation) findUnfinished() {
	if v.shell == nil || len(v.shell.unnamed) > 0 || len(v.shell.commands) < 2 ||
		!slices.ContainsFunc(v.shell.commands, func(c shellscan.Command) bool { return isGit(c.Name) }) {
		return
	}
	makesHead := slices.ContainsFunc(v.Shell.Writes, writesHead) || slices.ContainsFunc(v.shell.commands, v.makesHead)
	for _, dir := range v.shell.dirs {
		r := v.repository(dir)
		for ; v.Workspace.Contains(dir) && (r.Repository == nil || dir != r.Top); dir = filepath.Dir(dir) {
			if makesHead || v.facts.exists(filepath.Join(dir, "HEAD")) || v.facts.exists(filepath.Join(dir, ".git")) {
				v.shell.unfinished = shown(v.Workspace, dir)
				return
			}
		}
	}
}

var heads = []string{"HEAD"}

func writesHead(w shellscan.Write) bool { return isNamed(w.Path, heads) }

// makesHead reports whether a command may make a HEAD, which it names, or which lies in what it copies or unpacks.
func (v *evaluation) makesHead(c shellscan.Command) bool {
	name := filepath.Base(c.Name)
	return !isGit(name) && !v.onlyReads(c) &&
		(namesFile(c, heads) || command.In(command.Copiers, name) || v.in(command.Unpackers, name))
}

// runsProject reports whether a program builds or tests the project, and so runs its code.
func (v *evaluation) runsProject(c shellscan.Command) bool {
	program, _ := v.builder(c)
	return program != ""
}
