package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzFrames has lines of strangers end in nothing but JSON-RPC, whatever they hold, and the next one be
// answered.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		"junk", initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":1,"a":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"` + metaRevision + `":"2026-07-28","` + metaCapabilities + `":{}}}}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `[]`, `{"jsonrpc":"2.0","id":"a2a-acp-1","result":null}`,
	} {
		f.Add([]byte(seed))
	}
	s := newServer(f, fakeTools{list: oneTool("a"), call: echo})
	f.Fuzz(func(t *testing.T, line []byte) {
		in := bytes.Join([][]byte{line, []byte(`{"jsonrpc":"2.0","id":"last","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)}, []byte("\n"))
		var out bytes.Buffer
		err := s.ServeStdio(context.Background(), StdioOptions{In: io.NopCloser(bytes.NewReader(append(in, '\n'))), Out: closing{&out}})
		if err != nil {
			t.Fatal(err)
		}
		answered := false
		for said := range strings.Lines(out.String()) {
			var m struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
			}
			if json.Unmarshal([]byte(said), &m) != nil || m.Version != "2.0" {
				t.Fatalf("it says %q", said)
			}
			answered = answered || string(m.ID) == `"last"`
		}
		if !answered {
			t.Fatalf("the next line is not answered: %q", out.String())
		}
	})
}

type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// FuzzStates has no state be opened that was not given for this very request.
func FuzzStates(f *testing.F) {
	s := states{key: func() ([]byte, error) { return []byte("key"), nil }, now: func() time.Time { return time.Unix(1000, 0) }}
	good, err := s.seal("state", "alice", "tools/call", []byte("about"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, "alice", "tools/call", []byte("about"))
	f.Add(good+"x", "alice", "tools/call", []byte("about"))
	f.Add(".", "", "", []byte{})
	f.Fuzz(func(t *testing.T, text, principal, method string, about []byte) {
		state, err := s.open(text, principal, method, about)
		same := text == good && principal == "alice" && method == "tools/call" && string(about) == "about"
		if (err == nil) != same || same && state != "state" {
			t.Fatalf("%q for %q %q %q: %q, %v", text, principal, method, about, state, err)
		}
	})
}

// FuzzHeaders has a request be answered only where its headers say what its body says.
func FuzzHeaders(f *testing.F) {
	f.Add("2026-07-28", "tools/call", "a", "a")
	f.Add("2026-07-28", "tools/call", "=?base64?YQ==?=", "a")
	f.Add("2025-11-25", "tools/list", "", "a")
	front := newServer(f, fakeTools{list: oneTool("a"), call: echo}).HTTP(HTTPOptions{})
	f.Fuzz(func(t *testing.T, revision, method, name, inBody string) {
		words, err := json.Marshal(inBody)
		if err != nil {
			return
		}
		body, _ := stateless("tools/call", `"name":`+string(words))
		r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(headerRevision, revision)
		r.Header.Set(headerMethod, method)
		r.Header.Set(headerName, name)
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		plain, ok := decoded(name)
		same := revision == Revision20260728 && method == "tools/call" && ok && plain == textParam([]byte(`{"name":`+string(words)+`}`), "name") && plain != ""
		if passed := strings.Contains(w.Body.String(), `"result"`); passed != same {
			t.Fatalf("%q %q %q with %q: %s", revision, method, name, inBody, w.Body)
		}
	})
}
