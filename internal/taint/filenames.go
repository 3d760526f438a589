package taint

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// joinPatterns makes one file of names that could be the same: *.sh, "$1" and a variable that for sets
// could be any that fits.
func (g *graph) joinPatterns(s *script) {
	if !g.a.files {
		return
	}
	var names []string
	for w, key := range g.a.keys {
		if key != "" && !g.options[w] && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	for _, e := range g.edges { // dd of=FILE names its file within a word
		if key, ok := strings.CutPrefix(e.to, fileVariable("")); ok && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	sort.Strings(names)
	const maxNames = 200 // of a script that names more, the rest are followed by their names alone
	names = names[:min(len(names), maxNames)]
	for _, one := range names {
		pattern, open := g.a.filePattern(one)
		for _, other := range names {
			if !open || one == other || !g.a.spend(1) {
				continue
			}
			target := path.Base(other)
			if otherPattern, alsoOpen := g.a.filePattern(other); alsoOpen {
				target = otherPattern
			}
			if fits, err := path.Match(pattern, target); err == nil && (fits || target == "*") {
				g.sameFile(s, s.file, one, other)
			}
		}
	}
}

// filePattern is the pattern that the last part of a file's name could be, when it is more than one name:
// with a sign that bash expands, a positional parameter, or a variable that the author's own texts are put
// into.
func (a *analysis) filePattern(key string) (pattern string, open bool) {
	base := path.Base(key)
	if key == foundFile {
		return "*", true
	}
	open = strings.ContainsAny(base, "*?")
	pattern = variableInName.ReplaceAllStringFunc(base, func(found string) string {
		name := strings.TrimPrefix(variableInName.FindStringSubmatch(found)[1], "$")
		v := a.settings[name]
		if v != nil && v.many && len(v.globs) == 1 && len(v.texts) == 0 && base == found {
			open = true
			return path.Base(v.globs[0])
		}
		switch {
		case strings.Trim(name, "0123456789@*") == "", strings.Contains(found, ":"), base != found, v != nil &&
			(len(v.texts) > 0 || v.many):
			open = true
			return "*"
		}
		return found // what mktemp printed, or a variable of the environment: a file of its own
	})
	return pattern, open
}

// variableInName finds the variables in a file's name, as fileKey writes them.
var variableInName = lazyregexp.New(`\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*])(\[[^]]*\])?(:[-=?+][^/]*)?`)

// foundFile is the key of {}, which find and xargs replace.
const foundFile = "{}"

// fileVariable is the variable that stands for what a file holds. No variable of a shell has a blank in its
// name.
func fileVariable(key string) string {
	if base := path.Base(key); key != "" && !strings.Contains(base, "$") {
		key = base // the same file from another directory
	}
	return "file " + key
}
