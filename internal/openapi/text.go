package openapi

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// clean returns a text of the document as others may read it: see toolyaml.Clean. Nothing in it begins or ends a tag of
// a template.
func clean(s string) string {
	s = toolyaml.Clean(s)
	if !strings.ContainsAny(s, "{}") {
		return s
	}
	var b strings.Builder
	var last rune
	for _, r := range s {
		if last == '{' && strings.ContainsRune("{%#", r) || r == '}' && strings.ContainsRune("}%#", last) {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// isClean reports whether a text that is sent as it stands, and so cannot be cleaned, is what it looks like.
func isClean(s string) bool { return clean(s) == s && s != "" }

// quote shows a text of the document in a message.
func quote(s string) string { return yamldoc.Quote(clean(s)) }

// cleaned is clean of a text that the document says more than once.
func (d *document) cleaned(s string) string {
	text, known := d.texts[s]
	if !known {
		text = clean(s)
		d.texts[s] = text
	}
	return text
}
