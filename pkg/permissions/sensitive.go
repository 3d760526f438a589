package permissions

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"
)

// sensitive finds the files that are more than data: those of the table in control.go, and our own.
type sensitive struct {
	byName   map[string][]*filePattern // the patterns whose first name has no *
	patterns []*filePattern            // the others
	own      []string                  // absolute, folded
}

// filePattern is one pattern of the table.
type filePattern struct {
	kind  kind
	what  string
	names []wildcard
	below bool // what lies below it, too
}

// newSensitive reads the table. own are the absolute names of files and directories of ours.
func newSensitive(own []string) *sensitive {
	s := &sensitive{byName: map[string][]*filePattern{}}
	for _, row := range sensitiveFiles {
		for _, text := range strings.Fields(row.patterns) {
			names, below := strings.CutSuffix(text, "/**")
			p := &filePattern{kind: row.kind, what: row.what, below: below}
			for name := range strings.SplitSeq(names, "/") {
				p.names = append(p.names, strings.Split(name, "*"))
			}
			if first := p.names[0]; len(first) == 1 {
				s.byName[first[0]] = append(s.byName[first[0]], p)
				continue
			}
			s.patterns = append(s.patterns, p)
		}
	}
	for _, name := range own {
		if !filepath.IsAbs(name) {
			continue
		}
		s.own = append(s.own, fold(filepath.Clean(name)))
		if resolved, err := resolve("/", name); err == nil {
			s.own = append(s.own, fold(resolved))
		}
	}
	return s
}

// find tells what is special about a file: the completion of "`file` …", "" for nothing. Of several kinds the first that
// is wanted counts. name is absolute and clean.
func (s *sensitive) find(name string, wanted ...kind) string {
	lower := fold(name)
	for _, own := range s.own {
		if lower == own || strings.HasPrefix(lower, strings.TrimSuffix(own, "/")+"/") {
			return "belongs to a2a-acp itself"
		}
	}
	names := strings.Split(strings.Trim(lower, "/"), "/")
	for _, kind := range wanted {
		for at := range names {
			for _, p := range s.byName[names[at]] {
				if p.kind == kind && p.matchesAt(names, at) {
					return p.what
				}
			}
			for _, p := range s.patterns {
				if p.kind == kind && p.matchesAt(names, at) {
					return p.what
				}
			}
		}
	}
	return ""
}

// fold gives a name as file systems compare it for which neither letter case counts nor in which of its forms Unicode writes a
// letter: taken apart (NFD), in capitals first, since a long s is no small letter and its capital is S.
func fold(name string) string {
	return norm.NFD.String(strings.ToLower(strings.ToUpper(norm.NFD.String(name))))
}

// matchesAt tells whether the pattern stands for the names from at on.
func (p *filePattern) matchesAt(names []string, at int) bool {
	end := at + len(p.names)
	if end > len(names) || end < len(names) && !p.below {
		return false
	}
	for i, pattern := range p.names {
		if !pattern.matches(names[at+i]) {
			return false
		}
	}
	return true
}

// wildcard is a name with any characters between its parts.
type wildcard []string

func (w wildcard) matches(name string) bool {
	if len(w) == 1 {
		return name == w[0]
	}
	rest, ok := strings.CutPrefix(name, w[0])
	if !ok {
		return false
	}
	last := len(w) - 1
	for _, part := range w[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, w[last])
}

// holdsOwn tells whether a directory holds something of ours, so that to move or to remove it would do so to ours.
func (s *sensitive) holdsOwn(name string) bool {
	prefix := strings.TrimSuffix(fold(name), "/") + "/"
	for _, own := range s.own {
		if strings.HasPrefix(own, prefix) {
			return true
		}
	}
	return false
}

// why tells why a place needs a person, unless a rule names the file: "`.git/config` runs as code later". It is "" for
// plain data. Every name that the place could mean counts.
func (v *view) why(p place, write bool) string {
	wanted := []kind{secret}
	if write {
		wanted = []kind{control, build, secret}
	}
	for _, name := range p.maybe {
		if what := v.sensitive.find(name, wanted...); what != "" {
			return shown(v.Workspace, name) + " " + what
		}
	}
	if !write || p.err != nil {
		return ""
	}
	if relative, ok := v.Workspace.Rel(p.real); ok && relative == "." {
		return shown(v.Workspace, p.real) + " is the whole workspace"
	}
	if v.sensitive.holdsOwn(p.real) {
		return shown(v.Workspace, p.real) + " holds files of a2a-acp itself"
	}
	if hardLinked(p.real) {
		return shown(v.Workspace, p.real) + " has further names (hard links), which could be those of any file"
	}
	return ""
}

// hardLinked tells whether a file has more than one name. None of them is the right one, so that a plain name in the
// workspace may be .git/config, or a file elsewhere.
func hardLinked(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}
