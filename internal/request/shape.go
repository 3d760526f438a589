package request

import (
	"encoding/json"
	"slices"
	"strings"
)

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

func (c *compiler) parseShapes(t *bodyTemplate, b *Body) {
	for _, condition := range b.Conditions {
		e := &expression{source: "{{" + condition.Name + "}}", path: strings.Split(condition.Name, ".")}
		c.bind("json", e)
		t.decide = append(t.decide, decision{e.path, condition.Defined})
	}
	t.shapes = []shapeNode{}
	for _, shape := range b.Shapes {
		t.shapes = append(t.shapes, shapeNode{shape.Holds, c.parseNode("json", shape.JSON)})
	}
}

// choose returns the shape that a body has with these values; nil for none.
func (v *values) choose(b *bodyTemplate) *node {
	holds := make([]bool, len(b.decide))
	for i, d := range b.decide {
		value, given := lookup(v.names, d.path)
		holds[i] = given && (d.defined || isTrue(value))
	}
	for i := range b.shapes {
		if slices.Equal(b.shapes[i].holds, holds) {
			return &b.shapes[i].tree
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
