package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Refresh brings a tools file up to date with the document, and returns what Drift tells of it. Tools that are missing
// there are put at its end, and those that are not made any more are switched off; one that is another is told and left to
// the person, who may have changed it. Every other byte stays. A tool whose source the file has not is not put there: that
// is an error.
func (m *Made) Refresh(file config.File) (data []byte, lines []string, err error) {
	if lines, err = m.Drift(file); err != nil {
		return nil, nil, err
	}
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, err
	}
	off := map[string]bool{}
	for _, line := range lines {
		switch id := line[2:]; line[0] {
		case '-':
			off[id] = true
			if file.Data, err = toolyaml.Switch(file.Data, id, false); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
			}
		case '+':
			at := slices.IndexFunc(m.Tools, func(t Tool) bool { return t.Name == id })
			if file.Data, err = addTool(file.Data, &m.Tools[at]); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", file.Name, err)
			}
		}
	}
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s would be broken: %w", file.Name, err)
	}
	for i := range before {
		was := before[i].Tool
		is := find(after, was.ID)
		if off[was.ID] && is != nil {
			was.Disabled, was.Unavailable = true, is.Tool.Unavailable
		}
		if is == nil || !reflect.DeepEqual(withoutPlace(was), withoutPlace(is.Tool)) {
			return nil, nil, fmt.Errorf("%s would say something else of %s than before", file.Name, was.ID)
		}
	}
	return file.Data, lines, nil
}

func withoutPlace(t tool.Tool) tool.Tool {
	t.Source.Line, t.Source.Column = 0, 0
	return t
}

// addTool puts a tool at the end of a file whose last key is tools, as it is written here.
func addTool(data []byte, t *Tool) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.Join(errors.New("it is no tools file"), err)
	}
	top := doc.Content[0].Content
	if len(top) < 2 || top[len(top)-2].Value != "tools" || top[len(top)-1].Kind != yaml.MappingNode ||
		top[len(top)-1].Style&yaml.FlowStyle != 0 || len(top[len(top)-1].Content) == 0 {
		return nil, fmt.Errorf("%s is not added, since tools is not the last key, or is written in one line; add it by hand", t.Name)
	}
	if sources := memberOf(top, "sources"); sources == nil || memberOf(sources.Content, t.from.Name) == nil {
		return nil, fmt.Errorf("%s is not added: it wants the source %s, which is not there; add that by hand, as an import "+
			"without --out prints it", t.Name, t.from.Name)
	}
	entry, err := toolyaml.Encode(toolyaml.Mapping(t.Name, t.entry()))
	if err != nil {
		return nil, err
	}
	end := []byte("\n")
	if bytes.Contains(data, []byte("\r\n")) {
		end = []byte("\r\n")
	}
	entry = bytes.ReplaceAll(toolyaml.Indent(entry, top[len(top)-1].Content[0].Column-1), []byte("\n"), end)
	if !bytes.HasSuffix(data, []byte("\n")) {
		data = append(bytes.Clone(data), end...)
	}
	return append(bytes.Clone(data), entry...), nil
}

// memberOf returns the value of a key; nil where there is none.
func memberOf(content []*yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == key {
			return content[i+1]
		}
	}
	return nil
}
