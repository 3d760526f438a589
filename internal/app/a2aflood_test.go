package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// waiting has n other questions wait.
func (a *App) waiting(t *testing.T, n int, of store.Approval) {
	t.Helper()
	s, err := a.board.Store(t.Context())
	for range n {
		of.ID, of.CallID, of.Title, of.Expires = store.NewID(), "c", "another", time.Now().Add(time.Hour)
		if err == nil {
			_, err = s.Put(t.Context(), of)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestA2AManyQuestions has one principal begin ever more tasks that ask: no more questions stand than a person could
// answer, and the rest is refused, said why and on record. Another principal is asked as before.
func TestA2AManyQuestions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.holding(`  ask:
    script: echo {{word}} > asked
    parameters: [{name: word}]
    sandbox: {use_temp_isolation: false, allowed_paths: ["."], requires_confirmation: true}
`, fmt.Sprintf("serve: {principals: {anna: {token: {file: %s}, scopes: [tools, tasks]}, bob: {token: {file: %s}, scopes: [tools, tasks]}}}\n",
		filepath.Join(h.dir, "anna"), h.write("bob", "tok-bob\n")))
	a := h.new()
	h.runs(a)
	d := h.daemon(a, nil)
	a.waiting(t, approval.MostWaiting-3, store.Approval{Door: string(tool.DoorACP), Agent: "coder", Principal: "anna"})
	asks := func(token string, n int) string {
		return a2aAs(t, d, token, "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":`+
			`{"toolCalls":[{"id":"1","toolId":"ask","arguments":{"word":"w%d"}}]}}]}}`, n))
	}
	for n := range 5 {
		told := asks("tok-anna", n)
		if n < 3 && !strings.Contains(told, "TASK_STATE_INPUT_REQUIRED") {
			t.Errorf("task %d: %s", n, told)
		}
		if n >= 3 && (strings.Contains(told, "TASK_STATE_INPUT_REQUIRED") || !strings.Contains(told, "64 questions wait for the person already")) {
			t.Errorf("task %d: %s", n, told)
		}
	}
	if told := asks("tok-bob", 5); !strings.Contains(told, "TASK_STATE_INPUT_REQUIRED") {
		t.Errorf("another principal: %s", told)
	}
	list := slices.DeleteFunc(h.questions(), func(a store.Approval) bool { return a.State != store.Pending || a.Principal != "anna" })
	if len(list) != approval.MostWaiting {
		t.Errorf("%d questions stand", len(list))
	}
	entries, err := audit.List(filepath.Join(h.state, "audit"), audit.Filter{})
	entries = slices.DeleteFunc(entries, func(e audit.Entry) bool { return e.Type != events.ToolDecided })
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d decisions are on record: %v", len(entries), err)
	}
	for _, e := range entries {
		if e.Principal != "anna" || e.Decision == nil || e.Decision.Result != "reject" || e.Decision.Source != "nobody" || e.Decision.Waits ||
			!strings.Contains(e.Decision.Reason, "64 questions wait") {
			t.Errorf("on record is %+v", e.Decision)
		}
	}
}
