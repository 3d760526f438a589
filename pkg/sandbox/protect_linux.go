//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// protected are the paths that others run or believe without a further look (Options.Protected), by their first name.
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

// in lists what of it is in a directory. One reading of the directory is quicker than asking for each name.
func (p protected) in(dir string) []string {
	if len(p) == 0 {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	var list []string
	for _, name := range names {
		for _, path := range p[name] {
			if _, err := os.Lstat(filepath.Join(dir, path)); path == name || err == nil {
				list = append(list, path)
			}
		}
	}
	return list
}

// protect keeps what is protected from being changed, in every directory that the call may write to. What was granted by
// name may be.
//
// It can only be mounted over when it is there. What is not there, or is a link, is watched: see hold.
func (f *confinement) protect(p protected, allowed []tool.AllowedPath) {
	for _, dir := range slices.Clone(f.grants) {
		if !dir.write || dir.file {
			continue
		}
		w := watched{dir: dir.path, before: map[string]string{}}
		for _, path := range p.in(dir.path) {
			whole := filepath.Join(dir.path, path)
			w.before[path] = look(whole)
			info, err := os.Lstat(whole)
			if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
				continue
			}
			f.add(grant{path: whole, noRun: dir.noRun, file: !info.IsDir()})
			// A directory on the way to it could be moved aside with it, and another put in its place, were it not a mount of its
			// own.
			for above := filepath.Dir(whole); above != dir.path; above = filepath.Dir(above) {
				f.add(grant{path: above, noRun: dir.noRun, write: true})
			}
		}
		for _, a := range allowed {
			if rel, err := filepath.Rel(dir.path, a.Path); err == nil && !a.ReadOnly {
				w.allowed = append(w.allowed, rel)
			}
		}
		f.watched = append(f.watched, w)
	}
}

// watched is a directory that a call may write to, and what was protected in it when the call began.
type watched struct {
	dir     string
	before  map[string]string
	allowed []string // what the call may make all the same
}

// look tells what a name leads to: which file, or where a link points. "" is nothing.
func look(path string) string {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return ""
	}
	target, _ := os.Readlink(path)
	return fmt.Sprintf("%d %d %s", stat.Dev, stat.Ino, target)
}

// hold takes what the call has made and is protected out of the way when the call has ended: it gets another name, under
// which nobody runs or believes it, and the hint says which. While the call ran it was there.
func (w watched) hold(p protected) []string {
	var hints []string
	found := p.in(w.dir)
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) }) // a directory before what is in it
	for _, path := range found {
		whole := filepath.Join(w.dir, path)
		if look(whole) == w.before[path] || slices.Contains(w.allowed, path) {
			continue
		}
		held := whole + ".held-" + randomName()
		// Of a path in a directory that was held just now there is nothing left.
		err := os.Rename(whole, held)
		switch {
		case err == nil:
			hints = append(hints, fmt.Sprintf("protected: the call made %s, which others run or believe without a look; it is %s now, and allowed_paths with that very path lets a tool make it", whole, filepath.Base(held)))
		case !os.IsNotExist(err):
			hints = append(hints, fmt.Sprintf("protected: the call made %s, which others run or believe without a look, and it could not be taken out of the way: %v", whole, unwrapPath(err)))
		}
	}
	return hints
}
