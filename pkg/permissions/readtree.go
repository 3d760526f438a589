package permissions

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

// mostEntries bounds how many files are looked at below the directories that a command reads.
const mostEntries = 10000

const readsHidden = " has hidden files read, too, and it cannot be told which"

// treesHazard tells why a command that reads whole trees must not: there is a secret in one, or too much to
// look at.
func (v *evaluation) treesHazard(w commandWords, dir string) string {
	if !w.tree {
		return ""
	}
	roots := []string{}
	if w.operands <= 1 { // grep -r x reads the directory that it runs in
		roots = append(roots, dir)
	}
	for _, name := range w.files {
		if path, err := v.facts.resolve(dir, name); err == nil {
			roots = append(roots, path)
		}
	}
	for _, root := range roots {
		if path := v.ignoresAbove(filepath.Dir(root)); path != "" && !w.hidden {
			return shown(v.Workspace, path) + readsHidden
		}
		if why := v.treeHazard(walkedTree{root: root, hidden: w.hidden, follows: w.follows,
			only: strings.Join(w.only, "/"), skips: w.skips}); why != "" {
			return why
		}
	}
	return ""
}

// walkedTree is a directory with all that a command reads below it.
type walkedTree struct {
	root            string
	hidden, follows bool
	only            string // the ends of the names of its files, slashes between them; "" for all
	skips           skipped
	// found tells that its files are those that a find gives to a program: those of that name, in .git,
	// too, and none whose name holds one of the letters apart, which make it more than a word, or another.
	found bool
	name  string
	apart string
	bare  bool // they begin as the files are called
}

// skipped is what a command leaves out below a directory: names of files and of directories, slashes between them.
type skipped struct{ files, dirs string }

// has reports whether an entry of a directory is left out.
func (s skipped) has(entry fs.DirEntry) bool {
	names := s.files
	if entry.IsDir() {
		names = s.dirs
	}
	return names != "" && slices.Contains(strings.Split(names, "/"), entry.Name())
}

// treeHazard is walkTree, once for each.
func (v *evaluation) treeHazard(tree walkedTree) string {
	why, known := v.treeHazards[tree]
	if !known {
		why = v.walkTree(tree)
		if v.treeHazards == nil {
			v.treeHazards = map[walkedTree]string{}
		}
		v.treeHazards[tree] = why
	}
	return why
}

// walkTree is readsTree for one directory.
func (v *evaluation) walkTree(tree walkedTree) (why string) {
	root, seen := tree.root, 0
	err := v.facts.walkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch seen++; {
		case err != nil && entry == nil:
			return fs.SkipAll // there is no such file
		case !v.work(1):
			why = tooMuch
			return fs.SkipAll
		case seen > mostEntries:
			why = shown(v.Workspace,
				root) + fmt.Sprintf(" holds more than %d files, and it cannot be told whether one is a secret",
				mostEntries)
			return fs.SkipAll
		case path != root && tree.skips.has(entry):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			return fs.SkipDir // what we cannot read, it cannot read
		case !tree.hidden && entry.Name() == ".git" && v.facts.excludeShowsHidden(path):
			why = shown(v.Workspace, path) + readsHidden
			return fs.SkipAll
		case path != root && entry.IsDir() &&
			(!tree.hidden && strings.HasPrefix(entry.Name(), ".") ||
				!tree.found && !tree.follows && gitObjects(path)):
			return fs.SkipDir
		case !tree.hidden && slices.Contains(ignoreFiles, entry.Name()) && v.facts.showsHidden(path):
			why = shown(v.Workspace, path) + readsHidden
			return fs.SkipAll
		case !tree.hidden && strings.HasPrefix(entry.Name(), ".") && path != root:
			return nil
		}
		if tree.found && !nameMatches(tree.name, entry.Name()) {
			return nil
		}
		if tree.only != "" && !entry.IsDir() &&
			!slices.ContainsFunc(strings.Split(tree.only, "/"),
				func(end string) bool { return strings.HasSuffix(entry.Name(), end) }) {
			return nil
		}
		if tree.apart != "" && strings.ContainsAny(strings.TrimPrefix(path, root), tree.apart) {
			why = shown(v.Workspace, path) + " would be taken for another name, or for several"
			return fs.SkipAll
		}
		if tree.bare && strings.HasPrefix(strings.TrimPrefix(path, root), "/-") {
			why = shown(v.Workspace, path) + " could be taken for an option"
			return fs.SkipAll
		}
		if tree.follows && entry.Type()&fs.ModeSymlink != 0 {
			if why = v.linkHazard(path); why != "" {
				return fs.SkipAll
			}
		}
		if what := v.secret(path); what != "" && !entry.IsDir() && !v.namedToRead(path) {
			why = "it would read " + shown(v.Workspace, path) + ", which " + what
			return fs.SkipAll
		}
		return nil
	})
	if why == "" && err != nil {
		why = "it cannot be told what lies below " + shown(v.Workspace, root)
	}
	return why
}

// gitObjects reports whether a directory is where git keeps what it has compressed: of its many files none
// is a secret by its name.
func gitObjects(path string) bool { return strings.HasSuffix(path, "/.git/objects") }

// linkHazard tells why a link that a command follows must not be: "" where it leads to a plain file of the
// workspace.
func (v *evaluation) linkHazard(link string) string {
	to, err := v.facts.resolve(filepath.Dir(link), filepath.Base(link))
	if err != nil {
		return "it cannot be told where " + shown(v.Workspace, link) + " leads"
	}
	info, err := v.facts.lstat(to)
	switch {
	case !v.Workspace.Contains(to):
		return shown(v.Workspace, link) + " leads out of the workspace"
	case err == nil && !info.Mode().IsRegular():
		return shown(v.Workspace, link) + " leads to more than a file"
	}
	if what := v.secret(to); what != "" {
		return shown(v.Workspace, link) + " leads to what " + what
	}
	return ""
}

// ignoreFiles are the files by which rg is told what to skip, and what not to.
var ignoreFiles = []string{".gitignore", ".ignore", ".rgignore"}

// mostIgnored is the size, in bytes, of the largest such file that is read.
const mostIgnored = 1 << 20

// showsHidden reports whether such a file has rg read hidden files that may be secrets: by a line like
// !.env or !*. One like !.gitkeep, which stands for nothing else, does not count. What cannot be read as a
// file may say anything.
func (d *facts) showsHidden(path string) bool {
	info, err := d.lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIgnored {
		return true
	}
	data, err := d.readFile(path)
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(data)) {
		pattern, negated := strings.CutPrefix(strings.TrimSpace(line), "!")
		name := strings.Trim(pattern, "/")
		if negated && (strings.Trim(name, plainNameLetters) != "" || isSecret(name)) {
			return true
		}
	}
	return false
}

func isSecret(name string) bool {
	_, is := sensitive.Find("/"+name, "", sensitive.Secret)
	return is
}

// plainNameLetters are those of names that stand for nothing but themselves.
const plainNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// excludeShowsHidden is showsHidden for what a repository excludes by itself (gitignore(5)). git is its .git:
// a directory or, of a further work tree, a file that leads to one, which names the directory that they
// share.
func (d *facts) excludeShowsHidden(git string) bool {
	if info, err := d.lstat(git); err == nil && info.Mode().IsRegular() && info.Size() <= mostIgnored {
		git = d.named(git, "gitdir:")
		git = d.named(git+"/commondir", "")
	}
	exclude := git + "/info/exclude"
	return d.exists(exclude) && d.showsHidden(exclude)
}

// named returns the directory that a file names behind a word; a name that is relative begins where the file
// lies.
func (d *facts) named(file, word string) string {
	info, err := d.lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIgnored {
		return filepath.Dir(file)
	}
	data, _ := d.readFile(file)
	name := strings.TrimSpace(strings.TrimPrefix(string(data), word))
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(file), name)
}

// ignoresAbove returns a file above a directory, in the workspace, that has rg read hidden files; "" for
// none.
func (v *evaluation) ignoresAbove(dir string) string {
	for ; v.Workspace.Contains(dir); dir = filepath.Dir(dir) {
		for _, name := range ignoreFiles {
			path := filepath.Join(dir, name)
			if v.facts.exists(path) && v.facts.showsHidden(path) {
				return path
			}
		}
		if git := filepath.Join(dir, ".git"); v.facts.exists(git) && v.facts.excludeShowsHidden(git) {
			return git
		}
	}
	return ""
}
