package render

import (
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/taint"
)

// skeleton is a script with its sections filled in and the place of a value for each tag.
type skeleton struct {
	*taint.Script
	slots    []*tagSlot // as those of the Script
	segments []segment  // in the order of the text
	source   string     // the template
}

// tagSlot is one appearance of a tag in a skeleton.
type tagSlot struct {
	*taint.Slot
	tag   *tag
	index int // of its value among the values of the call; -1 when it needs none
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

// newSkeleton lays out an instance.
func newSkeleton(in *instance, stem, source string) *skeleton {
	s := &skeleton{
		Script: taint.NewScript(stem), source: source,
		slots: make([]*tagSlot, 0, len(in.pieces)/2), segments: make([]segment, 0, len(in.pieces)),
	}
	for _, p := range in.pieces {
		at := len(s.Text())
		if p.tag == nil {
			if p.text.s != "" {
				s.segments = append(s.segments, segment{at: at, from: p.text.from, fixed: true})
				s.AddText(p.text.s)
			}
			continue
		}
		s.segments = append(s.segments, segment{at: at, from: p.tag.from})
		s.slots = append(s.slots, &tagSlot{Slot: s.AddValue(p.tag.value()), tag: p.tag, index: -1})
	}
	return s
}

// value is what is known of a tag's value before a call.
func (t *tag) value() taint.Value {
	v := taint.Value{Domain: t.domain, Source: t.source}
	if t.literal != nil {
		v.Default, _ = argument.Text(t.literal.value)
	}
	return v
}

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
