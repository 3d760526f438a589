package render

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/cbroglie/mustache"
)

// Text is a checked template of plain text: a confirmation message or an error's detail. It never changes and is safe for
// concurrent use.
//
// It is filled in by github.com/cbroglie/mustache, of which this is the only user. That library reads partials from
// files, calls the exported methods of values, writes numbers as 1e+21 and maps as map[a:1], takes blank texts and 0 for
// false, prints panics to standard output, where a protocol's stream may be, and has a switch for missing values that is
// global. So nothing that could lead there reaches it: the tags are checked here first, and the values become texts,
// booleans and lists of texts under every name that the template holds.
type Text struct {
	template *mustache.Template
	names    map[string]bool // every name in the template; true for those of sections
	source   string
}

// CompileText reads a template of plain text. Tags, sections over booleans, texts and lists, and comments are possible.
// The error says where and why something is not.
func CompileText(source string) (*Text, error) {
	nodes, findings := parse(source)
	if hasErrors(findings) {
		return nil, textError(findings[0])
	}
	t := &Text{names: map[string]bool{}, source: source}
	var found *Finding
	refuse := func(at int, tag, message, fix string) {
		if found == nil {
			line, column := position(source, at)
			found = &Finding{Line: line, Column: column, Tag: tag, Message: message, Fix: fix}
		}
	}
	if i := strings.Index(source, "{{="); i >= 0 {
		refuse(i, "{{=", "the delimiters cannot be changed in plain text", "")
	}
	markEntries(nodes, declare(nil))
	walk(nodes, nil, func(n node, within []*section) {
		switch n := n.(type) {
		case *tag:
			switch {
			case n.literal != nil || n.toJSON:
				refuse(n.from, n.source, "filters are not possible in plain text yet", "write {{"+n.name+"}}")
			case n.name == "." && len(within) == 0:
				refuse(n.from, n.source, "there is no section here that {{.}} could be an item of", "name the parameter")
			case len(n.path) > 1:
				refuse(n.from, n.source, "the fields of objects are not possible in plain text yet", "name a parameter")
			case n.name != ".":
				t.names[n.name] = t.names[n.name] || false // a section of that name keeps its mark
			}
		case *section:
			if n.entries || len(n.path) > 1 || n.name == "." {
				refuse(n.from, n.source, "sections over objects are not possible in plain text yet", "name a parameter")
			}
			t.names[n.name] = true
		}
	})
	if found != nil {
		return nil, textError(*found)
	}
	template, err := mustache.ParseStringPartialsRaw(source, noPartials{}, true)
	if err != nil {
		return nil, fmt.Errorf("the text cannot be read: %w", err)
	}
	t.template = template
	return t, nil
}

func textError(f Finding) error {
	message := fmt.Sprintf("line %d: %s: %s", f.Line, f.Tag, f.Message)
	if f.Fix != "" {
		message += "; " + f.Fix
	}
	return fmt.Errorf("%s", message)
}

// noPartials reads no files. No template with a partial gets this far.
type noPartials struct{}

func (noPartials) Get(name string) (string, error) {
	return "", fmt.Errorf("partials are not possible: {{> %s}}", name)
}

// Render fills the text in. A value that is missing or null is the empty text, 0 shows its section, numbers are written
// in decimal, lists and objects as JSON. The error is a *tool.Failure.
func (t *Text) Render(arguments map[string]any) (string, error) {
	values := make(map[string]any, len(t.names))
	for name, isSection := range t.names {
		v, ok := plainValue(arguments[name])
		if !ok {
			return "", tool.Failf(tool.FailTemplate, "{{%s}}: the value cannot be written as text", name)
		}
		if _, isObject := arguments[name].(map[string]any); isObject && isSection {
			return "", tool.Failf(tool.FailTemplate, "{{#%s}}: sections over objects are not possible in plain text yet", name)
		}
		values[name] = v
	}
	text, err := t.template.Render(values)
	if err != nil {
		return "", tool.Failf(tool.FailTemplate, "%v", err)
	}
	return text, nil
}

// plainValue makes of a JSON value something that mustache can do nothing with but to print it and to ask whether it is
// there.
func plainValue(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case bool:
		return v, true
	case []any:
		items := make(textList, len(v))
		for i, item := range v {
			text, ok := itemText(item)
			if !ok {
				return nil, false
			}
			items[i] = whole(text)
		}
		return items, true
	}
	text, ok := itemText(v)
	return whole(text), ok
}

func itemText(v any) (string, bool) {
	if v == nil {
		return "", true
	}
	if text, ok := scalarText(v); ok {
		return text, true
	}
	return jsonText(v)
}

// whole is a text as mustache gets it. A blank one would hide its section, so it goes as an array of one.
func whole(text string) any {
	if text != "" && strings.TrimSpace(text) == "" {
		return blank{text}
	}
	return text
}

// blank is a text of nothing but blanks. To mustache it is a list of one text; its methods cannot be called from a
// template, since they take arguments.
type blank [1]string

// Format prints the text, where the array would be printed otherwise.
func (b blank) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(b[0])) }

// textList is a list of texts, which prints as JSON where a tag names all of it.
type textList []any

// Format prints the list as JSON.
func (l textList) Format(s fmt.State, _ rune) {
	items := make([]any, len(l))
	for i, item := range l {
		items[i] = fmt.Sprint(item)
	}
	text, _ := jsonText(items)
	_, _ = s.Write([]byte(text))
}
