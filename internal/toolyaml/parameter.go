package toolyaml

import (
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Parameter is an entry of parameters.
func Parameter(p *tool.Parameter) *yaml.Node {
	node := Flow(Mapping("name", Text(p.Name)))
	if p.Flag != "" {
		Add(node, "flag", Text(p.Flag))
	}
	addType(node, p)
	if p.Form != tool.FormEqual {
		Add(node, "form", Text(string(p.Form)))
	}
	if p.Required {
		Add(node, "required", Plain("true"))
	}
	if p.Default != nil {
		Add(node, "default", Value(p.Default))
	}
	addDescription(node, p)
	return node
}

func addType(node *yaml.Node, p *tool.Parameter) {
	if p.Type != tool.TypeString || p.Flag == "" {
		Add(node, "type", Text(string(p.Type)))
	}
	if p.Format != "" {
		Add(node, "format", Text(string(p.Format)))
	}
	if len(p.Enum) > 0 {
		Add(node, "enum", Value(p.Enum))
	}
	if p.Minimum != "" {
		Add(node, "minimum", Plain(p.Minimum))
	}
	if p.Maximum != "" {
		Add(node, "maximum", Plain(p.Maximum))
	}
	if p.Pattern != "" {
		Add(node, "pattern", Text(p.Pattern))
	}
	if p.Nullable {
		Add(node, "nullable", Plain("true"))
	}
	for _, bound := range []struct {
		name string
		is   *int
	}{{"minLength", p.MinLength}, {"maxLength", p.MaxLength}, {"minItems", p.MinItems}, {"maxItems", p.MaxItems}} {
		if bound.is != nil {
			Add(node, bound.name, Plain(strconv.Itoa(*bound.is)))
		}
	}
	if p.Items != nil {
		items := Flow(Mapping())
		addType(items, p.Items)
		addDescription(items, p.Items)
		Add(node, "items", items)
	}
	if p.Properties != nil {
		Add(node, "properties", properties(p.Properties))
	}
}

func properties(members []tool.Parameter) *yaml.Node {
	node := Flow(Mapping())
	for i := range members {
		member := Flow(Mapping())
		addType(member, &members[i])
		if members[i].Required {
			Add(member, "required", Plain("true"))
		}
		addDescription(member, &members[i])
		Add(node, members[i].Name, member)
	}
	return node
}

func addDescription(node *yaml.Node, p *tool.Parameter) {
	if p.Description != "" {
		Add(node, "description", Text(p.Description))
	}
}
