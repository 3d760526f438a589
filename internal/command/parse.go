package command

import (
	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// parse reads a file that a person wrote, in all of YAML.
func parse(text string) (plainyaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return plainyaml.Node{}, err
	}
	if len(document.Content) == 0 {
		return plainyaml.Node{Line: 1, Column: 1}, nil
	}
	n, err := node(document.Content[0])
	n.Line, n.Column = document.Content[0].Line, document.Content[0].Column
	return n, err
}

// node makes a node of the library's.
func node(from *yaml.Node) (plainyaml.Node, error) {
	n := plainyaml.Node{Line: from.Line, Column: from.Column, List: from.Kind == yaml.SequenceNode}
	switch from.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(from.Content); i += 2 {
			key := from.Content[i]
			child, err := node(from.Content[i+1])
			if err != nil {
				return n, err
			}
			child.Key, child.Line, child.Column = key.Value, key.Line, key.Column
			n.Nodes = append(n.Nodes, child)
		}
	case yaml.SequenceNode:
		for _, item := range from.Content {
			child, err := node(item)
			if err != nil {
				return n, err
			}
			n.Nodes = append(n.Nodes, child)
		}
	case yaml.ScalarNode:
		if n.Text = from.Value; from.Tag == "!!null" {
			n.Text = ""
		}
	default:
		return n, Mistake{from.Line, from.Column, "an alias cannot stand here; write it out"}
	}
	return n, nil
}
