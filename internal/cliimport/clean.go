package cliimport

import (
	"strings"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// longestText is how long a text of a program may be that others read, in bytes.
const longestText = 400

// escapes are the sequences by which terminals are told things (ECMA-48).
var escapes = lazyregexp.New("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// clean returns what a program says as others may read it: one paragraph, nothing that is not seen, and no longer than
// longestText.
func clean(s string) string {
	s = escapes.ReplaceAllString(display.Cut(s, min(len(s), 20*longestText)), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || unicode.IsControl(r) || display.Hidden(r) || display.Reorders(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= longestText {
		return s
	}
	const more = " …"
	s = display.Cut(s, longestText-len(more))
	if i := strings.LastIndexByte(s, ' '); i > longestText/2 {
		s = s[:i]
	}
	return s + more
}
