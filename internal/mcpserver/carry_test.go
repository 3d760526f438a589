package mcpserver

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

type whoseKey struct{}

// TestCarried guards that a call knows what its own request has brought, in both eras and as a task, whatever another
// request of the same principal and session brings at the same time.
func TestCarried(t *testing.T) {
	t.Parallel()
	tools := fakeTools{list: oneTool("a"), call: func(ctx context.Context, _ Call) (CallResult, error) {
		brought, _ := ctx.Value(whoseKey{}).(string)
		return CallResult{Content: "brought " + brought}, nil
	}}
	w := newWeb(t, newServer(t, tools), HTTPOptions{Carry: func(ctx context.Context, r *http.Request) context.Context {
		return context.WithValue(ctx, whoseKey{}, r.Header.Get("X-Brought"))
	}})
	session := w.begin("alice")
	for _, brought := range []string{"one", "two", ""} {
		_, text := w.post(`{"jsonrpc":"2.0","id":"`+brought+`1","method":"tools/call","params":{"name":"a"}}`, "X-Who", "alice",
			headerSession, session, "X-Brought", brought)
		body, headers := stateless("tools/call", `"name":"a"`, "X-Who", "alice", "X-Brought", brought, headerName, "a")
		_, stateless := w.post(body, headers...)
		for era, text := range map[string]string{"a session's": text, "a request's": stateless} {
			if !strings.Contains(text, `"brought `+brought+`"`) {
				t.Errorf("%s call with %q: %s", era, brought, text)
			}
		}
	}
}
