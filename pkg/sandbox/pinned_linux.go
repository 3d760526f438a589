//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/pathwalk"
)

// pin keeps in its place what a call may not change, or not see, of a directory that it may write to. Each
// directory on the way to it becomes a mount of its own, which nobody can rename. Else the call could move
// one of them aside, with all that is in it, and put another in its place.
func (f *confinement) pin() {
	var kept []string
	for _, g := range f.grants {
		if !g.write || g.kept {
			kept = append(kept, g.path)
		}
	}
	for _, h := range f.own {
		kept = append(kept, h.path)
	}
	for _, path := range kept {
		around, ok := f.around(path)
		if !ok || !around.write {
			continue
		}
		for above := filepath.Dir(path); above != around.path; above = filepath.Dir(above) {
			f.add(grant{path: above, noRun: around.noRun, write: true})
		}
	}
}

// around returns the deepest grant in which a path lies.
func (f *confinement) around(path string) (deepest grant, ok bool) {
	for _, g := range f.grants {
		if g.path != path && within(path, g.path) && len(g.path) > len(deepest.path) {
			deepest, ok = g, true
		}
	}
	return deepest, ok
}

// waysTo lists where the program's own files lie, or will lie, without links, and the links that lead there.
func waysTo(hidden []string) []string {
	var ways []string
	for _, path := range hidden {
		links := 0
		at, _ := pathwalk.Walk(filepath.Clean(path), func(name string) (string, error) { // it stops at no link
			target, err := os.Readlink(name)
			if err != nil || links == pathwalk.MostLinks {
				return "", nil //nolint:nilerr // the name is none of a link, or not there yet
			}
			links++
			ways = append(ways, name)
			return target, nil
		})
		ways = append(ways, at)
	}
	return ways
}

// ownJudge is a Judge to which the program's own files count too: where they are not there yet, nothing can
// be mounted over them, and over a link neither.
type ownJudge struct {
	Judge
	own []string // relative to the directory
}

// judgeIn returns the Judge for what is in a directory.
func judgeIn(dir string, judge Judge, ways []string) Judge {
	j := ownJudge{Judge: judge}
	for _, way := range ways {
		if way != dir && within(way, dir) {
			j.own = append(j.own, strings.TrimPrefix(way, strings.TrimSuffix(dir, "/")+"/"))
		}
	}
	if j.own == nil {
		return judge
	}
	return j
}

// Enter implements [Judge].
func (j ownJudge) Enter(dir string) bool {
	return j.Judge.Enter(dir) ||
		slices.ContainsFunc(j.own, func(own string) bool { return strings.HasPrefix(own, dir) })
}

// Weigh implements [Judge].
func (j ownJudge) Weigh(path string, read func(string) []byte) Weight {
	for _, own := range j.own {
		// What is no directory, on the way there, leads elsewhere.
		if name := strings.TrimSuffix(path, "/"); name == own ||
			name == path && strings.HasPrefix(own, name+"/") {
			return Held
		}
	}
	return j.Judge.Weigh(path, read)
}
