package config

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// readParameters reads the parameters of a tool.
func (e *toolEntry) readParameters(v value) {
	if isMapping(v) {
		e.readParameterMapping(v)
		return
	}
	entries, ok := v.list("{name, type, …}")
	e.unsure = e.unsure || !ok
	seen := map[string]int{}
	for _, at := range entries {
		p := e.newParameter(at)
		if name := at.node.Value; at.node.Kind == yaml.ScalarNode && parameterName.MatchString(name) {
			at.mismatch("", fmt.Sprintf("write {name: %s, type: string}", name))
			e.tool.Parameters = append(e.tool.Parameters, tool.Parameter{Name: name, Type: tool.TypeString})
			e.unsure = true
			continue
		}
		if name, ok := at.get("name"); ok {
			p.at.name = fmt.Sprintf("%s: parameter %s", e.at.name, quote(name.node.Value))
		}
		p.read()
		p.at.mustHave("name", "the script writes it as {{name}}")
		name := p.parameter.Name
		if name == "" {
			e.unsure = true
			continue
		}
		if line, twice := seen[name]; twice {
			at.fail(ruleDuplicate, "take one of them out",
				"the parameter %s is declared twice, first in line %d", quote(name), line)
			continue
		}
		seen[name] = at.node.Line
		e.tool.Parameters = append(e.tool.Parameters, p.parameter)
	}
}

func (e *toolEntry) newParameter(at value) *parameter {
	return &parameter{entry: e, at: at, parameter: tool.Parameter{Type: tool.TypeString}}
}

// read reads what is said about a parameter, and notes where its type is not known then.
func (p *parameter) read() {
	if p.secretAt, _ = p.at.get("secret"); p.secretAt.node != nil && p.secretAt.node.Value == "true" {
		p.hideValues()
	}
	readKeys(p.at, parameterNoun(), p)
	p.check()
	if p.badType || p.parameter.Default == nil && p.at.has("default") {
		p.entry.untyped = append(p.entry.untyped, p.parameter.Name)
	}
}

// hideValues keeps the values that a secret parameter may have out of what is shown of the file.
func (p *parameter) hideValues() {
	for _, key := range []string{"default", "enum"} {
		if v, ok := p.at.get(key); ok {
			v.hide()
		}
	}
}

// readParameterMapping reads a mapping of parameters, as JSON Schema has them, for the mistakes in it: ours are a list, whose order
// people see.
func (e *toolEntry) readParameterMapping(v value) {
	properties, isSchema := v.get("properties")
	if !isSchema || !isMapping(properties) {
		properties = v
	}
	entries, _ := properties.entries()
	first := "name"
	if len(entries) > 0 {
		first = entries[0].name
	}
	if name, ok := v.get("name"); ok && name.node.Kind == yaml.ScalarNode {
		v.mismatch("", fmt.Sprintf("put a dash before it: - name: %s", shorten(name.node.Value)))
		e.unsure = true
		return
	}
	v.mismatch("", fmt.Sprintf("each parameter is an entry of a list:\nparameters:\n  - name: %s\n    type: string", first))
	for _, each := range entries {
		p := e.newParameter(each.value)
		p.at.name = fmt.Sprintf("%s: parameter %s", e.at.name, quote(each.name))
		if p.parameter.Name = each.name; isMapping(each.value) {
			p.read()
		}
		e.tool.Parameters = append(e.tool.Parameters, p.parameter)
	}
	e.unsure = true
}
