package cliimport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ownFile is the file that `mcp tools` of Ophis and of pkg/cobratools writes.
const ownFile = "mcp-tools.json"

// ownTool is what a program says of a command that it offers to MCP clients by itself. It is a stranger's word, as its
// help is: texts are cleaned, and the types only say how a value is written behind its flag.
type ownTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema struct {
		Properties struct {
			Flags ownFlags `json:"flags"`
		} `json:"properties"`
	} `json:"inputSchema"`
	Annotations struct {
		Title       string `json:"title"`
		ReadOnly    *bool  `json:"readOnlyHint"`
		Destructive *bool  `json:"destructiveHint"`
		Idempotent  *bool  `json:"idempotentHint"`
		OpenWorld   *bool  `json:"openWorldHint"`
	} `json:"annotations"`
}

// ownFlags are the flags of a command.
type ownFlags struct {
	Properties map[string]ownFlag `json:"properties"`
	Required   []string           `json:"required"`
}

// ownFlag is the schema of a flag. A type that is no text is none that is known.
type ownFlag struct {
	Type    any              `json:"type"`
	Minimum *json.Number     `json:"minimum"`
	Enum    []any            `json:"enum"`
	Default json.RawMessage  `json:"default"`
	Items   *json.RawMessage `json:"items"`
}

// askOwn asks a program for its own tools, if it has the commands of those that offer some. why says what was wrong
// with the answer; nothing of it counts then.
func askOwn(ctx context.Context, a Asker, root offers) (list []ownTool, why string, err error) {
	if !root.has("mcp") {
		return nil, "", nil
	}
	below, err := complete(ctx, a, "mcp", "")
	if err != nil || !below.ok || !below.has("start") || !below.has("stream") || !below.has("tools") {
		return nil, "", err
	}
	answer, err := a.AskFile(ctx, ownFile, "mcp", "tools")
	if err != nil {
		return nil, "", err
	}
	if answer.Ended == "" && json.Unmarshal([]byte(answer.Stdout), &list) == nil {
		return list[:min(len(list), mostCommands)], "", nil
	}
	return nil, cmp.Or(answer.Ended, "it wrote no list of tools"), nil
}

// matchOwn finds the tool of each command. Names are made of the words of a command behind a prefix, which is the one
// that most tools have.
func matchOwn(list []ownTool, root *command) {
	byName := map[string]*ownTool{}
	for i := range list {
		byName[list[i].Name] = &list[i]
	}
	nameOf := func(prefix string, path []string) string { return new(toolyaml.Names).Of(prefix, path) }
	fits := map[string]int{}
	root.each(func(c *command) {
		if len(c.path) == 0 {
			return
		}
		_, words, _ := strings.Cut(nameOf("x", c.path), "_")
		for name := range byName {
			if prefix, ok := strings.CutSuffix(name, "_"+words); ok {
				fits[prefix]++
			}
		}
	})
	prefix, most := "", 0
	for one, n := range fits {
		if n > most || n == most && (len(one) < len(prefix) || len(one) == len(prefix) && one < prefix) {
			prefix, most = one, n
		}
	}
	root.each(func(c *command) {
		if prefix != "" {
			c.own = byName[nameOf(prefix, c.path)]
		}
	})
}

// kind returns what a flag takes by the program's own word; ok is false where that does not say all, and its parser is
// to be asked. What a list of texts is split at no schema says.
func (f ownFlag) kind() (k pflagkind.Kind, ok bool) {
	of, _ := f.Type.(string)
	switch tool.Type(of) {
	case tool.TypeInteger:
		return pflagkind.Kind{Of: tool.TypeInteger, From0: f.from0()}, true
	case tool.TypeNumber, tool.TypeBoolean:
		return pflagkind.Kind{Of: tool.Type(of)}, true
	case tool.TypeString:
		k = pflagkind.Kind{Of: tool.TypeString, Enum: f.enum()}
		return k, len(k.Enum) > 0
	case tool.TypeArray:
		var items ownFlag
		if f.Items == nil || json.Unmarshal(*f.Items, &items) != nil || items.Items != nil {
			return k, false
		}
		of, _ := items.Type.(string)
		k = pflagkind.Kind{Of: tool.Type(of), List: true, From0: items.from0()}
		return k, slices.Contains([]tool.Type{tool.TypeInteger, tool.TypeNumber, tool.TypeBoolean}, k.Of)
	}
	return k, false
}

func (f ownFlag) from0() bool { return f.Minimum != nil && *f.Minimum == "0" }

// enum returns the texts that it may be; nil where they are no list that others could read.
func (f ownFlag) enum() (values []string) {
	for _, one := range f.Enum {
		value, ok := one.(string)
		if !ok || !isValue(value) || len(values) >= mostValues {
			return nil
		}
		values = append(values, value)
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// has reports whether the tool has a flag.
func (o *ownTool) has(flag string) bool {
	_, ok := o.InputSchema.Properties.Flags.Properties[flag]
	return ok
}

// annotations returns what the program says of a command.
func (o *ownTool) annotations(command string) tool.Annotations {
	a := tool.Annotations{Title: toolyaml.Clean(o.Annotations.Title), ReadOnly: o.Annotations.ReadOnly,
		Destructive: o.Annotations.Destructive, Idempotent: o.Annotations.Idempotent}
	if a.Title == "" {
		a.Title = command
	}
	return a
}

// useOwn takes over what the program says of the flags of a command.
func (c *command) useOwn() {
	if c.own == nil {
		return
	}
	flags := c.own.InputSchema.Properties.Flags
	for _, f := range c.flags {
		f.required = slices.Contains(flags.Required, f.name)
		if one, ok := flags.Properties[f.name]; ok {
			f.own = &one
			if k, exact := one.kind(); exact && f.kind.Of == "" {
				f.kind = k
			}
		}
	}
}

// compareOwn marks a flag whose parser takes something else than the program says by itself.
func (f *flag) compareOwn() {
	if f.own == nil {
		return
	}
	of, _ := f.own.Type.(string)
	is := string(f.kind.Of)
	if f.kind.List {
		is = string(tool.TypeArray)
	}
	f.doubt = ""
	if is != of {
		f.doubt = fmt.Sprintf("its own tools say %s, and its parser takes a %s", toolyaml.Clean(of), inWords(f.kind))
	}
}

// defaultValue returns what the program says that the flag is where it is not given; nil where that says nothing, or is
// no value of the parameter.
func (f *ownFlag) defaultValue(p *tool.Parameter) any {
	if len(f.Default) == 0 || len(f.Default) > toolyaml.LongestText {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(f.Default))
	in.UseNumber()
	var value any
	if in.Decode(&value) != nil {
		return nil
	}
	switch v := value.(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
	case json.Number:
		if v == "0" {
			return nil
		}
	case string:
		if v == "" || v != toolyaml.Clean(v) {
			return nil
		}
	case []any:
		for _, item := range v {
			if text, ok := item.(string); ok && text != toolyaml.Clean(text) {
				return nil
			}
		}
		if len(v) == 0 {
			return nil
		}
	default:
		return nil
	}
	if !pflagkind.Fits(p, value) {
		return nil
	}
	return value
}
