package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// asksAnna is a home whose daemon lets anna in, with a tool that a person is always asked about. settings are those that do.
func asksAnna(t *testing.T) (h *home, settings string) {
	t.Helper()
	h = newHome(t)
	settings = "serve: {principals: {anna: {token: {file: " + filepath.Join(h.dir, "anna") + "}, scopes: [tools, tasks]}}}\n"
	h.holding(`  ask:
    script: echo yes > asked
    sandbox: {use_temp_isolation: false, allowed_paths: ["."], requires_confirmation: true}
`, settings)
	return h, settings
}

// onlyQuestion returns the question that stands, of which there is one.
func (h *home) onlyQuestion() store.Approval {
	h.t.Helper()
	list := h.questions()
	if len(list) != 1 {
		h.t.Fatalf("the questions are %+v", list)
	}
	return list[0]
}

// questions returns all questions, the oldest first.
func (h *home) questions() []store.Approval {
	h.t.Helper()
	box, err := OpenApprovals(context.Background(), h.options())
	if err != nil {
		h.t.Fatal(err)
	}
	defer box.Close()
	list, err := box.List(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// withdrawn returns once the only question is over.
func (h *home) withdrawn() {
	for {
		switch q := h.onlyQuestion(); q.State {
		case store.Withdrawn:
			return
		case store.Pending:
		default:
			h.t.Fatalf("it is %s", q.State)
		}
	}
}

// TestMCPRevokedQuestion takes a principal away whose task waits for a person: its question is over, though nobody works
// on the task.
func TestMCPRevokedQuestion(t *testing.T) {
	t.Parallel()
	h, _ := asksAnna(t)
	a := h.new()
	h.runs(a)
	d := h.daemon(a, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.first["mcp"].(string), strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":`+canTasks+`}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer tok-anna"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"ask"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if q := h.onlyQuestion(); q.State != store.Pending || !q.Left {
		t.Fatalf("it is %+v", q)
	}
	h.write("a2a-acp.yaml", "serve: {}\n")
	d.signals <- syscall.SIGHUP
	h.withdrawn()
}

// TestA2ARestartedQuestion ends a task that an earlier daemon has left waiting, before its call has asked again: the
// question is over.
func TestA2ARestartedQuestion(t *testing.T) {
	t.Parallel()
	h, _ := asksAnna(t)
	a := h.new()
	h.runs(a)
	d := h.daemon(a, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.first["a2a"].(string), strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":{"toolCalls":[{"id":"1","toolId":"ask"}]}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}, "Authorization": {"Bearer tok-anna"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var told struct{ Result any }
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil || !strings.Contains(fmt.Sprint(told.Result), "TASK_STATE_INPUT_REQUIRED") {
		t.Fatalf("%v, %v", told, err)
	}
	answer.Body.Close()
	d.end(syscall.SIGTERM, syscall.SIGTERM)
	if q := h.onlyQuestion(); q.State != store.Pending || !q.Left {
		t.Fatalf("it is %+v", q)
	}
	h.write("a2a-acp.yaml", "serve: {}\n") // anna's task is ended as soon as it is gone on with
	h.daemon(h.new(), nil)
	h.withdrawn()
}
