package render

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// declarations are the parameters of a tool by name, and those that its script implies.
type declarations struct {
	byName  map[string]*tool.Parameter
	implied []tool.Parameter
}

func declare(parameters []tool.Parameter) *declarations {
	d := &declarations{byName: make(map[string]*tool.Parameter, len(parameters))}
	for i := range parameters {
		d.byName[parameters[i].Name] = &parameters[i]
	}
	return d
}

// The names that a section binds for its body, beside the fields of an object: an entry's key and value also
// as NAME_key and NAME_value, a list's item and its number as NAME_item and NAME_index.
const (
	entryKey   = "key"
	entryValue = "value"
)

func isEntryName(name, section string) bool {
	switch name {
	case entryKey, entryValue, section + "_key", section + "_value":
		return true
	}
	return false
}

// markEntries finds the sections that run once for each entry of an object: those whose body speaks of key
// or value outside a further section that does so itself.
func markEntries(nodes []node, d *declarations) {
	for _, n := range nodes {
		if s, ok := n.(*section); ok {
			markEntries(s.body, d)
			p := d.byName[s.path[0]]
			s.entries = !s.inverted && (p == nil || p.Type == tool.TypeObject) && speaksOfEntries(s.body, s.name, d)
		}
	}
}

func speaksOfEntries(nodes []node, name string, d *declarations) bool {
	for _, n := range nodes {
		switch n := n.(type) {
		case *tag:
			if isEntryName(n.path[0], name) && d.byName[n.path[0]] == nil {
				return true
			}
		case *section:
			if !n.entries && speaksOfEntries(n.body, name, d) {
				return true
			}
		}
	}
	return false
}

// bind finds out what the name of a tag or section means, seen from within some sections. It gives no name
// back when something binds it; else the name of the parameter that nobody declared.
func (d *declarations) bind(path []string, within []*section) (r argument.Domain, undeclared string) {
	name := path[0]
	fields := false
	for i := len(within) - 1; i >= 0; i-- {
		s := within[i]
		if s.inverted {
			continue
		}
		item, isList := d.item(s)
		switch {
		case name == ".":
			return argument.DomainOf(item), ""
		case s.entries && isEntryName(name, s.name):
			return argument.Domain{}, ""
		case isList && len(path) == 1 && name == s.name+"_item":
			return argument.DomainOf(item), ""
		case isList && len(path) == 1 && name == s.name+"_index":
			return argument.Domain{Class: argument.Numeric}, ""
		}
		fields = fields || d.hasFields(s)
	}
	if name == "." {
		return argument.Domain{}, "."
	}
	p := d.byName[name]
	switch {
	case p != nil && len(path) == 1:
		return argument.DomainOf(p), ""
	case p != nil || fields:
		return argument.Domain{}, ""
	}
	return argument.Domain{}, name
}

// item declares what {{.}} is in a section, and tells whether the section can run over a list.
func (d *declarations) item(s *section) (item *tool.Parameter, isList bool) {
	p := s.domain.Parameter
	switch {
	case p == nil || p.Type == tool.TypeArray && p.Items == nil:
		return nil, true
	case p.Type == tool.TypeArray:
		return p.Items, true
	case p.Type == tool.TypeObject:
		return nil, false
	}
	return p, false
}

// hasFields reports whether the body of a section may name fields of an object that nothing declares.
func (d *declarations) hasFields(s *section) bool {
	item := s.domain.Parameter
	if item != nil && item.Type == tool.TypeArray {
		item = item.Items
	}
	return item == nil || item.Type == tool.TypeObject
}

// frame is what one section, or the call itself, binds while a template is filled in.
type frame struct {
	names map[string]any
	dot   any
	isDot bool
	up    *frame
}

// lookup finds the value of a name, the innermost first. A null counts as no value.
func (f *frame) lookup(path []string) (any, bool) {
	if path[0] == "." {
		for ; f != nil; f = f.up {
			if f.isDot {
				return f.dot, f.dot != nil
			}
		}
		return nil, false
	}
	for ; f != nil; f = f.up {
		v, ok := f.names[path[0]]
		if !ok {
			continue
		}
		for _, field := range path[1:] {
			object, isObject := v.(map[string]any)
			if !isObject {
				return nil, false
			}
			v = object[field]
		}
		return v, v != nil
	}
	return nil, false
}

func entryFrame(s *section, key string, value any, up *frame) *frame {
	return &frame{up: up, names: map[string]any{
		entryKey: key, entryValue: value, s.name + "_key": key, s.name + "_value": value,
	}}
}

func itemFrame(s *section, index int, item any, up *frame) *frame {
	names := map[string]any{}
	if object, ok := item.(map[string]any); ok {
		for name, field := range object {
			names[name] = field
		}
	}
	names[s.name+"_item"] = item
	names[s.name+"_index"] = json.Number(itoa(index))
	return &frame{up: up, names: names, dot: item, isDot: true}
}

// objectFrame binds the fields of an object; every other value is bound as the dot alone.
func valueFrame(v any, up *frame) *frame {
	object, _ := v.(map[string]any)
	return &frame{up: up, names: object, dot: v, isDot: true}
}
