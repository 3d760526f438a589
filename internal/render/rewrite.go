package render

import (
	"fmt"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/taint"
	"mvdan.cc/sh/v3/syntax"
)

// valuesName is the array that holds the values while a script runs. No script may use the name itself.
const valuesName = "__a2a_p"

// edit replaces a range of the skeleton.
type edit struct {
	from, to int
	text     string
}

// rewrite turns every placeholder into a reference to its value, in the form that is right for the place,
// so that bash expands it once, to one piece of text, and never reads it as anything else.
func (s *skeleton) rewrite() (string, error) {
	var edits []edit
	unquoted := map[*syntax.Redirect]bool{}
	values := 0
	for _, p := range s.slots {
		if p.Quoting == taint.InComment {
			// A newline in the value would end the comment. The name stays, so that a backslash in front of
			// the tag does not come to stand at the end of the line.
			edits = append(edits, edit{from: p.From, to: p.To, text: p.tag.name})
			continue
		}
		p.index = values
		values++
		edits = append(edits, edit{from: p.From, to: p.To, text: referenceTo(p.index, p.Quoting)})
		if p.Quoting == taint.InQuotedHeredoc && !unquoted[p.Heredoc] {
			unquoted[p.Heredoc] = true
			edits = append(edits, s.unquoteHeredoc(p.Heredoc)...)
		}
	}
	return apply(s.Text(), edits)
}

// referenceTo is what a tag becomes where it is quoted so.
func referenceTo(index int, quoting taint.Quoting) string {
	ref := fmt.Sprintf("${%s[%d]}", valuesName, index)
	switch quoting {
	case taint.DoubleQuoted, taint.InHeredoc, taint.InQuotedHeredoc:
		return ref
	case taint.SingleQuoted:
		return `'"` + ref + `"'`
	case taint.DollarQuoted:
		return `'"` + ref + `"$'`
	case taint.InArithmetic:
		return "(" + ref + ")" // 5-(-3), where 5--3 would be something else
	}
	return `"` + ref + `"`
}

func apply(text string, edits []edit) (string, error) {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.from < at || e.to < e.from {
			return "", bug("two edits of the script overlap")
		}
		b.WriteString(text[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// bug is an error that should not happen. Nothing runs after one.
func bug(format string, args ...any) error {
	return fmt.Errorf("internal error, please report it: "+format, args...)
}
