package render

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Undeclared says what a name is that the script uses and no parameter declares.
type Undeclared int

// The ways. Files of the original format never had to declare a parameter; version 2 files do.
const (
	RefuseUndeclared Undeclared = iota
	ImplyUndeclared
)

// bindNames resolves every name of a template, and adds the parameters that the script implies.
func bindNames(source string, nodes []node, d *declarations, undeclared Undeclared) []Finding {
	var findings []Finding
	seen := map[string]bool{}
	say := func(severity Severity, at int, tagSource, message, fix string) {
		line, column := position(source, at)
		findings = append(findings, Finding{Severity: severity, Line: line, Column: column, Tag: tagSource,
			Message: message, Fix: fix})
	}
	markEntries(nodes, d)
	implied := imply(nodes, d)
	use := func(path []string, within []*section, tagSource string, at int) argument.Domain {
		r, name := d.bind(path, within)
		switch {
		case name == "":
			return r
		case name == ".":
			say(Error, at, tagSource, "there is no section here that {{.}} could be an item of",
				"name the parameter")
			return r
		}
		p := implied[name]
		if !seen[name] {
			seen[name] = true
			fix := fmt.Sprintf("add `- {name: %s, type: %s%s}` under parameters", p.Name, p.Type,
				map[bool]string{true: ", required: true"}[p.Required])
			if undeclared == RefuseUndeclared {
				say(Error, at, tagSource, fmt.Sprintf("no parameter %q is declared", name), fix)
			} else {
				say(Warning, at, tagSource,
					fmt.Sprintf("no parameter %q is declared, so it counts as %s %s", name,
						map[bool]string{true: "a required", false: "an optional"}[p.Required], p.Type), fix)
			}
			d.implied = append(d.implied, *p)
		}
		if len(path) > 1 {
			return argument.Domain{}
		}
		return argument.DomainOf(p)
	}
	walk(nodes, nil, func(n node, within []*section) {
		switch n := n.(type) {
		case *tag:
			n.domain = use(n.path, within, n.source, n.from)
			if n.toJSON {
				n.domain.Class = argument.Free // the declaration speaks of the value, not of its JSON text
			}
		case *section:
			n.domain = use(n.path, within, n.source, n.from)
		}
	})
	return findings
}

// imply collects what the script says about each name that nothing declares.
func imply(nodes []node, d *declarations) map[string]*tool.Parameter {
	implied := map[string]*tool.Parameter{}
	get := func(path []string) *tool.Parameter {
		name := path[0]
		if name == "." || d.byName[name] != nil {
			return nil
		}
		p := implied[name]
		if p == nil {
			p = &tool.Parameter{Name: name, Type: tool.TypeString, Implied: true}
			implied[name] = p
		}
		if len(path) > 1 {
			p.Type = tool.TypeObject
		}
		return p
	}
	walk(nodes, nil, func(n node, within []*section) {
		switch n := n.(type) {
		case *tag:
			if p := get(n.path); p != nil && len(within) == 0 && n.literal == nil {
				p.Required = true
			}
		case *section:
			p := get(n.path)
			switch {
			case p == nil || n.inverted || len(n.path) > 1:
			case n.entries:
				p.Type = tool.TypeObject
			case p.Type == tool.TypeString && speaksOfItems(n.body, n.name):
				p.Type = tool.TypeArray
			}
		}
	})
	return implied
}

// speaksOfItems reports whether the body of a section names the items of a list.
func speaksOfItems(nodes []node, name string) bool {
	for _, n := range nodes {
		switch n := n.(type) {
		case *tag:
			if n.name == "." || n.name == name+"_item" || n.name == name+"_index" {
				return true
			}
		case *section:
			if n.inverted && speaksOfItems(n.body, name) {
				return true
			}
		}
	}
	return false
}

// Implied lists the parameters that the script uses and nothing declares, in the order of their first use.
// The type is what the use needs: an object for a section over key and value, an array for one over items,
// else a string. It is required where the script uses it outside every section and gives no default.
func (t *Template) Implied() []tool.Parameter {
	return append([]tool.Parameter(nil), t.declarations.implied...)
}
