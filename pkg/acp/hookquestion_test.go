package acp_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestAGoneHooksQuestionEndsInItsTurn has a hook be killed while a person is asked, and the agent end its turn: the editor
// hears what came of the question before that, also where the person's answer is still on its way to the disk.
func TestAGoneHooksQuestionEndsInItsTurn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		answered, second bool
	}{
		{"nobody answers", false, false}, {"the answer is being kept", true, false},
		{"nobody answers in version 2", false, true}, {"the answer is being kept in version 2", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "board\ntools", workDir(t))
			kind, ends := "tool_call", `{"jsonrpc":"2.0","id":50,"result":{"stopReason":"end_turn"}}`
			if test.second {
				d.second()
				kind, ends = "tool_call_update", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}`
			}
			d.prompts(50)
			if test.second {
				d.agentSays(`{"jsonrpc":"2.0","id":50,"result":{}}`)
			}
			d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":%q,"toolCallId":"c1","title":"make","kind":"execute"}}}`, kind))
			d.wait("the call", func(s said) bool { return strings.Contains(s.line, `"c1"`) })
			gone := make(chan struct{})
			var decision permissions.Decision
			var deciding sync.WaitGroup
			ctx, giveUp := context.WithCancel(t.Context())
			deciding.Go(func() {
				decision = d.session.Load().Decide(ctx, acp.OwnAct{ToolCall: "c1", Tool: "bash", Kind: "execute",
					Title: "make", Input: []byte(`{"command":"make"}`), Dir: d.work, Gone: gone})
			})
			question := d.wait("the question", func(s said) bool { return s.Method == "session/request_permission" })
			notice := <-d.board.posted
			if test.answered {
				notice.settled <- approval.Answer{} // the next one waits for room
				d.pick(question, "a2a-acp-allow-once")
				d.editorSays(`{"jsonrpc":"2.0","method":"_test/answered"}`)
				d.wait("what is behind the answer", func(s said) bool { return s.Method == "_test/answered" })
			}
			close(gone)
			d.agentSays(ends)
			d.agentSays(`{"jsonrpc":"2.0","method":"_test/ended"}`)
			closed, ended := false, false
			hear := func(s said) {
				if ended && s.Method == "session/update" {
					t.Errorf("it is told after the turn: %s", s.line)
				}
				closed = closed || strings.Contains(s.line, `"tool_call_update"`) &&
					(strings.Contains(s.line, `"failed"`) || strings.Contains(s.line, `"completed"`))
				ended = ended || strings.Contains(s.line, "end_turn")
				if ended && !closed {
					t.Error("the turn ends before the question")
				}
			}
			d.wait("what is behind the end", func(s said) bool { hear(s); return s.Method == "_test/ended" })
			if test.answered {
				<-notice.settled
			}
			for !ended {
				d.wait("the end", func(s said) bool { hear(s); return true })
			}
			if !closed {
				giveUp()
			}
			deciding.Wait()
			giveUp()
			d.agentSays(`{"jsonrpc":"2.0","id":"over","method":"_test/over","params":{"sessionId":"s1"}}`)
			d.wait("what is behind all", func(s said) bool { hear(s); return s.Method == "_test/over" })
			if decision.Verdict != permissions.Reject {
				t.Errorf("it is decided: %+v", decision)
			}
		})
	}
}

// TestAHooksYesEndsWithItsTurn has the person allow what a hook asks about, and cancel the turn before the agent asks about the
// same call once more: asked in the next turn, that is a question of its own.
func TestAHooksYesEndsWithItsTurn(t *testing.T) {
	t.Parallel()
	for name, cancels := range map[string]bool{"goes on": false, "cancelled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "tools", workDir(t))
			d.prompts(50)
			var decision permissions.Decision
			var deciding sync.WaitGroup
			deciding.Go(func() {
				decision = d.session.Load().Decide(t.Context(), acp.OwnAct{ToolCall: "c1", Tool: "bash", Kind: "execute",
					Title: "make", Input: []byte(`{"command":"make"}`), Dir: d.work})
			})
			d.pick(d.wait("the question", func(s said) bool { return s.Method == "session/request_permission" }), "a2a-acp-allow-once")
			deciding.Wait()
			if decision.Verdict != permissions.Approve {
				t.Fatalf("the hook is told %+v", decision)
			}
			want := "answered"
			if cancels {
				want = "asked"
				d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
				d.wait("the cancel", func(s said) bool { return s.to == "agent" && s.Method == "session/cancel" })
				d.prompts(51)
			}
			params := `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make","kind":"execute","rawInput":{"command":"make"}}` + yesNo + `}`
			if got, s := d.request("session/request_permission", params); got != want {
				t.Errorf("it is %s, want %s: %s", got, want, s.line)
			}
		})
	}
}
