package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// FirstLine returns what standard output begins with, once the listeners are open: where the daemon is, and
// what each door adds.
func (s *Server) FirstLine() ([]byte, error) {
	line := []byte(`{`)
	add := func(name string, value any) error {
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("the first line: %s: %w", name, err)
		}
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(fmt.Appendf(line, "%q:", name), encoded...)
		return nil
	}
	err := add("url", s.base)
	if len(s.listeners) > 1 || s.base != s.listeners[0].url {
		err = errors.Join(err, add("listen", s.URLs()))
	}
	if s.o.TokenFile != "" {
		err = errors.Join(err, add("token_file", s.o.TokenFile))
	}
	for _, door := range s.o.Doors {
		if door.FirstLine == nil {
			continue
		}
		for name, value := range sorted(door.FirstLine(s.base)) {
			err = errors.Join(err, add(name, value))
		}
	}
	return append(line, '}', '\n'), err
}

// sorted goes through a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}
