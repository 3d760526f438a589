package render

import (
	"sort"
	"strings"
)

// skeleton is a script with its sections filled in and a unique plain word, a placeholder, in the place of
// each tag. It is what the shell's parser reads to tell where the tags stand.
type skeleton struct {
	text     string
	stem     string // every placeholder is the stem, a number and a z
	places   []*tagPlace
	segments []segment // in the order of the text
	source   string    // the template
}

// segment says where a part of the skeleton's text stands in the template.
type segment struct {
	at    int
	from  int
	fixed bool // text; else all of it stands for the tag at from
}

// chooseStem returns a stem that the author's text does not hold.
func chooseStem(source string) string {
	stem := "zA2Aq"
	for strings.Contains(source, stem) {
		stem += "q"
	}
	return stem
}

// newSkeleton lays out an instance. It says no when texts meet in such a way that they read as a placeholder.
func newSkeleton(in *instance, stem, source string) (*skeleton, bool) {
	s := &skeleton{stem: stem, source: source}
	var b strings.Builder
	for _, p := range in.pieces {
		if p.tag == nil {
			if p.text.s != "" {
				s.segments = append(s.segments, segment{at: b.Len(), from: p.text.from, fixed: true})
				b.WriteString(p.text.s)
			}
			continue
		}
		s.segments = append(s.segments, segment{at: b.Len(), from: p.tag.from})
		s.places = append(s.places, &tagPlace{number: len(s.places), tag: p.tag, at: b.Len(), index: -1})
		b.WriteString(s.placeholder(len(s.places) - 1))
	}
	s.text = b.String()
	return s, strings.Count(s.text, stem) == len(s.places)
}

func (s *skeleton) placeholder(n int) string { return s.stem + itoa(n) + "z" }

// cut splits text at its first placeholder.
func (s *skeleton) cut(text string) (before string, p *tagPlace, after string, ok bool) {
	i := strings.Index(text, s.stem)
	if i < 0 {
		return text, nil, "", false
	}
	n, j := 0, i+len(s.stem)
	for ; j < len(text) && text[j] >= '0' && text[j] <= '9' && n < len(s.places); j++ {
		n = n*10 + int(text[j]-'0')
	}
	if j == len(text) || text[j] != 'z' || n >= len(s.places) {
		return text, nil, "", false
	}
	return text[:i], s.places[n], text[j+1:], true
}

// holds reports whether a text has a placeholder.
func (s *skeleton) holds(text string) bool { return strings.Contains(text, s.stem) }

// origin returns the offset in the template of an offset in the skeleton.
func (s *skeleton) origin(offset int) int {
	i := sort.Search(len(s.segments), func(i int) bool { return s.segments[i].at > offset }) - 1
	if i < 0 {
		return 0
	}
	if seg := s.segments[i]; seg.fixed {
		return seg.from + offset - seg.at
	}
	return s.segments[i].from
}
