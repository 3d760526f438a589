package permissions

import (
	"path/filepath"
	"slices"
	"strings"
)

// ResolvedFiles tells which files a request means now: its paths with the links on their way followed, and
// the links behind which a command runs, or its words may have files. The same list later says that they are the same
// files. Where a command names more than can be looked at for one decision, an empty text is among them.
func ResolvedFiles(r Request) []string {
	f := newFacts(machine{})
	var files []string
	for _, path := range r.Paths {
		real, err := f.resolveName(r.Dir, path.Name)
		if err != nil {
			real = "? " + path.Name
		}
		files = append(files, real)
	}
	if r.Shell == nil {
		return files
	}
	v := &evaluation{Request: r, home: home(), facts: f}
	s := newShellText(v)
	linked := s.linked
	if to, err := f.walk(r.Dir); err != nil {
		linked = append(linked, r.Dir+" leads nowhere: "+err.Error())
	} else if to != filepath.Clean(r.Dir) {
		linked = append(linked, r.Dir+" leads to "+to)
	}
	for _, p := range s.resources {
		names := []string{p.dir + "/" + p.name}
		switch {
		case filepath.IsAbs(p.name):
			names[0] = p.name
		case p.name == "~" || strings.HasPrefix(p.name, "~/"):
			names = append(names, v.home+p.name[1:])
		}
		for _, name := range names {
			if to, err := f.walk(name); err != nil {
				linked = append(linked, name+" leads nowhere: "+err.Error())
			} else if to != filepath.Clean(name) {
				linked = append(linked, name+" leads to "+to)
			}
		}
	}
	if v.worked > mostWork || len(s.resources)+len(s.dirs) > mostResources {
		linked = append(linked, "")
	}
	slices.Sort(linked)
	return append(files, slices.Compact(linked)...)
}
