package request

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Template is a checked Spec, ready to be filled in. It never changes and is safe for concurrent use.
type Template struct {
	spec Spec

	origin, basePath string
	baseSegments     []string
	segments         []segment
	whole            *expression // the tag that the whole URL is; nil where it is not
	hosts            []hostPattern
	query            []field
	headers          []field
	cookies          []field
	body             *bodyTemplate

	names      []string // of the parameters that it uses
	definition string
}

// Methods lists the methods of requests. CONNECT and TRACE are not for tools.
func Methods() []string {
	return []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"}
}

// compiler reads one Spec and collects everything that is wrong with it.
type compiler struct {
	parameters parameters
	declared   []string
	free       map[string]bool // names that are bound elsewhere, and of which nothing is known
	answered   bool            // see Spec.Answered
	absent     bool            // a name that is not declared has no value; see Spec.Absent
	used       []string
	found      []Finding
}

// Compile reads a Spec whose tags name the parameters. On a finding that is no warning there is no Template.
func Compile(spec Spec, list []tool.Parameter) (*Template, []Finding) {
	c := newCompiler(list)
	c.absent, c.answered = spec.Absent, spec.Answered
	t := &Template{spec: spec}
	if !slices.Contains(Methods(), spec.Method) {
		c.fail("method", "", fmt.Sprintf("there is no method %q here", shorten(spec.Method)),
			"there are "+strings.Join(Methods(), ", "))
	}
	c.parseTarget(t, spec)
	for _, f := range spec.Query {
		t.query = append(t.query, c.parseField("query", f))
	}
	for _, h := range spec.Headers {
		t.headers = append(t.headers, c.parseHeader(h))
	}
	for _, each := range spec.Cookies {
		t.cookies = append(t.cookies, c.parseCookie(each))
	}
	if len(spec.Cookies) > 0 && slices.ContainsFunc(spec.Headers, func(h Field) bool { return equalFold(h.Name, "Cookie") }) {
		c.fail("cookies", "", "the header Cookie stands under headers, too", "take it out there")
	}
	t.body = c.parseBody(c.typedBody(spec.Body, t.headers))
	c.checkContentType(t)
	c.checkIdempotency(t)
	if spec.Body != nil && spec.Method == "HEAD" {
		c.fail("method", "", "a HEAD request has no body", "")
	}
	t.names, t.definition = c.used, definitionOf(spec)
	for _, f := range c.found {
		if !f.Warning {
			return nil, c.found
		}
	}
	return t, c.found
}

// definitionOf writes a Spec out, so that two that say the same are the same.
func definitionOf(spec Spec) string {
	text, err := json.Marshal(spec)
	if err != nil { // it holds texts, numbers and truth values
		return fmt.Sprintf("%+v", spec)
	}
	return string(text)
}

func newCompiler(list []tool.Parameter) *compiler {
	c := &compiler{parameters: parametersOf(list)}
	for _, p := range list {
		c.declared = append(c.declared, p.Name)
	}
	return c
}

func (c *compiler) fail(at, tag, message, fix string) {
	c.found = append(c.found, Finding{At: at, Tag: tag, Message: message, Fix: fix})
}

func (c *compiler) problem(at string, p *problem) { c.found = append(c.found, p.at(at)) }

// parseTarget reads where the request goes.
func (c *compiler) parseTarget(t *Template, spec Spec) {
	if spec.Base == "" {
		c.parseWhole(t, spec)
		return
	}
	base, err := url.Parse(spec.Base)
	if err != nil || base.Host == "" {
		c.fail("base_url", "", "it is no URL", "such as https://api.example.com/v1")
		return
	}
	t.origin = base.Scheme + "://" + base.Host
	t.basePath = strings.TrimRight(base.EscapedPath(), "/")
	if t.basePath != "" {
		for _, s := range strings.Split(strings.TrimRight(base.Path, "/")[1:], "/") {
			t.baseSegments = append(t.baseSegments, s)
			if checkSegment(s, tool.SlashRefused) != "" {
				c.fail("base_url", "", fmt.Sprintf("the segment %q leads elsewhere, or is read in two ways", shorten(s)), "")
			}
		}
	}
	if strings.HasPrefix(spec.Path, "{{") && onlyWhole(spec.Path) {
		c.fail("path", spec.Path, "the path is the author's to say", "write /{{…}}, or a whole URL with hosts: and no source")
		return
	}
	if len(spec.Hosts) > 0 {
		c.fail("hosts", "", "hosts bound a URL that is a value, and here the source says where the request goes", "take hosts out")
	}
	t.segments = c.parsePath("path", spec.Path, spec.PathStyles)
}

// onlyWhole reports whether a text is one tag.
func onlyWhole(s string) bool { return endOfTag(s) == len(s) }

// bind finds what declares the value of a tag, and whether each call has one.
func (c *compiler) bind(at string, e *expression) {
	if e.path == nil {
		e.always = true
		return
	}
	p, known := c.parameters[e.path[0]]
	switch {
	case c.free[e.path[0]]:
		return
	case c.answered && e.path[0] == Response:
		if e.always = true; len(e.path) == 1 {
			c.fail(at, e.source, "the whole answer has no place here", "name a part of it, such as {{response.id}}")
		}
		return
	case known:
		if !slices.Contains(c.used, p.Name) {
			c.used = append(c.used, p.Name)
		}
	case c.absent && e.fallback != nil:
		e.always = true
		return
	default:
		fix := "declare it under parameters"
		if near := spelling.Nearest(e.path[0], c.declared); near != "" {
			fix = fmt.Sprintf("did you mean {{%s}}?", near)
		}
		if c.answered {
			fix = fmt.Sprintf("write {{%s.%s}} for what the request was answered with", Response, e.name())
		}
		c.fail(at, e.source, fmt.Sprintf("no parameter %q is declared", e.path[0]), fix)
		e.always = true // more would only follow from that
		return
	}
	always := hasAlways(p)
	for _, name := range e.path[1:] {
		if p == nil || p.Type == tool.TypeObject && p.Properties == nil {
			p, always = nil, false // any member: nothing is known of it
			continue
		}
		if p = p.Property(name); p == nil {
			c.fail(at, e.source, fmt.Sprintf("the parameter has no property %q", name), "declare it under properties")
			return
		}
		always = always && hasAlways(p)
	}
	e.param, e.always = p, always || e.fallback != nil && (p == nil || !p.Nullable)
}

// hasAlways reports whether a parameter has a value in each call.
func hasAlways(p *tool.Parameter) bool { return !p.Nullable && (p.Required || p.Default != nil) }

// parseTags takes a text apart and binds its tags.
func (c *compiler) parseTags(at, source string) []piece {
	pieces, wrong := parseText(source)
	if wrong != nil {
		c.problem(at, wrong)
		return nil
	}
	for _, p := range pieces {
		if p.tag != nil {
			c.bind(at, p.tag)
		}
	}
	return pieces
}

// wantTexts wants tags whose values can stand in a text.
func (c *compiler) wantTexts(at string, pieces []piece) {
	for _, p := range pieces {
		if e := p.tag; e != nil && e.param != nil && !e.toJSON && (e.param.Type == tool.TypeArray || e.param.Type == tool.TypeObject) {
			c.fail(at, e.source, "a list or an object has no place in a text", "write {{"+e.name()+"|tojson}}, or the tag by itself")
		}
	}
}

// parseValues takes the values of a field apart: one, or one for each time that it is sent.
func (c *compiler) parseValues(at string, t Tree) [][]piece {
	if t.Object != nil {
		c.fail(at, "", "an object has no place here", "write its members as fields of their own")
		return nil
	}
	if t.List != nil {
		var all [][]piece
		for i, each := range t.List {
			if each.List != nil || each.Object != nil {
				c.fail(at, "", "a list in a list has no place here", "")
				continue
			}
			all = append(all, c.parseValues(fmt.Sprintf("%s[%d]", at, i), each)...)
		}
		return all
	}
	text, ok := textOf(t.Scalar)
	if !ok {
		return nil // nothing: the field is not sent
	}
	if _, isText := t.Scalar.(string); !isText {
		return [][]piece{{{literal: text}}}
	}
	pieces := c.parseTags(at, text)
	if len(pieces) == 0 {
		pieces = []piece{{}}
	}
	if onlyTag(pieces) == nil {
		c.wantTexts(at, pieces)
	}
	return [][]piece{pieces}
}

// parseField reads a field of a query or a form.
func (c *compiler) parseField(where string, spec Field) field {
	f := field{at: where + "." + spec.Name, name: spec.Name, style: spec.Style}
	if spec.Name == "" || strings.Contains(spec.Name, "{{") {
		c.fail(f.at, "", "the name of a field is fixed", "the agent chooses values; write the names that there may be, and "+
			"those without a value are left out")
		return f
	}
	f.values = c.parseValues(f.at, spec.Value)
	for _, pieces := range f.values {
		e := onlyTag(pieces)
		switch {
		case e == nil || e.toJSON:
		case e.param == nil:
			if e.path != nil && spec.Style.Name != "" {
				c.fail(f.at, e.source, "nothing is known of the value, so it cannot have a style", "declare it under properties")
			}
		default:
			c.checkStyle(f.at, e, f.style, StyleForm, StyleSpace, StylePipe, StyleDeep)
			f.list = e.param.Type == tool.TypeArray || e.param.Type == tool.TypeObject
		}
	}
	return f
}

// typedBody returns the body with the type that a header gives it: what a value may be in it follows from that.
func (c *compiler) typedBody(body *Body, headers []field) *Body {
	if body == nil || body.Kind == KindMultipart {
		return body
	}
	typed := *body
	for _, h := range headers {
		switch {
		case !equalFold(h.name, "Content-Type") || len(h.values) == 0:
		case typed.Type != "" || len(h.values) > 1:
			c.fail(h.at, "", "the type of the body is said twice", "take it out")
		default:
			typed.Type = literalOf(h.values[0])
		}
	}
	return &typed
}

// checkContentType wants no type of a body that has none, or its own.
func (c *compiler) checkContentType(t *Template) {
	for _, h := range t.headers {
		switch {
		case !equalFold(h.name, "Content-Type"):
		case t.body == nil:
			c.fail(h.at, "", "the request has no body", "take it out")
		case t.body.kind == KindMultipart:
			c.fail(h.at, "", "multipart says its type itself", "take it out")
		}
	}
}

// checkIdempotency looks at the header that names the call.
func (c *compiler) checkIdempotency(t *Template) {
	name := t.spec.IdempotencyKey
	if name == "" {
		return
	}
	if !isToken(name) || isFixed(name) || whoseHeader(name) != "" {
		c.fail("idempotency_key", "", fmt.Sprintf("%q cannot be set", shorten(name)), "such as Idempotency-Key")
	}
	for _, h := range t.headers {
		if equalFold(h.name, name) {
			c.fail("idempotency_key", "", "the header stands under headers, too", "take it out there")
		}
	}
}

// Names lists the parameters that the template uses, in the order of their first use.
func (t *Template) Names() []string { return slices.Clone(t.names) }

// Line returns the request line with its tags, for people.
func (t *Template) Line() string {
	if t.whole != nil {
		return t.spec.Method + " " + t.whole.source
	}
	return t.spec.Method + " " + t.origin + t.basePath + t.spec.Path
}

// Fixed returns the headers that are the same for every call.
func (t *Template) Fixed() []Header {
	var fixed []Header
	for _, h := range t.spec.Headers {
		if text, ok := h.Value.Scalar.(string); ok && !strings.Contains(text, "{{") {
			fixed = append(fixed, Header{h.Name, text})
		}
	}
	var cookies []Header
	for _, each := range t.cookies {
		if !hasTags(each.values[0]) {
			cookies = append(cookies, Header{each.name, literalOf(each.values[0])})
		}
	}
	return appendCookies(fixed, cookies)
}

// Method returns the method.
func (t *Template) Method() string { return t.spec.Method }

// Origin returns the origin that every request goes to; "" where the URL is a value.
func (t *Template) Origin() string { return t.origin }
