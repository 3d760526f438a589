package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// The kinds of mistake that keys can have.
const (
	ruleUnknown = "unknown-key"
	ruleMissing = "missing-key"
)

// key is one key that a noun's mapping may hold: its name, what belongs there in words, and what reads it.
type key[T any] struct {
	name string
	want string
	read func(T, value)
}

// noun is what the keys of a mapping describe: its name and its table.
type noun[T any] struct {
	name string // "a tool", "sandbox"
	keys []key[T]
	// elsewhere tells of keys that belong to another noun, or to another program's format.
	elsewhere []misplaced
	// called are what other programs call keys of this noun, with the key.
	called map[string]string
	// otherwise is what is said of a key that nobody can place, beside the keys that there are.
	otherwise string
}

// misplaced are keys that people write in the wrong place, and the right one.
type misplaced struct {
	names []string
	hint  string // %s stands for the key
}

// names lists the keys of a noun in the order of its table.
func names[T any](keys []key[T]) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = k.name
	}
	return all
}

// readKeys reads a mapping by its noun's table, into target. Keys that the table does not have are reported; the others
// are read whatever happened before them.
func readKeys[T any](v value, n noun[T], target T) bool {
	if !isMapping(v) && !v.empty() {
		v.mismatch("a mapping", n.mappingHint(v))
		return false
	}
	entries, ok := v.entries()
	for _, e := range entries {
		if v.doc.full() {
			return false
		}
		if n.read(e, target) {
			continue
		}
		ok = false
		hint, meant := n.meant(e.name)
		if hint == "" {
			hint = "known here: " + strings.Join(names(n.keys), ", ") + n.otherwise
		}
		e.key.stands(meant)
		e.key.fail(ruleUnknown, hint, "unknown key %s in %s", quote(e.name), n.name)
		if meant != "" && !v.has(meant) { // what stands there can be told now, too
			n.read(entry{name: meant, key: e.key, value: v.child(e.value.node, meant, "")}, target)
		}
	}
	return ok
}

// read reads a key of the noun's table; false for one that the table does not have.
func (n noun[T]) read(e entry, target T) bool {
	i := slices.IndexFunc(n.keys, func(k key[T]) bool { return k.name == e.name })
	if i < 0 {
		return false
	}
	e.value.want = n.keys[i].want
	n.keys[i].read(target, e.value)
	return true
}

// oneWord is a line that somebody meant for a key with its value, and what stands between the two.
var oneWord = regexp.MustCompile(`^([A-Za-z_][\w-]*)(\s*=\s*|:|\s+)(\S.*)$`)

// mappingHint says what a mapping of a noun looks like, to somebody who wrote something else.
func (n noun[T]) mappingHint(v value) string {
	line := ""
	if v.node.Kind == yaml.ScalarNode {
		line = v.node.Value
	}
	if parts := oneWord.FindStringSubmatch(line); parts != nil && slices.Contains(names(n.keys), parts[1]) && len(v.doc.secrets()[v.node.Line]) == 0 {
		what := map[string]string{"=": "YAML has a colon where this has =", ":": "a space is missing after the colon"}[strings.TrimSpace(parts[2])]
		if what == "" {
			what = "a colon is missing after " + parts[1]
		}
		return fmt.Sprintf("%s: write %s: %s", what, parts[1], shorten(parts[3]))
	}
	return "its keys stand below it, two spaces deeper: " + strings.Join(names(n.keys), ", ")
}

// stands notes which key of its mapping an unknown one was meant for.
func (v value) stands(meant string) {
	if v.doc.meant == nil {
		v.doc.meant = map[*yaml.Node]string{}
	}
	v.doc.meant[v.node] = meant
}

// meant tells what a key is probably meant for that the noun's table does not have, and which key of the noun that is: "" when
// it belongs elsewhere. Without a hint nothing is near.
func (n noun[T]) meant(name string) (hint, key string) {
	for _, own := range names(n.keys) {
		if foldKey(own) == foldKey(name) {
			return fmt.Sprintf("did you mean %s?", own), own
		}
	}
	if key, ok := n.called[foldKey(name)]; ok {
		return "here it is " + key, key
	}
	for _, other := range n.elsewhere {
		if slices.Contains(other.names, name) || slices.Contains(other.names, foldKey(name)) {
			return strings.ReplaceAll(other.hint, "%s", name), ""
		}
	}
	if near := spelling.Nearest(name, names(n.keys)); near != "" {
		return fmt.Sprintf("did you mean %s?", near), near
	}
	for _, other := range n.elsewhere {
		if near := spelling.Nearest(name, other.names); near != "" {
			return fmt.Sprintf("did you mean %s? ", near) + strings.ReplaceAll(other.hint, "%s", near), ""
		}
	}
	return "", ""
}

// foldKey is a key without what programs spell differently: timeoutMs is timeout_ms.
func foldKey(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
