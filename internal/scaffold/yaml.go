package scaffold

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// literal is a text of lines, behind |.
func literal(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: s}
}

// quoted returns a text as a scalar of one line.
func quoted(s string) string { return fmt.Sprintf("%q", s) }
