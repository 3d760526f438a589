package permissions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// git add -A, commit -a and stash -u take files that no word names. Which these are depends on the index, the ignore
// files and the time stamps, so git is asked.

// gitTaking is what a command of git's takes.
type gitTaking struct {
	by    string // the command, for people
	take  gitrepo.Take
	names []string // what its operands name; nil for all that has changed
	shows bool     // it only shows what it takes
}

// readTaking reads the words of a command of git's that takes what has changed. ok is false for any other.
func readTaking(c shellscan.Command) (g gitTaking, ok bool) {
	name, rest := gitSubcommand(c, func(name string) bool { return command.In(command.Takers, name) })
	if name == "" || len(rest) > 0 && rest[0].Fixed && command.Subcommands(command.TakingNothing, name)[rest[0].Text] {
		return g, false
	}
	g.by = "`" + display.Line(name) + "`"
	g.take.New = command.In(command.NewTakers, name)
	ignored := command.Subcommands(command.IgnoredTakers, name)
	all := !command.In(command.OperandTakers, name)
	for _, word := range rest {
		switch {
		case !word.Fixed:
			g.take.Ignored = g.take.Ignored || ignored != nil
			all = true
		case strings.HasPrefix(word.Text, "-"):
			g.take.Ignored = g.take.Ignored || mayMean(word.Text, ignored)
		case isPathspec(word.Text), strings.HasPrefix(word.Text, "~"):
			all = true // what they name is not known
		default:
			g.names = append(g.names, word.Text)
		}
	}
	if all {
		g.names = nil
	}
	return g, true
}

// gitSubcommand returns the subcommand of git's in a command that is wanted, as "git add", and the words behind it; "" for none.
func gitSubcommand(c shellscan.Command, wanted func(name string) bool) (name string, rest []shellscan.Word) {
	program := filepath.Base(c.Name)
	words, _ := skipGlobals(c)
	at := slices.IndexFunc(words, func(w shellscan.Word) bool { return w.Fixed && wanted(program+" "+w.Text) })
	// Behind options that are not known here, any word may be the subcommand.
	if at < 0 || at > 0 && !strings.HasPrefix(words[0].Text, "-") {
		return "", nil
	}
	return program + " " + words[at].Text, words[at+1:]
}

// mayMean reports whether a word has one of the options in it: as a letter among others, or abbreviated.
func mayMean(word string, options map[string]bool) bool {
	name, _, _ := strings.Cut(word, "=")
	for option := range options {
		switch {
		case len(option) == 2 && !strings.HasPrefix(word, "--") && strings.Contains(word, option[1:]),
			len(option) > 2 && len(name) > 2 && strings.HasPrefix(option, name):
			return true
		}
	}
	return false
}

// addTaken adds what a command of git's takes.
func (v *evaluation) addTaken(trees []wholeTree, g gitTaking, surely bool) []wholeTree {
	for _, dir := range v.shell.dirs {
		r := v.repository(dir)
		t := wholeTree{by: g.by, surely: surely, more: r.fault}
		if r.Repository != nil {
			t.files, t.more = v.taken(r.Repository, dir, g)
			if nested := newModule(r.Repository, t.files); nested != "" && !surely && !g.shows && t.more == "" {
				t.more = g.by + " would take " + shown(v.Workspace, nested) +
					" with it, a repository of its own, whose settings git obeys from then on"
			}
		}
		trees = append(trees, t)
	}
	return trees
}

// changesIgnored reports whether the act may change what git is told to ignore: it names such a file to something that is
// neither git nor known only to read (echo > .gitignore && git add -A).
func (v *evaluation) changesIgnored() bool {
	if slices.ContainsFunc(v.Shell.Writes, func(w shellscan.Write) bool { return isNamed(w.Path, ignoreFiles) }) {
		return true
	}
	return slices.ContainsFunc(v.shell.commands, func(c shellscan.Command) bool {
		return !isGit(c.Name) && !v.onlyReads(c) && namesFile(c, ignoreFiles)
	})
}

// namesFile reports whether a word of a command could name a file that is called as one of these.
func namesFile(c shellscan.Command, called []string) bool {
	return slices.ContainsFunc(c.Args, func(word shellscan.Word) bool {
		names, _ := possibleFiles(word.Text)
		return slices.ContainsFunc(names, func(name string) bool { return isNamed(name, called) })
	})
}

func isNamed(path string, called []string) bool {
	return slices.ContainsFunc(called, func(name string) bool { return strings.EqualFold(filepath.Base(path), name) })
}

// newModule returns the first of the files that git takes which is a repository of its own, and becomes a submodule; "" for
// none. What git would run in one it has not been asked.
func newModule(r *gitrepo.Repository, files []resource) string {
	for _, p := range files {
		if strings.HasSuffix(p.name, "/") && !hasModule(r, p.real) {
			return p.real
		}
	}
	return ""
}

func hasModule(r *gitrepo.Repository, top string) bool {
	return slices.ContainsFunc(r.Modules, func(sub *gitrepo.Repository) bool { return sub.Top == top || hasModule(sub, top) })
}

// takenKey is what git is asked about once for each decision.
type takenKey struct {
	top  string
	take gitrepo.Take
}

// taken lists what git takes in a directory of a repository, and says why there may be more.
func (v *evaluation) taken(r *gitrepo.Repository, dir string, g gitTaking) (files []resource, more string) {
	var below []string
	for _, name := range g.names {
		at, err := v.facts.resolve(dir, name)
		if err != nil {
			return nil, display.Line(err.Error())
		}
		below = append(below, at)
	}
	asked := takenKey{r.Top, g.take}
	asked.take.Ignored = asked.take.Ignored || asked.take.New && v.changesIgnored()
	names, known := v.takenFiles[asked]
	if !known {
		v.facts.note("git in " + r.Top)
		found, err := v.git.Taken(context.Background(), r.Top, asked.take, v.Workspace.Dirs()...)
		if names.value, names.err = found, err; v.takenFiles == nil {
			v.takenFiles = map[takenKey]fact[[]string]{}
		}
		v.takenFiles[asked] = names
	}
	switch {
	case names.err != nil:
		return nil, "it cannot be told what " + g.by + " would take: " + display.Line(names.err.Error())
	case !v.work(len(names.value)):
		return nil, tooMuch
	}
	for _, name := range names.value {
		path := strings.TrimSuffix(name, "/") // which a repository's ends in
		if below == nil || slices.ContainsFunc(below, func(at string) bool { return isBelow(path, at) }) {
			files = append(files, resource{name: name, real: path, maybe: []string{path}})
		}
	}
	return files, ""
}
