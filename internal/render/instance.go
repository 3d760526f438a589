package render

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of one rendering.
const (
	maxItems    = 10_000  // how often sections run in all
	maxSkeleton = 4 << 20 // bytes of the script with its sections filled in
)

// piece is a part of a template whose sections are filled in: text, or one appearance of a tag.
type piece struct {
	text  text
	tag   *tag // nil for text
	value any
	given bool
}

// instance is a template with its sections filled in for one call.
type instance struct {
	pieces []piece
	// shape names which sections ran how often, and which tags fall back on their default. Two instances of
	// one template with the same shape have the same texts and tags in the same order.
	shape string
}

// filler fills the sections of a template in: by the arguments of a call, or, while a template is checked,
// by count.
type filler struct {
	pieces []piece
	shape  []byte
	count  func(s *section) int // nil at a call
	items  int
	size   int
	full   *tool.Failure
}

// fill fills the sections in by the arguments of a call.
func fill(nodes []node, arguments map[string]any) (*instance, *tool.Failure) {
	f := &filler{}
	f.nodes(nodes, &frame{names: arguments})
	if f.full != nil {
		return nil, f.full
	}
	return &instance{pieces: f.pieces, shape: string(f.shape)}, nil
}

// fillBy runs each section as often as count says.
func fillBy(nodes []node, count func(*section) int) (*instance, *tool.Failure) {
	f := &filler{count: count}
	f.nodes(nodes, nil)
	if f.full != nil {
		return nil, f.full
	}
	return &instance{pieces: f.pieces, shape: string(f.shape)}, nil
}

func (f *filler) nodes(nodes []node, in *frame) {
	for _, n := range nodes {
		if f.full != nil {
			return
		}
		switch n := n.(type) {
		case text:
			f.grow(len(n.s))
			f.pieces = append(f.pieces, piece{text: n})
		case *tag:
			f.grow(16)
			p := piece{tag: n}
			if f.count == nil {
				p.value, p.given = in.lookup(n.path)
			}
			if n.literal != nil && !p.given {
				f.shape = append(f.shape, 'd')
			}
			f.pieces = append(f.pieces, p)
		case *section:
			f.section(n, in)
		}
	}
}

func (f *filler) section(s *section, in *frame) {
	if f.count != nil {
		n := f.count(s)
		f.runs(n)
		for range n {
			f.nodes(s.body, nil)
		}
		return
	}
	v, _ := in.lookup(s.path)
	switch {
	case s.inverted && truthy(v) || !s.inverted && !truthy(v):
		f.runs(0)
		return
	case s.inverted:
		f.runs(1)
		f.nodes(s.body, in)
		return
	}
	switch v := v.(type) {
	case []any:
		f.runs(len(v))
		for i, item := range v {
			f.nodes(s.body, itemFrame(s, i, item, in))
		}
	case map[string]any:
		if !s.entries {
			f.runs(1)
			f.nodes(s.body, valueFrame(v, in))
			return
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		f.runs(len(keys))
		for _, key := range keys {
			f.nodes(s.body, entryFrame(s, key, v[key], in))
		}
	default:
		f.runs(1)
		f.nodes(s.body, valueFrame(v, in))
	}
}

// runs notes that a section runs n times.
func (f *filler) runs(n int) {
	f.shape = append(binary.AppendUvarint(f.shape, uint64(n)), ';')
	if f.items += n; f.items > maxItems && f.full == nil {
		f.full = tool.Failf(tool.FailTemplate, "the lists of this call have more than %d items together", maxItems)
	}
}

func (f *filler) grow(n int) {
	if f.size += n; f.size > maxSkeleton && f.full == nil {
		f.full = tool.Failf(tool.FailTemplate, "the lists of this call make the script longer than %d bytes",
			maxSkeleton)
	}
}

// shown is the script as a person reads it.
func (in *instance) shown() string {
	var b strings.Builder
	for _, p := range in.pieces {
		switch {
		case p.tag == nil:
			b.WriteString(p.text.s)
		case p.tag.literal != nil && !p.given:
			b.WriteString("{{" + p.tag.name + "|" + p.tag.literal.source + "}}")
		default:
			b.WriteString("{{" + p.tag.name + "}}")
		}
	}
	return b.String()
}

// truthy reports whether a section shows. A number does, 0 too: a value was given.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
