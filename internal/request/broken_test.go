package request

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

// TestBrokenEncodersAreFound breaks what was encoded, in one way at a time: reading the request back finds each within
// few requests, and so does a server.
func TestBrokenEncodersAreFound(t *testing.T) {
	t.Parallel()
	inBody := func(from, to string) func(*Request) {
		return func(r *Request) {
			if r.Body != nil {
				r.Body = []byte(strings.ReplaceAll(string(r.Body), from, to))
			}
		}
	}
	inURL := func(from, to string) func(*Request) {
		return func(r *Request) { r.URL = strings.ReplaceAll(r.URL, from, to) }
	}
	for name, breaks := range map[string]func(*Request){
		"a slash in the path":       inURL("%2F", "/"),
		"an ampersand":              inURL("%26", "&"),
		"a question mark":           inURL("%3F", "?"),
		"a number sign":             inURL("%23", "#"),
		"a plus":                    inURL("%2B", "+"),
		"a percent sign":            inURL("%25", "%"),
		"everything decoded":        func(r *Request) { r.URL, _ = url.PathUnescape(r.URL) },
		"a quote in JSON":           inBody(`\"`, `"`),
		"a backslash in JSON":       inBody(`\\`, `\`),
		"an ampersand in a form":    inBody("%26", "&"),
		"an ampersand in XML":       inBody("&amp;", "&"),
		"a bracket in XML":          inBody("&lt;", "<"),
		"a quote in XML":            inBody("&quot;", `"`),
		"another method":            func(r *Request) { r.Method = "TRACE" },
		"another host":              inURL("api.example.com", "evil.example.com"),
		"a header more":             func(r *Request) { r.Header = append(r.Header, Header{"X-Admin", "1\r\nX-More: 1"}) },
		"a part more":               inBody("\r\n--a2a-acp-", "\r\n\r\n--a2a-acp-"),
		"something behind the body": func(r *Request) { r.Body = append(r.Body, " {}"...) },
		"nothing of the body":       func(r *Request) { r.Body = nil },
		"a dot segment":             inURL("/base/", "/base/../"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verified, read := 0, 0
			for seed := uint64(0); seed < 4000 && (verified == 0 || read == 0); seed++ {
				m := makeUp(seed)
				template, found := Compile(m.spec, m.parameters)
				if template == nil {
					t.Fatalf("%+v", found)
				}
				f, failure := template.fill(m.arguments, "call")
				if failure != nil || template.verify(f) != nil {
					continue
				}
				before := f.request.URL + string(f.request.Body) + f.request.Method
				breaks(f.request)
				if before == f.request.URL+string(f.request.Body)+f.request.Method && !strings.Contains(name, "header") {
					continue
				}
				if template.verify(f) != nil {
					verified++
				} else if err := m.tryBroken(t, f.request); err != nil {
					t.Fatalf("seed %d: reading it back finds nothing, and a server %v: %s", seed, err, f.request.URL)
				}
				if err := m.tryBroken(t, f.request); err != nil && !errors.Is(err, errNothingSent) {
					read++
				}
			}
			if verified == 0 || read == 0 && name != "another host" { // where a server is there is no other host
				t.Errorf("found %d times by reading it back, %d times by a server", verified, read)
			}
		})
	}
}

// tryBroken has Go's own server read a request that something has broken.
func (m *madeUp) tryBroken(t *testing.T, r *Request) error {
	got, err := (&server{xml: true}).ask(t, nil, r)
	if err != nil {
		return err
	}
	return m.want.same(got)
}
