package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Refresh brings a tools file up to date with the document, and returns what it has done, a line each: + for a tool that was
// missing and is put at the end, - for one that is not made any more and is switched off, ~ for one with parts that were
// written anew, since the document has changed them and nobody else; ! for what is other in the document and is left, since
// a person has changed it, or may have. Every other byte stays. The source of a tool that is added is, too, where the file has
// none of that name.
func (m *Made) Refresh(file config.File) (data []byte, lines []string, err error) {
	drift, err := m.Drift(file)
	if err != nil {
		return nil, nil, err
	}
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, err
	}
	off, took := map[string]bool{}, map[string]bool{}
	for _, line := range drift {
		id := line[2:]
		at := slices.IndexFunc(m.Tools, func(t Tool) bool { return t.Name == id })
		var err error
		switch line[0] {
		case '-':
			off[id], lines = true, append(lines, line)
			file.Data, err = toolyaml.Switch(file.Data, id, false)
		case '+':
			var added bool
			if file.Data, added, err = m.by.addSource(file.Data, m.Tools[at].from); added {
				lines = append(lines, "+ the source "+m.Tools[at].from.Name)
			}
			if err == nil {
				lines = append(lines, line)
				file.Data, err = addTool(file.Data, &m.Tools[at])
			}
		case '~':
			var x *takeover
			if x, err = takeOver(file.Data, &m.Tools[at], false); err == nil && len(x.left) > 0 {
				if _, broken := config.ReadTools(config.File{Name: file.Name, Commands: file.Commands, Data: x.data}); broken != nil {
					x, err = takeOver(file.Data, &m.Tools[at], true)
				}
			}
			if err == nil {
				file.Data, lines = x.data, append(lines, x.told(id)...)
				took[id] = len(x.took) > 0
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s would be broken: %w", file.Name, err)
	}
	for i := range after {
		if t := &after[i].Tool; took[t.ID] || find(before, t.ID) == nil {
			if err := m.checkServer(t, file.Name); err != nil {
				return nil, nil, err
			}
		}
	}
	for i := range before {
		was := before[i].Tool
		is := find(after, was.ID)
		if is == nil {
			return nil, nil, fmt.Errorf("%s would lose %s", file.Name, was.ID)
		}
		if off[was.ID] {
			was.Disabled, was.Unavailable = true, is.Tool.Unavailable
		}
		if took[was.ID] { // what stands beside these parts is the person's
			now := is.Tool
			was.Description, was.Parameters, was.Annotations = now.Description, now.Parameters, now.Annotations
			was.HTTP, was.Sandbox.References, was.Sandbox.Limits.Timeout = now.HTTP, now.Sandbox.References, now.Sandbox.Limits.Timeout
		}
		if !reflect.DeepEqual(withoutPlace(was), withoutPlace(is.Tool)) {
			return nil, nil, fmt.Errorf("%s would say something else of %s than before", file.Name, was.ID)
		}
	}
	return file.Data, slices.Concat(lines, m.missingScopes(after), m.missingAddresses(after)), nil
}

// checkServer holds a tool that is written against where the document has its requests go. The file's source of that name may
// be another service's, whose credential a stranger's request would be sent with.
func (m *Made) checkServer(t *tool.Tool, file string) error {
	i := slices.IndexFunc(m.Tools, func(made Tool) bool { return made.Name == t.ID })
	if i < 0 || t.HTTP == nil || config.IsSameOrigin(t.HTTP.API.Origin, m.Tools[i].from.Server) {
		return nil
	}
	goes, name := config.OriginOf(m.Tools[i].from.Server), t.HTTP.API.Name
	return fmt.Errorf("%s: requests of the document go to %s, and those of the source %s in the file to %s; --source gives them a "+
		"source of their own, --server %s says that this is the same service", file, goes, name, t.HTTP.API.Origin, t.HTTP.API.Origin)
}

// told says what a changed document comes to for a tool.
func (x *takeover) told(id string) (lines []string) {
	if len(x.took) > 0 {
		lines = append(lines, "~ "+id+" ("+strings.Join(x.took, ", ")+")")
	}
	if x.why != "" {
		return append(lines, "! "+id+" is other in the document; its entry "+x.why)
	}
	for _, part := range x.left {
		lines = append(lines, "! "+id+": "+part+" is other in the document, and was changed here or has a comment")
	}
	return lines
}

// missingScopes lists what the tokens of the file's sources are not asked to be good for, and the document wants.
func (m *Made) missingScopes(after []config.Loaded) (lines []string) {
	for _, s := range m.Sources {
		i := slices.IndexFunc(after, func(l config.Loaded) bool {
			return l.Tool.HTTP != nil && l.Tool.HTTP.API.Name == s.Name && l.Tool.HTTP.API.Auth.Kind == tool.AuthClientCredentials
		})
		if i < 0 {
			continue
		}
		asked := slices.Clone(after[i].Tool.HTTP.API.Auth.Token.Scopes)
		for _, scope := range s.scopes {
			if !slices.Contains(asked, scope) {
				lines, asked = append(lines, "! the source "+s.Name+" does not ask for the scope "+scope), append(asked, scope)
			}
		}
	}
	return lines
}

// missingAddresses lists the addresses that the file's sources do not reach, though it was said that they may.
func (m *Made) missingAddresses(after []config.Loaded) (lines []string) {
	for _, s := range m.Sources {
		i := slices.IndexFunc(after, func(l config.Loaded) bool { return l.Tool.HTTP != nil && l.Tool.HTTP.API.Name == s.Name })
		for _, address := range m.by.Addresses {
			if i >= 0 && !slices.Contains(after[i].Tool.HTTP.API.Addresses, address) {
				lines = append(lines, fmt.Sprintf("! the source %s does not reach %s: write it into its allow_addresses", s.Name, address))
			}
		}
	}
	return lines
}

func withoutPlace(t tool.Tool) tool.Tool {
	t.Source.Line, t.Source.Column = 0, 0
	t.Examples = slices.Clone(t.Examples)
	for i := range t.Examples {
		t.Examples[i].Line = 0
	}
	return t
}

// addTool puts a tool behind the others of a file, as it is written here.
func addTool(data []byte, t *Tool) ([]byte, error) {
	made := t.entry()
	entry, err := toolyaml.Encode(toolyaml.Mapping(t.Name, made))
	if err != nil {
		return nil, err
	}
	entry = marked(entry, []string{madeMark + strings.Join(madeOf(made), ".")})
	with, err := toolyaml.Append(data, entry, false)
	if err != nil {
		return nil, fmt.Errorf("%s is not added: %w", t.Name, err)
	}
	return with, nil
}

// withEndsOf is a text of ours with the line ends of a file.
func withEndsOf(data, text []byte) []byte {
	if !bytes.Contains(data, []byte("\r\n")) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}

// addSource puts a source into a file that has none of its name: before the others, or before the tools.
func (m *maker) addSource(data []byte, s Source) (with []byte, added bool, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, false, errors.Join(errors.New("it is no tools file"), err)
	}
	top := doc.Content[0].Content
	sources, tools := memberOf(top, "sources"), keyAt(top, "tools")
	if sources != nil && memberOf(sources.Content, s.Name) != nil {
		return data, false, nil
	}
	entry, err := m.sources([]Source{s})
	if err != nil {
		return nil, false, err
	}
	lines, at, columns := slices.Collect(bytes.Lines(data)), 0, 0 // the lines before it, the blanks before its name
	switch {
	case sources == nil && tools >= 0:
		entry = toolyaml.Mapping("sources", entry)
		at = top[tools].Line - 1
		for at > 0 && bytes.HasPrefix(lines[at-1], []byte("#")) { // what is said of the tools stays with them
			at--
		}
	case sources != nil && sources.Kind == yaml.MappingNode && sources.Style&yaml.FlowStyle == 0 && len(sources.Content) > 0:
		at, columns = top[keyAt(top, "sources")].Line, sources.Content[0].Column-1
	default:
		return nil, false, fmt.Errorf("the source %s is not added, since sources is written in one line, or there are no tools; "+
			"add it by hand, as an import without --out prints it", s.Name)
	}
	text, err := toolyaml.Encode(entry)
	if err != nil {
		return nil, false, err
	}
	if text = toolyaml.Indent(text, columns); sources == nil {
		text = append(text, '\n')
	}
	return slices.Concat(bytes.Join(lines[:at], nil), withEndsOf(data, text), bytes.Join(lines[at:], nil)), true, nil
}

// memberOf returns the value of a key; nil where there is none.
func memberOf(content []*yaml.Node, key string) *yaml.Node {
	if i := keyAt(content, key); i >= 0 {
		return content[i+1]
	}
	return nil
}

// keyAt returns where a key stands among the pairs of a mapping; -1 for nowhere.
func keyAt(content []*yaml.Node, key string) int {
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == key {
			return i
		}
	}
	return -1
}
