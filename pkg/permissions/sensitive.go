package permissions

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// sensitiveFiles finds the files that are more than data: those of internal/sensitive, and our own.
type sensitiveFiles struct {
	own []string // absolute, folded
}

// newSensitive takes the absolute names of files and directories of ours.
func newSensitive(own []string) *sensitiveFiles {
	s := &sensitiveFiles{}
	for _, name := range own {
		if !filepath.IsAbs(name) {
			continue
		}
		s.own = append(s.own, sensitive.Fold(filepath.Clean(name)))
		if resolved, err := newFacts(machine{}).resolve("/", name); err == nil {
			s.own = append(s.own, sensitive.Fold(resolved))
		}
	}
	return s
}

// find tells what is special about a file: the completion of "`file` …", "" for nothing. name is absolute
// and clean.
func (s *sensitiveFiles) find(w tool.Workspace, name string, wanted sensitive.Class) string {
	if len(s.own) > 0 {
		folded := sensitive.Fold(name)
		for _, own := range s.own {
			if folded == own || strings.HasPrefix(folded, strings.TrimSuffix(own, "/")+"/") {
				return "belongs to a2a-acp itself"
			}
		}
	}
	root := ""
	for _, dir := range w.Dirs() {
		if len(dir) > len(root) && strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
			root = dir
		}
	}
	found, _ := sensitive.Find(name, root, wanted)
	return found.Says
}

// holdsOwn reports whether a directory holds something of ours, so that to move or to remove it would do so
// to ours.
func (s *sensitiveFiles) holdsOwn(name string) bool {
	prefix := strings.TrimSuffix(sensitive.Fold(name), "/") + "/"
	for _, own := range s.own {
		if strings.HasPrefix(own, prefix) {
			return true
		}
	}
	return false
}

// sensitiveWhy tells why a resource needs a person, unless a rule names the file: "`.git/config` runs as
// code later". It is "" for plain data. Every name that the resource could mean counts.
func (v *evaluation) sensitiveWhy(p resource, write bool) string {
	wanted := sensitive.Secret
	if write {
		wanted = sensitive.Written
	}
	for _, name := range p.maybe {
		if what := v.sensitive.find(v.Workspace, name, wanted); what != "" {
			return shown(v.Workspace, name) + " " + what
		}
	}
	if p.alias {
		return shown(v.Workspace, p.real) + " " + hasAnotherName
	}
	if !write && p.credential {
		return shown(v.Workspace, p.maybe[0]) + " " + holdsCredential
	}
	if !write || p.err != nil {
		return p.below
	}
	if relative, ok := v.Workspace.Rel(p.real); ok && relative == "." {
		return shown(v.Workspace, p.real) + " is the whole workspace"
	}
	if v.sensitive.holdsOwn(p.real) {
		return shown(v.Workspace, p.real) + " holds files of a2a-acp itself"
	}
	if v.facts.hardLinked(p.real) {
		return shown(v.Workspace, p.real) + " has further names (hard links), which could be those of any file"
	}
	return ""
}

// shortName is what the names look like by which FAT and NTFS know files beside their own.
var shortName = lazyregexp.New(`~[0-9]{1,6}(\.[^.]*)?$`)

// hasAnotherName is said of a file that isAlias is true of.
const hasAnotherName = "has another name: FAT and NTFS know files by short ones, too"

// isAlias reports whether a path leads to a file that has another one: a directory on its way does not list the name.
// It is true, too, where that cannot be known.
func (d *facts) isAlias(path string) bool {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		name := filepath.Base(path)
		if !shortName.MatchString(name) || !d.exists(path) {
			continue
		}
		entries, err := d.readDir(filepath.Dir(path))
		if err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			return true
		}
	}
	return false
}

// hardLinked reports whether a file has more than one name. None of them is the right one, so that a plain
// name in the workspace may be .git/config, or a file elsewhere.
func (d *facts) hardLinked(path string) bool {
	info, err := d.lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}
