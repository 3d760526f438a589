package config

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// place gives the place in the file of a place within the text v: exact where the text is a literal block (|), whose lines
// are lines of the file, and where it stands on one line as it is; the place of the text itself elsewhere, since folding and
// quoting move and change what stands there. Lines and columns count from 1, columns in characters.
func (v value) place(line, column int) (fileLine, fileColumn int) {
	if v.node.Style&yaml.LiteralStyle == 0 {
		return v.node.Line, v.node.Column + v.onLine(column)
	}
	first, ok := v.firstLine()
	if !ok {
		return v.node.Line, v.node.Column
	}
	text := strings.Split(v.node.Value, "\n")
	line = min(max(line, 1), len(text))
	fileLine = first + line - 1
	indent, ok := v.indent(first, text, line)
	if !ok {
		return v.node.Line, v.node.Column
	}
	return fileLine, indent + max(column, 1)
}

// onLine gives how many characters after the beginning of a text of one line a column of it stands; 0 where the line does not
// show the text as it is.
func (v value) onLine(column int) int {
	if v.node.Line > len(v.doc.lines) || column < 1 {
		return 0
	}
	rest := afterColumn(v.doc.lines[v.node.Line-1], v.node.Column)
	quote := 0
	if v.node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && rest != "" {
		quote, rest = 1, rest[1:]
	}
	if !strings.HasPrefix(rest, v.node.Value) {
		return 0
	}
	return quote + column - 1
}

// firstLine finds the line after the block's header. The node's place is that of the header, or of an anchor that may
// stand on a line before it.
func (v value) firstLine() (int, bool) {
	column := v.node.Column
	for line := v.node.Line; line <= len(v.doc.lines); line++ {
		rest := afterColumn(v.doc.lines[line-1], column)
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

// indent gives the number of characters that the block's lines are indented by. A line of the file that does not end in
// the line of the text tells that the block was not found.
func (v value) indent(first int, text []string, line int) (int, bool) {
	indent := -1
	for i, want := range text {
		if first+i > len(v.doc.lines) {
			break
		}
		have := v.doc.lines[first+i-1]
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

// afterColumn gives what stands in a line from a column on.
func afterColumn(line string, column int) string {
	for ; column > 1 && line != ""; column-- {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}

// tagEnd gives the column after a tag that stands at a place of the file; 0 where it does not stand there.
func (v value) tagEnd(line, column int, tag string) int {
	if tag == "" || line < 1 || line > len(v.doc.lines) || !strings.HasPrefix(afterColumn(v.doc.lines[line-1], column), tag) {
		return 0
	}
	return column + utf8.RuneCountInString(tag)
}
