package permissions

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of what is looked at in a shell text. Beyond them nothing can be told, and so nothing is
// covered: in Claude Code more than fifty subcommands once fell from deny to ask.
const (
	mostCommands    = 200
	mostDirectories = 16
	mostResources   = 4000
)

// shellText is what can be told of a shell text without running it: the directories that its commands may
// run in, and the files that its words could name.
type shellText struct {
	commands []shellscan.Command
	// forms are, for each command, the command itself and, where that is another, what it is without git's
	// options for printing and the like: a rule may mean either.
	forms [][]shellscan.Command
	// exceeding tells of the commands that rules name whether they exceed what the rule spells.
	exceeding map[spelledCommand]bool
	// unnamed are the indexes of the commands that no rule names which approves; see inForce.findUnnamed.
	unnamed []int
	// unfinished is a directory in which git runs that another command could make a repository of; "" for none. See
	// evaluation.findUnfinished.
	unfinished string
	// dirs are the directories, resolved. A cd may fail, or stand in a loop, so every command may run in
	// each of them.
	dirs []string
	// resources are the files that a word, a part of a word or a redirection could name.
	resources []resource
	// allNamed tells that there is nothing else that the text could touch by name.
	allNamed bool
	// changesPatterns tells that the text may change what patterns stand for, stopsPatterns that it may
	// have them stand for themselves.
	changesPatterns, stopsPatterns bool
	// linked are the links that lead to the directories, climbing tells that a cd goes up: a shell goes up
	// by the names that it came by.
	linked   []string
	climbing bool
	// fault is why no rule can cover the text; "" when one can.
	fault string
}

func newShellText(v *evaluation) *shellText {
	s := &shellText{commands: v.Shell.Commands, allNamed: v.Shell.Certain(), exceeding: map[spelledCommand]bool{}}
	switch {
	case !v.Shell.Certain():
		s.fail("it cannot be told what it runs: line %d: %s", v.Shell.Problems[0].Line, v.Shell.Problems[0].Text)
	case len(v.Shell.Commands) > mostCommands:
		s.fail("it runs more than %d commands", mostCommands)
	case len(v.Shell.Commands) == 0:
		s.fail("it names no command")
	case v.otherShell() != "":
		s.fail("%s", v.otherShell())
	case len(v.Shell.Variables) > 0:
		s.fail("it uses the value of $%s, and nobody knows what that is, or whether it is a secret",
			display.Line(v.Shell.Variables[0]))
	}
	for _, c := range s.commands {
		s.forms = append(s.forms, []shellscan.Command{c})
		if plain := withoutGlobals(c); len(plain.Args) != len(c.Args) {
			s.forms[len(s.forms)-1] = []shellscan.Command{c, plain}
		}
		s.changesPatterns = s.changesPatterns || c.Name == "shopt"
		s.stopsPatterns = s.stopsPatterns || c.Name == "set"
	}
	s.gatherDirs(v)
	if len(s.linked) > 0 && s.climbing {
		s.fail("a cd goes up behind a link, and it cannot be told where to")
		s.allNamed = false
	}
	s.gatherResources(v)
	return s
}

// otherShell tells why the act's text may be another one to the shell that runs it; "" where bash runs it, as
// all that we start ourselves, or that shell reads it as bash does. An agent that only asks has a shell of
// its own.
func (v *evaluation) otherShell() string {
	switch shell := display.Line(v.agentShell); {
	case v.Door != tool.DoorACP, v.TakesObligations, v.Argv != nil:
		return ""
	case v.Shell.Unlike != "":
		return fmt.Sprintf("the agent may run it with another shell than bash, and not every one is known to read `%s` as bash does",
			display.Line(v.Shell.Unlike))
	case v.agentShell == "" || in(command.ReadAlike, v.agentShell):
		return ""
	case !v.Shell.Plain:
		return "the agent may run it with " + shell + ", which is not known to read it as bash does"
	case slices.ContainsFunc(v.Shell.Commands, onlyBash):
		return "the agent may run it with " + shell + ", which may do otherwise what bash does itself"
	}
	return ""
}

// onlyBash reports whether a command is one that bash does itself, and another shell perhaps something else.
func onlyBash(c shellscan.Command) bool {
	return c.Builtin && !slices.Contains([]string{"cd", "echo", "false", "pwd", "true"}, c.Name)
}

// fail keeps the first reason.
func (s *shellText) fail(format string, args ...any) {
	if s.fault == "" {
		s.fault = fmt.Sprintf(format, args...)
	}
}

// gatherDirs finds the directories: the one that the text starts in and, from each of them, those that a cd
// goes to.
func (s *shellText) gatherDirs(v *evaluation) {
	start, err := v.facts.resolve("/", v.Dir)
	if err != nil || !filepath.IsAbs(v.Dir) {
		s.fail("the directory that it runs in cannot be told")
		s.allNamed = false
		return
	}
	s.dirs = []string{start}
	s.follow(v.Dir, start)
	if !v.Workspace.Contains(start) {
		s.fail("it runs in %s, outside the workspace", shown(v.Workspace, start))
	}
	if s.gatherSteps(v, start) {
		return
	}
	first := -1 // the cd without which nothing runs
	if dir := v.Shell.Enters; dir != "" && s.gatherDir(v, start, dir) && s.dirs[len(s.dirs)-1] != start &&
		v.Workspace.Contains(s.dirs[len(s.dirs)-1]) {
		s.dirs = s.dirs[len(s.dirs)-1:]
		first = slices.IndexFunc(s.commands, func(c shellscan.Command) bool { return c.Name == "cd" })
	}
	var targets []string
	for i, c := range s.commands {
		if i == first {
			continue
		}
		if target := elsewhere(c); target != "" {
			targets = append(targets, target)
		}
		if c.Name != "cd" && c.Name != "pushd" && c.Name != "popd" {
			continue
		}
		args := c.Args
		if len(args) > 0 && args[0].Fixed && args[0].Text == "--" {
			args = args[1:]
		}
		if c.Name != "cd" || len(args) != 1 || !args[0].Fixed || strings.HasPrefix(args[0].Text, "-") ||
			args[0].Text == "" {
			s.fail("it cannot be told which directory %s goes to", c.Name)
			s.allNamed = false
			continue
		}
		targets = append(targets, args[0].Text)
	}
	reached := map[string]bool{}
	for i := 0; i < len(s.dirs); i++ {
		for _, target := range targets {
			if s.gatherDir(v, s.dirs[i], target) {
				reached[target] = true
			}
		}
	}
	for _, target := range targets {
		if !reached[target] {
			s.fail("there is no directory %s yet, so it cannot be told what will be there", display.Line(target))
		}
	}
}

// gatherSteps is enter for a text whose directories follow one on the other. It is false for every other.
func (s *shellText) gatherSteps(v *evaluation, start string) bool {
	goes := 0
	for _, c := range s.commands {
		if c.Name == "cd" || c.Name == "pushd" || c.Name == "popd" || elsewhere(c) != "" {
			goes++
		}
	}
	if len(v.Shell.Steps) == 0 || goes != len(v.Shell.Steps) || !v.Workspace.Contains(start) ||
		v.Shell.Loose && !(v.keepsNames(s) && s.entersAll(v, start)) {
		return false
	}
	at := start
	var dirs []string // those that something runs in
	// Somebody else could take a directory away before a cd goes there, and what comes behind a ; runs all the same.
	if s.commands[0].Name != "cd" || v.Shell.Loose {
		dirs = append(dirs, start)
	}
	for _, target := range v.Shell.Steps {
		if !s.gatherDir(v, at, target) {
			s.fail("there is no directory %s yet, so it cannot be told what will be there", display.Line(target))
			return true
		}
		to, err := v.facts.resolve(at, target)
		if err != nil || !slices.Contains(s.dirs, to) {
			return true // enterFrom has said why
		}
		if at = to; !slices.Contains(dirs, to) {
			dirs = append(dirs, to)
		}
	}
	s.dirs = dirs
	return true
}

// entersAll reports whether no cd of the text fails, as its directories are now.
func (s *shellText) entersAll(v *evaluation, at string) bool {
	for _, target := range v.Shell.Steps {
		to, err := v.facts.resolve(at, target)
		if err != nil {
			return false
		}
		if info, err := v.facts.stat(to + "/."); err != nil || !info.IsDir() { // one that may not be entered has none
			return false
		}
		at = to
	}
	return true
}

// follow notes where a name leads that is that of a link, or has one on its way.
func (s *shellText) follow(name, to string) {
	if filepath.Clean(name) != to {
		s.linked = append(s.linked, name+" leads to "+to)
	}
}

// gatherDir adds the directory that a cd goes to. It is false when there is none.
func (s *shellText) gatherDir(v *evaluation, dir, target string) bool {
	to, err := v.facts.resolve(dir, target)
	if err != nil || strings.HasPrefix(target, "~") || len(shellReadings(target)) > 1 {
		s.fail("it cannot be told which directory %s is", display.Line(target))
		s.allNamed = false
		return true
	}
	s.follow(joined(dir, target), to)
	s.climbing = s.climbing || climbs(target)
	if slices.Contains(s.dirs, to) {
		return true
	}
	if !v.Workspace.Contains(to) {
		s.fail("it goes, or would go, to %s, outside the workspace", shown(v.Workspace, to))
	} else if info, err := v.facts.stat(to); err != nil || !info.IsDir() {
		return false
	}
	if len(s.dirs) >= mostDirectories {
		s.fail("it goes to more than %d directories", mostDirectories)
		s.allNamed = false
		return true
	}
	s.dirs = append(s.dirs, to)
	return true
}

// gatherResources finds the files that the words and redirections could name.
func (s *shellText) gatherResources(v *evaluation) {
	seen := map[string]bool{}
	add := func(name string, write bool) {
		if seen[name] && !write {
			return
		}
		seen[name] = true
		if len(s.resources)+len(s.dirs) > mostResources {
			s.fail("it names more files than can be looked at")
			s.allNamed = false
			return
		}
		for _, dir := range s.dirs {
			if !v.workOn(name) {
				s.fail("%s", tooMuch)
				s.allNamed = false
				return
			}
			p := v.facts.wordResource(dir, v.home, name, write)
			if everywhere := anotherToEach(""); errors.As(p.err, &everywhere) && !descriptor.MatchString(name) {
				s.allNamed = false // /proc/self/cwd/x may be any file's name
			}
			s.resources = append(s.resources, p)
		}
	}
	for _, w := range v.Shell.Writes {
		if !w.Fixed {
			s.allNamed = false
			continue
		}
		add(w.Path, true)
	}
	for _, r := range v.Shell.Reads {
		for _, name := range nameReadings(r.Path) {
			add(name, false)
		}
	}
	for _, c := range s.commands[:min(len(s.commands), mostCommands)] {
		for _, word := range c.Args[saysWhat(c):] {
			if !word.Fixed || len(word.Text) > longestOption && strings.HasPrefix(word.Text, "-") {
				s.allNamed = false
				continue
			}
			names, ok := possibleFiles(word.Text)
			if !ok {
				s.fail("%s", tooMuch)
				s.allNamed = false
			}
			for _, name := range names {
				add(name, false)
			}
		}
		if strings.Contains(c.Name, "/") {
			add(c.Name, false)
		}
	}
}

// descriptor finds names of what is open already, which lead to no file by its name.
var descriptor = lazyregexp.New(`\A(/dev/(stdin|stdout|stderr|tty|fd/\d+)|/proc/self/fd/\d+)\z`)

// saysWhat counts the words at the beginning of a command that say which of its program's commands is
// meant, and so no file: the one of `git status`. It counts none where an option stands first, which may
// take the next word.
func saysWhat(c shellscan.Command) int {
	if subcommands[c.Name] && len(c.Args) > 0 && c.Args[0].Fixed && subcommand.MatchString(c.Args[0].Text) {
		return 1
	}
	return 0
}

// subcommands are programs whose first word never names a file.
var subcommands = set("git go cargo npm pnpm docker podman kubectl gh systemctl apt apt-get brew pip pip3")

// wordResource is the file that a word of a command names. A shell knows no URLs.
func (d *facts) wordResource(dir, home, name string, write bool) resource {
	p := resource{name: name, dir: dir, write: write, maybe: d.meanings(dir, home, name)}
	p.real, p.err = d.resolve(dir, name)
	return d.described(p)
}
