package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// Insert puts an entry at the end of a tools file and gives the file's new content: every byte of the old
// one is in it, in order. The error says why the entry cannot be put there: the file is broken, has a tool
// of that name, or is written so that only a person can say where the entry goes.
func Insert(file config.File, e Entry) ([]byte, error) {
	old := file.Data
	if len(old) > 0 && old[len(old)-1] != '\n' {
		file.Data = append(bytes.Clone(old), '\n') // what stands last may end in a newline now
	}
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, err
	}
	file.Data = old
	for _, loaded := range before {
		if loaded.Tool.ID == e.ID {
			return nil, fmt.Errorf("%s: there is a tool %q already", loaded.Tool.Source, e.ID)
		}
	}
	at, column, err := place(file.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	text := toolyaml.Indent(e.YAML, column)
	if len(before) > 0 {
		text = append([]byte("\n"), text...)
	}
	head, tail := file.Data[:at], file.Data[at:]
	if len(head) > 0 && head[len(head)-1] != '\n' {
		text = append([]byte("\n"), text...)
	}
	if len(tail) > 0 {
		text = append(text, '\n')
	}
	if bytes.Contains(file.Data, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	made := bytes.Join([][]byte{head, text, tail}, nil)
	file.Data = made
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, fmt.Errorf("%s: the entry cannot be put at its end: %w", file.Name, err)
	}
	if err := keeps(before, after, e.ID); err != nil {
		return nil, fmt.Errorf("%s: the entry cannot be put at its end: %w", file.Name, err)
	}
	return made, nil
}

// keeps makes sure that the file says of every other tool what it said before.
func keeps(before, after []config.Loaded, id string) error {
	if len(after) != len(before)+1 {
		return errors.New("the file would have other tools")
	}
	for i := range before {
		old, now := before[i].Tool, after[i].Tool
		old.Source = now.Source // lines may move
		for j := range old.Examples {
			if j < len(now.Examples) {
				now.Examples[j].Line = old.Examples[j].Line
			}
		}
		if !reflect.DeepEqual(old, now) {
			return fmt.Errorf("the tool %q would be another", old.ID)
		}
	}
	if after[len(before)].Tool.ID != id {
		return fmt.Errorf("the tool %q would not be there", id)
	}
	return nil
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
