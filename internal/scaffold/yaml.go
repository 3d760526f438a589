package scaffold

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// mapping makes a mapping of keys and nodes, or texts, in their order.
func mapping(pairs ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		add(m, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return m
}

func add(m *yaml.Node, key string, value *yaml.Node) {
	m.Content = append(m.Content, text(key), value)
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: items}
}

// text is a scalar that is a text, whatever it looks like.
func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// plain is a number or a truth value.
func plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// literal is a text of lines, behind |.
func literal(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: s}
}

// quoted returns a text as a scalar of one line.
func quoted(s string) string { return fmt.Sprintf("%q", s) }

// indent moves every line that holds something to the right.
func indent(data []byte, by int) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 {
			out.WriteString(strings.Repeat(" ", by))
		}
		out.Write(line)
	}
	return out.Bytes()
}
