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
)

// Imported lists the sources of a tools file of which imports have made tools, in the order of the file.
func Imported(file config.File) (sources []string, err error) {
	tools, err := config.ReadTools(file)
	if err != nil {
		return nil, err
	}
	x, err := removing(file.Data)
	if err != nil {
		return nil, err
	}
	for i := range tools {
		if h := tools[i].Tool.HTTP; h != nil && x.isMade(tools[i].Tool.ID) && !slices.Contains(sources, h.API.Name) {
			sources = append(sources, h.API.Name)
		}
	}
	return sources, nil
}

// Remove takes out of a tools file the tools that imports have made of a source, and the source where no other tool has it.
// Every other byte stays. data is nil where nothing is left then that anybody wrote.
func Remove(file config.File, source string) (data []byte, removed []string, err error) {
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, err
	}
	x, err := removing(file.Data)
	if err != nil {
		return nil, nil, err
	}
	others := false
	for i := range before {
		t := &before[i].Tool
		switch {
		case t.HTTP == nil || t.HTTP.API.Name != source:
		case x.isMade(t.ID):
			removed = append(removed, t.ID)
			x.drop(x.tools, t.ID, x.behindTools)
		default:
			others = true
		}
	}
	if len(removed) == 0 {
		return nil, nil, fmt.Errorf("%s has no tools that an import has made of a source %q", file.Name, source)
	}
	if _, sources, behind := entryOf(x.root, "sources", x.behind); sources != nil && !others {
		if len(sources.Content) > 2 {
			x.drop(sources, source, behind)
		} else {
			x.drop(x.root, "sources", x.behind)
		}
	}
	file.Data = x.rest()
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s would be broken: %w", file.Name, err)
	}
	for i := range before {
		switch is := find(after, before[i].Tool.ID); {
		case slices.Contains(removed, before[i].Tool.ID):
			if is != nil {
				return nil, nil, fmt.Errorf("%s would still have %s", file.Name, is.Tool.ID)
			}
		case is == nil || !reflect.DeepEqual(withoutPlace(before[i].Tool), withoutPlace(is.Tool)):
			return nil, nil, fmt.Errorf("%s would say something else of %s than before", file.Name, before[i].Tool.ID)
		}
	}
	if rest := strings.Join(strings.Fields(string(file.Data)), " "); rest == "version: 2 tools:" {
		file.Data = nil
	}
	return file.Data, removed, nil
}

// removal is what goes of a tools file, line by line.
type removal struct {
	lines               [][]byte
	root, tools         *yaml.Node
	behind, behindTools int // the lines behind the file, and behind its tools
	gone                map[int]bool
}

func removing(data []byte) (*removal, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return nil, errors.Join(errors.New("it is no tools file"), err)
	}
	x := &removal{lines: slices.Collect(bytes.Lines(data)), root: doc.Content[0], gone: map[int]bool{}}
	x.behind = len(x.lines) + 1
	_, x.tools, x.behindTools = entryOf(x.root, "tools", x.behind)
	return x, nil
}

// isMade reports whether an import has made a tool.
func (x *removal) isMade(id string) bool {
	key, _, _ := entryOf(x.tools, id, 0)
	return key != nil && madeComment.Get().Match(x.lines[key.Line-1])
}

// drop takes out a key with its value, and of one at the top the empty line that Refresh puts behind it.
func (x *removal) drop(mapping *yaml.Node, name string, behind int) {
	key, _, behind := entryOf(mapping, name, behind)
	if key == nil {
		return
	}
	end := lastLine(x.lines, key.Line, behind)
	if mapping == x.root && end < behind && len(bytes.TrimSpace(x.lines[end-1])) == 0 {
		end++
	}
	for line := key.Line; line < end; line++ {
		x.gone[line] = true
	}
}

func (x *removal) rest() []byte {
	var out bytes.Buffer
	for i, line := range x.lines {
		if !x.gone[i+1] {
			out.Write(line)
		}
	}
	return out.Bytes()
}
