package cliimport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// File returns a tools file with the tools, and what they were made of.
func (m *Made) File(commands *catalogue.Catalogue) ([]byte, error) {
	imports, err := encode(mapping("imports", mapping(m.Import.Name, m.importNode())))
	if err != nil {
		return nil, err
	}
	out := append([]byte("version: 2\n\n"), imports...)
	out = append(out, "\ntools:\n"...)
	for i := range m.Tools {
		entry, err := m.Entry(i, commands)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, indent(entry)...)
	}
	return out, nil
}

// Entry returns the entry of a tool: a mapping of one key, its id, not indented. It has been read as the program
// reads it.
func (m *Made) Entry(i int, commands *catalogue.Catalogue) ([]byte, error) {
	t := &m.Tools[i]
	text, err := encode(mapping(t.ID, m.toolNode(t, isNetworked(t, commands))))
	if err != nil {
		return nil, err
	}
	_, err = read(t.ID, text, commands)
	return text, err
}

// isNetworked reports whether the command is known to reach for the network.
func isNetworked(t *Tool, commands *catalogue.Catalogue) bool {
	text, err := encode(mapping(t.ID, mapping("description", quoted("x"), "exec", execNode(t.Exec))))
	if err != nil {
		return false
	}
	loaded, err := read(t.ID, text, commands)
	return err == nil && len(loaded) == 1 && loaded[0].Tool.Sandbox.Network == tool.NetworkOn
}

// read reads an entry as the program does.
func read(id string, entry []byte, commands *catalogue.Catalogue) ([]config.Loaded, error) {
	data := append([]byte("version: 2\ntools:\n"), indent(entry)...)
	return config.ReadTools(config.File{Name: id, Commands: commands, Data: data})
}

// toolNode is the entry below the id.
func (m *Made) toolNode(t *Tool, network bool) *yaml.Node {
	entry := mapping("description", quoted(t.Description), "exec", execNode(t.Exec))
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		node := parameterNode(p)
		if doubt := t.Doubts[p.Name]; doubt != "" {
			node.LineComment = "# check: " + clean(doubt)
		}
		list.Content = append(list.Content, node)
	}
	if len(list.Content) > 0 {
		add(entry, "parameters", list)
	}
	hints := flow(mapping("title", quoted(t.Annotations.Title)))
	for _, hint := range []struct {
		name string
		is   *bool
	}{{"readOnlyHint", t.Annotations.ReadOnly}, {"destructiveHint", t.Annotations.Destructive}} {
		if hint.is != nil {
			add(hints, hint.name, plain(fmt.Sprint(*hint.is)))
		}
	}
	add(hints, "openWorldHint", plain(fmt.Sprint(network)))
	add(entry, "annotations", hints)
	place := mapping("working_directory", quoted("."), "network", quoted(map[bool]string{true: "on", false: "off"}[network]))
	if !t.IsReadOnly() {
		add(place, "allowed_paths", texts([]string{"."}))
	}
	if len(m.Import.Grants) > 0 {
		add(place, "grants", texts(m.Import.Grants))
	}
	add(entry, "sandbox", flow(place))
	return entry
}

func execNode(x *tool.Exec) *yaml.Node {
	node := flow(mapping("command", quoted(x.Command)))
	if len(x.Argv) > 0 {
		add(node, "argv", texts(x.Argv))
	}
	add(node, "sha256", quoted(x.SHA256))
	if x.Pin {
		add(node, "pin", plain("true"))
	}
	return node
}

func parameterNode(p *tool.Parameter) *yaml.Node {
	node := flow(mapping("name", quoted(p.Name)))
	if p.Flag != "" {
		add(node, "flag", quoted(p.Flag))
	}
	addType(node, p)
	if p.Form != tool.FormEqual {
		add(node, "form", quoted(string(p.Form)))
	}
	if p.Required {
		add(node, "required", plain("true"))
	}
	if p.Default != nil {
		add(node, "default", value(p.Default))
	}
	if p.Description != "" {
		add(node, "description", quoted(p.Description))
	}
	return node
}

func addType(node *yaml.Node, p *tool.Parameter) {
	if p.Type != tool.TypeString || p.Flag == "" {
		add(node, "type", quoted(string(p.Type)))
	}
	if p.Format != "" {
		add(node, "format", quoted(string(p.Format)))
	}
	if len(p.Enum) > 0 {
		add(node, "enum", value(p.Enum))
	}
	if p.Minimum != "" {
		add(node, "minimum", plain(p.Minimum))
	}
	if p.Items != nil {
		items := flow(mapping())
		addType(items, p.Items)
		add(node, "items", items)
	}
}

// importNode is what the tools were made of.
func (m *Made) importNode() *yaml.Node {
	i := m.Import
	node := mapping("command", quoted(i.Command))
	if i.Version != "" {
		add(node, "version", quoted(i.Version))
	}
	add(node, "sha256", quoted(i.SHA256))
	if i.Pin {
		add(node, "pin", plain("true"))
	}
	if i.Prefix != "" {
		add(node, "prefix", quoted(i.Prefix))
	}
	if len(i.Grants) > 0 {
		add(node, "grants", texts(i.Grants))
	}
	selectors := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range i.Selectors {
		selectors.Content = append(selectors.Content, selectorNode(s))
	}
	if len(selectors.Content) > 0 {
		add(node, "selectors", selectors)
	}
	add(node, "tools", texts(slices.Sorted(slices.Values(i.Tools))))
	return node
}

func selectorNode(s config.Selector) *yaml.Node {
	node := mapping()
	for _, list := range []struct {
		name  string
		texts []string
	}{
		{"allow_cmds", s.AllowCmds}, {"exclude_cmds", s.ExcludeCmds}, {"allow_cmds_containing", s.AllowCmdsContaining},
		{"exclude_cmds_containing", s.ExcludeCmdsContaining},
	} {
		if len(list.texts) > 0 {
			add(node, list.name, texts(list.texts))
		}
	}
	if s.ReadOnly {
		add(node, "read_only", plain("true"))
	}
	for _, set := range []struct {
		name  string
		flags config.FlagSelector
	}{{"local_flags", s.LocalFlags}, {"inherited_flags", s.InheritedFlags}} {
		flags := flow(mapping())
		if len(set.flags.Allow) > 0 {
			add(flags, "allow_flags", texts(set.flags.Allow))
		}
		if len(set.flags.Exclude) > 0 {
			add(flags, "exclude_flags", texts(set.flags.Exclude))
		}
		if set.flags.None {
			add(flags, "no_flags", plain("true"))
		}
		if len(flags.Content) > 0 {
			add(node, set.name, flags)
		}
	}
	if len(node.Content) == 0 {
		return flow(node)
	}
	return node
}

// The pieces of YAML. A text of the program is quoted where it could be anything but a text.

func mapping(pairs ...any) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		add(node, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return node
}

func add(node *yaml.Node, key string, value *yaml.Node) {
	node.Content = append(node.Content, quoted(key), value)
}

func flow(node *yaml.Node) *yaml.Node {
	node.Style = yaml.FlowStyle
	return node
}

func quoted(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

func texts(list []string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range list {
		node.Content = append(node.Content, quoted(s))
	}
	return node
}

func value(v any) *yaml.Node {
	switch v := v.(type) {
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range v {
			node.Content = append(node.Content, value(item))
		}
		return node
	case string:
		return quoted(v)
	case json.Number:
		return plain(string(v))
	}
	return plain(fmt.Sprint(v))
}

func encode(node *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(node), encoder.Close())
	return out.Bytes(), err
}

// indent moves every line that holds something two columns to the right.
func indent(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			out.WriteString("  ")
		}
		out.Write(line)
	}
	return out.Bytes()
}
