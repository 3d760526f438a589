package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// protected are the paths that others run or believe without a further look (Options.Protected), by their
// first name.
type protected map[string][]string

func newProtected(paths []string) protected {
	p := protected{}
	for _, path := range paths {
		path = filepath.Clean(path)
		first, _, _ := strings.Cut(path, "/")
		p[first] = append(p[first], path)
	}
	return p
}

// mostAbove is how many names above a file count at the most for what it means (.local/share/applications).
const mostAbove = 3

// below returns the protected paths below a directory that was granted: those that lie in any directory, and
// those that are so called because of the names of this one, if there are any. In .github, workflows is
// .github/workflows.
func (p protected) below(dir string) (all protected, own bool) {
	all = p
	for _, above := range lastNames(dir) {
		first, _, _ := strings.Cut(above, "/")
		for _, path := range p[first] {
			rest, ok := strings.CutPrefix(path, above+"/")
			if !ok || all.has(rest) {
				continue
			}
			if !own {
				all, own = maps.Clone(p), true
			}
			name, _, _ := strings.Cut(rest, "/")
			all[name] = append(slices.Clone(all[name]), rest)
		}
	}
	return all, own
}

// lastNames returns the last names of a directory's path, of one to mostAbove names, the longest first.
func lastNames(dir string) (list []string) {
	names := strings.Split(strings.Trim(dir, "/"), "/")
	for n := min(mostAbove, len(names)); n > 0; n-- {
		if above := strings.Join(names[len(names)-n:], "/"); above != "" {
			list = append(list, above)
		}
	}
	return list
}

// placedJudge is a Judge of what lies in a directory, by the names that it has there.
type placedJudge struct {
	Judge
	above string // the last names of the directory, with a slash behind them
}

// judgeAt returns the Judge for a directory that was granted: what counts because of the names above it does
// so there too. Names by which all in the directory would count are left out: it was granted as what it is.
// Most directories have no such names, and are asked about once for each name in them. own says that
// protected paths are so called.
func judgeAt(dir string, judge Judge, own bool) Judge {
	names := lastNames(dir)
	if !own && !slices.ContainsFunc(names, func(above string) bool { return judge.Weigh(above, nil) != Plain }) {
		return judge
	}
	for _, above := range names {
		if judge.Weigh(above+"/", nil) == Plain {
			return placedJudge{judge, above + "/"}
		}
	}
	return judge
}

// Enter implements [Judge].
func (j placedJudge) Enter(dir string) bool { return j.Judge.Enter(dir) || j.Judge.Enter(j.above+dir) }

// Hides implements [Judge].
func (j placedJudge) Hides(path string) bool {
	return j.Judge.Hides(path) || j.Judge.Hides(j.above+path)
}

// Weigh implements [Judge].
func (j placedJudge) Weigh(path string, read func(string) []byte) Weight {
	here := read
	if read != nil {
		here = func(path string) []byte {
			rest, ok := strings.CutPrefix(path, j.above)
			if !ok {
				return nil // nobody was granted that
			}
			return read(rest)
		}
	}
	return max(j.Judge.Weigh(path, read), j.Judge.Weigh(j.above+path, here))
}

// holds reports whether further protected paths lie in a protected one. Where that is a directory, they are
// what is kept as it is, and the directory only stays where it is: a call that commits changes much of
// .git, but never the hooks.
func (p protected) holds(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.ContainsFunc(p[first], func(other string) bool { return other != path && within(other, path) })
}

// has reports whether a path is one of them.
func (p protected) has(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains(p[first], path)
}

// Enter implements [Judge].
func (p protected) Enter(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return len(p[first]) > 0
}

// Hides implements [Judge]: names are all that counts.
func (p protected) Hides(string) bool { return false }

// Weigh implements [Judge] for those who name nothing but paths.
func (p protected) Weigh(path string, _ func(string) []byte) Weight {
	path = strings.TrimSuffix(path, "/")
	first, _, _ := strings.Cut(path, "/")
	for _, other := range p[first] {
		if path == other || within(path, other) && !p.holds(other) {
			return Held
		}
	}
	return Plain
}
