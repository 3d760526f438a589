package openapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// File returns a tools file with the tools. It has been read as the program reads it.
func (m *Made) File() ([]byte, error) {
	data, err := m.by.file(m.Tools, m.Sources)
	if err == nil {
		err = m.by.read(data)
	}
	if err != nil {
		return nil, fmt.Errorf("no tools file holds this: %w; --select, --tag and --method make fewer tools", err)
	}
	return data, nil
}

// file writes a tools file.
func (m *maker) file(tools []Tool, sources []Source) ([]byte, error) {
	list, err := m.sources(sources)
	if err != nil {
		return nil, err
	}
	out, err := toolyaml.Encode(toolyaml.Mapping("version", toolyaml.Plain("2"), "sources", list))
	if err != nil {
		return nil, err
	}
	out = append(out, "tools:\n"...)
	const together = 64 // are written at a time: an encoder costs more than a tool, and their nodes are many
	for some := range slices.Chunk(tools, together) {
		entries, marks := toolyaml.Mapping(), make([]string, len(some))
		for i := range some {
			entry := some[i].entry()
			toolyaml.Add(entries, some[i].Name, entry)
			marks[i] = madeMark + strings.Join(madeOf(entry), ".")
		}
		text, err := toolyaml.Encode(entries)
		if err != nil {
			return nil, err
		}
		if out = append(out, toolyaml.Indent(marked(text, marks), 2)...); len(out) > yamldoc.MaxFileSize {
			return nil, fmt.Errorf("it would have more than the %d bytes that a configuration file may have", yamldoc.MaxFileSize)
		}
	}
	return out, nil
}

// marked is a mapping of tools with a mark behind each name.
func marked(text []byte, marks []string) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if line[0] != ' ' && len(marks) > 0 && bytes.HasSuffix(line, []byte(":\n")) {
			line = append(append(bytes.Clone(line[:len(line)-1]), marks[0]...), '\n')
			marks = marks[1:]
		}
		out.Write(line)
	}
	return out.Bytes()
}

// sources is the list of sources of a tools file.
func (m *maker) sources(sources []Source) (*yaml.Node, error) {
	list := toolyaml.Mapping()
	for _, s := range sources {
		entry := toolyaml.Mapping("base_url", toolyaml.Text(s.Server))
		if len(m.Addresses) > 0 {
			addresses := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, address := range m.Addresses {
				addresses.Content = append(addresses.Content, toolyaml.Text(address.String()))
			}
			toolyaml.Add(entry, "allow_addresses", addresses)
		}
		if len(s.schemes) > 0 {
			auth, err := m.credentials(s)
			if err != nil {
				return nil, err
			}
			toolyaml.Add(entry, "auth", auth)
		}
		toolyaml.Add(list, s.Name, entry)
	}
	return list, nil
}

// entry is the tool below its name.
func (t *Tool) entry() *yaml.Node {
	entry := toolyaml.Mapping("description", toolyaml.Text(t.tool.Description))
	parameters := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range t.tool.Parameters {
		parameters.Content = append(parameters.Content, toolyaml.Parameter(&t.tool.Parameters[i]))
	}
	if len(parameters.Content) > 0 {
		toolyaml.Add(entry, "parameters", parameters)
	}
	hints := toolyaml.Flow(toolyaml.Mapping("title", toolyaml.Text(t.tool.Annotations.Title)))
	for _, hint := range []struct {
		name string
		is   *bool
	}{
		{"readOnlyHint", t.tool.Annotations.ReadOnly}, {"destructiveHint", t.tool.Annotations.Destructive},
		{"idempotentHint", t.tool.Annotations.Idempotent},
	} {
		if hint.is != nil {
			toolyaml.Add(hints, hint.name, toolyaml.Plain(fmt.Sprint(*hint.is)))
		}
	}
	toolyaml.Add(entry, "annotations", hints)
	toolyaml.Add(entry, "http", t.http())
	return entry
}

// written adds a field's style to a mapping.
func (f field) written(to *yaml.Node) *yaml.Node {
	toolyaml.Add(to, "style", toolyaml.Text(f.style))
	if f.style != "deepObject" { // which has one way
		toolyaml.Add(to, "explode", toolyaml.Plain(fmt.Sprint(f.explode)))
	}
	return to
}

// http is the request.
func (t *Tool) http() *yaml.Node {
	r := t.request
	node := toolyaml.Mapping("source", toolyaml.Text(t.from.Name))
	if t.Method == "QUERY" { // of which the key is the fields of a query
		toolyaml.Add(node, "method", toolyaml.Text(t.Method))
		toolyaml.Add(node, "path", toolyaml.Text(r.path))
	} else {
		toolyaml.Add(node, strings.ToLower(t.Method), toolyaml.Text(r.path))
	}
	styles := toolyaml.Flow(toolyaml.Mapping())
	for _, f := range r.pathStyles {
		toolyaml.Add(styles, f.parameter, f.written(toolyaml.Flow(toolyaml.Mapping())))
	}
	if len(r.pathStyles) > 0 {
		toolyaml.Add(node, "path_styles", styles)
	}
	for _, list := range []struct {
		key    string
		fields []field
	}{{"query", r.query}, {"headers", r.headers}, {"cookies", r.cookies}, {"form", r.form}} {
		if len(list.fields) == 0 {
			continue
		}
		fields := toolyaml.Flow(toolyaml.Mapping())
		for _, f := range list.fields {
			value := toolyaml.Text("{{" + f.parameter + "}}")
			if f.parameter == "" {
				value = toolyaml.Text(f.fixed)
			}
			if f.asJSON {
				value = toolyaml.Text("{{" + f.parameter + "|tojson}}")
			}
			if f.style != "" {
				value = f.written(toolyaml.Flow(toolyaml.Mapping("value", value)))
			}
			toolyaml.Add(fields, f.name, value)
		}
		toolyaml.Add(node, list.key, fields)
	}
	if len(r.parts) > 0 {
		parts := toolyaml.Flow(toolyaml.Mapping())
		for _, each := range r.parts {
			toolyaml.Add(parts, each.name, each.written())
		}
		toolyaml.Add(node, "multipart", parts)
	}
	if r.body != "" {
		toolyaml.Add(node, "json", toolyaml.Text("{{"+r.body+"}}"))
	}
	if r.bodyType != "" {
		toolyaml.Add(node, "type", toolyaml.Text(r.bodyType))
	}
	return node
}
