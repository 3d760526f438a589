package config

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
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
	entries, ok := v.entries()
	for _, e := range entries {
		if v.doc.full() {
			return false
		}
		known := false
		for _, k := range n.keys {
			if k.name == e.name {
				known = true
				e.value.want = k.want
				k.read(target, e.value)
			}
		}
		if !known {
			ok = false
			e.key.fail(ruleUnknown, n.unknownHint(e.name), "unknown key %s in %s", quote(e.name), n.name)
		}
	}
	return ok
}

// unknownHint says where a key belongs, or which one was probably meant.
func (n noun[T]) unknownHint(name string) string {
	if hint, ok := n.meant(name); ok {
		return hint
	}
	return "known here: " + strings.Join(names(n.keys), ", ")
}

// meant tells what a key is probably meant for that the noun's table does not have.
func (n noun[T]) meant(name string) (hint string, ok bool) {
	for _, other := range n.elsewhere {
		for _, candidate := range other.names {
			if candidate == name {
				return fmt.Sprintf(other.hint, name), true
			}
		}
	}
	if near := tool.Nearest(name, names(n.keys)); near != "" {
		return fmt.Sprintf("did you mean %s?", near), true
	}
	for _, other := range n.elsewhere {
		if near := tool.Nearest(name, other.names); near != "" {
			return fmt.Sprintf("did you mean %s? ", near) + fmt.Sprintf(other.hint, near), true
		}
	}
	return "", false
}
