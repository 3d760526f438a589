package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// use is what a program does with a file that it is told.
type use int

const (
	readsFile use = iota
	writesFile
	buildsFile // writes it, or builds by it
	looksAt    // tells what its directory says of it, and never opens it
)

func writer(program string) use {
	if in(command.Builders, program) {
		return buildsFile
	}
	return writesFile
}

// opens tells why a file that a word could name must not be opened without asking; "" when it may.
func (v *evaluation) opens(name string, use use) string {
	if name == "-" || name == "" || name == "/dev/null" {
		return ""
	}
	if strings.HasPrefix(name, "~") {
		return fmt.Sprintf("%q could be a home directory", display.Line(name))
	}
	for _, dir := range v.shell.dirs {
		if !v.workOn(name) {
			return tooMuch
		}
		p := v.facts.wordResource(dir, v.home, name, use == writesFile || use == buildsFile)
		switch {
		case p.err != nil:
			return "it cannot be told which file it opens: " + display.Line(p.err.Error())
		case !v.inside(p):
			return shown(v.Workspace, p.real) + " lies outside the workspace"
		}
		if why := v.guardedWord(p, use); why != "" {
			return why
		}
	}
	return ""
}

// guardedWord tells why a file that a word could name is more than data.
func (v *evaluation) guardedWord(p resource, use use) string {
	if v.byPerson() || use == looksAt {
		return ""
	}
	wanted := sensitive.Secret
	switch use {
	case writesFile:
		wanted = sensitive.Written
	case buildsFile:
		wanted = sensitive.Written &^ sensitive.Built
	}
	for _, name := range p.maybe {
		if what := v.sensitive.find(v.Workspace, name, wanted); what != "" && !(use == readsFile && v.namedToRead(name)) {
			return shown(v.Workspace, name) + " " + what
		}
	}
	if p.alias {
		return shown(v.Workspace, p.real) + " " + hasAnotherName
	}
	if use == readsFile && p.credential {
		return shown(v.Workspace, p.maybe[0]) + " " + holdsCredential
	}
	return ""
}

// guardCommand tells why an act's command needs a person whatever a rule that names no command says: it
// writes, or names, a file that is more than data.
func (v *evaluation) guardCommand() string {
	if v.shell == nil || v.byPerson() {
		return ""
	}
	for _, p := range v.resources {
		if why := v.sensitiveWhy(p, true); why != "" {
			return why
		}
	}
	dirs := v.shell.dirs
	if len(dirs) == 0 {
		dirs = []string{"/"} // what is special about a file is told by its last names
	}
	for _, dir := range dirs {
		for _, w := range v.Shell.Writes {
			if !w.Fixed || w.Path == "/dev/null" {
				continue
			}
			if why := v.sensitiveWhy(v.facts.wordResource(dir, v.home, w.Path, true), true); why != "" {
				return why
			}
		}
		for _, r := range v.Shell.Reads {
			if why := v.guardedWord(v.facts.wordResource(dir, v.home, r.Path, false), readsFile); why != "" {
				return why
			}
		}
		for _, c := range v.shell.commands {
			names, ok := namedFiles(c)
			if !ok {
				return tooMuch
			}
			for _, name := range names {
				if !v.workOn(name.text) {
					return tooMuch
				}
				use := name.use
				if v.OwnProgram && v.ReadOnly && use != looksAt { // kubectl get pods
					use = readsFile
				}
				if why := v.guardedWord(v.facts.wordResource(dir, v.home, name.text, true), use); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// namedFile is a file that a word of a command could name.
type namedFile struct {
	text string
	use  use
}

// kindAt returns which word of a command is the kind of a thing, and no file: that behind the subcommand in kubectl get pods.
// Options that have their values in the same word may stand between the two, as calls of tools are written. It is 0 where
// none is.
func kindAt(c shellscan.Command) int {
	const letters = "abcdefghijklmnopqrstuvwxyz,"
	if len(c.Args) == 0 || !c.Args[0].Fixed || !command.Subcommands(command.Kinds, filepath.Base(c.Name))[c.Args[0].Text] {
		return 0
	}
	for at, word := range c.Args[1:] {
		switch isOption := strings.HasPrefix(word.Text, "--") && strings.Contains(word.Text, "="); {
		case word.Fixed && isOption:
		case word.Fixed && strings.Trim(word.Text, letters) == "":
			return at + 1
		default:
			return 0
		}
	}
	return 0
}

// namesModule reports whether the first words of a command name a module that an interpreter looks for among its own: that of
// python3 -m venv .venv is no file.
func namesModule(c shellscan.Command) bool {
	return len(c.Args) > 1 && c.Args[0].Fixed && c.Args[1].Fixed &&
		command.Subcommands(command.ModuleOptions, filepath.Base(c.Name))[c.Args[0].Text]
}

// namedFiles lists what the fixed words of a command could name, and what the program would do with it. ok
// is false where that is too much to look at.
func namedFiles(c shellscan.Command) (names []namedFile, ok bool) {
	var args []string
	for _, word := range c.Args {
		if word.Fixed {
			args = append(args, word.Text)
		}
	}
	if isFree(c) {
		return nil, true
	}
	if row, at := command.Lookup(c.Name, args); row != nil {
		if w, why := readCommandWords(row, args[at:], 0); why == "" {
			use := readsFile
			if w.spelled { // it writes them back
				use = writesFile
			}
			for _, text := range w.files {
				names = append(names, namedFile{text, use})
			}
			for _, text := range w.paths {
				names = append(names, namedFile{text, looksAt})
			}
			return names, true
		}
	}
	if at := kindAt(c); at > 0 {
		args = slices.Delete(args, at, at+1)
	}
	if namesModule(c) {
		args = args[2:]
	}
	for _, arg := range args {
		possible, ok := possibleFiles(arg)
		if !ok {
			return nil, false
		}
		for _, text := range possible {
			names = append(names, namedFile{text, writer(c.Name)})
		}
	}
	return names, true
}
