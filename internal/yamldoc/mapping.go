package yamldoc

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// The kinds of mistake that keys can have.
const (
	RuleUnknown = "unknown-key"
	RuleMissing = "missing-key"
)

// Key is one key that a mapping may hold: its name, what belongs there in words, and what reads it.
type Key[T any] struct {
	Name string
	Want string
	Read func(T, Value)
}

// NewKey returns the key of that name, with what belongs there in words, and what reads it.
func NewKey[T any](name, want string, read func(T, Value)) Key[T] { return Key[T]{name, want, read} }

// Mapping describes a mapping: its name and the table of its keys.
type Mapping[T any] struct {
	Name string // "a tool", "sandbox"
	Keys []Key[T]
	// Elsewhere tells of keys that belong to another mapping, or to another program's format.
	Elsewhere []Misplaced
	// Synonyms are what other programs call keys of this mapping, with the key.
	Synonyms map[string]string
	// UnknownHint is what is said of a key that nobody can place, beside the keys that there are.
	UnknownHint string
}

// Misplaced are keys that people write in the wrong place, and the right one.
type Misplaced struct {
	Names []string
	Hint  string // %s stands for the key
}

// Names lists the keys in the order of the table.
func (m Mapping[T]) Names() []string {
	all := make([]string, len(m.Keys))
	for i, k := range m.Keys {
		all[i] = k.Name
	}
	return all
}

// ReadKeys reads a mapping by its table, into target. Keys that the table does not have are reported;
// the others are read whatever happened before them.
func ReadKeys[T any](v Value, m Mapping[T], target T) bool {
	if !v.IsMapping() && !v.IsEmpty() {
		v.Mismatch("a mapping", m.formHint(v))
		return false
	}
	entries, ok := v.Entries()
	for _, e := range entries {
		if v.Doc.Full() {
			return false
		}
		if m.readKey(e, target) {
			continue
		}
		ok = false
		hint, meant := m.Suggest(e.Name)
		if hint == "" {
			hint = "known here: " + strings.Join(m.Names(), ", ") + m.UnknownHint
		}
		e.Key.noteMeant(meant)
		e.Key.Fail(RuleUnknown, hint, "unknown key %s in %s", Quote(e.Name), m.Name)
		if meant != "" && !v.Has(meant) { // what stands there can be told now, too
			m.readKey(Entry{Name: meant, Key: e.Key, Value: v.child(e.Value.Node, meant, "")}, target)
		}
	}
	return ok
}

// readKey reads a key of the table; false for one that the table does not have.
func (m Mapping[T]) readKey(e Entry, target T) bool {
	i := slices.IndexFunc(m.Keys, func(k Key[T]) bool { return k.Name == e.Name })
	if i < 0 {
		return false
	}
	e.Value.Want = m.Keys[i].Want
	m.Keys[i].Read(target, e.Value)
	return true
}

// oneWord is a line that somebody meant for a key with its value, and what stands between the two.
var oneWord = lazyregexp.New(`^([A-Za-z_][\w-]*)(\s*=\s*|:|\s+)(\S.*)$`)

// formHint says what the mapping looks like, to somebody who wrote something else.
func (m Mapping[T]) formHint(v Value) string {
	line := ""
	if v.Node.Kind == yaml.ScalarNode {
		line = v.Node.Value
	}
	if parts := oneWord.FindStringSubmatch(line); parts != nil && slices.Contains(m.Names(), parts[1]) &&
		len(v.Doc.secrets()[v.Node.Line]) == 0 {
		what := map[string]string{"=": "YAML has a colon where this has =",
			":": "a space is missing after the colon"}[strings.TrimSpace(parts[2])]
		if what == "" {
			what = "a colon is missing after " + parts[1]
		}
		return fmt.Sprintf("%s: write %s: %s", what, parts[1], Shorten(parts[3]))
	}
	return "its keys stand below it, two spaces deeper: " + strings.Join(m.Names(), ", ")
}

// noteMeant notes which key of its mapping an unknown one was meant for.
func (v Value) noteMeant(meant string) {
	if v.Doc.meantKeys == nil {
		v.Doc.meantKeys = map[*yaml.Node]string{}
	}
	v.Doc.meantKeys[v.Node] = meant
}

// Suggest tells what a key is probably meant for that the table does not have, and which key of the
// mapping that is: "" when it belongs elsewhere. Without a hint nothing is near.
func (m Mapping[T]) Suggest(name string) (hint, key string) {
	for _, own := range m.Names() {
		if foldKey(own) == foldKey(name) {
			return fmt.Sprintf("did you mean %s?", own), own
		}
	}
	if key, ok := m.Synonyms[foldKey(name)]; ok {
		return "here it is " + key, key
	}
	for _, other := range m.Elsewhere {
		if slices.Contains(other.Names, name) || slices.Contains(other.Names, foldKey(name)) {
			return strings.ReplaceAll(other.Hint, "%s", name), ""
		}
	}
	if near := spelling.Nearest(name, m.Names()); near != "" {
		return fmt.Sprintf("did you mean %s?", near), near
	}
	for _, other := range m.Elsewhere {
		if near := spelling.Nearest(name, other.Names); near != "" {
			return fmt.Sprintf("did you mean %s? ", near) + strings.ReplaceAll(other.Hint, "%s", near), ""
		}
	}
	return "", ""
}

// foldKey is a key without what programs spell differently: timeoutMs is timeout_ms.
func foldKey(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
