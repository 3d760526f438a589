package toolyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Mapping is a mapping of pairs: a key, and its node.
func Mapping(pairs ...any) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		Add(node, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return node
}

// Add adds a key to a mapping.
func Add(node *yaml.Node, key string, value *yaml.Node) {
	node.Content = append(node.Content, Text(key), value)
}

// Flow has a mapping stand on one line.
func Flow(node *yaml.Node) *yaml.Node {
	node.Style = yaml.FlowStyle
	return node
}

// Text is a text, quoted where it could be anything else.
func Text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// Plain is a number or a truth value.
func Plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// Texts is a list of texts on one line.
func Texts(list []string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range list {
		node.Content = append(node.Content, Text(s))
	}
	return node
}

// Value is a JSON value.
func Value(v any) *yaml.Node {
	switch v := v.(type) {
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range v {
			node.Content = append(node.Content, Value(item))
		}
		return node
	case string:
		return Text(v)
	case json.Number:
		return Plain(string(v))
	}
	return Plain(fmt.Sprint(v))
}

// Encode writes a node.
func Encode(node *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(node), encoder.Close())
	return out.Bytes(), err
}

// Indent moves every line that holds something to the right.
func Indent(text []byte, columns int) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			out.WriteString(strings.Repeat(" ", columns))
		}
		out.Write(line)
	}
	return out.Bytes()
}
