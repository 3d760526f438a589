package httptool

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestNamedURLs checks that a URL which a server has named is asked for with the credential at the source's own origin,
// and at no other, however that is written; and, where the URL was a value, at the origin of that one, without any.
func TestNamedURLs(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.RequestURI, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	for _, test := range []struct{ to, want string }{ // "" for a refusal
		{server.URL + "/list?page=2", "/list?page=2"}, {"HTTP://" + host + "/x", "/x"}, {server.URL + "/a%2fb#f", "/a%2fb"},
		{other.URL + "/x", ""}, {"https://" + host + "/x", ""}, {"http://me@" + host + "/x", ""}, {"http://me:pw@" + host + "/x", ""},
		{"//" + host + "/x", ""}, {"/x", ""}, {"http:/x", ""}, {"http:opaque", ""}, {"http://" + host + ".evil.example/x", ""},
		{"http://" + host + "@" + strings.TrimPrefix(other.URL, "http://"), ""}, {"http://" + host + "\\@" + strings.TrimPrefix(other.URL, "http://"), ""},
		{"file:///etc/passwd", ""}, {"http://" + host + "\r\nX-Admin: 1", ""}, {" " + server.URL, ""}, {"", "/first"},
		{"http://127.0.0.1/x", ""}, {"http://127.0.0.1:80/x", ""}, {"http://localhost:" + host[strings.IndexByte(host, ':')+1:], ""},
	} {
		for _, whole := range []bool{false, true} {
			_, body, failure := do(t, exchange(t, server.URL, "GET", "/first", func(x *Exchange, _ *request.Spec) {
				if x.To = test.to; whole {
					x.API, x.Credentials = tool.API{Addresses: loopback}, nil
				}
			}))
			want := test.want
			if want != "" && !whole {
				want += " Bearer " + canary
			}
			if got := strings.TrimSpace(string(body.Data)); got != want || (failure == nil) != (want != "") {
				t.Errorf("%q, %t: %q, %v; want %q", test.to, whole, got, failure, want)
			}
		}
	}
	if elsewhere.Load() != 0 {
		t.Errorf("%d requests went elsewhere", elsewhere.Load())
	}
}
