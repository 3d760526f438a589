package request

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// filled is a request as it must be read back.
type filled struct {
	request  *Request
	segments []string // of the path, decoded; nil where the URL is a value
	query    []pair
	cookies  []Header
	body     *filledBody // nil for none
}

// Render fills a template in. The seed names the call: the same values and the same seed give the same bytes. The
// Failure says which place a value does not fit, and never holds the value.
func (t *Template) Render(arguments map[string]any, seed string) (*Request, *tool.Failure) {
	f, failure := t.fill(arguments, seed)
	if failure != nil {
		return nil, failure
	}
	if err := t.verify(f); err != nil {
		return nil, tool.Failf(tool.FailValidation,
			"nothing is sent: with these values the request would be another one than its template says: %v", err)
	}
	return f.request, nil
}

// fill puts the values into their places.
func (t *Template) fill(arguments map[string]any, seed string) (*filled, *tool.Failure) {
	v := &values{names: arguments, seed: seed}
	f := &filled{request: &Request{Method: t.spec.Method}}
	if failure := t.fillURL(v, f); failure != nil {
		return nil, failure
	}
	headers, failure := t.fillHeaders(v)
	if failure != nil {
		return nil, failure
	}
	if f.cookies, failure = t.fillCookies(v); failure != nil {
		return nil, failure
	}
	f.request.Header = appendCookies(headers, f.cookies)
	if failure := t.addBody(v, f); failure != nil {
		return nil, failure
	}
	if name := t.spec.IdempotencyKey; name != "" {
		f.request.Header = append(f.request.Header, Header{name, v.uuid()})
	}
	f.request.OfCall = v.drawn > 0 || f.body != nil && f.body.boundary != ""
	return f, nil
}

// fillURL fills in where the request goes.
func (t *Template) fillURL(v *values, f *filled) *tool.Failure {
	r := f.request
	if t.whole != nil {
		u, failure := t.fillWhole(v)
		if failure != nil {
			return failure
		}
		r.URL, r.Origin, r.Path = u.String(), u.Scheme+"://"+u.Host, u.Path
		r.Query = fieldsOf(u.RawQuery)
		return nil
	}
	line, segments, failure := t.fillPath(v)
	if failure != nil {
		return failure
	}
	if f.query, failure = fillFields(v, t.query); failure != nil {
		return failure
	}
	b := append(make([]byte, 0, 256), t.origin...)
	b = append(b, line...)
	if len(f.query) > 0 {
		b = appendFields(append(b, '?'), f.query)
	}
	if len(b) > longestURL {
		return refusal("the URL", "it would have %d characters, and may have %d", len(b), longestURL)
	}
	f.segments = segments
	r.URL, r.Origin, r.Path, r.Query = string(b), t.origin, "/"+strings.Join(segments, "/"), headersOf(f.query)
	return nil
}

func (t *Template) addBody(v *values, f *filled) *tool.Failure {
	if t.body == nil {
		return nil
	}
	body, failure := t.fillBody(v)
	if failure != nil || body == nil {
		return failure
	}
	f.body, f.request.Body = body, body.bytes
	if f.request.Body == nil {
		f.request.Body = []byte{}
	}
	if f.request.Get("Content-Type") == "" {
		f.request.Header = append(f.request.Header, Header{"Content-Type", body.mimeType})
	}
	switch {
	case body.tree != nil:
		f.request.Data = plainTree(body.tree)
	case t.body.kind == KindForm:
		f.request.Data = dataOf(headersOf(body.form))
	case t.body.kind == KindMultipart:
		var fields []Header
		for _, p := range body.parts {
			fields = append(fields, Header{p.name, string(p.content)})
		}
		f.request.Data = dataOf(fields)
	}
	return nil
}

// dataOf returns fields as data: a name that stands there several times is a list.
func dataOf(fields []Header) map[string]any {
	data := map[string]any{}
	for _, field := range fields {
		switch before := data[field.Name].(type) {
		case nil:
			data[field.Name] = field.Value
		case []any:
			data[field.Name] = append(before, field.Value)
		default:
			data[field.Name] = []any{before, field.Value}
		}
	}
	return data
}

// fieldsOf reads a query as a list of fields; what cannot be decoded stays as it is.
func fieldsOf(raw string) []Header {
	var list []Header
	for _, pair := range strings.Split(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, Header{unescaped(name), unescaped(value)})
	}
	return list
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// Definition returns everything that the author wrote of the request: the same for all calls.
func (t *Template) Definition() string { return t.definition }

// HTTP returns the request as Go's own client sends it.
func (r *Request) HTTP(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return nil, errors.New("the URL cannot be used") // the library's own words repeat it
	}
	for _, h := range r.Header {
		request.Header.Add(h.Name, h.Value)
	}
	return request, nil
}
