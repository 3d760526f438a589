package toolyaml

import (
	"strings"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// LongestText is how long a text of a stranger may be that others read, in bytes.
const LongestText = 400

// Escapes are the sequences by which terminals are told things (ECMA-48).
var Escapes = lazyregexp.New("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// Clean returns what a stranger says as others may read it: one paragraph, nothing that is not seen, and no longer than
// LongestText.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	s = Escapes.ReplaceAllString(display.Cut(s, min(len(s), 20*LongestText)), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r > ' ' && r < unicode.MaxASCII: // most texts have no others
			return r
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || unicode.IsControl(r) || display.Hidden(r) || display.Reorders(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= LongestText {
		return s
	}
	const more = " …"
	s = display.Cut(s, LongestText-len(more))
	if i := strings.LastIndexByte(s, ' '); i > LongestText/2 {
		s = s[:i]
	}
	return s + more
}

// isClean reports whether a text is plain, and comes out of Clean as it is.
func isClean(s string) bool {
	for i := range len(s) {
		isBlank := s[i] == ' ' && i > 0 && i < len(s)-1 && s[i-1] != ' '
		if !isBlank && (s[i] <= ' ' || s[i] >= unicode.MaxASCII) {
			return false
		}
	}
	return len(s) <= LongestText
}
