package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Use is what a command does in a repository, and where.
type Use struct {
	Command  string   // git's subcommand
	Reads    bool     // it is known only to read
	Fetches  bool     // it goes to another repository
	Switched bool     // whoever carries it out sets the variables of Switches
	Roots    []string // the workspace: absolute directories, links resolved
	Home     string   // what ~ means to git; "" where nobody knows
	// Secret reports what is secret about a file, given by its absolute name; "" for nothing.
	Secret func(path string) string
}

// Hazard tells in words for people why git must not run for the use without somebody being asked; "" when
// nothing is known to be wrong. It looks at links and names of files that git has named, and runs nothing.
func (r *Repository) Hazard(u Use) string {
	if why := r.elsewhere(u.Roots); why != "" {
		return why
	}
	if why := r.leadsAway(append(slices.Clone(u.Roots), r.Top, r.Dir, r.Common), u.Secret); why != "" {
		return why
	}
	u.Switched = u.Switched && u.Reads && r.Switchable
	u.Fetches = u.Fetches || r.partial()
	for _, s := range r.Settings {
		if why := r.objection(s, u); why != "" {
			return fmt.Sprintf("the settings of the repository have %s = %s, %s", s.Key, s.Value, why)
		}
	}
	if name := r.unnamedPromisor(); name != "" {
		return fmt.Sprintf("git would get what the repository lacks from %s, and its settings have no remote.%s.url", name, name)
	}
	if hook := r.hook(u); hook != "" {
		return "the settings of the repository have a hook (" + hook + "), which git would run"
	}
	u.Roots = append(slices.Clone(u.Roots), r.Top) // which holds its submodules, and what git keeps of them
	for _, sub := range r.Modules {
		if why := sub.Hazard(u); why != "" {
			return "submodule " + strings.TrimPrefix(sub.Top, r.Top+"/") + ": " + why
		}
	}
	return ""
}

// Fetches reports whether git gets from elsewhere, by itself, what the repository or one of its submodules
// lacks.
func (r *Repository) Fetches() bool {
	return r.partial() || slices.ContainsFunc(r.Modules, (*Repository).Fetches)
}

// objection tells why a setting counts; "" when it does not.
func (r *Repository) objection(s Setting, u Use) string {
	rows := read().rows(s.Key)
	command := strings.HasPrefix(s.Key, "alias.") && read().builtins[u.Command]
	for _, row := range rows {
		switch {
		case u.Switched && row.switchedOff, command:
			return ""
		case row.writes && !u.Reads, row.fetches && u.Fetches:
		case row.holds(r, s, u):
			return ""
		}
	}
	if r.personal(s, u) {
		if strings.HasPrefix(s.Key, "include.") || strings.HasPrefix(s.Key, "includeif.") {
			return "" // what it includes is listed, and where it lies
		}
		if word := fromRepository(s.Value, u.Home, append(slices.Clone(u.Roots), r.Top)); word != "" {
			return fmt.Sprintf("and %s could be a file of the repository, which git would run", word)
		}
		return ""
	}
	if len(rows) > 0 {
		return "which git could run, or look elsewhere by"
	}
	return "and it is not known that git runs nothing by that"
}

// holds reports whether the value is what the row says.
func (row *row) holds(r *Repository, s Setting, u Use) bool {
	switch row.kind {
	case "any":
		return true
	case "file":
		if !plainName(s.Value) || filepath.IsAbs(s.Value) {
			return false
		}
		name := filepath.Join(r.Top, s.Value)
		return straight(name) && (u.Secret == nil || u.Secret(name) == "")
	case "include":
		if !plainName(strings.TrimPrefix(s.Value, "../")) || filepath.IsAbs(s.Value) || s.Origin == "" {
			return false
		}
		name := from(filepath.Dir(s.Origin), s.Value)
		return straight(name) && (lies(name, r.Top) || lies(name, r.Common))
	case "path":
		return plainName(s.Value) && !lies(s.Value, "/proc") && !lies(s.Value, "/dev") && !lies(s.Value, "/sys")
	}
	return row.value.MatchString(s.Value)
}

// plainName reports whether a name means one file to everybody who begins in the same directory.
// :(optional) in front is a word of git's own, from 2.52 on.
func plainName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "~%\\\n\x00") && !strings.HasPrefix(name, ":(") &&
		!slices.Contains(strings.Split(name, "/"), "..")
}

// straight reports whether no part of a name is a link. What does not exist is none.
func straight(name string) bool {
	for ; name != "/" && name != "."; name = filepath.Dir(name) {
		info, err := os.Lstat(name)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// personal reports whether a setting comes from a file of the person's or of the machine's, and not from
// one that the repository or the workspace holds.
func (r *Repository) personal(s Setting, u Use) bool {
	if s.Scope != "system" && s.Scope != "global" || s.Origin == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(s.Origin)
	if err != nil || lies(s.Origin, "/proc") { // which is another file to every process
		return false
	}
	for _, root := range append(slices.Clone(u.Roots), r.Top, r.Dir, r.Common) {
		if lies(real, root) || lies(s.Origin, root) {
			return false
		}
	}
	return true
}

// fromRepository finds a word in what a person's own setting or variable says that could name a file of the
// repository: by a relative name with a slash in it, or by one that lies there. It is "" for none.
func fromRepository(text, home string, roots []string) string {
	text = strings.NewReplacer("${HOME}/", home+"/", "$HOME/", home+"/").Replace(text)
	for _, word := range strings.FieldsFunc(text,
		func(c rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=$,", c) }) {
		if rest, ok := strings.CutPrefix(word, "~/"); ok {
			word = home + "/" + rest
		}
		switch {
		case !strings.Contains(word, "/"), strings.HasPrefix(word, "-"), strings.Contains(word, "://"):
		case !filepath.IsAbs(word):
			return word
		default:
			// Cleaned, and as the kernel goes: a .. behind a link leads elsewhere.
			clean := filepath.Clean(word)
			meant := []string{clean}
			for _, name := range []string{clean, word} {
				if real, err := filepath.EvalSymlinks(name); err == nil {
					meant = append(meant, real)
				}
			}
			if lies(clean, "/proc") || slices.ContainsFunc(meant, func(name string) bool {
				return slices.ContainsFunc(roots, func(root string) bool { return lies(name, root) })
			}) {
				return word
			}
		}
	}
	return ""
}

// readingHooks are the hooks that commands run which only read: they write the index anew. fetchingHooks
// are those of git fetch, which git runs by itself in a partial clone (githooks(5)).
var (
	readingHooks  = []string{"post-index-change"}
	fetchingHooks = []string{"reference-transaction", "pre-auto-gc"}
)

// hook returns a hook that is there and that git could run; "" for none.
func (r *Repository) hook(u Use) string {
	if u.Switched {
		return ""
	}
	if r.personalHooks(u) {
		return ""
	}
	names := readingHooks
	if u.Fetches {
		names = append(slices.Clone(names), fetchingHooks...)
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(r.Hooks, name)); err == nil ||
			!errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return name
		}
	}
	return ""
}

// personalHooks reports whether git takes the hooks from a place that a person has chosen for all
// repositories, and that belongs to none of them.
func (r *Repository) personalHooks(u Use) bool {
	var chosen *Setting
	for i := range r.Settings {
		if r.Settings[i].Key == "core.hookspath" {
			chosen = &r.Settings[i]
		}
	}
	if chosen == nil || !r.personal(*chosen, u) {
		return false
	}
	real, err := filepath.EvalSymlinks(r.Hooks)
	return err == nil && !slices.ContainsFunc(append(slices.Clone(u.Roots), r.Top, r.Dir, r.Common),
		func(dir string) bool { return lies(real, dir) })
}

// elsewhere tells why what git would show is not that of the workspace: its work tree lies elsewhere, or
// what it keeps of it.
func (r *Repository) elsewhere(roots []string) string {
	inside := func(path string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return lies(path, root) })
	}
	around := slices.ContainsFunc(roots, func(root string) bool { return lies(root, r.Top) })
	if !lies(r.at, r.Top) || !inside(r.Top) && !around {
		return "the repository has its work tree elsewhere, in " + r.Top
	}
	if tree := r.value("core.worktree"); tree != "" && nearest(r.at) != r.Top {
		return "the repository has its work tree elsewhere (core.worktree = " + tree + ")"
	}
	if r.Dir != filepath.Join(r.Top, ".git") && !inside(r.Dir) && !r.linksBack() {
		return "the repository lies elsewhere, in " + r.Dir
	}
	if !inside(r.Common) && !lies(r.Dir, r.Common) {
		return "the repository lies elsewhere, in " + r.Common
	}
	return ""
}

// value returns the last value of a setting.
func (r *Repository) value(key string) string {
	for _, s := range slices.Backward(r.Settings) {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// nearest returns the first directory that has a .git, from one upward.
func nearest(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// linksBack reports whether git's directory says itself that it belongs to the work tree: that of a linked
// work tree names its .git (gitrepository-layout(5), gitdir), and that of a submodule has core.worktree.
func (r *Repository) linksBack() bool {
	if data, err := os.ReadFile(filepath.Join(r.Dir, "gitdir")); err == nil && len(data) < 4096 {
		return from(r.Dir, strings.TrimRight(string(data), "\r\n")) == filepath.Join(r.Top, ".git")
	}
	tree := r.value("core.worktree")
	if tree == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(from(r.Dir, tree))
	return err == nil && real == r.Top
}
