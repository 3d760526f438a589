package sensitive

import (
	"path"
	"slices"
	"strings"
)

// pattern is one name of the table.
type pattern struct {
	text  string // as it stands there
	row   *row
	at    int // its place in the table
	names []wildcard
	below bool // it is a directory, and what lies below counts, too
	deep  bool // one of the names stands for any number of directories
}

// wildcard is one name of a pattern.
type wildcard struct {
	text  string
	parts []string // with any characters between them; nil for a fixed name
	class bool     // text is a pattern of path.Match's, with a class of characters
	any   bool     // ** stands for any number of directories
}

func newPattern(text string, r *row) *pattern {
	p := &pattern{text: text, row: r}
	whole := text
	if !r.exact {
		whole = Fold(text)
	}
	whole, p.below = strings.CutSuffix(whole, "/**")
	for name := range strings.SplitSeq(whole, "/") {
		w := wildcard{text: name, class: strings.Contains(name, "["), any: name == "**"}
		if strings.Contains(name, "*") {
			w.parts = strings.Split(name, "*")
		}
		p.names, p.deep = append(p.names, w), p.deep || w.any
	}
	return p
}

// first is the name that a file's names have to hold, in small letters; "" where it is not fixed.
func (p *pattern) first() string {
	if w := p.names[0]; w.parts == nil && !w.class {
		return Fold(w.text)
	}
	return ""
}

func (p *pattern) finding() Finding {
	return Finding{Class: p.row.class, Says: p.row.says, Name: p.text, ReadBy: p.row.readBy, Source: p.row.source}
}

// matches reports whether the pattern stands for the file's names from at on.
func (p *pattern) matches(f file, at int) bool {
	names := f.folded
	if p.row.exact {
		names = f.names
	}
	return p.reaches(names[at:], p.names) &&
		!slices.ContainsFunc(p.row.except, func(other *pattern) bool { return other.matches(f, at) })
}

func (p *pattern) reaches(names []string, patterns []wildcard) bool {
	for i, w := range patterns {
		if w.any {
			for skipped := 0; skipped+i <= len(names); skipped++ {
				if p.reaches(names[i+skipped:], patterns[i+1:]) {
					return true
				}
			}
			return false
		}
		if i >= len(names) || !w.matches(names[i]) {
			return false
		}
	}
	return len(names) == len(patterns) || p.below
}

func (w wildcard) matches(name string) bool {
	if w.class {
		ok, err := path.Match(w.text, name)
		return ok && err == nil
	}
	if w.parts == nil {
		return name == w.text
	}
	rest, ok := strings.CutPrefix(name, w.parts[0])
	if !ok {
		return false
	}
	last := len(w.parts) - 1
	for _, part := range w.parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, w.parts[last])
}

// alternatives writes a name once for each of the words between { and }.
func alternatives(text string) []string {
	before, rest, found := strings.Cut(text, "{")
	words, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{text}
	}
	var all []string
	for word := range strings.SplitSeq(words, ",") {
		all = append(all, alternatives(before+word+after)...)
	}
	return all
}
