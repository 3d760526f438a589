package cliimport

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// Merge puts the tools into a tools file, and tells what is other than before. Of a tool that an earlier import of the
// same name has made, what it says of the program is written anew (description, exec, parameters), and all else stays;
// one that there is no command for any more goes. Every other byte of the file stays.
func (m *Made) Merge(file config.File) (data []byte, drift []string, err error) {
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, err
	}
	imports, err := config.ReadImports(file)
	if err != nil {
		return nil, nil, err
	}
	var owned []string
	for _, i := range imports {
		if i.Name == m.Import.Name {
			owned = i.Tools
		}
	}
	t, err := parseText(file.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	for i := range m.Tools {
		id := m.Tools[i].ID
		at := slices.IndexFunc(before, func(l config.Loaded) bool { return l.Tool.ID == id })
		entry, err := m.Entry(i, file.Commands)
		switch {
		case err != nil:
			return nil, nil, err
		case at < 0:
			t.added = append(t.added, toolyaml.Indent(entry, 2)...)
			continue
		case !slices.Contains(owned, id):
			return nil, nil, fmt.Errorf("%s: there is a tool %q already; --prefix gives the new ones other names",
				before[at].Tool.Source, id)
		}
		if err := t.renew(id, entry); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", before[at].Tool.Source, err)
		}
	}
	for _, id := range owned {
		if !slices.Contains(m.Import.Tools, id) {
			t.remove(id)
		}
	}
	if err := t.putImport(m); err != nil {
		return nil, nil, err
	}
	file.Data = t.apply()
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s would be broken: %w", file.Name, err)
	}
	if err := keeps(before, after, append(slices.Clone(owned), m.Import.Tools...)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	return file.Data, driftOf(before, after, owned, m.Import.Tools), nil
}

// Remove takes out of a tools file what imports of that name have put into it: their tools, and what it says of them. Every
// other byte stays. data is nil where nothing is left then that anybody wrote.
func Remove(file config.File, name string) (data []byte, removed []string, err error) {
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, err
	}
	imports, err := config.ReadImports(file)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(imports, func(i config.Import) bool { return i.Name == name })
	if at < 0 {
		return nil, nil, fmt.Errorf("%s has no import %q", file.Name, name)
	}
	t, err := parseText(file.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	for _, loaded := range before {
		if slices.Contains(imports[at].Tools, loaded.Tool.ID) {
			removed = append(removed, loaded.Tool.ID)
		}
	}
	if len(removed) == len(before) {
		from, to := t.span(t.root, "tools", len(t.lines))
		t.edits = append(t.edits, edit{from, to, []byte("tools:\n")})
	} else {
		for _, id := range removed {
			t.remove(id)
		}
	}
	_, all := member(t.root, "imports")
	from, to := t.span(t.root, "imports", len(t.lines))
	if len(imports) > 1 {
		from, to = t.span(all, name, to)
	}
	t.edits = append(t.edits, edit{t.blankBefore(from), to, nil})
	file.Data = t.apply()
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s would be broken: %w", file.Name, err)
	}
	if err := keeps(before, after, removed); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	if rest := strings.Join(strings.Fields(string(file.Data)), " "); rest == "version: 2 tools:" || rest == "tools:" {
		file.Data = nil
	}
	return file.Data, removed, nil
}

// blankBefore returns the line before one where that is empty, which stands between what was there and what was added.
func (t *text) blankBefore(line int) int {
	if line > 0 && len(bytes.TrimSpace(t.lines[line-1])) == 0 {
		return line - 1
	}
	return line
}

// keeps makes sure that the file says of every other tool what it said before.
func keeps(before, after []config.Loaded, ours []string) error {
	for _, old := range before {
		if slices.Contains(ours, old.Tool.ID) {
			continue
		}
		at := slices.IndexFunc(after, func(l config.Loaded) bool { return l.Tool.ID == old.Tool.ID })
		if at < 0 {
			return fmt.Errorf("the tool %q would be gone", old.Tool.ID)
		}
		now := after[at].Tool
		now.Source = old.Tool.Source // lines may move
		now.Examples = old.Tool.Examples
		if !reflect.DeepEqual(old.Tool, now) {
			return fmt.Errorf("the tool %q would be another", old.Tool.ID)
		}
	}
	return nil
}

var errByHand = errors.New("its tools are not written one below the other under tools:; " +
	"write the import into a file of its own (--into), or print it (-o yaml)")

// text is a tools file that is changed line by line.
type text struct {
	lines [][]byte
	root  *yaml.Node
	edits []edit
	added []byte // entries for the end of tools
	made  []byte // for the end of the file
}

// edit puts bytes in place of lines [from, to).
type edit struct {
	from, to int
	with     []byte
}

func parseText(data []byte) (*text, error) {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(bytes.Clone(data), '\n')
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	t := &text{lines: slices.Collect(bytes.Lines(data))}
	if len(document.Content) == 0 {
		t.root = &yaml.Node{Kind: yaml.MappingNode}
		return t, nil
	}
	t.root = document.Content[0]
	for _, key := range []string{"tools", "imports"} {
		if _, value := member(t.root, key); value != nil && !isBlock(value) && value.Tag != "!!null" {
			return nil, errByHand
		}
	}
	_, tools := member(t.root, "tools")
	odd := bytes.Contains(data, []byte("\n...")) || bytes.Contains(data, []byte("\r"))
	if odd || !isBlock(t.root) || tools == nil && len(t.root.Content) > 0 {
		return nil, errByHand
	}
	return t, nil
}

func isBlock(node *yaml.Node) bool {
	return node.Kind == yaml.MappingNode && node.Style&yaml.FlowStyle == 0 && node.Anchor == "" && len(node.Content) > 0
}

// member returns a key of a mapping with its value; nil where there is none.
func member(node *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

// span returns the lines of a key and its value, in a mapping that ends before the line end.
func (t *text) span(node *yaml.Node, name string, end int) (from, to int) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value != name {
			continue
		}
		from, to = node.Content[i].Line-1, end
		if i+2 < len(node.Content) {
			to = node.Content[i+2].Line - 1
		}
		for to > from+1 && t.isBetween(to-1) {
			to--
		}
		return from, to
	}
	return 0, 0
}

// isBetween reports whether a line holds nothing but a comment.
func (t *text) isBetween(line int) bool {
	trimmed := bytes.TrimSpace(t.lines[line])
	return len(trimmed) == 0 || trimmed[0] == '#'
}

// entry returns the entry of a tool, and its lines.
func (t *text) entry(id string) (node *yaml.Node, from, to int) {
	_, tools := member(t.root, "tools")
	if tools == nil {
		return nil, 0, 0
	}
	_, end := t.span(t.root, "tools", len(t.lines))
	_, node = member(tools, id)
	from, to = t.span(tools, id, end)
	return node, from, to
}

// renewed are the keys of an entry that tell of the program.
var renewed = []string{"description", "exec", "parameters"}

// renew writes what an entry says of the program anew.
func (t *text) renew(id string, made []byte) error {
	old, from, to := t.entry(id)
	fresh, err := parseText(append([]byte("tools:\n"), toolyaml.Indent(made, 2)...))
	if err != nil || old == nil || !isBlock(old) {
		return errByHand
	}
	now, _, freshEnd := fresh.entry(id)
	for _, key := range renewed {
		with := []byte(nil)
		if first, last := fresh.span(now, key, freshEnd); last > first {
			with = bytes.Join(fresh.lines[first:last], nil)
			with = shift(with, old.Content[0].Column-1-4)
		}
		first, last := t.span(old, key, to)
		if last == first {
			first, last = from+1, from+1
		}
		if !bytes.Equal(bytes.Join(t.lines[first:last], nil), with) {
			t.edits = append(t.edits, edit{first, last, with})
		}
	}
	return nil
}

// shift moves lines to the right, or to the left.
func shift(text []byte, by int) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if by < 0 {
			line = bytes.TrimPrefix(line, bytes.Repeat([]byte(" "), -by))
		} else if len(bytes.TrimSpace(line)) > 0 {
			out.Write(bytes.Repeat([]byte(" "), by))
		}
		out.Write(line)
	}
	return out.Bytes()
}

func (t *text) remove(id string) {
	if node, from, to := t.entry(id); node != nil {
		t.edits = append(t.edits, edit{t.blankBefore(from), to, nil})
	}
}

// putImport writes what the tools were made of.
func (t *text) putImport(m *Made) error {
	node, err := toolyaml.Encode(toolyaml.Mapping(m.Import.Name, m.importNode()))
	if err != nil {
		return err
	}
	_, imports := member(t.root, "imports")
	if imports == nil || imports.Tag == "!!null" {
		if imports != nil {
			from, to := t.span(t.root, "imports", len(t.lines))
			t.edits = append(t.edits, edit{from, to, nil})
		}
		t.putBeforeTools(append([]byte("imports:\n"), toolyaml.Indent(node, 2)...))
		return nil
	}
	_, end := t.span(t.root, "imports", len(t.lines))
	column := imports.Content[0].Column - 1
	if from, to := t.span(imports, m.Import.Name, end); to > from {
		t.edits = append(t.edits, edit{from, to, shift(node, column)})
		return nil
	}
	t.edits = append(t.edits, edit{end, end, shift(node, column)})
	return nil
}

// putBeforeTools writes a key in front of the tools and the comment above them: what is added at the end of the file
// by hand is a tool.
func (t *text) putBeforeTools(key []byte) {
	if _, tools := member(t.root, "tools"); tools == nil {
		t.made = append([]byte("\n"), key...)
		return
	}
	at, _ := t.span(t.root, "tools", len(t.lines))
	for at > 0 && t.isBetween(at-1) && len(bytes.TrimSpace(t.lines[at-1])) > 0 {
		at--
	}
	switch { // Remove takes a blank line above it away
	case at == 0:
	case t.isBetween(at - 1):
		key = append(key, '\n')
	default:
		key = append([]byte("\n"), key...)
	}
	t.edits = append(t.edits, edit{at, at, key})
}

// apply makes the file.
func (t *text) apply() []byte {
	if len(t.added) > 0 {
		_, tools := member(t.root, "tools")
		switch {
		case tools == nil:
			t.made = append(append(t.made, "\ntools:\n"...), t.added...)
		case isBlock(tools):
			_, end := t.span(t.root, "tools", len(t.lines))
			t.edits = append(t.edits, edit{end, end, append([]byte("\n"), shift(t.added, tools.Content[0].Column-1-2)...)})
		default: // tools: with nothing below
			from, to := t.span(t.root, "tools", len(t.lines))
			t.edits = append(t.edits, edit{from, to, append([]byte("tools:\n"), t.added...)})
		}
	}
	slices.SortStableFunc(t.edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range t.edits {
		if e.from > at {
			out.Write(bytes.Join(t.lines[at:e.from], nil))
		}
		out.Write(e.with)
		at = max(at, e.to)
	}
	out.Write(bytes.Join(t.lines[at:], nil))
	out.Write(t.made)
	return out.Bytes()
}

// Check reads the whole file that the tools make, as the program will.
func (m *Made) Check(commands *catalogue.Catalogue) ([]config.Loaded, error) {
	data, err := m.File(commands)
	if err != nil {
		return nil, err
	}
	return config.ReadTools(config.File{Name: m.Import.Name, Commands: commands, Data: data})
}
