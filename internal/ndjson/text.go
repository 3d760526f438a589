package ndjson

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// String decodes a JSON string exactly. It is an error when raw is anything else, and when the string holds
// what readers read differently: bytes that are not UTF-8, half a surrogate pair, a control character that
// is not escaped.
func String(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", errors.New("not a JSON string")
	}
	return unquote(raw[1 : len(raw)-1])
}

// unquote decodes the content of a string.
func unquote(content []byte) (string, error) {
	var text strings.Builder
	for i := 0; i < len(content); {
		end, _ := plain(content, i)
		if run := content[i:end]; !utf8.Valid(run) {
			return "", holds(notUTF8)
		}
		if i == 0 {
			if end == len(content) {
				return string(content), nil
			}
			text.Grow(len(content))
		}
		text.Write(content[i:end])
		i = end
		if i == len(content) {
			break
		}
		if content[i] == '"' {
			return "", errors.New("not one JSON string")
		}
		r, size, doubt := character(content[i:])
		if doubt != certain && doubt != nul {
			return "", holds(doubt)
		}
		text.WriteRune(r)
		i += size
	}
	return text.String(), nil
}

// AppendString appends s as a JSON string. Unlike encoding/json it does not escape <, > and &, since nobody
// reads a frame as HTML. It does escape the other characters at which some readers split lines (U+0085,
// U+2028, U+2029). What is not UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// EqualFold reports whether two keys are the same to a reader that folds case as encoding/json does: under
// Unicode simple case folding, by which the Kelvin sign is a k and the long s an s.
func EqualFold(a, b string) bool { return strings.EqualFold(a, b) }
