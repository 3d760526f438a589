package toolyaml

import (
	"bytes"
	"errors"

	"gopkg.in/yaml.v3"
)

// Append puts an entry behind the last tool of a tools file, with an empty line in front of it if it stands apart. Every byte of
// the file is in the new one, in order. It is an error where only a person can say where the entry goes.
func Append(data, entry []byte, apart bool) ([]byte, error) {
	at, column, err := place(data)
	if err != nil {
		return nil, err
	}
	text := Indent(entry, column)
	if apart {
		text = append([]byte("\n"), text...)
	}
	head, tail := data[:at], data[at:]
	if len(head) > 0 && head[len(head)-1] != '\n' {
		text = append([]byte("\n"), text...)
	}
	if len(tail) > 0 && tail[0] != '\n' && tail[0] != '\r' {
		text = append(text, '\n')
	}
	if bytes.Contains(data, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return bytes.Join([][]byte{head, text, tail}, nil), nil
}

// errByHand is for files whose form leaves no line to put an entry on.
var errByHand = errors.New("its tools are not written one below the other; put the entry there yourself")

// place finds where an entry goes: the offset of a line, behind the last tool, and the column that the ids
// stand in.
func place(data []byte) (offset, column int, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return 0, 0, err
	}
	if len(document.Content) == 0 || document.Content[0].Kind == yaml.ScalarNode { // nothing but comments
		return 0, 0, errByHand
	}
	root := document.Content[0]
	if bytes.HasPrefix(data, []byte("...")) || bytes.Contains(data, []byte("\n...")) ||
		root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return 0, 0, errByHand
	}
	tools, next := root, 0
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "tools" {
			continue
		}
		tools = root.Content[i+1]
		if i+2 < len(root.Content) {
			next = root.Content[i+2].Line
		}
	}
	empty := tools.Kind == yaml.ScalarNode && tools.Value == ""
	if tools.Kind != yaml.MappingNode && !empty || tools.Style&yaml.FlowStyle != 0 || tools.Anchor != "" {
		return 0, 0, errByHand
	}
	column = root.Column - 1 + 2
	if len(tools.Content) > 0 {
		column = tools.Content[0].Column - 1
	}
	return before(data, next), column, nil
}

// before returns the offset of a line, without the comments and empty lines in front of it that belong to
// it; the end of the file for line 0.
func before(data []byte, line int) int {
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
