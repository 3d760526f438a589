package request

import (
	"encoding/json"
	"slices"
	"strings"
)

// shaped is a value whose shape may depend on values.
type shaped struct {
	tree   node
	shapes []shapeNode // in place of tree; nil for none
	decide []decision  // which of them it is
}

// shapeNode is a Shape that is ready to be filled in.
type shapeNode struct {
	holds []bool
	tree  node
}

// decision is a Condition that is ready to be asked.
type decision struct {
	path    []string
	defined bool
}

func (c *compiler) parseShaped(at string, tree Tree, conditions []Condition, shapes []Shape) shaped {
	if len(shapes) == 0 {
		return shaped{tree: c.parseNode(at, tree)}
	}
	s := shaped{shapes: []shapeNode{}}
	for _, condition := range conditions {
		e := &expression{source: "{{" + condition.Name + "}}", path: strings.Split(condition.Name, ".")}
		c.bind(at, e)
		s.decide = append(s.decide, decision{e.path, condition.Defined})
	}
	for _, shape := range shapes {
		s.shapes = append(s.shapes, shapeNode{shape.Holds, c.parseNode(at, shape.JSON)})
	}
	return s
}

// choose returns the shape that a value has with these values; nil for none.
func (v *values) choose(s *shaped) *node {
	if s.shapes == nil {
		return &s.tree
	}
	holds := make([]bool, len(s.decide))
	for i, d := range s.decide {
		value, given := lookup(v.names, d.path)
		holds[i] = given && (d.defined || isTrue(value))
	}
	for i := range s.shapes {
		if slices.Equal(s.shapes[i].holds, holds) {
			return &s.shapes[i].tree
		}
	}
	return nil
}

// isTrue reports whether a value is true as Jinja has it: neither false, zero, empty nor nothing.
func isTrue(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
