package httptool

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const canary = "correct-horse-battery"

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// exchange is a request of a method and a path to a server, with what the test says of it.
func exchange(t *testing.T, base, method, path string, change func(*Exchange, *request.Spec)) Exchange {
	t.Helper()
	x := Exchange{
		API:         tool.API{Name: "shop", Origin: base, Addresses: loopback, Auth: tool.Auth{Kind: tool.AuthBearer}},
		Credentials: map[string]string{tool.AuthBearer.Reference(): canary}, Limits: Limits{Time: 20 * time.Second, Bytes: 1 << 20},
	}
	spec := request.Spec{Method: method, Base: base, Path: path}
	if change != nil {
		change(&x, &spec)
	}
	template, findings := request.Compile(spec, nil)
	if template == nil {
		t.Fatalf("%+v", findings)
	}
	var failure *tool.Failure
	if x.Request, failure = template.Render(nil, "call"); failure != nil {
		t.Fatal(failure)
	}
	return x
}

func do(t *testing.T, x Exchange) (*Answer, *Body, *tool.Failure) {
	t.Helper()
	client := New()
	t.Cleanup(client.Close)
	body := &Body{Keep: true}
	answer, err := client.Do(t.Context(), x, body)
	var failure *tool.Failure
	if err != nil && !errors.As(err, &failure) {
		t.Fatalf("%v is no failure", err)
	}
	if failure != nil && strings.Contains(failure.Message, canary) {
		t.Errorf("the failure holds the credential: %s", failure.Message)
	}
	return answer, body, failure
}

// TestCredentialStays checks that neither the credential nor a key nor a body follows a redirect to another origin,
// and that one to the same origin is followed only as often as the source lets it, and only of GET.
func TestCredentialStays(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	var seen atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/again", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/end?x=1", http.StatusFound) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if r.Header.Get("Authorization") != "Bearer "+canary || len(r.Header.Values("Authorization")) != 1 {
			t.Errorf("the credential is %q", r.Header.Values("Authorization"))
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, test := range []struct {
		method, path string
		redirects    int
		status       int
	}{
		{"GET", "/again", 0, 302}, {"GET", "/again", 1, 200}, {"POST", "/again", 3, 302}, {"GET", "/away", 3, 307},
		{"POST", "/away", 3, 307}, {"GET", "/loop", 3, 302}, {"DELETE", "/again", 3, 302},
	} {
		answer, _, failure := do(t, exchange(t, server.URL, test.method, test.path, func(x *Exchange, _ *request.Spec) { x.API.Redirects = test.redirects }))
		if failure != nil || answer.Status != test.status {
			t.Errorf("%s %s: %v, %v; want %d", test.method, test.path, answer.Status, failure, test.status)
		}
	}
	if elsewhere.Load() != 0 || seen.Load() != 1 {
		t.Errorf("%d requests went elsewhere, %d to the end; want 0 and 1", elsewhere.Load(), seen.Load())
	}
	x := exchange(t, server.URL, "GET", "/end", nil)
	x.API.Origin = other.URL // a request that is not for its origin
	if _, _, failure := do(t, x); failure == nil || elsewhere.Load() != 0 {
		t.Errorf("the credential left for another origin: %v", failure)
	}
}

// TestCredentials checks where each kind of credential goes, and that one which no header can hold goes nowhere.
func TestCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s|%s", r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.URL.RawQuery, r.Header.Get("Cookie"))
	}))
	t.Cleanup(server.Close)
	for _, test := range []struct {
		auth        tool.Auth
		value, want string // "" for a refusal
	}{
		{tool.Auth{Kind: tool.AuthBearer}, "abc", "Bearer abc|||"},
		{tool.Auth{Kind: tool.AuthBasic, User: "me"}, "pass:word", "Basic bWU6cGFzczp3b3Jk|||"},
		{tool.Auth{Kind: tool.AuthAPIKey, In: tool.InHeader, Name: "X-Key"}, "abc", "|abc||"},
		{tool.Auth{Kind: tool.AuthAPIKey, In: tool.InQuery, Name: "key"}, "a&b=c", "||key=a%26b%3Dc|"},
		{tool.Auth{Kind: tool.AuthAPIKey, In: tool.InCookie, Name: "key"}, "abc", "|||key=abc"},
		{tool.Auth{Kind: tool.AuthAPIKey, In: tool.InCookie, Name: "key"}, "a; admin=1", ""},
		{tool.Auth{Kind: tool.AuthBearer}, "abc\r\nX-Admin: 1", ""},
		{tool.Auth{Kind: tool.AuthBearer}, "abc ", ""},
	} {
		_, body, failure := do(t, exchange(t, server.URL, "GET", "/", func(x *Exchange, _ *request.Spec) {
			x.API.Auth, x.Credentials = test.auth, map[string]string{test.auth.Kind.Reference(): test.value}
		}))
		if got := string(body.Data); got != test.want || (failure == nil) != (test.want != "") {
			t.Errorf("%+v: %q, %v; want %q", test.auth, got, failure, test.want)
		}
	}
}

// TestSeveralCredentials checks that all credentials of a source are sent at once, or nothing where one is missing or bad.
func TestSeveralCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s|%s", r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.URL.RawQuery, r.Header.Get("Cookie"))
	}))
	t.Cleanup(server.Close)
	api := tool.API{Auth: tool.Auth{Kind: tool.AuthClientCredentials}, Also: []tool.Auth{
		{Kind: tool.AuthAPIKey, In: tool.InHeader, Name: "X-Key"}, {Kind: tool.AuthAPIKey, In: tool.InQuery, Name: "a"},
		{Kind: tool.AuthAPIKey, In: tool.InQuery, Name: "b"}, {Kind: tool.AuthAPIKey, In: tool.InCookie, Name: "c"}}}
	values := map[string]string{}
	for i, c := range api.Credentials() {
		values[c.Reference] = fmt.Sprint("value", i)
	}
	if len(values) != 5 {
		t.Fatalf("%v: want a name for each of 5", values)
	}
	for name, test := range map[string]struct{ change, want string }{
		"all":         {"", "Bearer value0|value1|a=value2&b=value3|c=value4"},
		"one missing": {"auth.3.api_key", ""},
		"one bad":     {"auth.5.api_key=a; admin=1", ""},
	} {
		_, body, failure := do(t, exchange(t, server.URL, "GET", "/", func(x *Exchange, _ *request.Spec) {
			x.API.Auth, x.API.Also, x.Credentials = api.Auth, api.Also, maps.Clone(values)
			if key, value, other := strings.Cut(test.change, "="); other {
				x.Credentials[key] = value
			} else {
				delete(x.Credentials, key)
			}
		}))
		if got := string(body.Data); got != test.want || (failure == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, failure, test.want)
		}
	}
}

// TestSentOnce checks that nothing is sent again by itself when a connection that was kept breaks after the request
// was written: neither a GET, nor a POST with a key that the transport takes for leave to do so.
func TestSentOnce(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST", "DELETE", "PUT"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { listener.Close() })
			var requests atomic.Int32
			go func() { // ends with the listener
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					reader := bufio.NewReader(conn)
					for n := 0; n < 2; n++ {
						r, err := http.ReadRequest(reader)
						if err != nil {
							break
						}
						io.Copy(io.Discard, r.Body)
						requests.Add(1)
						if n == 0 {
							io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
						}
					}
					conn.Close() // the second request of a connection gets no answer
				}
			}()
			client := New()
			t.Cleanup(client.Close)
			x := exchange(t, "http://"+listener.Addr().String(), method, "/", func(_ *Exchange, s *request.Spec) { s.IdempotencyKey = "Idempotency-Key" })
			if _, err := client.Do(t.Context(), x, &Body{Keep: true}); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Do(t.Context(), x, &Body{Keep: true}); err == nil {
				t.Error("a request without an answer has one")
			}
			if n := requests.Load(); n != 2 {
				t.Errorf("%d requests arrived, want 2", n)
			}
		})
	}
}

// TestBounds checks that no answer takes more than it may: a bomb, one that never ends, one that drips, a flood of
// headers, and one that lies about its length.
func TestBounds(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 1024 {
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
		z.Close()
	})
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Much", strings.Repeat("a", 1<<20)) })
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "a")
	})
	mux.HandleFunc("/exact", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("a", 1<<20)) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, test := range []struct {
		path  string
		time  time.Duration
		bytes int64
		cut   bool
		code  tool.FailureCode // "" for an answer
	}{
		{"/bomb", time.Minute, 1 << 20, true, ""},
		{"/exact", time.Minute, 1 << 20, false, ""},
		{"/drip", time.Second, 1, false, tool.FailUpstreamTimeout},
		{"/silent", 50 * time.Millisecond, 0, false, tool.FailUpstreamTimeout},
		{"/headers", time.Minute, 0, false, tool.FailUpstream},
		{"/short", time.Minute, 1, false, tool.FailUpstream},
	} {
		_, body, failure := do(t, exchange(t, server.URL, "GET", test.path, func(x *Exchange, _ *request.Spec) { x.Limits.Time = test.time }))
		var code tool.FailureCode
		if failure != nil {
			code = failure.Code
		}
		if code != test.code || body.Bytes != test.bytes || body.Truncated != test.cut {
			t.Errorf("%s: %d bytes, cut %t, %v; want %d, %t, %q", test.path, body.Bytes, body.Truncated, failure, test.bytes, test.cut, test.code)
		}
	}
}

// TestReach checks that an address which is not allowed is not reached, whatever names it, and that no proxy of the
// environment is asked.
func TestReach(t *testing.T) {
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	t.Setenv("HTTP_PROXY", server.URL)
	t.Setenv("http_proxy", server.URL)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "169.254.169.254", "0.0.0.0", "0x7f000001", "2130706433", "127.1", "metadata.invalid"} {
		base := "http://" + host + ":" + port
		x := exchange(t, "http://127.0.0.1:"+port, "GET", "/", nil)
		x.API = tool.API{Name: "shop", Origin: base}
		x.Request.URL = base + "/"
		_, _, failure := do(t, x)
		if failure == nil || failure.Code != tool.FailUpstream {
			t.Errorf("%s: %v", host, failure)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// TestCancelled checks that a caller who leaves ends the exchange.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	client := New()
	t.Cleanup(client.Close)
	_, err := client.Do(ctx, exchange(t, server.URL, "GET", "/", nil), &Body{})
	if !errors.Is(err, &tool.Failure{Code: tool.FailCancelled}) {
		t.Errorf("got %v", err)
	}
}

// TestUnreadable checks that the failure of an answer that cannot be read does not repeat it: nothing that looks at
// outputs would see that.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const said = "hunter12345"
	for _, answer := range []string{
		"HTTP/9 " + said + "\r\n\r\n", said + "\r\n\r\n", "HTTP/1.1 " + said + " x\r\n\r\n", "HTTP/1.1 200 OK\r\nX " + said + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + said + "\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: " + said + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + said + "\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + said,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, answer)
			conn.Close()
		}))
		_, _, failure := do(t, exchange(t, server.URL, "GET", "/", nil))
		server.Close()
		if failure != nil && strings.Contains(failure.Message, said) || failure == nil && !strings.Contains(answer, "gzip") {
			t.Errorf("%q: %v", answer, failure)
		}
	}
}
