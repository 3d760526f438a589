package ndjson

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxKeys bounds how many keys [Strict] holds at once, 32 bytes each: those of the objects that are open.
// An agent can put ten million keys into a line of 64 MiB, and nobody has an honest use for a hundredth of
// that.
const maxKeys = 100_000

// Strict returns nil when every reader makes the same of a value: it is valid JSON; its strings hold no
// bytes that are not UTF-8, no halves of surrogate pairs and no control characters that are not escaped,
// and its keys no NUL; and no object in it has two keys that are equal, or equal when case is folded (see
// [EqualFold]). Objects of more than a hundred thousand keys are refused, those of the objects they stand
// in counted in.
func Strict(raw []byte) error {
	s := scanner{b: raw}
	end := s.value(s.space(0), 0)
	if end < 0 || s.space(end) != len(raw) {
		return errors.New("not valid JSON")
	}
	if err := s.doubts(); err != nil {
		return err
	}
	open := newKeySet()
	for step := range walk(raw) {
		var err error
		switch step.kind {
		case objectOpens:
			open.begin()
		case atKey:
			err = open.add(step.key)
		case objectCloses:
			err = open.end()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// StrictKeys is [Strict] for the keys of one object alone, whatever its values hold. What is no object is
// an error.
func StrictKeys(raw []byte) error {
	s := scanner{b: raw}
	set := newKeySet()
	set.begin()
	var err error
	end := s.members(s.space(0), 0, func(key, _ []byte) bool {
		if _, err = unquote(key); err == nil {
			err = set.add(key)
		}
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case end < 0 || s.space(end) != len(raw):
		return errors.New("not a JSON object")
	}
	return set.end()
}

// doubts says what readers would read differently in the strings that were stepped over.
func (s *scanner) doubts() error {
	switch {
	case s.invalidUTF8:
		return holds(notUTF8)
	case s.loneSurrogate:
		return holds(loneSurrogate)
	case s.rawControl:
		return holds(controlRaw)
	}
	return nil
}

// keySet holds the keys of the objects that are open, those of the innermost last.
type keySet struct {
	seed   maphash.Seed
	keys   []hashedKey
	begins []int  // where in keys those of each open object begin
	folded []byte // scratch
}

// hashedKey is a key as it is written, and the hash of what case folding makes of it.
type hashedKey struct {
	hash uint64
	key  []byte
}

func newKeySet() *keySet { return &keySet{seed: maphash.MakeSeed()} }

func (s *keySet) begin() { s.begins = append(s.begins, len(s.keys)) }

func (s *keySet) add(key []byte) error {
	if len(s.keys) == maxKeys {
		return fmt.Errorf("more than %d keys", maxKeys)
	}
	s.folded = s.folded[:0]
	for rest := key; len(rest) > 0; {
		r, size, doubt := character(rest)
		if doubt == nul {
			return holds(nul)
		}
		s.folded = utf8.AppendRune(s.folded, fold(r))
		rest = rest[size:]
	}
	s.keys = append(s.keys, hashedKey{maphash.Bytes(s.seed, s.folded), key})
	return nil
}

// end closes the innermost object; two of its keys with the same hash are the same, since nobody knows the
// seed.
func (s *keySet) end() error {
	last := len(s.begins) - 1
	own := s.keys[s.begins[last]:]
	s.keys, s.begins = s.keys[:s.begins[last]], s.begins[:last]
	slices.SortFunc(own, func(a, b hashedKey) int { return cmp.Compare(a.hash, b.hash) })
	for i := 1; i < len(own); i++ {
		if own[i].hash == own[i-1].hash {
			text, _ := decode(own[i].key)
			return fmt.Errorf("the key %q stands there twice, or in another spelling", text)
		}
	}
	return nil
}

// fold returns the same rune for all runes that simple case folding takes for one: the smallest of them.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToUpper(r)
	}
	smallest := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		smallest = min(smallest, next)
	}
	return smallest
}
