package config

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// readParameters reads the parameters of a tool.
func (e *toolEntry) readParameters(v yamldoc.Value) {
	if v.IsMapping() {
		e.readParameterMapping(v)
		return
	}
	entries, ok := v.List("{name, type, …}")
	e.unsure = e.unsure || !ok
	seen := map[string]int{}
	for _, at := range entries {
		p := e.newParameter(at)
		if name := at.Node.Value; at.Node.Kind == yaml.ScalarNode && parameterName.MatchString(name) {
			at.Mismatch("", fmt.Sprintf("write {name: %s, type: string}", name))
			e.tool.Parameters = append(e.tool.Parameters, tool.Parameter{Name: name, Type: tool.TypeString})
			e.unsure = true
			continue
		}
		if name, ok := at.Get("name"); ok {
			p.at.Name = fmt.Sprintf("%s: parameter %s", e.at.Name, yamldoc.Quote(name.Node.Value))
		}
		p.read()
		p.at.Require("name", "the script writes it as {{name}}")
		name := p.parameter.Name
		if name == "" {
			e.unsure = true
			continue
		}
		if line, twice := seen[name]; twice {
			at.Fail(yamldoc.RuleDuplicate, "take one of them out",
				"the parameter %s is declared twice, first in line %d", yamldoc.Quote(name), line)
			continue
		}
		seen[name] = at.Node.Line
		e.tool.Parameters = append(e.tool.Parameters, p.parameter)
	}
}

func (e *toolEntry) newParameter(at yamldoc.Value) *parameter {
	return &parameter{entry: e, at: at, parameter: tool.Parameter{Type: tool.TypeString}}
}

// read reads what is said about a parameter, and notes where its type is not known then.
func (p *parameter) read() {
	if p.secretAt, _ = p.at.Get("secret"); p.secretAt.Node != nil && p.secretAt.Node.Value == "true" {
		p.hideValues()
	}
	yamldoc.ReadKeys(p.at, parametersTable.get(parameterMapping), p)
	p.check()
	p.checkAsk()
	if p.badType || p.parameter.Default == nil && p.at.Has("default") {
		p.entry.untyped = append(p.entry.untyped, p.parameter.Name)
	}
}

// hideValues keeps the values that a secret parameter may have out of what is shown of the file.
func (p *parameter) hideValues() {
	for _, key := range []string{"default", "enum"} {
		if v, ok := p.at.Get(key); ok {
			v.Hide()
		}
	}
}

// readParameterMapping reads a mapping of parameters, as JSON Schema has them, for the mistakes in it: ours
// are a list, whose order people see.
func (e *toolEntry) readParameterMapping(v yamldoc.Value) {
	properties, isSchema := v.Get("properties")
	if !isSchema || !properties.IsMapping() {
		properties = v
	}
	entries, _ := properties.Entries()
	first := "name"
	if len(entries) > 0 {
		first = entries[0].Name
	}
	if name, ok := v.Get("name"); ok && name.Node.Kind == yaml.ScalarNode {
		v.Mismatch("", fmt.Sprintf("put a dash before it: - name: %s", yamldoc.Shorten(name.Node.Value)))
		e.unsure = true
		return
	}
	v.Mismatch("", fmt.Sprintf("each parameter is an entry of a list:\nparameters:\n  - name: %s\n    type: string",
		first))
	for _, each := range entries {
		p := e.newParameter(each.Value)
		p.at.Name = fmt.Sprintf("%s: parameter %s", e.at.Name, yamldoc.Quote(each.Name))
		if p.parameter.Name = each.Name; each.Value.IsMapping() {
			p.read()
		}
		e.tool.Parameters = append(e.tool.Parameters, p.parameter)
	}
	e.unsure = true
}
