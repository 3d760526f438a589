package ndjson

import "iter"

// Members goes over the members of an object in order: the key, decoded, and the value as it is written, a
// part of raw. In keys, what is doubtful reads as U+FFFD; whoever decides by a key first asks [StrictKeys]
// or [Strict]. It stops at what is not JSON, and there are no members in what is no object.
func Members(raw []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		s := scanner{b: raw}
		s.members(s.space(0), 0, func(key, value []byte) bool {
			text, _ := decode(key)
			return yield(text, value)
		})
	}
}

// Elements goes over the elements of an array in order, each as it is written, a part of raw. It stops at
// what is not JSON, and there are no elements in what is no array.
func Elements(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s := scanner{b: raw}
		s.elements(s.space(0), 0, yield)
	}
}

// Get returns the value that stands under a path of exact keys, each the first of its name, as a part of raw.
func Get(raw []byte, path ...string) (value []byte, ok bool) {
	for _, name := range path {
		if raw, ok = get(raw, name); !ok {
			return nil, false
		}
	}
	return raw, true
}

func get(raw []byte, name string) (value []byte, ok bool) {
	s := scanner{b: raw}
	s.members(s.space(0), 0, func(key, v []byte) bool {
		if !allPlain(key) {
			text, _ := decode(key)
			key = []byte(text)
		}
		if string(key) == name {
			value, ok = v, true
		}
		return !ok
	})
	return value, ok
}
