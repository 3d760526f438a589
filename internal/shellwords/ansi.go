package shellwords

import (
	"strings"
	"unicode/utf8"
)

// ansiEscapes are the escapes of one letter in $'…' (bash(1), QUOTING).
const (
	ansiLetters = `abeEfnrtv\'"?`
	ansiMeaning = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
)

// decodeANSI returns the text that bash makes of the inside of $'…'. It says no for a text that holds a NUL
// or an escape whose meaning depends on more than the text.
func decodeANSI(s string) (string, bool) {
	if !strings.Contains(s, `\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case strings.IndexByte(ansiLetters, c) >= 0:
			b.WriteByte(ansiMeaning[strings.IndexByte(ansiLetters, c)])
		case c >= '0' && c <= '7':
			value, n := number(s[i:], 8, 3)
			if value&0xff == 0 {
				return "", false
			}
			b.WriteByte(byte(value))
			i += n - 1
		case c == 'x', c == 'u', c == 'U':
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			value, n := number(s[i+1:], 16, digits)
			if n == 0 || value == 0 || value > utf8.MaxRune {
				return "", false
			}
			if c == 'x' {
				b.WriteByte(byte(value))
			} else {
				b.WriteRune(rune(value))
			}
			i += n
		case c == 'c':
			return "", false
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// number reads up to limit digits from the beginning of s and says how many there were.
func number(s string, base, limit int) (value, n int) {
	for n < len(s) && n < limit {
		var d int
		switch c := s[n]; {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case c >= 'a' && c <= 'f':
			d = int(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = int(c-'A') + 10
		default:
			return value, n
		}
		if d >= base {
			break
		}
		value = value*base + d
		n++
	}
	return value, n
}
