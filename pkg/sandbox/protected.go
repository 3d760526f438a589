package sandbox

import (
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
