// Package steering tells the sandbox which files others run or believe without a further look: most by their
// names, and those of a repository by whether git would run anything because of what they hold.
package steering

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// Judge is a [sandbox.Judge] to which the control files count, and of a repository's directory what git
// runs, or reads its settings from. Nearly all of the names in a workspace are part of no such path, and
// all are asked about at every call: so what such a path can begin with is looked for first.
type Judge struct {
	fixed map[string]bool      // in small letters
	ways  []string             // the directories, as patterns, in which only some files count
	bare  map[string]bool      // names of files in repositories without a work tree
	open  map[byte][]firstName // by their first letter; under 0 those that begin with anything

	mu   sync.Mutex
	last string // the directory that was asked about last, and
	may  bool   // whether the path of a file that counts can begin in it
}

// firstName is the beginning and the end of a name with a pattern in between.
type firstName struct{ begins, ends string }

// New makes one. It is safe for concurrent use.
func New() *Judge {
	j := &Judge{fixed: map[string]bool{}, bare: map[string]bool{}, open: map[byte][]firstName{}}
	for _, name := range gitrepo.BareNames() {
		j.bare[name] = true
	}
	for _, pattern := range sensitive.Patterns(steers) {
		pattern = strings.ToLower(pattern)
		for at, c := range pattern {
			if way := pattern[:at]; c == '/' && pattern[at:] != "/**" && !slices.Contains(j.ways, way) {
				j.ways = append(j.ways, way)
			}
		}
		first, _, _ := strings.Cut(pattern, "/")
		from, to := strings.IndexAny(first, "*["), strings.LastIndexAny(first, "*]")
		if from < 0 {
			j.fixed[first] = true
			continue
		}
		letter := byte(0)
		if from > 0 {
			letter = first[0]
		}
		j.open[letter] = append(j.open[letter], firstName{begins: first[:from], ends: first[to+1:]})
	}
	return j
}

// Enter implements [sandbox.Judge].
func (j *Judge) Enter(dir string) bool {
	_, inside, ok := inRepository(sensitive.Fold(strings.TrimSuffix(dir, "/")))
	return !ok || !gitrepo.HoldsData(inside)
}

// Hides implements [sandbox.Judge]: in a repository's directory only what git runs counts.
func (j *Judge) Hides(path string) bool {
	_, _, ok := inRepository(sensitive.Fold(path))
	return ok
}

const _ = uint(sandbox.MostRead - gitrepo.MostRead) // it does not take the beginning of a file for the whole

// Weigh implements [sandbox.Judge].
func (j *Judge) Weigh(at string, read func(path string) []byte) sandbox.Weight {
	name := strings.TrimSuffix(at, "/")
	dir, base := path.Split(name)
	if !j.mayCount(dir, base) {
		return sandbox.Plain
	}
	if above, inside, ok := inRepository(sensitive.Fold(name)); ok && !isSteering(above) {
		if name != at {
			return sandbox.Plain // what is in it is looked at
		}
		var text func() []byte
		if read != nil {
			text = func() []byte { return read(at) }
		}
		switch gitrepo.FileEffect(inside, text) {
		case gitrepo.Later:
			return sandbox.Told
		case gitrepo.NoEffect:
			return sandbox.Plain
		}
	} else if name == at && j.bare[base] && gitrepo.BareEffect(name, read) != gitrepo.NoEffect {
		return sandbox.Held
	} else if !isSteering(name) {
		// core.hooksPath can name any directory.
		if name == at && j.bare[base] && gitrepo.IsHook(base) && !amongPackages(name) {
			return sandbox.Told
		}
		// A link in place of a directory leads to files of any name.
		if name == at && (read == nil || read(at) == nil) && j.isOnTheWay(name) {
			return sandbox.Told
		}
		return sandbox.Plain
	}
	// PyTorch keeps models in files of a name that Python reads among packages only.
	if read != nil && (amongPackages(name) || path.Ext(base) == ".pth") {
		return sandbox.Told
	}
	return sandbox.Held
}

// isOnTheWay reports whether a path is that of a directory in which only some files count.
func (j *Judge) isOnTheWay(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(j.ways, func(way string) bool {
		last := name
		for cut := strings.Count(name, "/") - strings.Count(way, "/"); cut > 0; cut-- {
			_, last, _ = strings.Cut(last, "/")
		}
		is, err := path.Match(way, last)
		return is && err == nil
	})
}

// steers are the classes of files that others run, or believe, without being told to.
const steers = sensitive.Control | sensitive.Runs

func isSteering(name string) bool {
	_, is := sensitive.Find("/"+name, "", steers)
	return is
}

// amongPackages reports whether a path leads into a directory of installed packages, or of what was built.
// All of that is code which nobody has looked at, and installing would fail without it.
func amongPackages(name string) bool {
	found, is := sensitive.Find("/"+name, "", sensitive.Built)
	return is && strings.HasSuffix(found.Name, "/**")
}

// inRepository divides a folded path that leads into a repository's .git, or is that of one. inside is
// relative to it.
func inRepository(name string) (above, inside string, ok bool) {
	for at := 0; at < len(name); {
		part, rest, _ := strings.Cut(name[at:], "/")
		if part == ".git" {
			return strings.TrimSuffix(name[:at], "/"), rest, true
		}
		at += len(part) + 1
	}
	return "", "", false
}

// mayCount reports whether a path can be one of those that count.
func (j *Judge) mayCount(dir, base string) bool {
	if j.canBegin(base) || j.bare[base] {
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last != dir {
		j.last, j.may = strings.Clone(dir), false
		for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
			j.may = j.may || j.canBegin(part)
		}
	}
	return j.may
}

// canBegin reports whether the path of a file that counts can begin with a name. Where that is not plain
// ASCII, nobody knows.
func (j *Judge) canBegin(name string) bool {
	if name == "" {
		return false
	}
	lower := strings.TrimRight(strings.ToLower(name), " .")
	if lower == "" || j.fixed[lower] || strings.ContainsFunc(name, func(c rune) bool { return c >= 0x80 }) {
		return true
	}
	for _, list := range [][]firstName{j.open[lower[0]], j.open[0]} {
		for _, first := range list {
			if strings.HasPrefix(lower, first.begins) && strings.HasSuffix(lower, first.ends) {
				return true
			}
		}
	}
	return false
}
