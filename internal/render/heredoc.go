package render

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isQuotedMarker reports whether any part of a here-document's marker is quoted. Then bash takes the text
// as it is.
func isQuotedMarker(w *syntax.Word) bool {
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

func unescapeHeredoc(s string) string { return heredocUnescaper.Replace(s) }

// unquoteHeredoc makes the edits that turn <<'EOF' into <<MARKER, with everything in the fixed text escaped
// that an unquoted here-document would expand. Only so can a reference stand in it. The marker is new, so
// that no line of the text can be it, and a value never is: bash looks for the marker in the script, not in
// what comes out of ${…}.
func (a *analysis) unquoteHeredoc(r *syntax.Redirect) []edit {
	marker := "A2A_END"
	for strings.Contains(a.text, marker) {
		marker += "_"
	}
	from, end := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	last := from + strings.LastIndexByte(a.text[from:end], '\n') + 1 // the line of the marker
	for r.Op == syntax.DashHdoc && last < end && a.text[last] == '\t' {
		last++
	}
	edits := []edit{
		{from: int(r.Word.Pos().Offset()), to: int(r.Word.End().Offset()), text: marker},
		{from: last, to: end, text: marker},
	}
	for at := from; at < last; {
		before, p, _, ok := a.cut(a.text[at:last])
		if before != "" {
			edits = append(edits, edit{from: at, to: at + len(before), text: heredocEscaper.Replace(before)})
		}
		if !ok {
			break
		}
		at = p.at + len(a.placeholder(p.number))
	}
	return edits
}
