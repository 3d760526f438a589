package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// FuzzREST reads requests of HTTP+JSON of both versions: what is read of one is JSON, and what stands in the path is what
// is meant.
func FuzzREST(f *testing.F) {
	f.Add("/tasks/a:cancel", "historyLength=3&pageSize=x", []byte(`{"id":"b"}`))
	f.Add("/tasks/a/pushNotificationConfigs/b", "taskId=c", []byte(`{"config":{"name":"tasks/x"},"configId":"y"}`))
	f.Add("/message:send", "A2A-Version=0.3", []byte(`{"request":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"},{"file":{"fileWithBytes":"!"}}]}}`))
	f.Fuzz(func(t *testing.T, path, query string, body []byte) {
		from := &url.URL{RawQuery: query}
		said, failed := queryParams(from)
		if failed == nil && !json.Valid(said) {
			t.Fatalf("the query %q is %q", query, said)
		}
		for _, route := range restRoutes {
			members, ok := route.match(path)
			if !ok {
				continue
			}
			for name, value := range members {
				if value == "" || strings.Contains(value, "/") {
					t.Fatalf("%q: %s is %q", path, name, value)
				}
			}
			if params, failed := legacyRESTParams(route.op, body); failed == nil && !json.Valid(params) {
				t.Fatalf("%s %q: the parameters are %q", route.op.name, body, params)
			}
		}
	})
}

// FuzzGRPC reads messages of gRPC as each method does.
func FuzzGRPC(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x03\x0a\x01t"))
	f.Add([]byte("\x00\x00\x00\x00\x10\x12\x0e\x0a\x01m\x20\x01\x2a\x07\x22\x05\x0a\x03a\x00b"))
	f.Add([]byte("\x01\x00\x00\x00\x00"))
	var service a2agrpc.Service
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, op := range operations {
			method, err := service.Method(op.name)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
			if params, err := readGRPC(r, method.Input()); err == nil && !json.Valid(params) {
				t.Fatalf("%s %q: the parameters are %q", op.name, body, params)
			}
		}
	})
}

// FuzzServe makes whole requests of a server, as somebody to whom nothing belongs: whatever they say, nothing goes wrong
// inside, the answer is JSON where it says so, and nobody is told of a task of another.
func FuzzServe(f *testing.F) {
	for _, row := range [][4]string{
		{"POST", "/", "1.0", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":1,"pageToken":"MS4x","status":"TASK_STATE_WORKING","statusTimestampAfter":"2026-01-01T00:00:00Z"}}`},
		{"POST", "/", "", `{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe","params":{"id":"TASK"}}`},
		{"GET", "/tasks?pageSize=100&historyLength=0&includeArtifacts=true&contextId=c", "1.0", ""},
		{"POST", "/message:send", "1.0", `{"message":{"role":"ROLE_USER","messageId":"m","taskId":"TASK","parts":[{"text":"turn"}]},"configuration":{"returnImmediately":true}}`},
		{"POST", "/v1/message:send", "0.3", `{"message":{"role":"ROLE_USER","messageId":"m","content":[{"text":"x"}]}}`},
		{"GET", "/streaming/sse?task_filter=TASK,a", "", ""},
		{"GET", "/a2a/tasks/TASK/governor/history", "", ""},
		{"POST", "/a2a/command/execute", "", `{"command":"x","arguments":{"a":1}}`},
		{"POST", "/other/tasks/TASK:cancel?A2A-Version=1.0", "1.0.1", `{"tenant":"other"}`},
		{"DELETE", "/tasks/TASK/pushNotificationConfigs/p", "1.0", ""},
	} {
		f.Add(row[0], row[1], row[2], "3", "urn:a, urn:b", []byte(row[3]))
	}
	log, err := tasklog.Open(f.Context(), tasklog.Options{Path: filepath.Join(f.TempDir(), tasklog.Name)})
	if err != nil {
		f.Fatal(err)
	}
	var wrong string
	door, err := New(Options{Log: log, Agent: newActor(), Agents: map[string]Agent{"other": newActor()},
		Caller: func(r *http.Request) Caller { return Caller{Name: r.Header.Get("Who")} },
		Say:    func(line string) { wrong = line }})
	if err == nil {
		err = door.Start(f.Context())
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		door.Close(over)
		_ = log.Close()
	})
	r := httptest.NewRequestWithContext(f.Context(), http.MethodPost, "/message:send", strings.NewReader(
		`{"message":{"role":"ROLE_USER","messageId":"m","contextId":"a-secret","parts":[{"text":"turn"}]}}`))
	r.Header = http.Header{"Who": {"anna"}, "A2a-Version": {"1.0"}, "Content-Type": {"application/json"}}
	w := httptest.NewRecorder()
	door.ServeHTTP(w, r)
	var made struct {
		Task struct{ ID string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.Task.ID == "" {
		f.Fatal(w.Body)
	}
	f.Fuzz(func(t *testing.T, method, target, version, last, extensions string, body []byte) {
		put := func(s string) string { return strings.ReplaceAll(s, "TASK", made.Task.ID) }
		u, err := url.ParseRequestURI(put(target))
		if err != nil || method == "" {
			t.Skip()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		r := (&http.Request{Method: method, URL: u, Host: "host", Header: http.Header{"Who": {"bob"}, "Content-Type": {"application/json"},
			"A2a-Version": {version}, "Last-Event-Id": {last}, "A2a-Extensions": {extensions}},
			Body: http.NoBody, ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
		if len(body) > 0 {
			r.Body, r.ContentLength = readCloser{bytes.NewReader([]byte(put(string(body))))}, -1
		}
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		said := w.Body.Bytes()
		if bytes.Contains(said, []byte("a-secret")) {
			t.Fatalf("%s %s tells of another's task: %s", method, target, said)
		}
		if w.Code == http.StatusInternalServerError && ctx.Err() == nil {
			t.Fatalf("%s %s: %s (%s)", method, target, said, wrong)
		}
		if kind := w.Header().Get("Content-Type"); strings.HasSuffix(kind, "json") && len(said) > 0 && !json.Valid(said) {
			t.Fatalf("%s %s: %s is no JSON", method, target, said)
		}
	})
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }
