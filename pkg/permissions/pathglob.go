package permissions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

// pathGlob is a pattern for paths, together with what it is relative to.
type pathGlob struct {
	*glob
	base base
	// alias is an absolute pattern with the links of its fixed beginning resolved: on macOS /etc is
	// /private/etc. It only counts for what stops, since somebody may change the link. Nil when there are no
	// links.
	alias *glob
}

// base is what a pattern for paths is relative to.
type base int

const (
	workspaceBase base = iota
	rootBase           // it begins with /
	homeBase           // it begins with ~/
)

func compilePathGlob(text string) (*pathGlob, error) {
	p := &pathGlob{}
	pattern := text
	switch {
	case strings.HasPrefix(text, "/"):
		p.base = rootBase
	case strings.HasPrefix(text, "~/"):
		p.base, pattern = homeBase, text[2:]
	default:
		pattern = strings.TrimPrefix(text, "./")
	}
	if err := checkPathGlob(text, pattern); err != nil {
		return nil, err
	}
	var err error
	if p.glob, err = compileGlob(pattern, false); err != nil || p.base != rootBase {
		return p, err
	}
	fixed := pattern
	if at := strings.IndexAny(pattern, `*?[\`); at >= 0 {
		fixed = pattern[:strings.LastIndexByte(pattern[:at], '/')+1]
	}
	if real, err := newFacts(machine{}).walk(fixed); err == nil && real != filepath.Clean(fixed) {
		rest := strings.TrimPrefix(pattern, strings.TrimSuffix(fixed, "/"))
		// without it the rule stops less than it could, never more
		p.alias, _ = compileGlob(escapeGlob(real)+rest, false)
	}
	return p, nil
}

// escapeGlob writes a name as a pattern that stands for it alone.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}

// relatives returns the names by which a pattern of that base could mean the absolute name.
func (v *evaluation) relatives(b base, name string) []string {
	switch b {
	case rootBase:
		return []string{name}
	case homeBase:
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(v.home, "/")+"/"); ok && v.home != "" {
			return []string{rest}
		}
		return nil
	}
	var names []string
	for _, dir := range v.Workspace.Dirs() {
		if relative, err := filepath.Rel(dir, name); err == nil && relative != ".." &&
			!strings.HasPrefix(relative, "../") {
			names = append(names, relative)
		}
	}
	return names
}

// covers reports whether the pattern surely stands for the resource.
func (v *evaluation) covers(g *pathGlob, p resource) bool {
	return p.err == nil && slices.ContainsFunc(v.relatives(g.base, p.real), g.matches)
}

// names reports whether the pattern is the resource's name, letter by letter.
func (v *evaluation) names(g *pathGlob, p resource) bool { return g.literal != "" && v.covers(g, p) }

// mayCover reports whether the pattern could stand for an absolute name.
func (v *evaluation) mayCover(g *pathGlob, name string) bool {
	return slices.ContainsFunc(v.relatives(g.base, name), g.mayMatch) || g.alias != nil &&
		g.alias.mayMatch(name) ||
		slices.ContainsFunc(v.respelled(g.base, name), g.mayMatch)
}

// respelled returns the names that a pattern of that base could mean where the directory that it is relative
// to is spelled in another way in the absolute name: in other letters, which some file systems take for the
// same.
func (v *evaluation) respelled(b base, name string) []string {
	var dirs, names []string
	switch b {
	case rootBase:
		return nil
	case homeBase:
		dirs = []string{v.home}
	default:
		dirs = v.Workspace.Dirs()
	}
	for _, dir := range dirs {
		dir = strings.TrimSuffix(dir, "/")
		parts := strings.Split(name, "/")
		n := strings.Count(dir, "/") + 1
		if dir == "" || len(parts) <= n {
			continue
		}
		if head := strings.Join(parts[:n], "/"); head != dir && sensitive.Fold(head) == sensitive.Fold(dir) {
			names = append(names, strings.Join(parts[n:], "/"))
		}
	}
	return names
}
