package ndjson

import "iter"

// step is something met on the walk over a value: an object's opening or closing brace, or a key.
type step struct {
	kind  stepKind
	key   []byte // of atKey: as it is written, without its quotes
	value []byte // of atKey: the bytes that begin with its value
}

type stepKind uint8

const (
	objectOpens stepKind = iota
	objectCloses
	atKey
)

// walk goes over all objects and keys of a value at any depth, in order, in one pass and without recursion.
// b must have been scanned before; on what is not JSON it stops somewhere.
func walk(b []byte) iter.Seq[step] {
	return func(yield func(step) bool) {
		s := scanner{b: b}
		for i := 0; i < len(b); {
			next := step{kind: atKey}
			switch b[i] {
			case '{':
				next.kind = objectOpens
				i++
			case '}':
				next.kind = objectCloses
				i++
			case '"':
				end := s.text(i + 1)
				if end < 0 {
					return
				}
				next.key = b[i+1 : end-1]
				// In JSON a colon follows a string only when it is a key.
				if i = s.space(end); i >= len(b) || b[i] != ':' {
					continue
				}
				next.value = b[s.space(i+1):]
			default:
				i++
				continue
			}
			if !yield(next) {
				return
			}
		}
	}
}

// Texts goes over the texts of all strings in a value, at any depth, keys among them, as encoding/json
// reads them. It is for values of a frame that was scanned.
func Texts(raw []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := scanner{b: raw}
		for i := 0; i < len(raw); {
			if raw[i] != '"' {
				i++
				continue
			}
			end := s.text(i + 1)
			if end < 0 {
				return
			}
			if text, _ := decode(raw[i+1 : end-1]); !yield(text) {
				return
			}
			i = end
		}
	}
}
