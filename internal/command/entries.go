package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// Entries reads the entries of a mapping into what is given for their keys: a *string, a *bool, a
// *map[string]string, or a function that reads the entry itself. A key that is not given is an error.
func Entries(n plainyaml.Node, to map[string]any) error {
	if n.List || n.Text != "" {
		return At(n, "want a mapping")
	}
	known := strings.Join(slices.Sorted(maps.Keys(to)), ", ")
	for i, entry := range n.Nodes {
		for _, before := range n.Nodes[:i] {
			if before.Key == entry.Key {
				return At(entry, entry.Key+" stands there twice")
			}
		}
		switch to := to[entry.Key].(type) {
		case *string:
			if *to = entry.Text; len(entry.Nodes) > 0 {
				return At(entry, entry.Key+" is a text")
			}
		case *bool:
			if *to = entry.Text == "true"; !*to && entry.Text != "false" {
				return At(entry, entry.Key+" is true or false")
			}
		case *map[string]string:
			*to = texts(entry)
		case func(plainyaml.Node) error:
			if err := to(entry); err != nil {
				return err
			}
		default:
			return At(entry, fmt.Sprintf("%q is no key here; there are %s", entry.Key, known))
		}
	}
	return nil
}

// OptionLists adds to the keys of a mapping those that list options: each key is what the options are, or
// what their values are, as in every part of a row.
func OptionLists[T any](keys map[string]any, values map[string]T, read func(T, plainyaml.Node) error) {
	for key, value := range values {
		keys[key] = func(n plainyaml.Node) error {
			if len(n.Nodes) > 0 {
				return At(n, n.Key+" is a text")
			}
			return read(value, n)
		}
	}
}

// texts returns the entries of a mapping of texts.
func texts(n plainyaml.Node) map[string]string {
	all := make(map[string]string, len(n.Nodes))
	for _, entry := range n.Nodes {
		all[entry.Key] = entry.Text
	}
	return all
}

// Mistake is what is wrong in a file, and where.
type Mistake struct {
	Line, Column int // from 1
	What         string
}

// Error returns the place and what is wrong there.
func (m Mistake) Error() string { return fmt.Sprintf("%d:%d: %s", m.Line, m.Column, m.What) }

// At is the Mistake that stands at a node.
func At(n plainyaml.Node, what string) error { return Mistake{n.Line, n.Column, what} }
