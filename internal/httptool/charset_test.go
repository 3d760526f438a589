package httptool

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/request"
)

// TestCharsets checks that a text is told in UTF-8 whatever it was written in, that what is no text stays as it is, and
// that what grows on its way has the bounds of what comes out.
func TestCharsets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, body, want string }{
		{"text/plain; charset=iso-8859-1", "caf\xe9 \x80", "café €"}, {"text/html; charset=\"ISO-8859-15\"", "\xa4", "€"},
		{"application/json; charset=windows-1251", "\"\xc4\xe0\"", "\"Да\""}, {"text/plain; charset=utf-16le", "a\x00b\x00", "ab"},
		{"text/plain; charset=UTF-16", "\xfe\xff\x00a", "a"}, {"text/plain; charset=utf-8", "caf\xc3\xa9", "café"},
		{"text/plain", "caf\xe9", "caf\xe9"}, {"image/png; charset=iso-8859-1", "\xe9", "\xe9"}, {"text/plain; charset=none", "\xe9", "\xe9"},
		{"text/plain; charset=koi8-r", "\xc4", "д"}, {"application/problem+json; charset=latin1", "\xe9", "é"}, {"; charset", "\xe9", "\xe9"},
		{"text/plain; charset=windows-1252", "\xe9\xe9\xe9\xe9\xe9\xe9", "ééé"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.kind)
			io.WriteString(w, test.body)
		}))
		_, body, failure := do(t, exchange(t, server.URL, "GET", "/", func(x *Exchange, _ *request.Spec) { x.Limits.Bytes = 10 }))
		server.Close()
		if got := string(body.Data); failure != nil || got != test.want && (!body.Truncated || got[:6] != test.want) {
			t.Errorf("%s: %q, %v; want %q", test.kind, got, failure, test.want)
		}
	}
}
