package render

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/tagfilter"
)

// A parsed template is a list of nodes: the author's text, tags, and sections that hold further nodes.
type node interface{ isNode() }

// text is fixed text. from is its offset in the source; standalone lines leave gaps between texts.
type text struct {
	from int
	s    string
}

// tag is {{name}} with its filters.
type tag struct {
	name    string   // as written: "url", "user.name", "."
	path    []string // name split at its dots; {"."} for "."
	literal *literal // default(…), nil without one
	toJSON  bool
	source  string // the whole tag as written
	from    int    // its offset in the source
	domain  argument.Domain

	optional bool // a call may leave its value out, and nothing stands in for it
}

// literal is the argument of default(…): a string, a json.Number or a bool.
type literal struct {
	value  any
	source string
}

// section is {{#name}}…{{/name}} or {{^name}}…{{/name}}.
type section struct {
	name     string
	path     []string
	inverted bool
	entries  bool // runs once for each entry of an object: the body speaks of key or value
	body     []node
	source   string // the opening tag as written
	from     int
	domain   argument.Domain
}

func (text) isNode()     {}
func (*tag) isNode()     {}
func (*section) isNode() {}

// The bounds of one template. They are far beyond any tool, and keep the work that a hostile file can cause
// small.
const (
	maxTemplate = 256 << 10 // bytes
	maxNesting  = 16        // sections within sections
	maxSections = 64
	maxTags     = 1024
)

var namePattern = lazyregexp.New(`^(\.|[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*)$`)

// delimiterHelp is the cure for braces that are not meant for us.
const delimiterHelp = "if the braces are meant for the program (docker --format and the like), " +
	"change our delimiters in front of them with {{=<% %>=}}"

// parser builds the nodes of one template and collects everything wrong with it.
type parser struct {
	source   string
	open     []*section // the sections that are not closed yet
	nodes    [][]node   // their nodes, and those outside
	sections int
	tags     int
	findings []Finding
}

// parse reads a template. On a finding of severity Error the nodes are good for nothing.
func parse(source string) ([]node, []Finding) {
	p := &parser{source: source, nodes: make([][]node, 1)}
	if len(source) > maxTemplate {
		return nil, []Finding{tooLong(source)}
	}
	p.scan()
	if n := len(p.open); n > 0 {
		s := p.open[n-1]
		p.fail(s.from, s.source, "the section is never closed", "write {{/"+s.name+"}} after it")
	}
	return p.nodes[0], p.findings
}

func tooLong(source string) Finding {
	return Finding{
		Severity: Error, Line: 1, Column: 1,
		Message: "the script has " + itoa(len(source)) + " bytes; the limit is " + itoa(maxTemplate),
		Fix:     "put the fixed part into a file and run that",
	}
}

func (p *parser) add(n node) { p.nodes[len(p.nodes)-1] = append(p.nodes[len(p.nodes)-1], n) }

func (p *parser) fail(at int, source, message, fix string) {
	line, column := position(p.source, at)
	p.findings = append(p.findings, Finding{Severity: Error, Line: line, Column: column, Tag: source,
		Message: message, Fix: fix})
}

// accept takes one tag in: inner is what stands between the delimiters, trimmed.
func (p *parser) accept(inner, source string, from int) {
	switch inner[0] {
	case '#', '^':
		p.openSection(strings.TrimSpace(inner[1:]), inner[0] == '^', source, from)
	case '/':
		p.closeSection(strings.TrimSpace(inner[1:]), source, from)
	case '>', '<', '$':
		p.fail(from, source, "partials are not possible: they would read other files", "write the text here")
	case '&', '{':
		p.fail(from, source, "raw tags are not possible: a value never becomes part of the text around it",
			"write {{"+strings.TrimSpace(strings.Trim(inner, "&{}"))+"}}")
	default:
		p.addTag(inner, source, from)
	}
}

func (p *parser) openSection(name string, inverted bool, source string, from int) {
	s := &section{name: name, path: splitName(name), inverted: inverted, source: source, from: from}
	if !namePattern.MatchString(name) {
		p.fail(from, source, "this is no name of a section", delimiterHelp)
	}
	if p.sections++; p.sections == maxSections+1 {
		p.fail(from, source, "there are more than "+itoa(maxSections)+" sections", "split the tool")
	}
	if len(p.open) == maxNesting {
		p.fail(from, source, "sections are nested more than "+itoa(maxNesting)+" deep", "split the tool")
	}
	p.open = append(p.open, s)
	p.nodes = append(p.nodes, nil)
}

func (p *parser) closeSection(name, source string, from int) {
	if len(p.open) == 0 {
		p.fail(from, source, "there is no section to close", "")
		return
	}
	s := p.open[len(p.open)-1]
	if s.name != name {
		p.fail(from, source, s.source+" is still open and must be closed first", "write {{/"+s.name+"}}")
		return
	}
	s.body = p.nodes[len(p.nodes)-1]
	p.open, p.nodes = p.open[:len(p.open)-1], p.nodes[:len(p.nodes)-1]
	p.add(s)
}

func (p *parser) addTag(inner, source string, from int) {
	if p.tags++; p.tags == maxTags+1 {
		p.fail(from, source, "there are more than "+itoa(maxTags)+" tags", "split the tool")
	}
	parts := tagfilter.Split(inner)
	t := &tag{name: strings.TrimSpace(parts[0]), source: source, from: from}
	if !namePattern.MatchString(t.name) {
		p.fail(from, source, "this is no name of a parameter", delimiterHelp)
		return
	}
	t.path = splitName(t.name)
	for _, filter := range parts[1:] {
		if message, fix := t.filter(strings.TrimSpace(filter)); message != "" {
			p.fail(from, source, message, fix)
		}
	}
	p.add(t)
}

func splitName(name string) []string {
	if name == "." {
		return []string{"."}
	}
	return strings.Split(name, ".")
}

// walk calls f for every tag and section, outermost first, with the sections that it stands in.
func walk(nodes []node, within []*section, f func(n node, within []*section)) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *tag:
			f(n, within)
		case *section:
			f(n, within)
			walk(n.body, append(within[:len(within):len(within)], n), f)
		}
	}
}
