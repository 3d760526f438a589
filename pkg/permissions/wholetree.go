package permissions

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// An act that names a directory may be about all that lies in it: rm -r, grep -r, a search. A rule that stops
// is held against every file there, and one that approves against those that are more than data.

// wholeTree is a directory that an act takes with all that lies below.
type wholeTree struct {
	by     string     // what takes it, for people
	surely bool       // it removes the files; else it may copy, change or read them
	files  []resource // what lies below, as far as known
	more   string     // why there may be more; "" where there is not
}

// stopsTrees holds the rule against what lies below the directories that the act takes whole.
func (c *compiledRule) stopsTrees(v *evaluation) (result holds, why string) {
	result = no
	for _, t := range v.trees() {
		for _, p := range t.files {
			if !c.mayInclude(v, p) || c.excludes(v, p) {
				continue
			}
			why = fmt.Sprintf("%s would take %s with it", t.by, shown(v.Workspace, p.real))
			if t.surely {
				return yes, why
			}
			result = maybe
			break
		}
		if result == no && t.more != "" {
			result, why = maybe, t.more
		}
	}
	return result, why
}

// leavesTrees reports whether nothing of exclude_paths lies below the directories that the act takes whole.
func (c *compiledRule) leavesTrees(v *evaluation) (result holds, why string) {
	for _, t := range v.trees() {
		for _, p := range t.files {
			if at := v.excluded(c.exclude, p.maybe); at >= 0 {
				return no, fmt.Sprintf("%s would take %s with it, which is in exclude_paths (%s)", t.by,
					shown(v.Workspace, p.real), display.Line(c.ExcludePaths[at]))
			}
		}
		if t.more != "" {
			return no, t.more
		}
	}
	return yes, ""
}

// excludes reports whether exclude_paths surely covers the resource.
func (c *compiledRule) excludes(v *evaluation, p resource) bool {
	for _, g := range c.exclude {
		if v.covers(g, p) {
			return true
		}
	}
	return false
}

// findTrees looks for the directories that the act takes whole.
func (v *evaluation) findTrees() (trees []wholeTree) {
	switch v.Action {
	case ActionDelete, ActionMove, ActionSearch:
		for _, p := range v.resources {
			if p.err == nil && !(v.Action == ActionSearch && v.Confined) {
				trees = v.addTree(trees, p.real, wholeTree{by: "it", surely: v.Action == ActionDelete}, "", true)
			}
		}
	}
	if v.shell == nil {
		return trees
	}
	for _, c := range v.shell.commands {
		if taken := v.takenTrees(c); taken != nil {
			trees = append(trees, taken...)
			continue
		}
		if g, shows := readShowing(c); shows && !v.Confined {
			trees = v.addTaken(trees, g, false)
			continue
		}
		t := wholeTree{by: "`" + display.Line(c.Name) + "`"}
		roots, name, hidden := v.readTrees(c)
		if roots == nil && v.takesTrees(c) {
			patterns := v.patternDirs(c, fixedTexts(c))
			roots, hidden = append(v.operandDirs(c), patterns...), true
			t.surely = v.removing(c) && !in(command.Copiers, c.Name) && patterns == nil
		} else if v.Confined {
			continue // what a rule rejects is hidden from what a confined agent reads
		}
		trees = v.addRoots(trees, roots, t, name, hidden)
	}
	return trees
}

// addRoots adds the directories of some names.
func (v *evaluation) addRoots(trees []wholeTree, roots []string, t wholeTree, name string, hidden bool) []wholeTree {
	for _, root := range roots {
		for _, dir := range v.shell.dirs {
			if at, err := v.facts.resolve(dir, root); err == nil {
				trees = v.addTree(trees, at, t, name, hidden)
			}
		}
	}
	return trees
}

// readTrees returns the directories that a command reads whole. Of the files those count whose name matches
// the pattern, if there is one, and of the hidden ones none unless told.
func (v *evaluation) readTrees(c shellscan.Command) (roots []string, name string, hidden bool) {
	if c.Finder != nil {
		if found, ok := readFinder(c.Finder); ok {
			return found.roots, found.name, true
		}
	}
	args := fixedTexts(c)
	row, at := command.Lookup(c.Name, args)
	if row == nil {
		return nil, "", false
	}
	w, why := readCommandWords(row, args[at:], 0)
	if why != "" || !w.tree {
		return nil, "", false
	}
	if w.operands <= 1 {
		roots = append(roots, ".")
	}
	return append(roots, w.files...), "", w.hidden
}

// takesTrees reports whether a command removes, copies or packs the directories that it names.
func (v *evaluation) takesTrees(c shellscan.Command) bool {
	return v.removing(c) || in(command.Copiers, c.Name) || v.in(command.Unpackers, c.Name)
}

// operandDirs lists what the words of such a command could name; without any, a find begins where it runs.
func (v *evaluation) operandDirs(c shellscan.Command) (names []string) {
	for _, word := range c.Args[saysWhat(c):] {
		if possible, ok := possibleFiles(word.Text); word.Fixed && ok {
			names = append(names, possible...)
		}
	}
	if len(c.Args) > 0 && strings.HasPrefix(c.Args[0].Text, "-") && in(command.ItemGivers, c.Name) {
		names = append(names, ".")
	}
	return names
}

// patternDirs lists the directories in which words of git's are patterns, which may match any file: the quotes around
// git restore '*' are gone when git reads it.
func (v *evaluation) patternDirs(c shellscan.Command, words []string) (dirs []string) {
	if !isGit(c.Name) {
		return nil
	}
	for _, word := range words {
		switch {
		case strings.HasPrefix(word, ":"): // from the top of the work tree on, or all but these
			dirs = append(dirs, v.Workspace.Dirs()...)
		case isPathspec(word):
			dirs = append(dirs, ".")
		}
	}
	return dirs
}

// isPathspec reports whether git reads a word as a pattern for names (gitglossary(7), pathspec).
func isPathspec(word string) bool {
	return strings.ContainsAny(word, `*?[\`) || strings.HasPrefix(word, ":")
}

// addTree adds the directory root as t says it, if it is one and lies in the workspace.
func (v *evaluation) addTree(trees []wholeTree, root string, t wholeTree, name string, hidden bool) []wholeTree {
	if info, err := v.facts.lstat(root); err != nil || !info.IsDir() || !v.Workspace.Contains(root) {
		return trees
	}
	t.more = v.eachBelow(root, hidden, func(path string, entry fs.DirEntry) bool {
		if name == "" || nameMatches(name, entry.Name()) {
			t.files = append(t.files, resource{name: path, real: path, maybe: []string{path}})
		}
		return true
	})
	return append(trees, t)
}

// eachBelow visits what lies below a directory, in the order of names, until visit says no. It returns why it
// could not visit everything.
func (v *evaluation) eachBelow(root string, hidden bool, visit func(string, fs.DirEntry) bool) (why string) {
	seen := 0
	_ = v.facts.walkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch seen++; {
		case path == root && err == nil:
			return nil
		case !v.work(1):
			why = tooMuch
		case seen > mostEntries:
			why = fmt.Sprintf("%s holds more than %d files, and it cannot be told what they are",
				shown(v.Workspace, root), mostEntries)
		case err != nil:
			why = shown(v.Workspace, path) + " cannot be read"
		case !hidden && strings.HasPrefix(entry.Name(), "."), gitObjects(path):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !visit(path, entry):
			return fs.SkipAll
		}
		if why != "" {
			return fs.SkipAll
		}
		return nil
	})
	return why
}

// removesSensitive tells why a command must not remove what its words name: a directory holds a repository, a
// secret, or a file that decides what is allowed. What only counts when something is built does not count.
func (v *evaluation) removesSensitive(c shellscan.Command, words []string) string {
	if !v.removing(c) || v.byPerson() {
		return ""
	}
	for _, word := range append(v.patternDirs(c, words), words...) {
		for _, dir := range v.shell.dirs {
			root, err := v.facts.resolve(dir, word)
			if err != nil {
				continue
			}
			if info, err := v.facts.lstat(root); err != nil || !info.IsDir() {
				continue
			}
			found := ""
			why := v.eachBelow(root, true, func(path string, _ fs.DirEntry) bool {
				if what := v.sensitive.find(v.Workspace, path, sensitive.Written&^sensitive.Built); what != "" {
					found = shown(v.Workspace, path) + " " + what
				}
				return found == ""
			})
			if found != "" || why != "" {
				return found + why
			}
		}
	}
	return ""
}
