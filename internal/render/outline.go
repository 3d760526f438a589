package render

import (
	"maps"
	"slices"
	"strings"
)

// Outline is a script as a shell reads it before anything is known of a call: a word in the place of each
// tag, on the lines where the author has them.
type Outline struct {
	// Texts are the script in so many ways of filling in its sections that each of them stands in one. A
	// script that is no template, or not for bash, is the only one as it is.
	Texts []string
	stem  string
}

// Outlined returns the outline of a script. It says nothing of whether the script is one that Compile takes.
func Outlined(script string) Outline {
	nodes, findings := parse(script)
	if _, shell := interpreter(script); !shell || hasErrors(findings) {
		return Outline{Texts: []string{script}}
	}
	o := Outline{stem: chooseStem(script)}
	for _, count := range outlines(nodes) {
		w := outliner{source: script, stem: o.stem, count: count}
		w.nodes(nodes)
		w.skip(len(script))
		o.Texts = append(o.Texts, w.text.String())
	}
	return o
}

// outlines lists the ways to fill sections in: all one time, and for each inverted one all but it and those
// around it.
func outlines(nodes []node) []combination {
	all := combination{}
	walk(nodes, nil, func(n node, _ []*section) {
		if s, ok := n.(*section); ok {
			all[s.name] = 1
		}
	})
	ways := []combination{all}
	walk(nodes, nil, func(n node, within []*section) {
		s, ok := n.(*section)
		if !ok || !s.inverted {
			return
		}
		way := maps.Clone(all)
		for _, around := range append(slices.Clone(within), s) {
			if around.inverted {
				way[around.name] = 0
			}
		}
		ways = append(ways, way)
	})
	return unique(ways)
}

// Holds reports whether a word of one of the texts depends on a value.
func (o Outline) Holds(word string) bool { return o.stem != "" && strings.Contains(word, o.stem) }

// outliner writes one text of an outline.
type outliner struct {
	source, stem string
	count        combination
	text         strings.Builder
	at           int // the offset in the source that was reached
}

func (w *outliner) nodes(nodes []node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case text:
			w.skip(n.from)
			w.text.WriteString(n.s)
			w.at = n.from + len(n.s)
		case *tag:
			w.skip(n.from)
			w.text.WriteString(w.stem)
			w.at = n.from + len(n.source)
		case *section:
			if w.count.of(n) > 0 {
				w.nodes(n.body)
			}
		}
	}
}

// skip leaves out what stands before an offset. The line ends in it go on in a backslash, so that lines
// keep their numbers and nothing else changes.
func (w *outliner) skip(to int) {
	if to > w.at {
		w.text.WriteString(strings.Repeat("\\\n", strings.Count(w.source[w.at:to], "\n")))
		w.at = to
	}
}
