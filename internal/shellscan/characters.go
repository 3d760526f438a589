package shellscan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// characters looks for what makes a text look other than it is, or what bash and a person read differently:
// bytes that are no UTF-8, control characters, characters that change the direction of text, and invisible
// ones (CVE-2021-42574).
func (s *scan) characters(source string, line int) {
	if strings.IndexFunc(source, suspicious) < 0 {
		return
	}
	seen := map[rune]bool{}
	for i, r := range source {
		switch {
		case r == '\n':
			line++
		case seen[r] || !suspicious(r):
		case r != utf8.RuneError:
			seen[r] = true
			s.problem(line, fmt.Sprintf("it holds the character U+%04X, which nobody sees", r))
		case invalidAt(source, i):
			seen[r] = true
			s.problem(line, "it holds bytes that are no text (UTF-8)")
		}
	}
}

// plain reports whether a text holds nothing that characters would name.
func plain(s string) bool {
	for i, r := range s {
		if suspicious(r) && (r != utf8.RuneError || invalidAt(s, i)) {
			return false
		}
	}
	return true
}

// suspicious reports whether a character cannot be seen for what it is. U+FFFD is among them because
// invalid bytes are read as it.
func suspicious(r rune) bool {
	switch {
	case r == ' ', r == '\t', r == '\n', r > ' ' && r < 0x7f:
		return false
	case r == utf8.RuneError:
		return true
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == '\u2800': // some are letters, and blank
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Zs, unicode.Co,
		unicode.Variation_Selector) ||
		!unicode.IsPrint(r) && !unicode.IsMark(r)
}

// invalidAt reports whether the byte at i begins no character, as opposed to a U+FFFD that was written.
func invalidAt(s string, i int) bool {
	_, size := utf8.DecodeRuneInString(s[i:])
	return size == 1
}
