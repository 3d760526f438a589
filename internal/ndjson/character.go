package ndjson

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// doubt is why two readers may make different characters of the same bytes inside a string.
type doubt uint8

const (
	certain       doubt = iota
	notUTF8             // a byte that is no part of a valid encoding
	loneSurrogate       // an escaped half of a UTF-16 pair without the other half
	controlRaw          // a control character that is not escaped, which JSON forbids
	nul                 // U+0000, at which a reader written in C ends the string
	malformed           // an escape that JSON does not have
)

func (d doubt) String() string {
	switch d {
	case notUTF8:
		return "a byte that is not UTF-8"
	case loneSurrogate:
		return "half a surrogate pair"
	case controlRaw:
		return "a control character that is not escaped"
	case nul:
		return "a NUL"
	case malformed:
		return "an escape that JSON does not have"
	}
	return "nothing doubtful"
}

// holds is the error for a string that holds what is doubtful.
func holds(d doubt) error { return fmt.Errorf("a string holds %v", d) }

// character reads the first character of a string's content, which must not be empty. What is doubtful
// reads as U+FFFD, as encoding/json and the Encoding Standard have it, unless the rune is known.
func character(content []byte) (r rune, size int, d doubt) {
	switch c := content[0]; {
	case c == '\\':
		return escaped(content)
	case c < ' ':
		return rune(c), 1, controlRaw
	case c < utf8.RuneSelf:
		return rune(c), 1, certain
	}
	r, size = utf8.DecodeRune(content)
	if r == utf8.RuneError && size == 1 {
		return r, 1, notUTF8
	}
	return r, size, certain
}

// escaped reads the escape at the beginning of b. Both halves of a surrogate pair are one escape.
func escaped(b []byte) (r rune, size int, d doubt) {
	if len(b) < 2 {
		return utf8.RuneError, len(b), malformed
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2, certain
	case 'b':
		return '\b', 2, certain
	case 'f':
		return '\f', 2, certain
	case 'n':
		return '\n', 2, certain
	case 'r':
		return '\r', 2, certain
	case 't':
		return '\t', 2, certain
	case 'u':
		r := hex4(b[2:])
		switch {
		case r < 0:
			return utf8.RuneError, 2, malformed
		case r == 0:
			return 0, 6, nul
		case !utf16.IsSurrogate(r):
			return r, 6, certain
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(b[8:])); pair != utf8.RuneError {
				return pair, 12, certain
			}
		}
		return utf8.RuneError, 6, loneSurrogate
	}
	return utf8.RuneError, 2, malformed
}

// hex4 reads four hexadecimal digits, or gives -1.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// decode reads a string's content as encoding/json does: what is doubtful becomes U+FFFD, or stays what it
// is. It also tells whether every reader makes the same text of it.
func decode(content []byte) (text string, same bool) {
	if allPlain(content) {
		return string(content), true
	}
	same = true
	decoded := make([]byte, 0, len(content))
	for len(content) > 0 {
		r, size, d := character(content)
		same = same && d == certain
		decoded = utf8.AppendRune(decoded, r)
		content = content[size:]
	}
	return string(decoded), same
}

// allPlain reports whether a string's content is printable ASCII without escapes, and so its own text to
// everybody.
func allPlain(content []byte) bool {
	for _, c := range content {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// sameText reports whether raw is a string of which every reader makes the same text.
func sameText(raw []byte) bool {
	if raw[0] != '"' {
		return false
	}
	content := raw[1 : len(raw)-1]
	if allPlain(content) {
		return true // without an allocation: this is every ordinary frame's method
	}
	_, same := decode(content)
	return same
}
