package permissions

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The settings of a repository name programs, and git runs them when it only tells: git status runs core.fsmonitor and the
// filters, git diff an external diff. No clone brings such settings, but an archive does, and a directory that others share.
// (CVE-2022-24765 is of the same kind; git's own check, safe.directory, only looks at who owns the directory.)

// The bounds of what is read of a repository.
const (
	mostSettings   = 1 << 20 // bytes of a file of settings
	mostIncludes   = 10      // files of settings
	mostSubmodules = 200
)

// repository is what is looked at of one, and what was found so far.
type repository struct {
	remote   bool     // git goes to another one
	roots    []string // of the workspace: a work tree elsewhere is none of its files
	settings map[string][]string
	read     int
	why      string // why git must not be run in it; "" while nothing is wrong
}

// runsPrograms tells why git, run in a directory, could run a program that the repository names; "" when it cannot. remote
// tells that it goes to another repository.
func (v *view) runsPrograms(dir string, remote bool) string {
	top, gitDir := findRepository(dir)
	if gitDir == "" {
		return ""
	}
	return v.looksInto(top, gitDir, remote, map[string]bool{})
}

// findRepository gives the work tree around a directory and its .git; "" when there is none.
func findRepository(dir string) (top, gitDir string) {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, filepath.Join(dir, ".git")
		}
		if filepath.Dir(dir) == dir {
			return "", ""
		}
	}
}

// leavesRepository tells whether git diff would compare files as diff -r does, whatever git knows of them: it does so outside of
// work trees, and for a file outside of the one around it.
func leavesRepository(dir string, names []string) bool {
	top, gitDir := findRepository(dir)
	if gitDir == "" {
		return true
	}
	return slices.ContainsFunc(names, func(name string) bool {
		path, err := resolve(dir, name)
		return err != nil || !lies(path, top)
	})
}

// looksInto looks at the repository of a work tree, and at those of its submodules, in which git status looks as well.
func (v *view) looksInto(top, gitDir string, remote bool, seen map[string]bool) string {
	if seen[top] {
		return ""
	}
	if seen[top] = true; len(seen) > mostSubmodules {
		return shown(v.Workspace, top) + " has too many submodules to look at"
	}
	gitDir, common, err := gitDirectories(top, gitDir)
	if err != nil {
		return fmt.Sprintf("%s cannot be read: %s", shown(v.Workspace, gitDir), ShowLine(err.Error()))
	}
	r := &repository{remote: remote, roots: v.Workspace.Dirs(), settings: map[string][]string{}}
	r.load(filepath.Join(common, "config"))
	r.load(filepath.Join(gitDir, "config.worktree"))
	if why := r.names(top, gitDir, common); why != "" {
		return "the settings of the repository " + shown(v.Workspace, top) + " " + why + ", which git would run"
	}
	hash := 20
	if slices.Contains(r.settings["extensions.objectformat"], "sha256") {
		hash = 32
	}
	links, err := gitLinks(filepath.Join(gitDir, "index"), hash)
	if err != nil {
		return "the index of " + shown(v.Workspace, top) + " cannot be read: " + ShowLine(err.Error())
	}
	for _, link := range links {
		sub := filepath.Join(top, link)
		if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
			continue
		}
		if why := v.looksInto(sub, filepath.Join(sub, ".git"), remote, seen); why != "" {
			return why
		}
	}
	return ""
}

// gitDirectories follows a .git that is a file, and finds what a linked work tree shares with the others.
func gitDirectories(top, gitDir string) (own, common string, err error) {
	info, err := os.Stat(gitDir)
	if err != nil {
		return gitDir, "", err
	}
	if info.Mode().IsRegular() {
		text, err := readSmall(gitDir)
		if err != nil {
			return gitDir, "", err
		}
		target, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
		if !ok {
			return gitDir, "", fmt.Errorf("it names no directory")
		}
		gitDir = from(top, target)
	}
	common = gitDir
	if text, err := readSmall(filepath.Join(gitDir, "commondir")); err == nil {
		common = from(gitDir, strings.TrimRight(text, "\r\n"))
	}
	return gitDir, common, nil
}

// from gives a name that is relative to a directory, or absolute.
func from(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// readSmall reads a file of settings.
func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSettings {
		return "", fmt.Errorf("%s is too large, or no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostSettings))
	return string(data), err
}

// load reads a file of settings, and those that it includes. A file that is not there says nothing.
func (r *repository) load(path string) {
	if r.read++; r.read > mostIncludes {
		r.why = "include more files than can be looked at"
		return
	}
	text, err := readSmall(path)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		r.why = "cannot be read"
		return
	}
	entries, ok := readSettings(text)
	if !ok {
		r.why = "cannot be told"
		return
	}
	for _, e := range entries {
		r.settings[e.key] = append(r.settings[e.key], e.value)
		if e.key != "include.path" && !(strings.HasPrefix(e.key, "includeif.") && strings.HasSuffix(e.key, ".path")) {
			continue
		}
		name := e.value
		if strings.HasPrefix(name, "~") { // a person's own
			continue
		}
		r.load(from(filepath.Dir(path), name))
	}
}

// names tells which program the settings name that git could run for a command that only tells.
func (r *repository) names(top, gitDir, common string) string {
	if r.why != "" {
		return r.why
	}
	hooks := []string{filepath.Join(common, "hooks"), filepath.Join(gitDir, "hooks")}
	keys := make([]string, 0, len(r.settings))
	for key := range r.settings {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		for _, value := range r.settings[key] {
			switch {
			case key == "core.hookspath":
				hooks = append(hooks, from(top, value))
			case key == "core.worktree":
				tree, err := resolve(gitDir, value)
				if err != nil || !slices.ContainsFunc(r.roots, func(root string) bool { return lies(tree, root) || lies(root, tree) && tree == top }) {
					return fmt.Sprintf("have its work tree elsewhere (core.worktree = %s)", ShowLine(value))
				}
			case r.runs(key, value):
				return fmt.Sprintf("name a program (%s = %s)", ShowLine(key), ShowLine(value))
			}
		}
	}
	for _, dir := range hooks { // git status writes its index anew, and tells this hook
		if _, err := os.Stat(filepath.Join(dir, "post-index-change")); err == nil {
			return "have a hook (post-index-change)"
		}
	}
	return ""
}

// runs tells whether git could run what a setting says. (git-config(1); what only fetching, committing and merging runs does
// not count, unless the repository fetches by itself what it lacks.)
func (r *repository) runs(key, value string) bool {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "core":
		switch name {
		case "fsmonitor":
			return !boolean(value)
		case "pager":
			return !knownPager(value)
		case "sshcommand":
			return r.fetches() && !knownSSH.MatchString(value)
		case "gitproxy", "askpass":
			return r.fetches()
		}
	case "pager":
		return !boolean(value) && !knownPager(value)
	case "diff":
		return name == "external" || name == "command" || name == "textconv"
	case "filter":
		return (name == "clean" || name == "smudge" || name == "process") && !knownFilter(value)
	case "merge":
		return name == "driver" && value != "true" // for a diff of a merge that is made again
	case "gpg":
		return name == "program" || name == "defaultkeycommand"
	case "remote":
		return r.fetches() && (name == "uploadpack" || name == "receivepack" || name == "vcs" || strings.Contains(value, "::"))
	case "url":
		return r.fetches() && strings.Contains(rest, "::")
	case "credential":
		return r.fetches() && name == "helper" && strings.Trim(value, plainNameLetters) != ""
	}
	return false
}

// knownSSH is ssh with an option or a key.
var knownSSH = regexp.MustCompile(`\Assh( -[46qv]| -i [\w./~-]+| -o IdentitiesOnly=yes| -F /dev/null)*\z`)

// fetches tells whether git goes to another repository: the command does, or the repository is a partial clone, and gets from
// elsewhere what it lacks whenever a command wants it.
func (r *repository) fetches() bool {
	if r.remote {
		return true
	}
	for key := range r.settings {
		if key == "extensions.partialclone" || strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") {
			return true
		}
	}
	return false
}

func boolean(value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "false", "yes", "no", "on", "off", "0", "1":
		return true
	}
	return false
}

var pagers = set("cat less more delta bat diff-so-fancy")

// knownPager takes a pager that everybody has, with options at most.
func knownPager(value string) bool {
	first, rest, _ := strings.Cut(value, " ")
	return value == "" || pagers[first] && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -+") == ""
}

// knownFilter takes the filters that git-lfs and git-crypt write into a repository's settings themselves.
func knownFilter(value string) bool {
	words := strings.Fields(strings.ReplaceAll(value, `"`, ""))
	if len(words) < 2 || words[0] != "git-lfs" && words[0] != "git-crypt" {
		return false
	}
	return strings.Trim(strings.Join(words[1:], ""), "abcdefghijklmnopqrstuvwxyz-%=") == ""
}
