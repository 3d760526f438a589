package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// executionProfile is an execution_profile: a request in the format of the tools provider that this program has taken over from.
// It becomes what stands under http.
type executionProfile struct {
	at                        yamldoc.Value
	url, headers, body, reply yamldoc.Value
	kind                      string // the media type of the body; "" where that is not said
	audience, scopes          yamldoc.Value
	api                       tool.API
	polls                     yamldoc.Value // where it says that it begins a job
	wantsToken                bool          // a header takes the token that the source has
}

// profileMapping is what an execution_profile may say.
func profileMapping() yamldoc.Mapping[*toolEntry] {
	note := func(name, want string, to func(*executionProfile) *yamldoc.Value) yamldoc.Key[*toolEntry] {
		return yamldoc.NewKey(name, want, func(e *toolEntry, v yamldoc.Value) { *to(e.profile) = v })
	}
	return yamldoc.Mapping[*toolEntry]{
		Name: "execution_profile",
		Keys: []yamldoc.Key[*toolEntry]{
			yamldoc.NewKey("mode", "sync_http or async_poll", (*toolEntry).readMode),
			yamldoc.NewKey("method", "one of "+strings.Join(request.Methods(), ", "), func(e *toolEntry, v yamldoc.Value) {
				v.OneOf(request.Methods(), func(text string) { e.http.spec.Method = text })
			}),
			note("url_template", "a URL, such as https://api.example.com/orders/{{ order }}",
				func(p *executionProfile) *yamldoc.Value { return &p.url }),
			note("headers_template", "a mapping of headers, or JSON", func(p *executionProfile) *yamldoc.Value { return &p.headers }),
			note("body_template", "a text of JSON with tags", func(p *executionProfile) *yamldoc.Value { return &p.body }),
			yamldoc.NewKey("content_type", "a media type", func(e *toolEntry, v yamldoc.Value) { v.SetText(&e.profile.kind) }),
			note("response_mapping", "names with dots between them", func(p *executionProfile) *yamldoc.Value { return &p.reply }),
			note("required_audience", "a text", func(p *executionProfile) *yamldoc.Value { return &p.audience }),
			note("required_scopes", "a list of scopes", func(p *executionProfile) *yamldoc.Value { return &p.scopes }),
			yamldoc.NewKey("timeout_seconds", "seconds", func(e *toolEntry, v yamldoc.Value) {
				e.limits["timeout"] = v
				v.SetDuration(&e.tool.Sandbox.Limits.Timeout, longestRequest)
			}),
			yamldoc.NewKey("source", "the name of an entry of sources", func(e *toolEntry, v yamldoc.Value) { e.http.source = v }),
			yamldoc.NewKey("poll_config", "a mapping: {status_url_template, status_field_path, …}", (*toolEntry).readPoll),
		},
	}
}

func (e *toolEntry) readMode(v yamldoc.Value) {
	text, ok := v.Text()
	switch {
	case !ok:
	case strings.EqualFold(text, "async_poll"):
		e.profile.polls = v
	case !strings.EqualFold(text, "sync_http"):
		v.Fail(yamldoc.RuleValue, "", "want sync_http or async_poll, found %s", yamldoc.Quote(text))
	}
}

// readProfile reads a request in the other format.
func (e *toolEntry) readProfile(v yamldoc.Value) {
	e.http, e.profile = &httpEntry{at: v}, &executionProfile{at: v}
	e.http.spec.Absent = true
	e.tool.HTTP = &tool.HTTP{}
	if !v.IsMapping() {
		v.Mismatch("", "write execution_profile: {method: GET, url_template: https://…}")
		return
	}
	yamldoc.ReadKeys(v, profileMapping(), e)
	p := e.profile
	if config, both := v.Get("poll_config"); both && p.polls.Node == nil {
		config.Fail(ruleHTTP, "mode: async_poll", "the profile has a poll_config, and does not say that it begins a job")
	} else if !both && p.polls.Node != nil {
		e.profile.polls.Fail(ruleHTTP, "poll_config: {status_url_template: \"https://…/{{ response.job_id }}\", "+
			"status_field_path: status, …}",
			"what it begins is not said how to ask about")
	}
	v.Require("url_template", "url_template: https://api.example.com/orders/{{ order }}")
	if e.http.spec.Method == "" && !v.Has("method") {
		e.http.spec.Method = "GET"
	}
	p.readHeaders(e.http)
	p.readBody(e.http)
	p.readReply(e)
}

// inputSchemaKeys are those of a schema of arguments that have a meaning here, or need none.
func inputSchemaKeys() []string {
	return []string{"type", "properties", "required", "additionalProperties", "title", "description", "$schema", "$id"}
}

// readInputSchema reads parameters that stand there as a schema of JSON.
func (e *toolEntry) readInputSchema(v yamldoc.Value) {
	if !v.IsMapping() {
		v.Mismatch("", "write input_schema: {type: object, properties: {…}, required: […]}")
		e.unsure = true
		return
	}
	var required []string
	if list, ok := v.Get("required"); ok {
		required, _ = list.Texts()
	}
	known := inputSchemaKeys()
	entries, _ := v.Entries()
	for _, entry := range entries {
		if !slices.Contains(known, entry.Name) {
			entry.Key.Fail(yamldoc.RuleUnknown, "say it of each property, or take it out; there are "+strings.Join(known, ", "),
				"%s has no meaning here", yamldoc.Quote(entry.Name))
		}
	}
	if kind, ok := v.Get("type"); ok && kind.Node.Value != "object" {
		kind.Fail(yamldoc.RuleValue, "type: object", "the arguments of a call are an object")
	}
	properties, _ := v.Get("properties")
	if properties.Node == nil {
		return
	}
	each, ok := properties.Entries()
	e.unsure = e.unsure || !ok
	for _, property := range each {
		p := e.newParameter(property.Value)
		p.at.Name = fmt.Sprintf("%s: parameter %s", e.at.Name, yamldoc.Quote(property.Name))
		if !parameterName.MatchString(property.Name) {
			property.Key.Fail(yamldoc.RuleValue, parameterHint(property.Name),
				"a parameter's name has 1 to 64 letters, digits, _ or -, and begins with a letter or _; found %s",
				yamldoc.Quote(property.Name))
			e.unsure = true
			continue
		}
		p.parameter.Name = property.Name
		if property.Value.IsMapping() {
			property.Value.IgnoreKey("title")
			property.Value.IgnoreKey("examples")
			p.read()
		}
		p.parameter.Name, p.parameter.Required = property.Name, slices.Contains(required, property.Name)
		e.tool.Parameters = append(e.tool.Parameters, p.parameter)
	}
	for _, name := range required {
		if !slices.ContainsFunc(e.tool.Parameters, func(p tool.Parameter) bool { return p.Name == name }) && !e.unsure {
			v.Fail(yamldoc.RuleValue, "declare it under properties", "%s is required, and no property", yamldoc.Quote(name))
		}
	}
}

// upstreamToken is how the templates of the format name the token that they are given.
var upstreamToken = lazyregexp.New(`^(?i:bearer)\s+\{\{-?\s*upstream_token\s*-?\}\}$`)

// readHeaders reads the headers. What takes the token of the source is the source's own business here.
func (p *executionProfile) readHeaders(h *httpEntry) {
	v := p.headers
	if v.Node == nil || v.IsNull() {
		return
	}
	var fields []request.Field
	if v.IsMapping() {
		fields = readFields(v)
	} else {
		text, ok := v.Text()
		var headers map[string]string
		if !ok || json.Unmarshal([]byte(text), &headers) != nil {
			v.Fail(yamldoc.RuleValue, "headers_template: {X-Request-ID: \"{{ request_id | default(uuid()) }}\"}",
				"want a mapping of texts, or one as JSON")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			fields = append(fields, request.Field{Name: name, Value: request.Text(headers[name])})
		}
	}
	for _, field := range fields {
		text, _ := field.Value.Scalar.(string)
		switch {
		case strings.EqualFold(field.Name, "authorization") && upstreamToken.MatchString(strings.TrimSpace(text)):
			p.wantsToken = true
		case strings.Contains(text, "upstream_token"):
			v.Fail(ruleHTTP, "write auth: {api_key: {in: header, name: "+field.Name+", value: {secret: NAME}}} under the source",
				"%s takes a credential, which stands under auth of the source here", field.Name)
		case strings.EqualFold(field.Name, "content-type"):
			if p.kind == "" && p.body.Node != nil {
				h.body(yamldoc.Value{}, "").Type = text
			}
		default:
			h.spec.Headers = append(h.spec.Headers, field)
		}
	}
}

// readBody reads the body. What is no JSON is a text, of which it has to be known where values can stand.
func (p *executionProfile) readBody(h *httpEntry) {
	if p.kind != "" && p.body.Node != nil {
		h.body(yamldoc.Value{}, "").Type = p.kind
	}
	if p.body.Node == nil || p.body.IsNull() {
		h.spec.Body = nil
		return
	}
	text, ok := p.body.Text()
	if !ok {
		return
	}
	body := h.body(p.body, request.KindText)
	kind, _, _ := strings.Cut(body.Type, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case kind == "application/x-www-form-urlencoded":
		p.body.Fail(ruleHTTP, "write it under http as form: {name: \"{{value}}\"}", "a form is not pasted together from a text")
		return
	case kind != "" && kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		body.Text = text
		return
	}
	read, wrong := request.ParseJinja(text)
	if wrong != nil {
		at := p.body
		line := wrong.Line
		if at.Node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			node := *at.Node
			node.Line, node.Column = node.Line+line, 1
			at.Node = &node
		}
		at.Fail(ruleTemplate, wrong.Fix, "line %d of body_template: %v", line, wrong)
		return
	}
	body.Kind, body.JSON, body.Conditions, body.Shapes = request.KindJSON, read.JSON, read.Conditions, read.Shapes
}

// readReply reads which part of an answer is the result: a path, or a mapping of names to paths.
func (p *executionProfile) readReply(e *toolEntry) {
	v := p.reply
	if v.Node == nil || v.IsNull() {
		return
	}
	if !v.IsMapping() {
		v.SetText(&e.tool.HTTP.Answer.Pick)
		return
	}
	entries, _ := v.AllEntries()
	var members []string
	for _, entry := range entries {
		path, ok := entry.Value.Text()
		if !ok {
			continue
		}
		members = append(members, celText(entry.Name)+": "+celPath(path))
	}
	if len(members) > 0 {
		e.tool.HTTP.Answer.Shape = "{" + strings.Join(members, ", ") + "}"
	}
}

// celPath is a path with dots as an expression over the body.
func celPath(path string) string {
	expression := "body"
	path = strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(path, "$."))
	for _, part := range strings.Split(path, ".") {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			expression += "[" + part + "]"
		} else {
			expression += "[" + celText(part) + "]"
		}
	}
	return expression
}

func celText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(text)
}

// where returns the template that a mistake of a request is in.
func (p *executionProfile) where(part string) yamldoc.Value {
	at := p.url
	switch part {
	case "headers":
		at = p.headers
	case "json", "text":
		at = p.body
	}
	if at.Node == nil {
		return p.at
	}
	return at
}

// place takes the URL apart: which source it is of, its path and the fields of its query.
func (p *executionProfile) place(e *toolEntry) {
	h := e.http
	if p.url.Node == nil {
		h.lineAt, h.faulty = p.at, true // which was said
		return
	}
	text, ok := p.url.Text()
	if !ok {
		h.lineAt, h.faulty = p.url, true
		return
	}
	text = strings.TrimSpace(text)
	h.lineAt = p.url
	scheme, rest, found := strings.Cut(text, "://")
	host, path, _ := strings.Cut(rest, "/")
	if !found || scheme != "https" && scheme != "http" || host == "" || strings.ContainsAny(host, "{}@?#") {
		p.url.Fail(ruleTemplate, "such as https://api.example.com/orders/{{ order }}",
			"want a URL whose scheme, host and port are written out, without a user")
		h.faulty = true
		return
	}
	origin, line := scheme+"://"+host, "/"+path
	line, query := cutQuery(line)
	h.spec.Path = line
	fields, ok := queryFields(query)
	if !ok {
		p.url.Fail(ruleTemplate, "", "the query cannot be read")
	}
	h.spec.Query = append(h.spec.Query, fields...)
	p.chooseSource(e, origin, line)
}

// queryFields returns the fields of a query as a URL writes them, with tags in the values; ok is false where one cannot be
// read.
func queryFields(query string) (fields []request.Field, ok bool) {
	for _, field := range splitOutside(query, '&') {
		if field == "" {
			continue
		}
		name, value, _ := strings.Cut(field, "=")
		plain, err := url.QueryUnescape(name)
		fixed, wrong := unescapedOutside(value)
		if err != nil || wrong != nil {
			return fields, false
		}
		fields = append(fields, request.Field{Name: plain, Value: request.Text(fixed)})
	}
	return fields, true
}

// chooseSource finds the source that a URL is of.
func (p *executionProfile) chooseSource(e *toolEntry, origin, line string) {
	h := e.http
	var of *httpSource
	if h.source.Node != nil {
		name, _ := h.source.Text()
		of = e.file.sources[name]
		if of == nil {
			h.source.Fail(ruleHTTP, "", "there is no source %s in this file", yamldoc.Quote(name))
			h.faulty = true
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.file.sources)) {
		s := e.file.sources[name]
		if of == nil && s.api.Origin == origin && strings.HasPrefix(origin+line, strings.TrimRight(s.base, "/")+"/") {
			of = s
		}
	}
	audience := ""
	if p.audience.Node != nil {
		audience, _ = p.audience.Text()
	}
	if of == nil {
		if p.wantsToken || audience != "" {
			p.url.Fail(ruleHTTP, "beside tools: sources: {api: {base_url: "+origin+", auth: {token_exchange: {"+
				"token_url: https://…, client_id: …, client_secret: {secret: NAME}, subject: caller, audience: "+audience+"}}}}",
				"the request wants a token, and no source of this file says where it comes from")
			h.faulty = true
			return
		}
		h.spec.Base = origin
		p.api = tool.API{Name: strings.TrimPrefix(strings.TrimPrefix(origin, "https://"), "http://"), Origin: origin}
		return
	}
	base := strings.TrimRight(of.base, "/")
	if !strings.HasPrefix(origin+line, base+"/") {
		p.url.Fail(ruleHTTP, "", "the URL is none of the source, which is at %s", of.base)
		h.faulty = true
		return
	}
	h.spec.Base, h.spec.Path = of.base, strings.TrimPrefix(origin+line, base)
	p.api = of.api
	e.found = append(e.found, of.found...)
	if len(of.references) > 0 {
		e.refer(of.references, of.auth, of.at)
	}
	h.faulty = of.base == ""
	p.narrow(audience, of)
}

// narrow has the token be for what the profile says.
func (p *executionProfile) narrow(audience string, of *httpSource) {
	auth := &p.api.Auth
	var scopes []string
	if p.scopes.Node != nil {
		scopes, _ = p.scopes.Texts()
	}
	switch {
	case p.wantsToken && auth.Kind != tool.AuthBearer && !auth.Kind.Fetched():
		p.at.Fail(ruleHTTP, "write auth: {token_exchange: {…}} or {bearer: {secret: NAME}} there",
			"the request wants a token, and the source %s has none", of.api.Name)
	case audience == "" && len(scopes) == 0:
	case !auth.Kind.Fetched():
		p.at.Fail(ruleHTTP, "write auth: {token_exchange: {token_url: https://…, client_id: …, client_secret: {secret: NAME}, "+
			"subject: caller}} there",
			"the request wants a token for an audience or with scopes, and the source %s has none that is fetched", of.api.Name)
	default:
		if audience != "" {
			auth.Token.Audience = audience
		}
		if len(scopes) > 0 {
			auth.Token.Scopes = scopes
		}
	}
}

// cutQuery cuts a line at its question mark, outside of tags.
func cutQuery(line string) (path, query string) {
	parts := splitOutside(line, '?')
	return parts[0], strings.Join(parts[1:], "?")
}

// splitOutside splits a text outside of tags.
func splitOutside(text string, at byte) []string {
	var parts []string
	start, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "{{"):
			depth++
			i++
		case strings.HasPrefix(text[i:], "}}"):
			depth--
			i++
		case text[i] == at && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// unescapedOutside decodes what stands outside of tags.
func unescapedOutside(text string) (string, error) {
	var b strings.Builder
	for text != "" {
		open := strings.Index(text, "{{")
		if open < 0 {
			open = len(text)
		}
		plain, err := url.QueryUnescape(text[:open])
		if err != nil {
			return "", err
		}
		b.WriteString(plain)
		text = text[open:]
		end := strings.Index(text, "}}")
		if end < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:end+2])
		text = text[end+2:]
	}
	return b.String(), nil
}
