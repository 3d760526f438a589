package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// node is a Tree that is ready to be filled in.
type node struct {
	object  []nodeMember // not nil for an object
	list    []node       // not nil for a list
	pieces  []piece      // of a text
	literal any          // a json.Number, a bool or nil
	quoted  bool         // a text in any case
	each    *eachNode    // items of the list that it stands in; nil for a value
}

// eachNode is an Each that is ready to be filled in.
type eachNode struct {
	name string
	in   *expression
	item shaped
}

type nodeMember struct {
	name  string
	value node
}

// members is an object whose members have an order.
type members []member

type member struct {
	name  string
	value any
}

// parseNode takes a tree apart.
func (c *compiler) parseNode(at string, t Tree) node {
	switch {
	case t.Each != nil:
		return c.parseEach(at, t.Each)
	case t.Object != nil:
		n := node{object: []nodeMember{}}
		for _, m := range t.Object {
			if len(literalOnly(m.Name)) != len(m.Name) {
				c.fail(at, m.Name, "the name of a member is fixed", "the agent chooses values; write the members that there may "+
					"be, and those without a value are left out")
				continue
			}
			n.object = append(n.object, nodeMember{m.Name, c.parseNode(at+"."+m.Name, m.Value)})
		}
		return n
	case t.List != nil:
		n := node{list: []node{}}
		for i, each := range t.List {
			n.list = append(n.list, c.parseNode(fmt.Sprintf("%s[%d]", at, i), each))
		}
		return n
	}
	text, ok := t.Scalar.(string)
	if !ok {
		return node{literal: t.Scalar}
	}
	pieces := c.parseTags(at, text)
	if len(pieces) == 0 {
		pieces = []piece{{}}
	}
	if onlyTag(pieces) == nil || t.Quoted {
		c.wantTexts(at, pieces)
	}
	return node{pieces: pieces, quoted: t.Quoted}
}

// parseEach takes apart what stands for each item of a value. Of the items nothing is known.
func (c *compiler) parseEach(at string, each *Each) node {
	in := &expression{source: "{{" + each.In + "}}", path: strings.Split(each.In, ".")}
	c.bind(at, in)
	if p := in.param; p != nil && p.Type != tool.TypeArray {
		c.fail(at, in.source, "the value is no list", "declare it with type: array")
	}
	if c.free == nil {
		c.free = map[string]bool{}
	}
	bound := c.free[each.Name]
	c.free[each.Name] = true
	n := node{each: &eachNode{name: each.Name, in: in, item: c.parseShaped(at, each.Item, each.Conditions, each.Shapes)}}
	c.free[each.Name] = bound
	return n
}

// fill returns the value that a node stands for. given is false where it has none: what holds it is without it then.
func (v *values) fill(n *node) (value any, given bool, failure error) {
	switch {
	case n.object != nil:
		filled := members{}
		for i := range n.object {
			m := &n.object[i]
			value, given, err := v.fill(&m.value)
			if err != nil {
				return nil, false, err
			}
			if given {
				filled = append(filled, member{m.name, value})
			}
		}
		return filled, true, nil
	case n.list != nil:
		filled := []any{}
		for i := range n.list {
			if each := n.list[i].each; each != nil {
				items, err := v.fillEach(each)
				if err != nil {
					return nil, false, err
				}
				filled = append(filled, items...)
				continue
			}
			value, given, err := v.fill(&n.list[i])
			if err != nil {
				return nil, false, err
			}
			if given {
				filled = append(filled, value)
			}
		}
		return filled, true, nil
	case n.pieces == nil:
		return n.literal, true, nil
	}
	if e := onlyTag(n.pieces); e != nil && !n.quoted {
		value, given := v.of(e)
		if !given {
			return nil, false, nil
		}
		return value, true, nil
	}
	return asAny(v.text(n.pieces))
}

// fillEach returns the items that stand for those of a value; none where it has no value.
func (v *values) fillEach(each *eachNode) ([]any, error) {
	list, _ := lookup(v.names, each.in.path)
	items, ok := list.([]any)
	if !ok && list != nil {
		return nil, fmt.Errorf("%s: the value is no list", each.in.source)
	}
	outer := v.names
	defer func() { v.names = outer }()
	var filled []any
	for _, item := range items {
		v.names = maps.Clone(outer)
		v.names[each.name] = item
		shape := v.choose(&each.item)
		if shape == nil {
			return nil, fmt.Errorf("%s: the template has no shape for an item", each.in.source)
		}
		value, given, err := v.fill(shape)
		if err != nil {
			return nil, err
		}
		if given {
			filled = append(filled, value)
		}
	}
	return filled, nil
}

func asAny(text string, given bool, err error) (any, bool, error) { return text, given, err }

// appendTree writes a filled node as JSON.
func appendTree(b []byte, value any) []byte {
	switch v := value.(type) {
	case members:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONText(b, m.name), ':')
			b = appendTree(b, m.value)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTree(b, item)
		}
		return append(b, ']')
	}
	return appendJSON(b, value)
}

// plainTree returns a filled node as Go's JSON types, for rules.
func plainTree(value any) any {
	switch v := value.(type) {
	case members:
		object := make(map[string]any, len(v))
		for _, m := range v {
			object[m.name] = plainTree(m.value)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plainTree(item)
		}
		return list
	}
	return value
}

// sameJSON reports whether a value that was read back is the one that was written. Numbers are compared as they are
// written: no reader rounded them.
func sameJSON(want, got any) bool {
	switch want := want.(type) {
	case members:
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return false
		}
		for _, m := range want {
			value, ok := object[m.name]
			if !ok || !sameJSON(m.value, value) {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return false
		}
		for name, value := range want {
			other, ok := object[name]
			if !ok || !sameJSON(value, other) {
				return false
			}
		}
		return true
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !sameJSON(want[i], list[i]) {
				return false
			}
		}
		return true
	case json.Number:
		number, ok := got.(json.Number)
		return ok && number == want
	}
	return want == got
}
