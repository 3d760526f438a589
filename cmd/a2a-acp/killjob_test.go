package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// oven is a server that bakes: a POST begins a job, and a GET asks about it. What it is to do with the n-th request about
// a job is a test's to say.
type oven struct {
	mu     sync.Mutex
	begun  int
	looks  int
	hangAt int // the request about a job that is not answered; -1 for that which begins one
	hung   chan struct{}
}

func (o *oven) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // whoever sent it may be gone
	o.mu.Lock()
	hangs := false
	if r.Method == http.MethodPost {
		o.begun++
		hangs = o.hangAt < 0
	} else {
		o.looks++
		hangs = o.looks == o.hangAt
	}
	o.mu.Unlock()
	switch {
	case hangs:
		o.hung <- struct{}{}
		<-r.Context().Done()
	case r.Header.Get("Authorization") != "Bearer correct-horse":
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, `{"id": "7"}`)
	case o.hangAt == 0:
		io.WriteString(w, `{"status": "done", "result": {"pizza": "baked"}}`)
	default:
		io.WriteString(w, `{"status": "baking"}`)
	}
}

// TestKilledWhileAJobRuns kills a call with kill -9 while its job runs: another one asks on about it, from the record
// alone, and nothing is begun twice. Killed before the job was known, there is none to ask about.
func TestKilledWhileAJobRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kitchen := &oven{hung: make(chan struct{}, 1)}
	server := httptest.NewServer(kitchen)
	t.Cleanup(server.Close)
	tools := `version: 2
sources:
  oven: {base_url: '` + server.URL + `', allow_addresses: [127.0.0.1/32], auth: {bearer: {env: OVEN}}}
tools:
  bake:
    description: Bakes
    http: {source: oven, post: /jobs, poll: {status_url: "/jobs/{{response.id}}", status_field_path: status, completed_values: [done],
      result_field_path: result, poll_interval_seconds: 0.01, max_interval_seconds: 0.01}}
`
	h.write(map[string]string{filepath.Join(h.config, "tools.yaml"): tools})
	record := filepath.Join(h.home, ".local/state/a2a-acp/audit")
	resume := func(call string) (string, error) {
		cmd := h.command("tools", "resume", call)
		cmd.Env = append(cmd.Env, "OVEN=correct-horse")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for round, hangAt := range []int{1, 3, -1} {
		kitchen.mu.Lock()
		kitchen.begun, kitchen.looks, kitchen.hangAt = 0, 0, hangAt
		kitchen.mu.Unlock()
		cmd := h.command("tools", "run", "bake")
		cmd.Env = append(cmd.Env, "OVEN=correct-horse")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-kitchen.hung
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() //nolint:errcheck // it was killed
		entries, err := audit.List(record, audit.Filter{Types: []events.Type{events.ToolDecided}})
		if err != nil || len(entries) == 0 {
			t.Fatal(entries, err)
		}
		call := entries[len(entries)-1].CallID
		kitchen.mu.Lock()
		kitchen.hangAt = 0
		kitchen.mu.Unlock()
		out, err := resume(call)
		want := `{"pizza": "baked"}`
		if hangAt < 0 {
			want = "no call " + call + " that has begun a job is on record"
		}
		kitchen.mu.Lock()
		begun := kitchen.begun
		kitchen.mu.Unlock()
		if (err == nil) != (hangAt > 0) || !strings.Contains(out, want) || begun != 1 {
			t.Errorf("round %d: %v, begun %d times: %s", round, err, begun, out)
		}
	}
	// The credential goes where the source is, and not where the record says that it was.
	entries, err := audit.List(record, audit.Filter{Types: []events.Type{events.JobBegun}})
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Error(r.Method, r.URL) }))
	t.Cleanup(other.Close)
	h.write(map[string]string{filepath.Join(h.config, "tools.yaml"): strings.ReplaceAll(tools, server.URL, other.URL)})
	kitchen.looks = 0
	refused := 0
	for _, e := range entries {
		out, err := resume(e.CallID)
		if strings.Contains(out, "the job is at another origin than the source oven is by now") {
			refused++
		} else if !strings.Contains(out, "has followed its job to its end") {
			t.Errorf("%s: %v: %s", e.CallID, err, out)
		}
	}
	if refused != 2 || kitchen.looks != 0 {
		t.Errorf("%d were refused, and %d looks arrived", refused, kitchen.looks)
	}
	if text := fmt.Sprintf("%+v", entries); strings.Contains(text, "correct-horse") {
		t.Error("the credential is on record")
	}
}
