package governor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// seen is what a server was sent.
type seen struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (s *seen) serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		s.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func (s *seen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func web(url string, change func(*Spec)) Spec {
	return spec("web", KindHTTP, func(s *Spec) {
		s.HTTP = HTTP{URL: url, Allow: loopback}
		if change != nil {
			change(s)
		}
	})
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) } //nolint:errcheck // the client tells
}

// TestHTTP has servers answer well, badly and not at all. Whatever is not surely an approval approves
// nothing.
func TestHTTP(t *testing.T) {
	t.Parallel()
	const approve = `{"status":"approve"}`
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		verdict permissions.Verdict
		status  string
		says    string
		change  func(*Spec)
	}{
		{"approves", says(approve), permissions.Approve, "approve", "", nil},
		{"rejects", says(`{"status":"reject","messages":["no"]}`), permissions.Reject, "reject", "no", nil},
		{"created", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); says(approve)(w, r) }, permissions.Approve, "approve", "", nil},
		{"an error with an approval in it", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); says(approve)(w, r) }, permissions.Ask, "error", "HTTP status 500", nil},
		{"not modified", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, permissions.Ask, "error", "304", nil},
		{"no content", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, permissions.Ask, "error", "answered nothing", nil},
		{"a page", says("<html>"), permissions.Ask, "error", "no JSON", nil},
		{"twice", says(approve + approve), permissions.Ask, "error", "more than one", nil},
		{"floods", func(w http.ResponseWriter, _ *http.Request) {
			for range 40 {
				io.WriteString(w, strings.Repeat(" ", 64<<10)) //nolint:errcheck // the client goes away
			}
			io.WriteString(w, approve) //nolint:errcheck // likewise
		}, permissions.Ask, "error", "more than", nil},
		{"breaks off", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			says(approve)(w, r)
		}, permissions.Ask, "error", "broke off", nil},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, permissions.Ask, "timeout", "time was up", quick},
		{"begins and hangs", func(w http.ResponseWriter, r *http.Request) {
			says(`{"status":`)(w, r)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, permissions.Ask, "timeout", "time was up", quick},
		{"hangs up", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		}, permissions.Ask, "error", "", nil},
		{"goes over to another protocol", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			//nolint:errcheck // what is written or read wrong has no answer
			io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			conn.Read(make([]byte, 1)) //nolint:errcheck // until the client goes away
		}, permissions.Ask, "error", "another protocol", nil},
		{"a variable that is not set", says(approve), permissions.Ask, "error", "NOT_SET is not set", func(s *Spec) { s.HTTP.Headers = map[string]string{"X": "a ${NOT_SET} b"} }},
		{"a variable that breaks the header", says(approve), permissions.Ask, "error", "BROKEN holds", func(s *Spec) { s.HTTP.Headers = map[string]string{"X": "${BROKEN}"} }},
		{"nothing to sign with", says(approve), permissions.Ask, "error", "NOT_SET is not set", func(s *Spec) { s.HTTP.Secret = &tool.Reference{Env: "NOT_SET"} }},
		{"not allowed", says(approve), permissions.Ask, "error", "loopback", func(s *Spec) { s.HTTP.Allow = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var s seen
			server := s.serve(t, test.handler)
			h := newHouse(t)
			h.env["BROKEN"] = "a\r\nX-Other: b"
			h.has(web(server.URL, test.change))
			r := h.governors.Review(t.Context(), h.review())
			if r.Verdict != test.verdict || r.Silent || r.Governance.Answers[0].Status != test.status {
				t.Errorf("got %s, %+v; want %s, %s", r.Verdict, r.Governance.Answers[0], test.verdict, test.status)
			}
			if !strings.Contains(r.Reason+r.Governance.Answers[0].Error, test.says) {
				t.Errorf("got %q, want %q in it", r.Governance.Answers[0].Error, test.says)
			}
			if s.count() > 1 {
				t.Errorf("it was sent %d times", s.count())
			}
			if strings.Contains(r.Reason, server.URL) {
				t.Errorf("the URL is in the reason: %q", r.Reason)
			}
		})
	}
}

// TestSigned checks what a server is sent, and that the signature is the one of Standard Webhooks.
func TestSigned(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef01234567")
	for name, secret := range map[string]string{"as it is": string(key), "whsec_": "whsec_" + base64.StdEncoding.EncodeToString(key)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s seen
			server := s.serve(t, says(`{"status":"approve"}`))
			h := newHouse(t)
			h.env["SIGNING"], h.env["GOVERNOR_TOKEN"] = secret, "tok-1"
			h.has(web(server.URL+"/evaluate", func(s *Spec) {
				s.HTTP.Secret = &tool.Reference{Env: "SIGNING"}
				s.HTTP.Headers = map[string]string{"Authorization": "Bearer ${GOVERNOR_TOKEN}"}
			}))
			r := h.governors.Review(t.Context(), h.review())
			if r.Verdict != permissions.Approve || s.count() != 1 {
				t.Fatalf("got %+v after %d requests", r, s.count())
			}
			request, body := s.requests[0], s.bodies[0]
			id, at := request.Header.Get("Webhook-Id"), request.Header.Get("Webhook-Timestamp")
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(id + "." + at + "." + body))
			if got, want := request.Header.Get("Webhook-Signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)); got != want {
				t.Errorf("got the signature %s, want %s", got, want)
			}
			if request.Method != "POST" || request.URL.Path != "/evaluate" || request.Header.Get("Authorization") != "Bearer tok-1" ||
				request.Header.Get("Idempotency-Key") != id || id == "" || request.Header.Get("Content-Type") != "application/json" {
				t.Errorf("got %s %s %v", request.Method, request.URL, request.Header)
			}
			var told struct{ Phase string }
			if err := json.Unmarshal([]byte(body), &told); err != nil || told.Phase != "permission" {
				t.Errorf("got the body %s (%v)", body, err)
			}
			record, err := json.Marshal(r)
			if err != nil || strings.Contains(string(record), "tok-1") || strings.Contains(string(record), secret) {
				t.Errorf("a secret is on record: %s (%v)", record, err)
			}
		})
	}
}

// TestRedirects checks that nobody is told of an act but the host that the file names.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var elsewhere seen
	other := elsewhere.serve(t, says(`{"status":"approve"}`))
	for _, test := range []struct {
		name, to string
		code     int
		verdict  permissions.Verdict
		says     string
	}{
		{"to another host", other.URL, 307, permissions.Ask, "another host"},
		{"to another host, kindly", other.URL, 302, permissions.Ask, "another host"},
		{"to the metadata service", "http://169.254.169.254/latest/meta-data/", 307, permissions.Ask, "another host"},
		{"to the same host by another name", "http://localhost:0/", 307, permissions.Ask, "another host"},
		{"to a file", "file:///etc/passwd", 307, permissions.Ask, "another host"},
		{"on the same host", "/final", 307, permissions.Approve, ""},
		{"on the same host, as GET", "/final", 302, permissions.Ask, "301, 302 or 303"},
		{"in a circle", "/start", 308, permissions.Ask, "too often"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s seen
			server := s.serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/final" {
					says(`{"status":"approve"}`)(w, r)
					return
				}
				w.Header().Set("Location", test.to)
				w.WriteHeader(test.code)
			})
			h := newHouse(t)
			h.env["TOKEN"] = "tok-1"
			h.has(web(server.URL+"/start", func(s *Spec) { s.HTTP.Headers = map[string]string{"Authorization": "${TOKEN}"} }))
			r := h.governors.Review(t.Context(), h.review())
			if r.Verdict != test.verdict || !strings.Contains(r.Reason, test.says) {
				t.Errorf("got %s, %q", r.Verdict, r.Reason)
			}
			if elsewhere.count() > 0 {
				t.Errorf("another host was told")
			}
		})
	}
}

// rebinding answers first with a public address and then with one of this machine.
type rebinding struct {
	mu    sync.Mutex
	asked int
}

func (r *rebinding) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked++; r.asked == 1 {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
}

// TestRebinding checks that a name which turns to an address of this machine after the first act is not
// followed there, not even by a connection that is made anew for it.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var s seen
	server := s.serve(t, says(`{"status":"approve"}`))
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t)
	resolver := &rebinding{}
	h.governors.o.dial = dialOptions{resolver: resolver, transport: func(t *http.Transport) { t.DisableKeepAlives = true }}
	h.has(web("http://governor.example:"+port+"/", nil))
	if r := h.governors.Review(t.Context(), h.review()); r.Verdict != permissions.Approve {
		t.Fatalf("got %+v", r)
	}
	if r := h.governors.Review(t.Context(), h.review()); r.Verdict != permissions.Ask || !strings.Contains(r.Reason, "loopback") {
		t.Errorf("got %s, %q", r.Verdict, r.Reason)
	}
	if s.count() != 1 || resolver.asked != 2 {
		t.Errorf("it was reached %d times after %d questions", s.count(), resolver.asked)
	}
}

// TestNoProxy checks that no proxy of the environment is used: it would choose the address.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	j := newHTTP(&Spec{}, Options{Now: time.Now})
	if proxy := j.client.Transport.(netguard.WithoutUpgrade).Proxy; proxy != nil {
		t.Error("a proxy may be used")
	}
}
