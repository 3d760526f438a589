package permissions

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// git ls-files prints the names that stand in the index. These came with a repository, and whoever made its index may have
// written any name into it: /etc/passwd, ../x, or an option. So git is asked for them, and each is looked at.

// trackedHazard tells why a program must not be given the names that git tracks in a directory and below; "" when it may.
// apart are letters that none of the names may hold.
func (v *evaluation) trackedHazard(dir string, f foundFiles, apart string) string {
	r := v.repository(dir)
	switch {
	case len(v.shell.dirs) > 1:
		return "it cannot be told in which directory git lists names, and in which they are read"
	case r.fault != "":
		return r.fault
	case r.Repository == nil:
		return "there is no repository of git's"
	}
	for _, within := range f.within {
		if plain := strings.TrimPrefix(strings.TrimSuffix(within, "/"), "./"); strings.HasPrefix(within, ":") ||
			path.Clean(plain) != plain || path.IsAbs(plain) || climbs(plain) {
			return "it cannot be told which files git takes " + display.Line(within) + " for"
		}
	}
	names, err := v.tracked(dir)
	switch {
	case err != nil:
		return "it cannot be told which files git tracks: " + display.Line(err.Error())
	case !v.work(len(names)):
		return tooMuch
	}
	for _, name := range names {
		if !mayLieWithin(name, f.within) {
			continue
		}
		if why := v.trackedNameHazard(dir, name, apart); why != "" {
			return why
		}
	}
	return ""
}

// trackedNameHazard is trackedHazard for one name.
func (v *evaluation) trackedNameHazard(dir, name, apart string) string {
	if strings.HasPrefix(name, "-") || path.IsAbs(name) || climbs(name) || strings.ContainsAny(name, apart) ||
		strings.ContainsFunc(name, quotedByGit) {
		return display.Line(name) + " would be taken for another name, for several, or for an option"
	}
	at := dir + "/" + name
	if why := v.showsFile(at); why != "" {
		return why
	}
	if info, err := v.facts.lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return v.linkHazard(at)
	}
	return ""
}

// quotedByGit reports whether git may write a letter of a name in another way (git-config(1), core.quotePath).
func quotedByGit(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// tracked asks git for the names in the index that lie in a directory or below, once for each decision.
func (v *evaluation) tracked(dir string) ([]string, error) {
	names, known := v.trackedNames[dir]
	if !known {
		v.facts.note("git in " + dir)
		names.value, names.err = v.git.Tracked(context.Background(), dir, v.Workspace.Dirs()...)
		if v.trackedNames == nil {
			v.trackedNames = map[string]fact[[]string]{}
		}
		v.trackedNames[dir] = names
	}
	return names.value, names.err
}

// mayLieWithin reports whether a name could match one of git's patterns: it begins as the pattern does up to the first
// letter that stands for others, and ends as it does from the last on. (gitglossary(7), pathspec.)
func mayLieWithin(name string, patterns []string) bool {
	const wild = `*?[]\`
	for _, pattern := range patterns {
		first := strings.IndexAny(pattern, wild)
		plain := strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "./")
		switch {
		case first < 0 && (plain == "." || foldPrefix(name, plain)), first >= 0 && foldPrefix(name, pattern):
			return true
		case first >= 0:
			tail := pattern[strings.LastIndexAny(pattern, wild)+1:]
			if foldPrefix(name, strings.TrimPrefix(pattern[:first], "./")) &&
				len(name) >= len(tail) && strings.EqualFold(name[len(name)-len(tail):], tail) {
				return true
			}
		}
	}
	return len(patterns) == 0
}

// foldPrefix reports whether a name begins as another does, whatever the letter case.
func foldPrefix(name, begin string) bool {
	return len(name) >= len(begin) && strings.EqualFold(name[:len(begin)], begin)
}
