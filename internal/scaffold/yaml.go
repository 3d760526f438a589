package scaffold

import "gopkg.in/yaml.v3"

// literal is a text of lines, behind |.
func literal(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: s}
}
