package bashsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// IsQuotedMarker reports whether any part of a here-document's marker is quoted. Then bash takes the text
// as it is.
func IsQuotedMarker(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if l, ok := part.(*syntax.Lit); !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

var (
	heredocEscaper   = strings.NewReplacer(`\`, `\\`, `$`, `\$`, "`", "\\`")
	heredocUnescaper = strings.NewReplacer(`\\`, `\`, `\$`, `$`, "\\`", "`", "\\\n", "")
)

// EscapeHeredoc returns a text as it stands in a here-document whose marker is not quoted.
func EscapeHeredoc(text string) string { return heredocEscaper.Replace(text) }

// UnescapeHeredoc returns what bash makes of a text without expansions in a here-document whose marker is
// not quoted.
func UnescapeHeredoc(text string) string { return heredocUnescaper.Replace(text) }
