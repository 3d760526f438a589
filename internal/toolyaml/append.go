package toolyaml

import (
	"bytes"
	"errors"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
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
	return yamldoc.InsertLines(data, at, text), nil
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
	return yamldoc.BeforeLine(data, next), column, nil
}
