package openapi

import (
	"errors"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// inside is what is in a list or an object, as it was made of a schema. Many operations lead to the same schemas, and
// each is made anew only where it would come out another way.
type inside struct {
	items      *tool.Parameter
	properties []tool.Parameter
	err        error
	made       int      // values
	bytes      int      // of schemas
	cost       int      // see schemas
	seen       []string // the references on the way, and
	open       []string // those of them that the value lay in
}

// place is all that what is inside depends on, but for the references that it lies in.
type place struct {
	schema value
	left   int // how much deeper members are told
	brief  bool
	isList bool
}

// placeOf is the place of what one schema alone says; false where several say what is inside.
func (s *schemas) placeOf(f *facets, p *tool.Parameter, depth int) (at place, ok bool) {
	for _, part := range f.parts {
		if !slices.ContainsFunc(structure, func(key string) bool { return part.get(key) != nil }) {
			continue
		}
		if at.schema != nil {
			return at, false
		}
		at.schema = part
	}
	at.left, at.brief, at.isList = s.deepest-depth, s.brief, p.Type == tool.TypeArray
	return at, at.schema != nil
}

// structure are the keys that say what is in a value.
var structure = []string{"properties", "items", "required", "additionalProperties", "patternProperties", "prefixItems"}

// makeInside makes what is in a list or an object.
func (s *schemas) makeInside(f *facets, p *tool.Parameter, depth int) error {
	at, single := s.placeOf(f, p, depth)
	known := s.doc.insides[at]
	if single && known != nil && known.holds(s.open) {
		if s.made, s.bytes = s.made+known.made, s.bytes+known.bytes; s.made > mostValues || s.bytes > mostBytes {
			return errTooMuch
		}
		s.cost += known.cost
		s.seen = append(s.seen, known.seen...)
		p.Items, p.Properties = known.items, known.properties
		return known.err
	}
	before := *s
	var err error
	if p.Type == tool.TypeArray {
		err = s.items(f, p, depth)
	} else {
		err = s.members(f, p, depth)
	}
	if single && !errors.Is(err, errTooMuch) {
		seen := slices.Clone(s.seen[len(before.seen):])
		slices.Sort(seen)
		seen = slices.Compact(seen)
		open := slices.DeleteFunc(slices.Clone(seen), func(where string) bool { return !slices.Contains(s.open, where) })
		s.doc.insides[at] = &inside{items: p.Items, properties: p.Properties, err: err, made: s.made - before.made,
			bytes: s.bytes - before.bytes, cost: s.cost - before.cost, seen: seen, open: open}
	}
	return err
}

// holds reports whether it would come out the same in a value that lies in these references.
func (i *inside) holds(open []string) bool {
	hits := 0
	for _, where := range open {
		if _, is := slices.BinarySearch(i.seen, where); !is {
			continue
		}
		if !slices.Contains(i.open, where) {
			return false
		}
		hits++
	}
	return hits >= len(i.open)
}
