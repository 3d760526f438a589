// Package jcs writes JSON in its canonical form (RFC 8785), over which cards of agents are signed.
package jcs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf16"
)

// Marshal returns a value of JSON, as encoding/json makes one, in its canonical form. Numbers are doubles.
func Marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	if err := write(&out, value); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func write(out *bytes.Buffer, value any) error {
	switch value := value.(type) {
	case map[string]any:
		names := slices.SortedFunc(maps.Keys(value), func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		out.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				out.WriteByte(',')
			}
			writeText(out, name)
			out.WriteByte(':')
			if err := write(out, value[name]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := write(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case string:
		writeText(out, value)
	default: // encoding/json writes numbers as ECMAScript does
		encoded, err := json.Marshal(value)
		if err != nil {
			return err
		}
		out.Write(encoded)
	}
	return nil
}

// writeText writes a text with no more escapes than there must be.
func writeText(out *bytes.Buffer, text string) {
	short := map[rune]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
	out.WriteByte('"')
	for _, r := range text {
		switch escape, ok := short[r]; {
		case ok:
			out.WriteByte('\\')
			out.WriteByte(escape)
		case r < 0x20:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}
