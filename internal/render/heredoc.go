package render

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"mvdan.cc/sh/v3/syntax"
)

// unquoteHeredoc makes the edits that turn <<'EOF' into <<MARKER, with everything in the fixed text escaped
// that an unquoted here-document would expand. Only so can a reference stand in it. The marker is new, so
// that no line of the text can be it, and a value never is: bash looks for the marker in the script, not in
// what comes out of ${…}.
func (s *skeleton) unquoteHeredoc(r *syntax.Redirect) []edit {
	text := s.Text()
	marker := "A2A_END"
	for strings.Contains(text, marker) {
		marker += "_"
	}
	from, end := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	last := from + strings.LastIndexByte(text[from:end], '\n') + 1 // the line of the marker
	for r.Op == syntax.DashHdoc && last < end && text[last] == '\t' {
		last++
	}
	edits := []edit{
		{from: int(r.Word.Pos().Offset()), to: int(r.Word.End().Offset()), text: marker},
		{from: last, to: end, text: marker},
	}
	for at := from; at < last; {
		before, p, _, ok := s.Cut(text[at:last])
		if before != "" {
			edits = append(edits, edit{from: at, to: at + len(before), text: bashsyntax.EscapeHeredoc(before)})
		}
		if !ok {
			break
		}
		at = p.To
	}
	return edits
}
