package acp_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestOrderOfASession has the first of two questions wait for the disk, while the agent goes on. What
// belongs to the session reaches the editor as the agent said it, and what belongs to another does not
// wait. Nothing but the second question waits for the answer to the first.
func TestOrderOfASession(t *testing.T) {
	t.Parallel()
	for _, first := range []string{
		`"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"first","kind":"execute"}` + yesNo + `}`,
		`"method":"terminal/create","params":{"sessionId":"s1","command":"first"}`,
		`"method":"fs/write_text_file","params":{"sessionId":"s1","path":"$WORK/first","content":"x"}`,
	} {
		d := newDialogue(t, "", "board", workDir(t))
		recording, recorded := make(chan bool), make(chan bool)
		d.record.before = func(e events.Event) {
			if e.Type == events.ApprovalAsked && strings.Contains(encodeJSON(e), "first") {
				close(recording)
				<-recorded
			}
		}
		d.agentSays(`{"jsonrpc":"2.0","id":"p1",` + first + `}`)
		<-recording
		d.agentSays(`{"jsonrpc":"2.0","id":"p2","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c2","title":"second","kind":"execute"}` + yesNo + `}}`)
		<-d.board.posted // the second is about to be put
		d.agentSays(updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"third"}`))
		d.agentSays(`{"jsonrpc":"2.0","id":"p4","method":"_test/fourth","params":{"sessionId":"s1"}}`)
		d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p4"}}`)
		d.agentSays(strings.Replace(updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"elsewhere"}`), "s1", "s2", 1))
		if s := d.wait("a line for the editor", func(s said) bool { return s.to == "editor" }); !strings.Contains(s.line, "elsewhere") {
			t.Errorf("%s: before it the editor is told %s", first, s.line)
		}
		close(recorded)
		var question any
		for _, want := range []string{"first", "third", "_test/fourth", "p4", "second"} {
			s := d.wait(want, func(s said) bool {
				return s.to == "editor" && !strings.Contains(s.line, `"sessionUpdate":"tool_call`) // a card of ours
			})
			if !strings.Contains(s.line, want) {
				t.Fatalf("%s: where %s is to come the editor is told %s", first, want, s.line)
			}
			if want == "p4" {
				d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, encodeJSON(question)))
			}
			if want == "first" {
				question = s.ID
			}
		}
	}
}

// TestTurnEndsLast has an agent say much of a call while a question about it stands, and end its turn once
// that is cancelled. The editor, which is slow, hears of the turn's end last.
func TestTurnEndsLast(t *testing.T) {
	t.Parallel()
	const updates = 250
	s := newStage(t, "", "")
	s.run(prelude + `
editor> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
agent<  session/prompt
agent>  ` + strings.ReplaceAll(askedByAgent, "$WORK", "/w") + `
editor< "p"
`)
	say := func(to io.Writer, line string) {
		t.Helper()
		if err := writeLine(to, line); err != nil {
			t.Fatal(err)
		}
	}
	for i := range updates {
		say(s.agentOut, updateOf(fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"held %d"`, i)))
	}
	say(s.editorIn, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
	if line, err := readLine(s.agent); err != nil || !strings.Contains(line, "session/cancel") {
		t.Fatal(line, err)
	}
	say(s.agentOut, `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}`)
	for heard := 0; ; {
		line, err := readLine(s.editor)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "held") {
			heard++
		}
		if strings.Contains(line, "stopReason") {
			if heard != updates {
				t.Errorf("the turn ends after %d of %d updates", heard, updates)
			}
			return
		}
	}
}
