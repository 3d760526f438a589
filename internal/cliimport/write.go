package cliimport

import (
	"slices"

	"gopkg.in/yaml.v3"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// File returns a tools file with the tools, and what they were made of.
func (m *Made) File(commands *catalogue.Catalogue) ([]byte, error) {
	imports, err := toolyaml.Encode(toolyaml.Mapping("imports", toolyaml.Mapping(m.Import.Name, m.importNode())))
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
		out = append(out, toolyaml.Indent(entry, 2)...)
	}
	return out, nil
}

// Entry returns the entry of a tool: a mapping of one key, its id, not indented. It has been read as the program
// reads it.
func (m *Made) Entry(i int, commands *catalogue.Catalogue) ([]byte, error) {
	return m.entryOf(&m.Tools[i], commands)
}

func (m *Made) entryOf(t *Tool, commands *catalogue.Catalogue) ([]byte, error) {
	text, err := toolyaml.Encode(toolyaml.Mapping(t.ID, m.toolNode(t, isNetworked(t, commands))))
	if err != nil {
		return nil, err
	}
	_, err = read(t.ID, text, commands)
	return text, err
}

// isNetworked reports whether the command is known to reach for the network.
func isNetworked(t *Tool, commands *catalogue.Catalogue) bool {
	entry := toolyaml.Mapping("description", toolyaml.Text("x"), "exec", toolyaml.Exec(t.Exec))
	text, err := toolyaml.Encode(toolyaml.Mapping(t.ID, entry))
	if err != nil {
		return false
	}
	loaded, err := read(t.ID, text, commands)
	return err == nil && len(loaded) == 1 && loaded[0].Tool.Sandbox.Network == tool.NetworkOn
}

// read reads an entry as the program does.
func read(id string, entry []byte, commands *catalogue.Catalogue) ([]config.Loaded, error) {
	data := append([]byte("version: 2\ntools:\n"), toolyaml.Indent(entry, 2)...)
	return config.ReadTools(config.File{Name: id, Commands: commands, Data: data})
}

// toolNode is the entry below the id.
func (m *Made) toolNode(t *Tool, network bool) *yaml.Node {
	started := toolyaml.Exec(t.Exec)
	if m.Draft != "" {
		started.LineComment = "# a draft, by " + toolyaml.Clean(m.Draft) + " alone: nothing of it was tried"
	}
	entry := toolyaml.Mapping("description", toolyaml.Text(t.Description), "exec", started)
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		node := toolyaml.Parameter(p)
		if doubt := t.Doubts[p.Name]; doubt != "" {
			node.LineComment = "# check: " + toolyaml.Clean(doubt)
		}
		list.Content = append(list.Content, node)
	}
	if len(list.Content) > 0 {
		toolyaml.Add(entry, "parameters", list)
	}
	said, reaches := t.Annotations, network || slices.ContainsFunc(m.Import.Grants, givesSocket)
	said.OpenWorld = &reaches
	toolyaml.Add(entry, "annotations", toolyaml.Hints(said))
	place := toolyaml.Mapping("working_directory", toolyaml.Text("."),
		"network", toolyaml.Text(map[bool]string{true: "on", false: "off"}[network]))
	if !t.IsReadOnly() {
		toolyaml.Add(place, "allowed_paths", toolyaml.Texts([]string{"."}))
	}
	if len(m.Import.Grants) > 0 {
		toolyaml.Add(place, "grants", toolyaml.Texts(m.Import.Grants))
	}
	toolyaml.Add(entry, "sandbox", toolyaml.Flow(place))
	return entry
}

// givesSocket reports whether what speaks to a socket is granted by a name.
func givesSocket(name string) bool {
	g, err := grant.Named(name)
	return err == nil && len(g.Sockets) > 0
}

// importNode is what the tools were made of.
func (m *Made) importNode() *yaml.Node {
	i := m.Import
	node := toolyaml.Mapping("command", toolyaml.Text(i.Command))
	if i.Version != "" {
		toolyaml.Add(node, "version", toolyaml.Text(i.Version))
	}
	toolyaml.Add(node, "sha256", toolyaml.Text(i.SHA256))
	if i.Pin {
		toolyaml.Add(node, "pin", toolyaml.Plain("true"))
	}
	if i.Spec != "" {
		toolyaml.Add(node, "spec", toolyaml.Text(i.Spec))
	}
	if i.Guess {
		toolyaml.Add(node, "guess", toolyaml.Plain("true"))
	}
	if i.Prefix != "" {
		toolyaml.Add(node, "prefix", toolyaml.Text(i.Prefix))
	}
	if len(i.Grants) > 0 {
		toolyaml.Add(node, "grants", toolyaml.Texts(i.Grants))
	}
	selectors := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range i.Selectors {
		selectors.Content = append(selectors.Content, selectorNode(s))
	}
	if len(selectors.Content) > 0 {
		toolyaml.Add(node, "selectors", selectors)
	}
	toolyaml.Add(node, "tools", toolyaml.Texts(slices.Sorted(slices.Values(i.Tools))))
	return node
}

func selectorNode(s config.Selector) *yaml.Node {
	node := toolyaml.Mapping()
	for _, list := range []struct {
		name  string
		texts []string
	}{
		{"allow_cmds", s.AllowCmds}, {"exclude_cmds", s.ExcludeCmds}, {"allow_cmds_containing", s.AllowCmdsContaining},
		{"exclude_cmds_containing", s.ExcludeCmdsContaining},
	} {
		if len(list.texts) > 0 {
			toolyaml.Add(node, list.name, toolyaml.Texts(list.texts))
		}
	}
	if s.ReadOnly {
		toolyaml.Add(node, "read_only", toolyaml.Plain("true"))
	}
	for _, set := range []struct {
		name  string
		flags config.FlagSelector
	}{{"local_flags", s.LocalFlags}, {"inherited_flags", s.InheritedFlags}} {
		flags := toolyaml.Flow(toolyaml.Mapping())
		if len(set.flags.Allow) > 0 {
			toolyaml.Add(flags, "allow_flags", toolyaml.Texts(set.flags.Allow))
		}
		if len(set.flags.Exclude) > 0 {
			toolyaml.Add(flags, "exclude_flags", toolyaml.Texts(set.flags.Exclude))
		}
		if set.flags.None {
			toolyaml.Add(flags, "no_flags", toolyaml.Plain("true"))
		}
		if len(flags.Content) > 0 {
			toolyaml.Add(node, set.name, flags)
		}
	}
	if len(node.Content) == 0 {
		return toolyaml.Flow(node)
	}
	return node
}
