package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// raw sends bytes as they are, and returns the answer.
func (h *house) raw(text string) (*http.Response, string) {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close()
	var sending sync.WaitGroup
	defer sending.Wait()
	// What the daemon does not want to read it need not have read when it answers, and closes.
	sending.Go(func() { _, _ = io.WriteString(conn, text) })
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		h.t.Fatalf("%q: %v", text[:min(len(text), 200)], err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body) // it may be cut
	return answer, string(body)
}

// TestGuard has pages of strangers, and names that are not ours, let nobody in, whatever token comes with them.
func TestGuard(t *testing.T) {
	t.Parallel()
	h := run(t, func(o *Options) {
		o.Settings.Hosts = []string{"Tools.example.com"}
		o.Settings.Origins = []string{"https://console.example.com"}
		o.Settings.URL = "https://public.example.com"
	}, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	port := portOf(h.listeners[0].Addr().String())
	for _, test := range []struct {
		name    string
		target  string
		headers []string
		status  int
	}{
		{"by number", "/x", []string{"Host: 127.0.0.1:" + port}, 200},
		{"by number, no port", "/x", []string{"Host: 127.0.0.1"}, 200},
		{"localhost", "/x", []string{"Host: localhost:" + port}, 200},
		{"in capitals", "/x", []string{"Host: LOCALHOST:1"}, 200},
		{"another loopback number", "/x", []string{"Host: [::1]:" + port}, 200},
		{"a name of the settings", "/x", []string{"Host: tools.example.com"}, 200},
		{"the name of the public URL", "/x", []string{"Host: public.example.com"}, 200},
		{"a stranger's name", "/x", []string{"Host: evil.example:" + port}, 403},
		{"a name that begins as ours", "/x", []string{"Host: localhost.evil.example"}, 403},
		{"a name that ends as ours", "/x", []string{"Host: evil.localhost"}, 403},
		{"ours with a dot", "/x", []string{"Host: localhost."}, 403},
		{"another number", "/x", []string{"Host: 10.1.2.3"}, 403},
		{"a number that a resolver may take for loopback", "/x", []string{"Host: 127.1"}, 403},
		{"a zone", "/x", []string{"Host: [::1%25lo]"}, 403},
		{"none", "/x", []string{"Host: "}, 403},
		{"a URL for another host", "http://evil.example/x", []string{"Host: localhost"}, 403},

		{"our own origin", "/x", []string{"Host: localhost:" + port, "Origin: http://localhost:" + port}, 200},
		{"our own origin by its other name", "/x", []string{"Host: localhost:" + port, "Origin: http://127.0.0.1:" + port}, 200},
		{"the public origin", "/x", []string{"Host: localhost:" + port, "Origin: https://public.example.com"}, 200},
		{"an origin of the settings", "/x", []string{"Host: localhost:" + port, "Origin: https://console.example.com"}, 200},
		{"another port of this machine", "/x", []string{"Host: localhost:" + port, "Origin: http://localhost:1"}, 403},
		{"another scheme", "/x", []string{"Host: localhost:" + port, "Origin: https://localhost:" + port}, 403},
		{"a stranger's origin", "/x", []string{"Host: localhost:" + port, "Origin: https://evil.example"}, 403},
		{"an origin that begins as one of ours", "/x", []string{"Host: localhost:" + port, "Origin: https://console.example.com.evil.example"}, 403},
		{"an origin with a name in front", "/x", []string{"Host: localhost:" + port, "Origin: http://evil@localhost:" + port}, 403},
		{"no origin that a page would own to", "/x", []string{"Host: localhost:" + port, "Origin: null"}, 403},
		{"two origins", "/x", []string{"Host: localhost:" + port, "Origin: https://console.example.com", "Origin: https://evil.example"}, 403},
		{"a page without an origin", "/x", []string{"Host: localhost:" + port, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, 403},
		{"a link", "/x", []string{"Host: localhost:" + port, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"}, 200},
		{"a person's own address line", "/x", []string{"Host: localhost:" + port, "Sec-Fetch-Site: none"}, 200},

		{"a token in the URL", "/x?access_token=tok-one", []string{"Host: localhost"}, 400},
		{"in capitals there", "/x?a=b&ACCESS_TOKEN=tok-one", []string{"Host: localhost"}, 400},
		{"a key there", "/x?api_key=tok-one", []string{"Host: localhost"}, 400},
		{"encoded there", "/x?acc%65ss_token=tok-one", []string{"Host: localhost"}, 400},
		{"another word there", "/x?task=1", []string{"Host: localhost"}, 200},
	} {
		text := "GET " + test.target + " HTTP/1.1\r\n" + strings.Join(append(test.headers, "Authorization: Bearer tok-one", "Connection: close"), "\r\n") + "\r\n\r\n"
		answer, body := h.raw(text)
		if answer.StatusCode != test.status || strings.Contains(body, "tok-one") {
			t.Errorf("%s: %s, %s; want %d", test.name, answer.Status, body, test.status)
		}
		if shared := answer.Header.Get("Access-Control-Allow-Origin"); (shared != "") != (test.name == "an origin of the settings") {
			t.Errorf("%s: shared with %q", test.name, shared)
		}
	}
}

// TestPreflight has a browser asked whether a page may call answered for the origins of the settings alone.
func TestPreflight(t *testing.T) {
	t.Parallel()
	h := run(t, func(o *Options) { o.Settings.Origins = []string{"https://console.example.com"} },
		Door{Name: "d", Routes: []Route{{Pattern: "POST /x", Scope: ScopeTools, Handler: who}}})
	for origin, status := range map[string]int{"https://console.example.com": 204, "https://evil.example": 403} {
		answer, _ := h.raw(fmt.Sprintf("OPTIONS /x HTTP/1.1\r\nHost: localhost\r\nOrigin: %s\r\nAccess-Control-Request-Method: POST\r\n"+
			"Access-Control-Request-Headers: authorization\r\nConnection: close\r\n\r\n", origin))
		if answer.StatusCode != status || status == 204 && answer.Header.Get("Access-Control-Allow-Headers") != "authorization" {
			t.Errorf("%s: %s, %v", origin, answer.Status, answer.Header)
		}
	}
}

// TestCredentials has everything but one good token refused.
func TestCredentials(t *testing.T) {
	t.Parallel()
	h := run(t, nil, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	for name, test := range map[string]struct {
		headers string
		status  int
	}{
		"bearer":               {"Authorization: Bearer tok-one\r\n", 200},
		"in small letters":     {"authorization: bearer tok-one\r\n", 200},
		"a key":                {"X-API-Key: tok-one\r\n", 200},
		"spaces around":        {"Authorization: Bearer   tok-one \r\n", 200},
		"none":                 {"", 401},
		"empty":                {"Authorization: \r\n", 401},
		"only the scheme":      {"Authorization: Bearer\r\n", 401},
		"an empty key":         {"X-API-Key:\r\n", 401},
		"basic":                {"Authorization: Basic dG9rLW9uZTp4\r\n", 401},
		"without a scheme":     {"Authorization: tok-one\r\n", 401},
		"a part":               {"Authorization: Bearer tok-on\r\n", 401},
		"and more":             {"Authorization: Bearer tok-one1\r\n", 401},
		"other letters":        {"Authorization: Bearer TOK-ONE\r\n", 401},
		"two":                  {"Authorization: Bearer tok-one\r\nAuthorization: Bearer tok-none\r\n", 401},
		"the same twice":       {"Authorization: Bearer tok-one\r\nX-API-Key: tok-one\r\n", 401},
		"behind another word":  {"Authorization: Bearer x, Bearer tok-one\r\n", 401},
		"in a cookie":          {"Cookie: access_token=tok-one\r\n", 401},
		"for a proxy":          {"Proxy-Authorization: Bearer tok-one\r\n", 401},
		"who somebody says is": {"X-Forwarded-User: one\r\nX-Remote-User: one\r\nForwarded: for=127.0.0.1\r\n", 401},
	} {
		answer, body := h.raw("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + test.headers + "\r\n")
		if answer.StatusCode != test.status || test.status == 200 && body != "one" {
			t.Errorf("%s: %s, %s; want %d", name, answer.Status, body, test.status)
		}
		if test.status == 401 && !strings.HasPrefix(answer.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s: challenged with %q", name, answer.Header.Get("WWW-Authenticate"))
		}
	}
}

// TestPrincipalIsNotPrinted has nothing that prints a principal show its token.
func TestPrincipalIsNotPrinted(t *testing.T) {
	t.Parallel()
	k := &known{principal: Principal{Name: "one"}}
	k.use("hunter2")
	_, p := k.now()
	if p.Token() != "hunter2" {
		t.Fatalf("the token is %q", p.Token())
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{p, *p, []Principal{*p}, map[string]*Principal{"a": p}, struct{ P Principal }{*p}, Visit{Principal: p.Name}} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, "hunter2") || strings.Contains(text, "68756e74657232") {
				t.Errorf("%s of a %T shows it: %s", format, value, text)
			}
		}
	}
}
