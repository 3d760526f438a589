package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// git shows much of what it keeps as it stands there: git status prints the names of a bisection and the
// steps of a rebase, git worktree list the places, git rev-parse what a ref holds. A link in the place of
// such a file has it show another one; one among the objects, or an alternate (gitrepository-layout(5)),
// those of another repository.

// The bounds of what is looked at for links.
const (
	mostKept  = 100000  // files
	mostNamed = 1 << 16 // bytes of a file that names directories
	mostLinks = 100
)

// unshown are directories of which git shows nothing: hooks are looked at by their names, submodules are
// repositories of their own, and the rest belongs to others.
var unshown = []string{"hooks", "modules", "lfs", "annex"}

// linkedFile is a link in git's own directory, or a file that names others, and what it leads to.
type linkedFile struct{ link, file string }

// findLinks lists the links among what git keeps in its own directories, beside what lies in unshown. Those
// that lead nowhere are left out.
func findLinks(dirs ...string) (links []linkedFile, err error) {
	seen := 0
	visit := func(top string) fs.WalkDirFunc {
		return func(path string, entry fs.DirEntry, err error) error {
			if seen++; seen > mostKept {
				return fmt.Errorf("%s holds more than %d files, and one may be a link to elsewhere", top, mostKept)
			}
			if err == nil && entry.Name() == "alternates" && filepath.Base(filepath.Dir(path)) == "info" {
				others, err := alternates(path)
				if err != nil {
					return err
				}
				for _, dir := range others {
					links, dirs = append(links, linkedFile{path, dir}), append(dirs, dir)
				}
			}
			switch apart := filepath.Dir(path) == top && slices.Contains(unshown, filepath.Base(path)); {
			case err != nil && entry == nil:
				return err
			case err != nil, apart && entry.IsDir():
				return fs.SkipDir // what we cannot read, it cannot read
			case entry.Type()&fs.ModeSymlink == 0, apart && entry.Name() != "modules":
				return nil
			}
			file, err := filepath.EvalSymlinks(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if links = append(links, linkedFile{path, file}); err != nil || len(links) > mostLinks {
				return fmt.Errorf("it cannot be told where the links in %s lead", top)
			}
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				dirs = append(dirs, file)
			}
			return nil
		}
	}
	var done []string
	for len(dirs) > 0 {
		dir := dirs[0]
		if dirs = dirs[1:]; slices.ContainsFunc(done, func(other string) bool { return lies(dir, other) }) {
			continue
		}
		if done = append(done, dir); len(done) > mostLinks {
			return nil, fmt.Errorf("it cannot be told where the links in %s lead", done[0])
		}
		if err := filepath.WalkDir(dir, visit(dir)); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// alternates lists the directories of objects that a file names (gitrepository-layout(5),
// objects/info/alternates).
func alternates(name string) (dirs []string, err error) {
	unclear := fmt.Errorf("it cannot be told which objects %s names", name)
	if info, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil || !info.Mode().IsRegular() || info.Size() > mostNamed {
		return nil, unclear
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, unclear
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '"' || len(dirs) >= mostLinks: // quoted as in C
			return nil, unclear
		}
		dir, err := filepath.EvalSymlinks(from(filepath.Dir(filepath.Dir(name)), line))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, unclear
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// leadsAway tells why what a link leads to must not be shown: it is none of those directories, or a secret.
func (r *Repository) leadsAway(own []string, secret func(path string) string) string {
	for _, l := range r.links {
		switch {
		case !slices.ContainsFunc(own, func(root string) bool { return lies(l.file, root) }):
			return "the repository lies elsewhere: " + l.link + " is " + l.file
		case secret != nil && secret(l.file) != "":
			return "the repository has a link to a secret: " + l.link + " is " + l.file
		}
	}
	return ""
}
