package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Repository is what git says of the repository around a directory.
type Repository struct {
	Top    string // the work tree
	Dir    string // git's own directory for it
	Common string // what it shares with other work trees
	Hooks  string // where git looks for hooks
	// Settings are all that some file or variable gives, in git's order: also those that a later one
	// replaces.
	Settings []Setting
	// Switchable reports whether git takes the settings of Switches from the environment, and that nothing
	// else uses those variables.
	Switchable bool
	// Modules are the repositories below the work tree that git may enter from this one.
	Modules []*Repository

	at    string // the directory that git was asked in
	index string
	links []linkedFile // in Dir and Common
}

// Setting is one setting as git lists it: its section and name in small letters, its subsection as it is
// written.
type Setting struct {
	Scope  string // system, global, local, worktree or command
	Origin string // the file, absolute; "" for what no file says
	Key    string
	Value  string // "true" for one without a value
}

// The questions that git is asked.
var (
	askPlaces = []string{
		"rev-parse", "--path-format=absolute", "--is-bare-repository", "--is-inside-work-tree",
		"--show-toplevel", "--git-dir", "--git-common-dir",
		"--git-path", "hooks", "--git-path", "index",
	}
	askSettings = []string{"config", "--list", "--show-scope", "--show-origin", "--includes", "-z"}
	// --sparse, of git 2.36: a directory that stands for all that is in it is not read, which could fetch it.
	askIndex    = []string{"ls-files", "--stage", "--sparse", "-z"}
	askOldIndex = []string{"ls-files", "--stage", "-z"}
)

// Look asks git about the repository around dir, and about its submodules. It returns nil where there is
// none. dir is absolute, with its links resolved. In the directories avoid, no program is looked for. An
// error says in words for people what cannot be told.
func (a *Asker) Look(ctx context.Context, dir string, avoid ...string) (*Repository, error) {
	ctx, cancel := a.deadline(ctx)
	defer cancel()
	l, err := a.begin(dir, avoid)
	if err != nil || l == nil {
		return nil, err
	}
	r, err := l.repository(ctx, dir)
	if err == nil {
		err = l.enter(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// repository asks about one repository.
func (l *look) repository(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{at: dir}
	out, err := l.run(ctx, l.environ, dir, mostSettings, askPlaces...)
	var no *refusal
	switch {
	case errors.As(err, &no) && strings.Contains(no.line, "must be run in a work tree"):
		return nil, fmt.Errorf("%s looks like a repository without work tree", dir)
	case err != nil:
		return nil, err
	}
	// A name with a line break in it makes one line more.
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 7 {
		return nil, errAnswer
	}
	if lines[1] != "true" {
		return nil, fmt.Errorf("the repository has its work tree elsewhere, in %s", lines[2])
	}
	r.Top, r.Dir, r.Common, r.Hooks, r.index = lines[2], lines[3], lines[4], lines[5], lines[6]
	for _, name := range lines[2:] {
		if !filepath.IsAbs(name) || filepath.Clean(name) != name {
			return nil, errAnswer
		}
	}
	if r.links, err = findLinks(r.Common, r.Dir); err != nil {
		return nil, err
	}
	return r, l.settings(ctx, r)
}

// noneAround reports whether there is surely no repository around a directory: nothing that could be one,
// valid or not.
func noneAround(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		for _, name := range []string{".git", "HEAD"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
				return false
			}
		}
		if filepath.Dir(dir) == dir {
			return true
		}
	}
}

// settings asks what is set.
func (l *look) settings(ctx context.Context, r *Repository) error {
	out, err := l.run(ctx, l.switched, r.at, mostSettings, askSettings...)
	if err != nil {
		return err
	}
	parts := strings.Split(string(out), "\x00")
	if len(parts)%3 != 1 || parts[len(parts)-1] != "" {
		return errAnswer
	}
	var taken []string
	for i := 0; i+2 < len(parts); i += 3 {
		s := Setting{Scope: parts[i]}
		key, value, given := strings.Cut(parts[i+2], "\n")
		if s.Key, s.Value = key, value; !given {
			s.Value = "true"
		}
		if !strings.Contains(key, ".") {
			return errAnswer
		}
		if origin, ok := strings.CutPrefix(parts[i+1], "file:"); ok {
			s.Origin = from(r.Top, origin)
		} else if s.Scope == "command" {
			taken = append(taken, key+"="+value)
		}
		r.Settings = append(r.Settings, s)
	}
	// What we set ourselves is none of the repository's; and where git has not taken it, it would not take
	// it from others.
	own := append(switches(), Variable{"safe.directory", "*"})
	all := true
	for _, v := range own {
		wanted := normal(v.Name) + "=" + v.Value
		if all = all && slices.Contains(taken, wanted); !all {
			break
		}
		at := slices.IndexFunc(r.Settings, func(s Setting) bool {
			return s.Scope == "command" && s.Origin == "" && s.Key+"="+s.Value == wanted
		})
		r.Settings = slices.Delete(r.Settings, at, at+1)
	}
	r.Switchable = all && l.free
	return nil
}

// from returns a name that is relative to a directory, or absolute.
func from(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// normal writes the section and the name of a key in small letters, as git lists them.
func normal(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// enter looks into the submodules that git could enter from a repository: it runs itself in each that is
// there, with the settings that it finds in it.
func (l *look) enter(ctx context.Context, r *Repository) error {
	names, err := l.modulesOf(ctx, r)
	if err != nil {
		return err
	}
	for _, name := range names {
		dir := filepath.Join(r.Top, name)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
			continue // git does not enter it
		}
		if l.modules++; l.modules > mostModules {
			return fmt.Errorf("it has more than %d submodules", mostModules)
		}
		sub, err := l.repository(ctx, dir)
		switch {
		case err != nil:
			return fmt.Errorf("submodule %s: %w", name, err)
		case sub.Top != dir:
			return fmt.Errorf("submodule %s: its .git is none that git knows", name)
		}
		r.Modules = append(r.Modules, sub)
		if err := l.enter(ctx, sub); err != nil {
			return fmt.Errorf("submodule %s: %w", name, err)
		}
	}
	return nil
}

// modulesOf lists the paths of the submodules that the index names and, where git looks at others as well,
// of every repository below the work tree.
func (l *look) modulesOf(ctx context.Context, r *Repository) ([]string, error) {
	var names []string
	if mayHoldModules(r.index) {
		var err error
		if names, err = l.listModules(ctx, r); err != nil {
			return nil, err
		}
	}
	if r.looksAtPast() {
		more, err := nested(r.Top)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// mayHoldModules reports whether an index could name a submodule. It does not read the entries: in every
// version of the format known (gitformat-index(5), versions 2 to 4) the mode of a submodule, and that of a
// directory which stands for all that is in it, are four bytes in it; and an index that is completed by
// another file has an extension "link".
func mayHoldModules(path string) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostListed {
		return true
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) < 12 || string(data[:7]) != "DIRC\x00\x00\x00" || data[7] < 2 || data[7] > 4 {
		return true
	}
	for _, sign := range []string{"\x00\x00\xe0\x00", "\x00\x00\x40\x00", "link"} {
		if bytes.Contains(data, []byte(sign)) {
			return true
		}
	}
	return false
}

// listModules has git list the index.
func (l *look) listModules(ctx context.Context, r *Repository) ([]string, error) {
	out, err := l.run(ctx, l.switched, r.Top, mostListed, askIndex...)
	if no := (*refusal)(nil); errors.As(err, &no) && no.code == usageError && !r.partial() {
		out, err = l.run(ctx, l.switched, r.Top, mostListed, askOldIndex...)
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for entry := range strings.SplitSeq(string(out), "\x00") {
		meta, name, _ := strings.Cut(entry, "\t")
		switch mode, _, _ := strings.Cut(meta, " "); mode {
		case "160000":
			names = append(names, name)
		case "040000":
			if _, err := os.Lstat(filepath.Join(r.Top, name)); !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%s is there, though the index says that it is left out", name)
			}
		}
	}
	return names, nil
}

// usageError is the exit code of git for options that it does not know.
const usageError = 129

// looksAtPast reports whether git is set to look into submodules that only the history knows, at whatever
// lies there now.
func (r *Repository) looksAtPast() bool {
	return slices.ContainsFunc(r.Settings, func(s Setting) bool {
		switch s.Key {
		case "diff.submodule":
			return !strings.EqualFold(s.Value, "short")
		case "status.submodulesummary":
			return s.Value != "false" && s.Value != "0" && s.Value != "no" && s.Value != "off" && s.Value != ""
		}
		return false
	})
}

// partial reports whether git gets from elsewhere, by itself, what the repository lacks (gitformat: partial
// clones).
func (r *Repository) partial() bool { return len(r.promisors()) > 0 }

// promisors lists the names of the remotes that it gets it from.
func (r *Repository) promisors() (names []string) {
	for _, s := range r.Settings {
		name, of := strings.CutPrefix(s.Key, "remote.")
		name, promises := strings.CutSuffix(name, ".promisor")
		switch {
		case s.Key == "extensions.partialclone":
			names = append(names, s.Value)
		case of && promises:
			names = append(names, name)
		}
	}
	return names
}

// unnamedPromisor returns the name of a remote that git gets from elsewhere what the repository lacks, where the name
// is all that the settings say of it; "" for none. git takes such a name for the address itself, of a repository
// in a directory or of a program git-remote-NAME, or reads the address in .git/remotes or .git/branches.
func (r *Repository) unnamedPromisor() string {
	for _, name := range r.promisors() {
		if !slices.ContainsFunc(r.Settings, func(s Setting) bool { return s.Key == "remote."+name+".url" && s.Value != "" }) {
			return name
		}
	}
	return ""
}

// mostNested bounds how many files are looked at for repositories below a work tree.
const mostNested = 20000

// nested lists the directories below a work tree that have a .git.
func nested(top string) (names []string, err error) {
	seen := 0
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch seen++; {
		case seen > mostNested:
			return fmt.Errorf("it holds more than %d files, and one may be a submodule of the past", mostNested)
		case err != nil:
			return err
		case entry.Name() != ".git":
			return nil
		}
		if name, err := filepath.Rel(top, filepath.Dir(path)); err == nil && name != "." {
			names = append(names, name)
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return names, err
}
