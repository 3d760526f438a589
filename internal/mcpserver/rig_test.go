package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// fakeTools are tools of these tests.
type fakeTools struct {
	list []Tool
	call func(context.Context, Call) (CallResult, error)
}

func (f fakeTools) List(context.Context, *Client) (*Catalogue, error) {
	return NewCatalogue(f.list), nil
}

func (f fakeTools) Call(ctx context.Context, call Call) (CallResult, error) { return f.call(ctx, call) }

func oneTool(name string) []Tool {
	return []Tool{{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}}
}

func echo(_ context.Context, call Call) (CallResult, error) {
	return CallResult{Content: string(call.Arguments)}, nil
}

func newServer(t testing.TB, tools Tools) *Server {
	t.Helper()
	s, err := New(Options{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// web is a server at an URL, at which a header says who calls.
type web struct {
	t     testing.TB
	url   string
	front *HTTP
}

func newWeb(t testing.TB, s *Server, o HTTPOptions) *web {
	t.Helper()
	o.Principal = func(r *http.Request) string { return r.Header.Get("X-Who") }
	front := s.HTTP(o)
	server := httptest.NewServer(front)
	t.Cleanup(func() {
		front.Close()
		server.Close()
	})
	return &web{t, server.URL, front}
}

// do sends a request; headers are names, each with its value behind it.
func (w *web) do(ctx context.Context, method, body string, headers ...string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { response.Body.Close() })
	return response
}

func (w *web) post(body string, headers ...string) (status int, text string) {
	w.t.Helper()
	response := w.do(w.t.Context(), http.MethodPost, body, headers...)
	all, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, string(all)
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`

// begin begins a session.
func (w *web) begin(who string) (session string) {
	w.t.Helper()
	response := w.do(w.t.Context(), http.MethodPost, initialize, "X-Who", who)
	if session = response.Header.Get(headerSession); session == "" {
		w.t.Fatalf("no session: %s", response.Status)
	}
	return session
}

// stateless is a request of 2026-07-28 with its headers.
func stateless(method, params string, headers ...string) (body string, all []string) {
	if params != "" {
		params += ","
	}
	body = `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `"_meta":{"` + metaRevision + `":"2026-07-28","` +
		metaCapabilities + `":{"elicitation":{}}}}}`
	return body, append([]string{headerRevision, Revision20260728, headerMethod, method}, headers...)
}
