package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/cbroglie/mustache"
)

// Text is a checked template of plain text: a confirmation message, an error's detail, the key of a cache.
// It never changes and is safe for concurrent use.
//
// Tags, and sections over booleans, texts and lists are filled in by github.com/cbroglie/mustache, of which
// this is the only user. That library reads partials from files, calls the exported methods of values,
// writes numbers as 1e+21 and maps as map[a:1], takes blank texts and 0 for false, prints panics to
// standard output, where a protocol's stream may be, and has a switch for missing values that is global. So
// nothing that could lead there reaches it: the tags are checked here first, and the values become texts,
// booleans and lists of texts under every name that the template holds. What it does not know (filters, the
// entries and fields of objects) or does in another way (changed delimiters) is filled in by what fills
// scripts in.
type Text struct {
	nodes    []node
	template *mustache.Template // nil when it cannot fill the text in
	names    map[string]textUse // every name in the template
	wanted   []string           // the parameters that the template names
}

// textUse says what a name stands for in a text.
type textUse struct{ tag, section bool }

// CompileText reads a template of plain text. The error says where and why something is not possible: a
// *TextError where a tag is wrong.
func CompileText(source string) (*Text, error) {
	nodes, findings := parse(source)
	if hasErrors(findings) {
		return nil, &TextError{onlyErrors(findings)}
	}
	none := declare(nil)
	markEntries(nodes, none)
	t := &Text{nodes: nodes, names: map[string]textUse{}}
	if found := t.collect(source, none); found != nil {
		return nil, &TextError{[]Finding{*found}}
	}
	if t.beyondMustache(source) {
		return t, nil
	}
	template, err := mustache.ParseStringPartialsRaw(source, noPartials{}, true)
	if err != nil {
		return nil, fmt.Errorf("the text cannot be read: %w", err)
	}
	t.template = template
	return t, nil
}

// collect lists the names of the text, and says what is wrong with one.
func (t *Text) collect(source string, none *declarations) (found *Finding) {
	walk(t.nodes, nil, func(n node, within []*section) {
		var path []string
		var at int
		var written string
		switch n := n.(type) {
		case *tag:
			path, at, written = n.path, n.from, n.source
			if n.name != "." {
				t.names[n.name] = textUse{tag: true, section: t.names[n.name].section}
			}
		case *section:
			path, at, written = n.path, n.from, n.source
			t.names[n.name] = textUse{tag: t.names[n.name].tag, section: true}
		}
		switch _, name := none.bind(path, within); name {
		case "":
		case ".":
			if found == nil {
				line, column := position(source, at)
				found = &Finding{Line: line, Column: column, Tag: written,
					Message: "there is no section here that {{.}} could be an item of", Fix: "name the parameter"}
			}
		default:
			if !slices.Contains(t.wanted, name) {
				t.wanted = append(t.wanted, name)
			}
		}
	})
	return found
}

// beyondMustache reports whether the text has something that the library does not know, or does in another
// way.
func (t *Text) beyondMustache(source string) bool {
	beyond := strings.Contains(source, "{{=")
	walk(t.nodes, nil, func(n node, within []*section) {
		switch n := n.(type) {
		case *tag:
			beyond = beyond || n.literal != nil || n.toJSON || len(n.path) > 1
			for _, s := range within {
				beyond = beyond || n.name == s.name+"_item" || n.name == s.name+"_index"
			}
		case *section:
			beyond = beyond || n.entries || len(n.path) > 1 || n.name == "."
		}
	})
	return beyond
}

// Names lists the parameters that the text names, in the order of their first use. Names that a section
// over an object of unknown fields may bind are not among them.
func (t *Text) Names() []string { return slices.Clone(t.wanted) }

// TextError is all that is wrong with a text, each at its place in it; there is at least one.
type TextError struct{ Findings []Finding }

// Error says the first.
func (e *TextError) Error() string {
	f := e.Findings[0]
	message := fmt.Sprintf("line %d: %s: %s", f.Line, f.Tag, f.Message)
	if f.Fix != "" {
		message += "; " + f.Fix
	}
	return message
}

// noPartials reads no files. No template with a partial gets this far.
type noPartials struct{}

func (noPartials) Get(name string) (string, error) {
	return "", fmt.Errorf("partials are not possible: {{> %s}}", name)
}

// Render fills the text in. A value that is missing or null is the empty text, 0 shows its section, numbers
// are written in decimal, lists and objects as JSON. The error is a *tool.Failure.
func (t *Text) Render(arguments map[string]any) (string, error) {
	if t.template == nil {
		return t.write(arguments)
	}
	values := make(map[string]any, len(t.names))
	for name, use := range t.names {
		switch v := arguments[name].(type) {
		case map[string]any:
			if use.section {
				return t.write(arguments)
			}
		case []any:
			if use.tag || slices.ContainsFunc(v, isComposite) { // the library would print the items side by side
				return t.write(arguments)
			}
		}
		v, ok := plainValue(arguments[name])
		if !ok {
			return "", tool.Failf(tool.FailTemplate, "{{%s}}: the value cannot be written as text", name)
		}
		values[name] = v
	}
	text, err := t.template.Render(values)
	if err != nil {
		return "", tool.Failf(tool.FailTemplate, "%v", err)
	}
	return text, nil
}

// isComposite reports whether a value has fields that a section's body could name, or items.
func isComposite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// write fills the text in as scripts are.
func (t *Text) write(arguments map[string]any) (string, error) {
	in, failure := fill(t.nodes, arguments)
	if failure != nil {
		return "", failure
	}
	var b strings.Builder
	for _, p := range in.pieces {
		if p.tag == nil {
			b.WriteString(p.text.s)
			continue
		}
		v := p.value
		if !p.given && p.tag.literal != nil {
			v = p.tag.literal.value
		}
		text, ok := itemText(v)
		if p.tag.toJSON && v != nil {
			text, ok = argument.JSON(v)
		}
		if !ok {
			return "", tool.Failf(tool.FailTemplate, "%s: the value cannot be written as text", p.tag.source)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// plainValue makes of a JSON value something that mustache can do nothing with but to print it and to ask
// whether it is there.
func plainValue(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case bool:
		return v, true
	case []any:
		items := make([]any, len(v))
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
	if text, ok := argument.Text(v); ok {
		return text, true
	}
	return argument.JSON(v)
}

// whole is a text as mustache gets it. A blank one would hide its section, so it goes as an array of one.
func whole(text string) any {
	if text != "" && strings.TrimSpace(text) == "" {
		return blank{text}
	}
	return text
}

// blank is a text of nothing but blanks. To mustache it is a list of one text; its methods cannot be called
// from a template, since they take arguments.
type blank [1]string

// Format prints the text, where the array would be printed otherwise.
func (b blank) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(b[0])) }
