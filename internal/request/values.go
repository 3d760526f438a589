package request

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// values are what tags are filled in with, for one call.
type values struct {
	names map[string]any
	seed  string // names the call: the same seed gives the same uuid() and boundaries
	drawn int    // how many uuid() were given
}

// of returns the value of an expression. given is false where there is none; a null is given, and nil.
func (v *values) of(e *expression) (value any, given bool) {
	if e.path == nil {
		return v.uuid(), true
	}
	value, given = lookup(v.names, e.path)
	if !given && e.fallback != nil {
		if e.fallback.uuid {
			return v.uuid(), true
		}
		return e.fallback.value, true
	}
	return value, given
}

func lookup(names map[string]any, path []string) (any, bool) {
	value, ok := names[path[0]]
	for _, field := range path[1:] {
		if !ok {
			return nil, false
		}
		object, isObject := value.(map[string]any)
		if !isObject {
			return nil, false
		}
		value, ok = object[field]
	}
	return value, ok
}

// uuid returns the next UUID of the call (RFC 9562, version 8: made of a hash).
func (v *values) uuid() string {
	v.drawn++
	sum := derive(v.seed, "uuid", v.drawn)
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// derive returns bytes that are the same for the same seed.
func derive(seed, what string, n int) [sha256.Size]byte {
	h := sha256.New()
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(n))
	fmt.Fprintf(h, "a2a-acp request %s\x00%s\x00", what, seed)
	h.Write(number[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// textOf writes a value as a text: a number as it was given. It is false for lists and objects, which have no one
// way to be written.
func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// text fills a text in. given is false where one of its tags has no value: what would be half a text is left out.
func (v *values) text(pieces []piece) (text string, given bool, failure error) {
	if len(pieces) == 1 && pieces[0].tag == nil {
		return pieces[0].literal, true, nil
	}
	var b strings.Builder
	for _, p := range pieces {
		if p.tag == nil {
			b.WriteString(p.literal)
			continue
		}
		part, ok, err := v.tagText(p.tag)
		if err != nil || !ok {
			return "", false, err
		}
		b.WriteString(part)
	}
	return b.String(), true, nil
}

// tagText is the value of a tag as a text.
func (v *values) tagText(e *expression) (text string, given bool, failure error) {
	value, given := v.of(e)
	if !given || value == nil {
		return "", false, nil
	}
	if e.toJSON {
		return string(appendJSON(nil, value)), true, nil
	}
	text, ok := textOf(value)
	if !ok {
		return "", false, fmt.Errorf("%s: a list or an object has no place in a text", e.source)
	}
	return text, true, nil
}

// appendJSON writes a value as JSON: its members sorted by name, its numbers as they were given.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case json.Number:
		return append(b, v...)
	case string:
		return appendJSONText(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONText(b, name), ':')
			b = appendJSON(b, v[name])
		}
		return append(b, '}')
	}
	return append(b, "null"...) // values are JSON and nothing else
}

// appendJSONText writes a text as JSON. <, > and & stay as they are; what ends a line in JavaScript does not.
func appendJSONText(b []byte, text string) []byte {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		c := text[i]
		plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\'
	}
	if plain {
		b = append(b, '"')
		b = append(b, text...)
		return append(b, '"')
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil { // a text can always be written
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }
