package yamldoc

import (
	"bytes"
	"slices"
)

// InsertLines puts lines into a text in front of one that begins at an offset, or at its end. A line in front that has no end is
// given one, an empty line is put between the lines and a text behind them, and they end as those of the text do.
func InsertLines(data []byte, at int, lines []byte) []byte {
	head, tail := data[:at], data[at:]
	if len(head) > 0 && head[len(head)-1] != '\n' {
		lines = slices.Concat([]byte("\n"), lines)
	}
	if len(tail) > 0 && tail[0] != '\n' && tail[0] != '\r' {
		lines = slices.Concat(lines, []byte("\n"))
	}
	if bytes.Contains(data, []byte("\r\n")) {
		lines = bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n"))
	}
	return slices.Concat(head, lines, tail)
}

// BeforeLine returns the offset of a line, counted from 1, without the comments and empty lines in front of it that belong to it;
// the end of the text for line 0.
func BeforeLine(data []byte, line int) int {
	if line == 0 {
		return len(data)
	}
	var starts []int
	offset := 0
	for l := range bytes.Lines(data) {
		starts = append(starts, offset)
		offset += len(l)
	}
	at := line - 1
	for at > 0 {
		above := data[starts[at-1]:starts[at]]
		if trimmed := bytes.TrimSpace(above); len(trimmed) > 0 && above[0] != '#' {
			break
		}
		at--
	}
	return starts[at]
}
