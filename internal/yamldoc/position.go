package yamldoc

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// placeOf returns the place in the file of a place within the text v: exact where the text is a literal block
// (|), whose lines are lines of the file, and where it stands on one line as it is; the place of the text
// itself elsewhere, since folding and quoting move and change what stands there. Lines and columns count from
// 1, columns in characters.
func (v Value) placeOf(line, column int) (fileLine, fileColumn int) {
	if v.Node.Style&yaml.LiteralStyle == 0 {
		return v.Node.Line, v.Node.Column + v.onLine(column)
	}
	first, ok := v.firstLine()
	if !ok {
		return v.Node.Line, v.Node.Column
	}
	text := strings.Split(v.Node.Value, "\n")
	line = min(max(line, 1), len(text))
	fileLine = first + line - 1
	indent, ok := v.indent(first, text, line)
	if !ok {
		return v.Node.Line, v.Node.Column
	}
	return fileLine, indent + max(column, 1)
}

// onLine returns how many characters after the beginning of a text of one line a column of it stands; 0 where
// the line does not show the text as it is.
func (v Value) onLine(column int) int {
	if v.Node.Line > len(v.Doc.lines) || column < 1 {
		return 0
	}
	rest := afterColumn(v.Doc.lines[v.Node.Line-1], v.Node.Column)
	quote := 0
	if v.Node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && rest != "" {
		quote, rest = 1, rest[1:]
	}
	if !strings.HasPrefix(rest, v.Node.Value) {
		return 0
	}
	return quote + column - 1
}

// firstLine finds the line after the block's header. The node's place is that of the header, or of an anchor
// that may stand on a line before it.
func (v Value) firstLine() (int, bool) {
	column := v.Node.Column
	for line := v.Node.Line; line <= len(v.Doc.lines); line++ {
		rest := afterColumn(v.Doc.lines[line-1], column)
		column = 1
		if comment := strings.Index(rest, " #"); comment >= 0 {
			rest = rest[:comment]
		}
		if strings.Contains(rest, "|") {
			return line + 1, true
		}
	}
	return 0, false
}

// indent returns the number of characters that the block's lines are indented by. A line of the file that
// does not end in the line of the text tells that the block was not found.
func (v Value) indent(first int, text []string, line int) (int, bool) {
	indent := -1
	for i, want := range text {
		if first+i > len(v.Doc.lines) {
			break
		}
		have := v.Doc.lines[first+i-1]
		if want == "" {
			continue
		}
		if !strings.HasSuffix(have, want) {
			return 0, false
		}
		indent = utf8.RuneCountInString(strings.TrimSuffix(have, want))
		if i >= line-1 {
			break
		}
	}
	return max(indent, 0), indent >= 0
}

// afterColumn returns what stands in a line from a column on.
func afterColumn(line string, column int) string {
	for ; column > 1 && line != ""; column-- {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}

// ReportAt reports what is wrong at a place within the text v, which e has as its place. What is meant ends
// after tag, where that stands there; "" for no more than the place.
func (v Value) ReportAt(e Error, tag string) {
	e.Line, e.Column = v.placeOf(e.Line, e.Column)
	if v.Doc.broken[e.Line] || !v.Doc.isNew(e.Severity, e.Line, e.Column, e.Rule, e.Message) {
		return
	}
	e.EndColumn = v.tagEnd(e.Line, e.Column, tag)
	e.Message = v.message("%s", e.Message)
	v.Doc.add(e)
}

// tagEnd returns the column after a tag that stands at a place of the file; 0 where it does not stand there.
func (v Value) tagEnd(line, column int, tag string) int {
	if tag == "" || line < 1 || line > len(v.Doc.lines) ||
		!strings.HasPrefix(afterColumn(v.Doc.lines[line-1], column), tag) {
		return 0
	}
	return column + utf8.RuneCountInString(tag)
}
