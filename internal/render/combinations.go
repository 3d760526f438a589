package render

import (
	"sort"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// combination says how often each section runs, by the name that decides it: a section and its inverse go
// together.
type combination map[string]int

func (c combination) of(s *section) int {
	n := c[s.name]
	switch {
	case s.inverted && n == 0:
		return 1
	case s.inverted:
		return 0
	}
	return n
}

func (c combination) describe() string {
	var parts []string
	for name, n := range c {
		parts = append(parts, "{{#"+name+"}} × "+strconv.Itoa(n))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// All combinations are tried up to this many section names, and only while that is not more text than this.
const (
	maxExhaustive     = 5
	maxExhaustiveText = 2 << 20
)

// pairs is an orthogonal array of strength two: in any two of its columns every pair of 0, 1 and 2 stands
// in some row.
var pairs = [9][4]int{
	{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 2, 2, 2}, {1, 0, 1, 2}, {1, 1, 2, 0}, {1, 2, 0, 1}, {2, 0, 2, 1},
	{2, 1, 0, 2}, {2, 2, 1, 0},
}

// combinations lists the ways to fill sections in that Compile looks at. With up to five names these are
// all, each name none, one or two times; beyond that, and for long scripts, every pair of names in every
// way: the names are numbered in base four, each digit picks a column, and two names differ in some digit.
// size is the length of the script.
func combinations(nodes []node, size int) []combination {
	limits := map[string]int{}
	var names []string
	walk(nodes, nil, func(n node, _ []*section) {
		if s, ok := n.(*section); ok {
			if _, seen := limits[s.name]; !seen {
				names = append(names, s.name)
			}
			limits[s.name] = max(limits[s.name], s.most())
		}
	})
	var all []combination
	add := func(level func(i int) int) {
		c := combination{}
		for i, name := range names {
			c[name] = min(level(i), limits[name])
		}
		all = append(all, c)
	}
	total := 1
	for range min(len(names), maxExhaustive+1) {
		total *= 3
	}
	if len(names) <= maxExhaustive && total*size <= maxExhaustiveText {
		for n := range total {
			add(func(i int) int {
				digits := n
				for range i {
					digits /= 3
				}
				return digits % 3
			})
		}
		return unique(all)
	}
	for level := range 3 {
		add(func(int) int { return level })
	}
	for digit := 1; digit <= len(names)*4; digit *= 4 {
		for _, row := range pairs {
			add(func(i int) int { return row[i/digit%4] })
		}
	}
	return unique(all)
}

// most is how often a section can run, as far as it matters: a list twice, everything else once.
func (s *section) most() int {
	if s.inverted {
		return 1
	}
	if p := s.domain.Parameter; p != nil && p.Type != tool.TypeArray && !s.entries {
		return 1
	}
	return 2
}

func unique(all []combination) []combination {
	seen := map[string]bool{}
	kept := all[:0]
	for _, c := range all {
		if key := c.describe(); !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	return kept
}
