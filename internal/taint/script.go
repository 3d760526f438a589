package taint

import (
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
)

// Value is what is known of an untrusted value before anybody has chosen it.
type Value struct {
	argument.Domain
	Source  string // how findings call it
	Default string // the text that stands in for it, "" when none does
}

// names lists the names in the texts that the author gave a value: its default, and those that its
// parameter lists.
func (v Value) names() []string {
	names := identifiers(v.Default)
	if v.Class == argument.Listed && v.Parameter != nil {
		for _, item := range v.Parameter.Enum {
			if text, ok := argument.Text(item); ok {
				names = append(names, identifiers(text)...)
			}
		}
	}
	return names
}

// Script is a bash script with a plain word, a placeholder, in the place of each untrusted value. It is what
// the shell's parser reads to tell where the values stand.
type Script struct {
	Slots []*Slot // in the order of the text
	stem  string  // every placeholder is the stem, a number and a z
	text  strings.Builder
}

// NewScript returns an empty script. No text that is added may hold the stem.
func NewScript(stem string) *Script { return &Script{stem: stem} }

// Text returns what was added, with the placeholders.
func (s *Script) Text() string { return s.text.String() }

// AddText adds what the author wrote.
func (s *Script) AddText(text string) { s.text.WriteString(text) }

// AddValue adds the place of a value.
func (s *Script) AddValue(v Value) *Slot {
	p := &Slot{Number: len(s.Slots), Value: v, From: s.text.Len()}
	s.text.WriteString(s.placeholder(p.Number))
	p.To = s.text.Len()
	s.Slots = append(s.Slots, p)
	return p
}

func (s *Script) placeholder(n int) string { return s.stem + strconv.Itoa(n) + "z" }

// Cut splits a part of the text at its first placeholder.
func (s *Script) Cut(text string) (before string, p *Slot, after string, ok bool) {
	i := strings.Index(text, s.stem)
	if i < 0 {
		return text, nil, "", false
	}
	n, j := 0, i+len(s.stem)
	for ; j < len(text) && text[j] >= '0' && text[j] <= '9' && n < len(s.Slots); j++ {
		n = n*10 + int(text[j]-'0')
	}
	if j == len(text) || text[j] != 'z' || n >= len(s.Slots) {
		return text, nil, "", false
	}
	return text[:i], s.Slots[n], text[j+1:], true
}

// holds reports whether a text has a placeholder.
func (s *Script) holds(text string) bool { return strings.Contains(text, s.stem) }
