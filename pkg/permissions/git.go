package permissions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

// The settings of a repository name programs, and git runs them when it only reads: git status runs
// core.fsmonitor and the filters, git diff an external diff. No clone brings such settings, but an archive
// does, and a directory that others share. (CVE-2022-24765 is of the same kind; git's own check,
// safe.directory, only looks at who owns the directory.)
//
// So a command of git's is approved where git itself says that nothing is set which is not known to be
// harmless, and, where whoever carries it out can set variables for it, with everything switched off that
// can be (see Obligation).

// gitAsker asks git about a repository: a gitrepo.Asker.
type gitAsker interface {
	Look(ctx context.Context, dir string, avoid ...string) (*gitrepo.Repository, error)
	Taken(ctx context.Context, top string, t gitrepo.Take, avoid ...string) ([]string, error)
	Tracked(ctx context.Context, dir string, avoid ...string) ([]string, error)
}

// repository is what git has said of one, in words why it has not.
type repository struct {
	*gitrepo.Repository // nil where there is none
	fault               string
}

// repository asks git about the repository around a directory, once for each decision.
func (v *evaluation) repository(dir string) repository {
	r, known := v.repositories[dir]
	if known {
		return r
	}
	v.facts.note("git in " + dir)
	found, err := v.git.Look(context.Background(), dir, v.Workspace.Dirs()...)
	if r.Repository = found; err != nil {
		r = repository{fault: "it cannot be told what git would run here: " + display.Line(err.Error())}
	}
	if v.repositories == nil {
		v.repositories = map[string]repository{}
	}
	v.repositories[dir] = r
	return r
}

// runsPrograms tells why git, run in a directory, could run a program that the repository names, or show
// what is none of the workspace's; "" when it cannot.
func (v *evaluation) runsPrograms(dir string, use gitrepo.Use) string {
	r := v.repository(dir)
	if r.fault != "" || r.Repository == nil {
		return r.fault
	}
	use.Roots, use.Home, use.Switched = v.Workspace.Dirs(), v.home, v.switchesGit()
	use.Secret = func(path string) string { return v.sensitive.find(v.Workspace, path, sensitive.Secret) }
	return display.Line(r.Hazard(use))
}

// gitReads is runsPrograms for a command of git's that only reads, and finds out what it reads beyond what
// git knows: outside of a work tree git diff compares files as diff -r does, and git grep may search all of
// them (grep.fallbackToNoIndex). rest are the words that no rule spells.
func (v *evaluation) gitReads(dir string, row *command.Row, rest []string, read *commandWords) string {
	if row == command.Named("git version") || row == command.Named("git --version") {
		return ""
	}
	for _, word := range rest {
		if strings.HasPrefix(word, "--submodule") && word != "--submodule=short" {
			return "with the option " + word + " git runs itself in whatever lies where the history has a submodule"
		}
	}
	if why := v.runsPrograms(dir, gitrepo.Use{Reads: true}); why != "" {
		return why
	}
	r := v.repository(dir)
	if why := printsCredential(r.Repository, row, rest); why != "" {
		return why
	}
	outside := func(name string) bool {
		path, err := v.facts.resolve(dir, name)
		return err != nil || !isBelow(path, r.Top)
	}
	diff, grep := row == command.Named("git diff"), row == command.Named("git grep")
	if (diff || grep) && r.Repository == nil || diff && slices.ContainsFunc(read.files, outside) {
		read.tree, read.hidden = true, true
	}
	return ""
}

// isGit reports whether a program is git, by whatever path.
func isGit(program string) bool { return filepath.Base(program) == "git" }

// switchesGit reports whether the act is carried out with git's switches set: by somebody who can set them,
// and where every command of it is known only to read, so that nothing else obeys them.
func (v *evaluation) switchesGit() bool {
	if !v.TakesObligations || v.shell == nil {
		return false
	}
	some := false
	for _, c := range v.shell.commands {
		if isFree(c) || command.In(command.Launchers, c.Name) {
			continue
		}
		c = withoutGlobals(c)
		begin, _ := fixedWords(c.Args[:fixedPrefix(c.Args)])
		if row, _ := command.Lookup(c.Name, begin); row == nil {
			return false
		}
		some = some || isGit(c.Name)
	}
	return some
}

// obligation is what has to be done with the act when a rule approves it.
func (v *evaluation) obligation() Obligation {
	if !v.switchesGit() {
		return Obligation{}
	}
	lazy := false
	for _, r := range v.repositories {
		if r.Repository != nil && !r.Switchable {
			return Obligation{} // somebody else uses the variables; then nothing was approved because of them
		}
		lazy = lazy || r.Repository != nil && r.Fetches()
	}
	o := Obligation{Why: "git runs with pager, hooks, file system monitor and optional locks off"}
	for _, s := range gitrepo.Switches() {
		o.Environment = append(o.Environment, Variable(s))
	}
	if !lazy { // what is not fetched now is not fetched should somebody change the settings meanwhile
		o.Environment = append(o.Environment, Variable{"GIT_NO_LAZY_FETCH", "1"})
	}
	return o
}
