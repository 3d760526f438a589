package permissions

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// looksLikeRepository tells whether git would take the directory, or one above it in the workspace, for a repository
// without work tree: its file config then names programs that git runs, and no name in it is one that anybody watches.
// (safe.bareRepository in git-config(1).)
func looksLikeRepository(dir string, roots []string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return false
		}
		// A HEAD that is a link to nothing will do, and commondir says that objects and refs lie elsewhere.
		has := func(name string) bool {
			_, err := os.Lstat(filepath.Join(dir, name))
			return err == nil
		}
		if has("HEAD") && (has("objects") && has("refs") || has("commondir")) {
			return true
		}
		if slices.Contains(roots, dir) || filepath.Dir(dir) == dir {
			return false
		}
	}
}

// mostEntries bounds how many files are looked at below the directories that a command reads.
const mostEntries = 10000

// readsTree tells why a command that reads whole trees must not: there is a secret in one, or too much to look at.
func (v *view) readsTree(w words, dir string) string {
	if !w.tree {
		return ""
	}
	roots := []string{}
	if w.operands <= 1 { // grep -r x reads the directory that it runs in
		roots = append(roots, dir)
	}
	for _, name := range w.files {
		if path, err := resolve(dir, name); err == nil {
			roots = append(roots, path)
		}
	}
	seen := 0
	for _, root := range roots {
		why := ""
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch seen++; {
			case err != nil && entry == nil:
				return fs.SkipAll // there is no such file
			case seen > mostEntries:
				why = shown(v.Workspace, root) + fmt.Sprintf(" holds more than %d files, and it cannot be told whether one is a secret", mostEntries)
				return fs.SkipAll
			case err != nil:
				return fs.SkipDir // what we cannot read, it cannot read
			case path != root && entry.IsDir() && (entry.Name() == ".git" || !w.hidden && strings.HasPrefix(entry.Name(), ".")):
				return fs.SkipDir
			case !w.hidden && ignoreFiles[entry.Name()] && showsHidden(path):
				why = shown(v.Workspace, path) + " has hidden files read, too, and it cannot be told which"
				return fs.SkipAll
			case !w.hidden && strings.HasPrefix(entry.Name(), ".") && path != root:
				return nil
			}
			if what := v.sensitive.find(path, secret); what != "" && !entry.IsDir() {
				why = "it would read " + shown(v.Workspace, path) + ", which " + what
				return fs.SkipAll
			}
			return nil
		})
		if err != nil || why != "" {
			return why
		}
	}
	return ""
}

// ignoreFiles are the files by which rg is told what to skip, and what not to.
var ignoreFiles = set(".gitignore .ignore .rgignore")

// showsHidden tells whether such a file has rg read hidden files: by a line like !.env or !*. One like !.gitkeep, which can
// mean no secret, does not count.
func showsHidden(path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(data)) {
		pattern, negated := strings.CutPrefix(strings.TrimSpace(line), "!")
		if !negated || strings.Trim(strings.TrimPrefix(pattern, "/"), plainNameLetters) == "" && newSensitive(nil).find("/"+strings.Trim(pattern, "/"), secret) == "" {
			continue
		}
		return true
	}
	return false
}

// plainNameLetters are those of names that stand for nothing but themselves.
const plainNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
