package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleHTTP = "http"

// httpEntry is what stands under http of a tool that is being read.
type httpEntry struct {
	at     yamldoc.Value
	spec   request.Spec
	lineAt yamldoc.Value // where the method and the path stand
	source yamldoc.Value
	safe   yamldoc.Value
	bodies []yamldoc.Value
	typeAt yamldoc.Value
	poll   *pollEntry // nil for none
	faulty bool       // its source is wrong, so nothing more is said
}

var (
	httpTable  keyTable[*toolEntry]
	fieldTable keyTable[*request.Field]
)

// httpMapping is what a tool may say that sends a request in place of running a script.
func httpMapping() yamldoc.Mapping[*toolEntry] {
	m := yamldoc.Mapping[*toolEntry]{
		Name: "http",
		Synonyms: map[string]string{"url": "get", "api": "source", "header": "headers", "cookie": "cookies",
			"params": "query", "body": "json", "data": "form", "files": "multipart", "content_type": "type",
			"pages": "paginate", "poll_config": "poll", "job": "poll",
			"pagination": "paginate", "response": "result", "response_mapping": "result"},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"auth", "base_url", "allow_addresses", "redirects"}, Hint: "%s belongs to an entry of sources"},
			{Names: []string{"retry", "caching", "circuit_breaker", "error_mapping", "parameters", "output"},
				Hint: "%s belongs to the tool, beside http"},
			{Names: []string{"when"}, Hint: "%s belongs under error_mapping of the tool"},
		},
		Keys: []yamldoc.Key[*toolEntry]{
			yamldoc.NewKey("source", "the name of an entry of sources", func(e *toolEntry, v yamldoc.Value) { e.http.source = v }),
		},
	}
	add := func(name, want string, read func(*httpEntry, yamldoc.Value)) {
		m.Keys = append(m.Keys, yamldoc.NewKey(name, want, func(e *toolEntry, v yamldoc.Value) { read(e.http, v) }))
	}
	for _, method := range request.Methods() {
		if method == "QUERY" {
			continue // query has the fields; say method: QUERY, path: …
		}
		add(strings.ToLower(method), "a path, such as /orders/{{order}}", func(h *httpEntry, v yamldoc.Value) {
			h.readLine(v, method)
		})
	}
	add("method", "one of "+strings.Join(request.Methods(), ", "), func(h *httpEntry, v yamldoc.Value) {
		v.OneOf(request.Methods(), func(text string) { h.spec.Method = text })
	})
	add("path", "a path, such as /orders/{{order}}", func(h *httpEntry, v yamldoc.Value) { h.readLine(v, "") })
	add("path_styles", "a mapping from tags to {style, explode}", (*httpEntry).readPathStyles)
	add("hosts", "a list of hosts", func(h *httpEntry, v yamldoc.Value) { v.SetTexts(&h.spec.Hosts) })
	add("query", "a mapping of fields", func(h *httpEntry, v yamldoc.Value) { h.spec.Query = readFields(v) })
	add("headers", "a mapping of headers", func(h *httpEntry, v yamldoc.Value) { h.spec.Headers = readFields(v) })
	add("cookies", "a mapping of cookies", func(h *httpEntry, v yamldoc.Value) { h.spec.Cookies = readCookies(v) })
	add("json", "any value, whose texts are templates", func(h *httpEntry, v yamldoc.Value) {
		h.body(v, request.KindJSON).JSON = readTree(v)
	})
	add("form", "a mapping of fields", func(h *httpEntry, v yamldoc.Value) {
		h.body(v, request.KindForm).Form = readFields(v)
	})
	add("multipart", "a mapping of parts", func(h *httpEntry, v yamldoc.Value) {
		h.body(v, request.KindMultipart).Parts = readParts(v)
	})
	add("text", "a text", func(h *httpEntry, v yamldoc.Value) {
		if text, ok := v.Text(); ok {
			h.body(v, request.KindText).Text = text
		}
	})
	add("base64", "true or false", func(h *httpEntry, v yamldoc.Value) {
		if is, ok := v.Bool(); ok && is {
			h.body(yamldoc.Value{}, "").Base64 = true
		}
	})
	add("type", "a media type", func(h *httpEntry, v yamldoc.Value) {
		if text, ok := v.Text(); ok {
			h.typeAt = v
			h.body(yamldoc.Value{}, "").Type = text
		}
	})
	add("idempotency_key", "the name of a header, such as Idempotency-Key", func(h *httpEntry, v yamldoc.Value) {
		v.SetText(&h.spec.IdempotencyKey)
	})
	m.Keys = append(m.Keys,
		yamldoc.NewKey("result", "a mapping: {pick, shape, stream}", func(e *toolEntry, v yamldoc.Value) {
			yamldoc.ReadKeys(v, resultMapping(), &e.tool.HTTP.Answer)
		}),
		yamldoc.NewKey("paginate", "a mapping: {next, items, max_pages}", (*toolEntry).readPages))
	m.Keys = append(m.Keys, yamldoc.NewKey("poll", "a mapping: {status_url, status_field_path, …}", (*toolEntry).readPoll))
	add("safe", "true or false", func(h *httpEntry, v yamldoc.Value) { h.safe = v })
	m.Keys = append(m.Keys, yamldoc.NewKey("timeout", "seconds, or a duration such as 2m30s",
		func(e *toolEntry, v yamldoc.Value) {
			e.limits["timeout"] = v
			v.SetDuration(&e.tool.Sandbox.Limits.Timeout, longestRequest)
		}))
	return m
}

func (e *toolEntry) readHTTP(v yamldoc.Value) {
	e.http = &httpEntry{at: v}
	e.tool.HTTP = &tool.HTTP{}
	if !v.IsMapping() {
		v.Mismatch("", "write http: {source: shop, get: /orders/{{order}}}")
		return
	}
	yamldoc.ReadKeys(v, httpTable.get(httpMapping), e)
}

// readLine reads where a request goes; the method is that of the key, "" where it has a key of its own.
func (h *httpEntry) readLine(v yamldoc.Value, method string) {
	path, ok := v.Text()
	if !ok {
		return
	}
	if h.lineAt.Node != nil {
		v.Fail(ruleHTTP, "one tool sends one request", "a method and a path stand here twice")
		return
	}
	if h.lineAt, h.spec.Path = v, path; method != "" {
		h.spec.Method = method
	}
}

// body returns the body that is being read. What stands under two kinds of it is a mistake.
func (h *httpEntry) body(v yamldoc.Value, kind request.BodyKind) *request.Body {
	if h.spec.Body == nil {
		h.spec.Body = &request.Body{}
	}
	if kind != "" {
		h.spec.Body.Kind = kind
		h.bodies = append(h.bodies, v)
	}
	return h.spec.Body
}

// readFields reads fields of a query, a form or headers: a text each, or {value, style, explode}.
func readFields(v yamldoc.Value) []request.Field {
	entries, _ := v.AllEntries()
	fields := make([]request.Field, 0, len(entries))
	for _, e := range entries {
		field := request.Field{Name: e.Name}
		if e.Value.IsMapping() {
			yamldoc.ReadKeys(e.Value, fieldTable.get(fieldMapping), &field)
			e.Value.Require("value", `value: "{{name}}"`)
		} else {
			field.Value = readTree(e.Value)
		}
		fields = append(fields, field)
	}
	return fields
}

// readCookies reads cookies, a text each.
func readCookies(v yamldoc.Value) []request.Field {
	entries, _ := v.AllEntries()
	var cookies []request.Field
	for _, e := range entries {
		if text, ok := e.Value.Literal(); ok {
			cookies = append(cookies, request.Field{Name: e.Name, Value: request.Text(text)})
		}
	}
	return cookies
}

func fieldMapping() yamldoc.Mapping[*request.Field] {
	m := yamldoc.Mapping[*request.Field]{
		Name: "a field",
		Keys: []yamldoc.Key[*request.Field]{
			yamldoc.NewKey("value", "a text, or a list of texts", func(f *request.Field, v yamldoc.Value) { f.Value = readTree(v) }),
		},
	}
	for _, key := range styleMapping().Keys {
		m.Keys = append(m.Keys, yamldoc.NewKey(key.Name, key.Want, func(f *request.Field, v yamldoc.Value) { key.Read(&f.Style, v) }))
	}
	return m
}

// styleMapping says how a list or an object is written, in OpenAPI's words.
func styleMapping() yamldoc.Mapping[*request.Style] {
	return yamldoc.Mapping[*request.Style]{
		Name: "a style",
		Keys: []yamldoc.Key[*request.Style]{
			yamldoc.NewKey("style", "one of OpenAPI's styles", func(s *request.Style, v yamldoc.Value) {
				v.OneOf(request.Styles(), func(text string) { s.Name = request.StyleName(text) })
			}),
			yamldoc.NewKey("explode", "true or false", func(s *request.Style, v yamldoc.Value) { v.SetFlag(&s.Explode) }),
		},
	}
}

func (h *httpEntry) readPathStyles(v yamldoc.Value) {
	entries, _ := v.AllEntries()
	h.spec.PathStyles = map[string]request.Style{}
	for _, e := range entries {
		var style request.Style
		yamldoc.ReadKeys(e.Value, styleMapping(), &style)
		h.spec.PathStyles[e.Name] = style
	}
}

// readTree reads a value whose texts are templates. A number is taken as it is written.
func readTree(v yamldoc.Value) request.Tree {
	switch {
	case v.IsMapping():
		t := request.Tree{Object: []request.Member{}}
		entries, _ := v.AllEntries()
		for _, e := range entries {
			t.Object = append(t.Object, request.Member{Name: e.Name, Value: readTree(e.Value)})
		}
		return t
	case v.IsList():
		t := request.Tree{List: []request.Tree{}}
		for i := range v.Node.Content {
			t.List = append(t.List, readTree(v.Item(i)))
		}
		return t
	case v.Node.Tag == "!!str" || v.Node.Tag == "!!timestamp":
		return request.Text(v.Node.Value)
	}
	value, _ := v.JSON()
	return request.Tree{Scalar: value}
}

// partMapping is what a part of a multipart body may say.
func partMapping() yamldoc.Mapping[*request.Part] {
	return yamldoc.Mapping[*request.Part]{
		Name: "a part",
		Keys: []yamldoc.Key[*request.Part]{
			yamldoc.NewKey("content", "a text", func(p *request.Part, v yamldoc.Value) { v.SetText(&p.Content) }),
			yamldoc.NewKey("filename", "a text", func(p *request.Part, v yamldoc.Value) { v.SetText(&p.Filename) }),
			yamldoc.NewKey("type", "a media type", func(p *request.Part, v yamldoc.Value) { v.SetText(&p.Type) }),
			yamldoc.NewKey("base64", "true or false", func(p *request.Part, v yamldoc.Value) { v.SetBool(&p.Base64) }),
		},
	}
}

func readParts(v yamldoc.Value) []request.Part {
	entries, _ := v.AllEntries()
	var parts []request.Part
	for _, e := range entries {
		part := request.Part{Name: e.Name}
		if e.Value.IsMapping() {
			yamldoc.ReadKeys(e.Value, partMapping(), &part)
			e.Value.Require("content", `content: "{{text}}"`)
		} else if text, ok := e.Value.Literal(); ok {
			part.Content = text
		}
		parts = append(parts, part)
	}
	return parts
}

// compileRequest compiles what stands under http; nil where it is wrong.
func (e *toolEntry) compileRequest() *request.Template {
	h := e.http
	before := len(h.at.Doc.Found)
	e.checkHTTPAlone()
	api := e.apiOf(h)
	e.checkBody(h)
	if h.lineAt.Node == nil {
		h.at.Fail(yamldoc.RuleMissing, "http: {source: shop, get: /orders/{{order}}}", "want a method and a path")
	} else if h.spec.Method == "" {
		h.lineAt.Fail(yamldoc.RuleMissing, "get: /orders/{{order}}", "want a method")
	}
	if yamldoc.Errors(h.at.Doc.Found[before:]).Broken() || h.at.IsFaulty() || h.faulty {
		return nil
	}
	template, findings := request.Compile(h.spec, e.tool.Parameters)
	for _, finding := range findings {
		e.reportRequest(finding)
	}
	if template == nil {
		return nil
	}
	e.tool.HTTP.API, e.tool.HTTP.Method, e.tool.HTTP.Line = api, h.spec.Method, template.Line()
	e.tool.HTTP.Repeatable = slices.Contains([]string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "QUERY"}, h.spec.Method) ||
		h.spec.IdempotencyKey != ""
	e.tool.Sandbox.Network = tool.NetworkOn
	e.tool.Sandbox.TempIsolation = false
	if e.limits["timeout"].Node == nil && api.Timeout > 0 {
		e.tool.Sandbox.Limits.Timeout = api.Timeout
	}
	e.checkHTTPHints()
	return template
}

func (e *toolEntry) apiOf(h *httpEntry) tool.API {
	if e.profile == nil {
		return e.sourceOf(h)
	}
	e.profile.place(e)
	return e.profile.api
}

// sourceOf returns the source that a request goes to.
func (e *toolEntry) sourceOf(h *httpEntry) tool.API {
	if h.source.Node == nil {
		if !strings.HasPrefix(strings.TrimSpace(h.spec.Path), "{{") && h.lineAt.Node != nil {
			h.at.Fail(yamldoc.RuleMissing, "beside tools: sources: {shop: {base_url: https://api.example.com/v1}}; here: source: shop",
				"want the source that the request goes to")
		}
		return tool.API{}
	}
	name, ok := h.source.Text()
	if !ok {
		return tool.API{}
	}
	s := e.file.sources[name]
	if s == nil {
		hint := "beside tools: sources: {" + name + ": {base_url: https://api.example.com/v1}}"
		if near := spelling.Nearest(name, slices.Sorted(maps.Keys(e.file.sources))); near != "" {
			hint = "did you mean " + near + "?"
		}
		h.source.Fail(ruleHTTP, hint, "there is no source %s in this file", yamldoc.Quote(name))
		return tool.API{}
	}
	h.spec.Base = s.base
	e.found = append(e.found, s.found...)
	if len(s.references) > 0 {
		e.refer(s.references, s.auth, s.at)
	}
	h.faulty = s.base == "" // which was said there
	return s.api
}

// checkBody wants one body.
func (e *toolEntry) checkBody(h *httpEntry) {
	if len(h.bodies) > 1 {
		h.bodies[1].Fail(ruleHTTP, "keep one of json, form, multipart and text", "a request has one body")
	}
	if b := h.spec.Body; b != nil && b.Kind == "" {
		if h.typeAt.Node != nil {
			h.typeAt.Fail(ruleHTTP, "write json, form, multipart or text beside it", "the request has no body")
		} else {
			h.at.Fail(ruleHTTP, "write text: \"{{data}}\" beside base64", "the request has no body")
		}
	}
}

// checkHTTPAlone refuses what an entry says of a process that there is none of.
func (e *toolEntry) checkHTTPAlone() {
	if other, both := e.at.Get("http"); both && e.profile != nil {
		other.Fail(ruleHTTP, "take one of them out", "a tool has a request (http) or an execution_profile, not both")
	}
	if other, both := e.at.Get("parameters"); both && e.at.Has("input_schema") {
		other.Fail(ruleHTTP, "take one of them out", "parameters stand here twice: here and in input_schema")
	}
	for _, key := range []string{"script", "exec"} {
		if other, both := e.at.Get(key); both {
			other.Fail(ruleHTTP, "take one of them out", "a tool has a %s or a request (http), not both", key)
		}
	}
	for _, key := range []string{"allow_dynamic_command", "trust_program"} {
		if other, both := e.at.Get(key); both {
			other.Fail(ruleHTTP, "take it out", "a request runs no program")
		}
	}
	known := map[string][]string{
		"sandbox": {"requires_confirmation", "confirmation_message", "timeout", "max_output_mb", "caching_enabled",
			"cache_ttl_seconds", "cache_max_size_mb"},
		"resource_limits": {"max_output_mb", "timeout"},
	}
	for _, under := range []string{"sandbox", "resource_limits"} {
		v, ok := e.at.Get(under)
		if !ok || !v.IsMapping() {
			continue
		}
		entries, _ := v.Entries()
		for _, entry := range entries {
			if !slices.Contains(known[under], entry.Name) {
				entry.Key.Fail(ruleHTTP, "take it out; there are "+strings.Join(known[under], ", "),
					"a request has no process, and so no %s", entry.Name)
			}
		}
	}
}

// checkHTTPHints holds a request to its author's word.
func (e *toolEntry) checkHTTPHints() {
	if e.http.safe.Node != nil {
		e.http.safe.SetBool(&e.tool.HTTP.Safe)
	}
	hints, _ := e.at.Get("annotations")
	unsafe := !slices.Contains([]string{"GET", "HEAD", "OPTIONS", "QUERY"}, e.tool.HTTP.Method) && !e.tool.HTTP.Safe
	if e.tool.IsReadOnly() && unsafe {
		v, _ := hints.Get("readOnlyHint")
		v.Fail(ruleHTTP, "take it out; or, if this request does change nothing, write safe: true under http",
			"the annotations say that the tool changes nothing, and a %s does", e.tool.HTTP.Method)
	}
	if p := e.http.poll; p != nil && p.cancel.method != "" && e.tool.IsReadOnly() && !e.tool.HTTP.Safe {
		p.cancel.at.Fail(ruleHTTP, "take readOnlyHint out; or, if the job changes nothing, write safe: true under http",
			"the annotations say that the tool changes nothing, and a %s ends its job", p.cancel.method)
	}
	if open := e.tool.Annotations.OpenWorld; open != nil && !*open {
		v, _ := hints.Get("openWorldHint")
		v.Fail(ruleHTTP, "take it out", "a request reaches another machine")
	}
	if retry := e.retry; retry.Node != nil && e.tool.Retry.Attempts > 1 && !e.tool.HTTP.Repeatable {
		retry.Fail(ruleHTTP, "write idempotency_key: Idempotency-Key under http, if the server knows it; else take retry out",
			"a %s that is sent again may be done twice", e.tool.HTTP.Method)
	}
}

// reportRequest reports what is to be said about a request, where it stands.
func (e *toolEntry) reportRequest(f request.Finding) {
	at := e.http.at
	switch first, _, _ := strings.Cut(f.At, "."); {
	case e.profile != nil:
		at = e.profile.where(first)
	case first == "path" || first == "method":
		at = e.http.lineAt
	case first == "base_url":
		if s := e.file.sources[e.http.source.Node.Value]; s != nil && s.baseAt.Node != nil {
			at = s.baseAt
		}
	default:
		at = at.Find(f.At)
	}
	message := f.Message
	if f.Tag != "" {
		message = f.Tag + ": " + message
	}
	if f.Warning {
		at.Warn(ruleTemplate, f.Fix, "%s", message)
	} else {
		at.Fail(ruleTemplate, f.Fix, "%s", message)
	}
}
