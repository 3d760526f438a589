package acp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

const yesNo = `,"options":[{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`

// editOf is an agent's question about an edit, and writeOf the frame in which it has the edit carried out.
func editOf(session, call, path, old, text string) string {
	return fmt.Sprintf(`{"sessionId":%q,"toolCall":{"toolCallId":%q,"title":"Edit","kind":"edit","content":[{"type":"diff","path":%q,"oldText":%s,"newText":%q}]}%s}`, session, call, path, old, text, yesNo)
}

func writeOf(session, path, text string) string {
	return fmt.Sprintf(`{"sessionId":%q,"path":%q,"content":%q}`, session, path, text)
}

// approve has the person say yes to an agent's question.
func (d *dialogue) approve(params, option string) {
	d.t.Helper()
	outcome, question := d.request("session/request_permission", params)
	if outcome != "asked" {
		d.t.Fatalf("the question is %s: %s", outcome, question.line)
	}
	d.answer(question, option, fmt.Sprintf("r%d", d.next))
}

// prompts begins a turn.
func (d *dialogue) prompts(id int) {
	d.t.Helper()
	d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}`, id))
	d.wait("the prompt", func(s said) bool { return s.to == "agent" && s.Method == "session/prompt" })
}

// TestAYesEnds has a person say yes to an edit, and something end after that for which the yes was given.
// The edit is not carried out without another.
func TestAYesEnds(t *testing.T) {
	t.Parallel()
	const ended = `"result":{"stopReason":"end_turn"}}`
	for _, test := range []struct {
		name string
		ends func(*dialogue)
	}{
		{"the person cancels", func(d *dialogue) {
			d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
			d.wait("the cancel", func(s said) bool { return s.to == "agent" && s.Method == "session/cancel" })
		}},
		{"the next turn begins", func(d *dialogue) { d.prompts(51) }},
		{"the turn ends in two ways", func(d *dialogue) {
			d.agentSays(`{"jsonrpc":"2.0","id":99,"id":50,` + ended)
			d.prompts(51)
		}},
		{"the turn ends in a batch", func(d *dialogue) {
			d.agentSays(`[{"jsonrpc":"2.0","id":50,` + ended + `]`)
			d.prompts(51)
		}},
		{"the session is opened once more, elsewhere", func(d *dialogue) {
			d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":60,"method":"session/load","params":{"sessionId":"s1","cwd":%q,"mcpServers":[]}}`, filepath.Dir(d.work)))
			d.wait("the load", func(s said) bool { return s.to == "agent" && s.Method == "session/load" })
			d.agentSays(`{"jsonrpc":"2.0","id":60,"result":{}}`)
			d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == 60.0 })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			d.prompts(50)
			path := filepath.Join(d.work, "src", "a.go")
			d.approve(editOf("s1", "c1", path, "null", "hello"), "y")
			test.ends(d)
			if got, s := d.request("fs/write_text_file", writeOf("s1", path, "hello")); got == "forwarded" {
				t.Errorf("the yes is still good: %s", s.line)
			}
		})
	}
}

// TestASessionHasOneName has an agent answer with the id of another session than the one that was opened:
// what was allowed in it ends with the turn and with the session all the same.
func TestASessionHasOneName(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	d.editorSays(`{"jsonrpc":"2.0","id":60,"method":"session/load","params":{"sessionId":"s2","cwd":"$WORK","mcpServers":[]}}`)
	d.wait("the load", func(s said) bool { return s.to == "agent" && s.Method == "session/load" })
	d.agentSays(`{"jsonrpc":"2.0","id":60,"result":{"sessionId":"s3"}}`)
	d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == 60.0 })
	d.editorSays(`{"jsonrpc":"2.0","id":61,"method":"session/prompt","params":{"sessionId":"s2","prompt":[]}}`)
	d.wait("the prompt", func(s said) bool { return s.to == "agent" && s.Method == "session/prompt" })
	path := filepath.Join(d.work, "src", "a.go")
	d.approve(editOf("s2", "c1", path, "null", "hello"), "y")
	d.agentSays(`{"jsonrpc":"2.0","id":61,"result":{"stopReason":"end_turn"}}`)
	d.wait("the end", func(s said) bool { return s.to == "editor" && s.ID == 61.0 })
	if got, s := d.request("fs/write_text_file", writeOf("s2", path, "hello")); got == "forwarded" {
		t.Errorf("the yes is still good: %s", s.line)
	}
}

// TestAnAlwaysIsForItsSession has a person allow something in a session, and the agent give another session
// the same id.
func TestAnAlwaysIsForItsSession(t *testing.T) {
	t.Parallel()
	const push = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"push","name":"mcp__gh__push","kind":"other","rawInput":{"to":"main"}}` + yesNo + `}`
	for _, test := range []struct{ name, open, answer string }{
		{"a new one", `"method":"session/new","params":{"cwd":%q,"mcpServers":[]}`, `{"sessionId":"s1"}`},
		{"itself, elsewhere", `"method":"session/load","params":{"sessionId":"s1","cwd":%q,"mcpServers":[]}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			d.approve(push, "a")
			if got, s := d.request("session/request_permission", push); got != "answered" {
				t.Fatalf("it is %s: %s", got, s.line)
			}
			d.editorSays(`{"jsonrpc":"2.0","id":60,` + fmt.Sprintf(test.open, workDir(t)) + `}`)
			d.wait("the request", func(s said) bool { return s.to == "agent" && strings.HasPrefix(s.Method, "session/") })
			d.agentSays(`{"jsonrpc":"2.0","id":60,"result":` + test.answer + `}`)
			d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == 60.0 })
			if got, s := d.request("session/request_permission", push); got != "asked" {
				t.Errorf("it is %s: %s", got, s.line)
			}
		})
	}
}

// TestASessionStaysWhereItWas has the editor open a session once more in another directory, and the agent
// not do it: the session works where it did.
func TestASessionStaysWhereItWas(t *testing.T) {
	t.Parallel()
	const ls = `{"sessionId":"s1","command":"ls"}`
	for _, method := range []string{"session/load", "session/resume"} {
		for answer, moves := range map[string]bool{`"error":{"code":-32000,"message":"no"}`: false, `"result":{}`: true} {
			d := newDialogue(t, "", "", workDir(t))
			there := workDir(t)
			d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":60,"method":%q,"params":{"sessionId":"s1","cwd":%q,"mcpServers":[]}}`, method, there))
			d.wait("the request", func(s said) bool { return s.to == "agent" && s.Method == method })
			d.agentSays(`{"jsonrpc":"2.0","id":60,` + answer + `}`)
			d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == 60.0 })
			want := d.work
			if moves {
				want = there
			}
			if got, s := d.request("terminal/create", ls); !strings.Contains(s.line, "in "+want) && !strings.Contains(s.line, `"cwd":"`+want+`"`) {
				t.Errorf("%s, %s: it is %s: %s", method, answer, got, s.line)
			}
		}
	}
}

// TestNoQuestionWithoutASession has an agent ask in a session that the editor knows and we do not: nobody
// could hold a rule against it.
func TestNoQuestionWithoutASession(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, answer string }{
		{"which nobody opened", ``},
		{"whose id stands there twice", `{"jsonrpc":"2.0","id":60,"result":{"sessionId":"s8","sessionId":"s9"}}`},
		{"whose id is spelled in another way, too", `{"jsonrpc":"2.0","id":60,"result":{"sessionId":"s8","SessionId":"s9"}}`},
		{"that two results tell", `{"jsonrpc":"2.0","id":60,"result":{"sessionId":"s8"},"result":{"sessionId":"s9"}}`},
		{"told under two ids", `{"jsonrpc":"2.0","id":61,"id":60,"result":{"sessionId":"s9"}}`},
		{"told in a batch", `[{"jsonrpc":"2.0","id":60,"result":{"sessionId":"s9"}}]`},
		{"told by a request", `{"jsonrpc":"2.0","id":60,"method":"_x/y","result":{"sessionId":"s9"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, readsAndEchoes, "", workDir(t))
			if test.answer != "" {
				d.editorSays(`{"jsonrpc":"2.0","id":60,"method":"session/new","params":{"cwd":"$WORK","mcpServers":[]}}`)
				d.wait("the request", func(s said) bool { return s.to == "agent" && s.Method == "session/new" })
				d.agentSays(test.answer)
			}
			got, s := d.request("session/request_permission", `{"sessionId":"s9","toolCall":{"toolCallId":"c1","title":"ls","kind":"execute","rawInput":{"command":"ls","env":{"MARK":"1"}}}`+yesNo+`}`)
			if got != "refused" {
				t.Errorf("it is %s: %s", got, s.line)
			}
		})
	}
}

// TestTooLateForAYes has the disk be slow: while a person's yes is put on record, the turn is cancelled, or
// the file becomes another.
func TestTooLateForAYes(t *testing.T) {
	t.Parallel()
	const asks = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute"}` + yesNo + `}`
	for _, test := range []struct {
		name, method, params, option, record string
		cancel                               bool
	}{
		{"a file", "fs/write_text_file", writeOf("s1", "$WORK/src/a.go", "hello"), "a2a-acp-allow-once", "it came to nothing: the person cancelled the turn", true},
		{"a terminal", "terminal/create", `{"sessionId":"s1","command":"make all"}`, "a2a-acp-allow-once", "it came to nothing: the person cancelled the turn", true},
		{"a question", "session/request_permission", asks, "y", "it came to nothing: the person cancelled the turn", true},
		{"a file behind another link", "fs/write_text_file", writeOf("s1", "$WORK/src/a.go", "hello"), "a2a-acp-allow-once", "leads to another file", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			asked, question := d.request(test.method, test.params)
			if asked != "asked" {
				t.Fatalf("it is %s: %s", asked, question.line)
			}
			recording, recorded := make(chan bool), make(chan bool)
			d.record.before = func(e events.Event) {
				if e.Type == events.ToolDecided {
					close(recording)
					<-recorded
				}
			}
			d.pick(question, test.option)
			<-recording
			if test.cancel {
				d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
				d.wait("the cancel", func(s said) bool { return s.to == "agent" && s.Method == "session/cancel" })
			} else if err := os.Symlink(d.work, filepath.Join(d.work, "src")); err != nil {
				t.Error(err)
			}
			close(recorded)
			told := d.wait("what came of it", func(s said) bool { return s.ID == "r1" && s.Method != "session/request_permission" })
			if told.to != "agent" || told.Error == nil && !strings.Contains(told.line, `"cancelled"`) {
				t.Errorf("the %s is told %s", told.to, told.line)
			}
			if !strings.Contains(d.record.String(), test.record) {
				t.Errorf("on record is %s", d.record)
			}
		})
	}
}

// TestTooLateForItsTurn has the disk be slow: while a person's yes is put on record, the next turn begins. The
// yes was for the turn before, and is good for nothing in this one.
func TestTooLateForItsTurn(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	d.prompts(50)
	path := filepath.Join(d.work, "src", "a.go")
	if asked, s := d.request("session/request_permission", editOf("s1", "c1", path, "null", "hello")); asked != "asked" {
		t.Fatalf("it is %s: %s", asked, s.line)
	} else {
		recording, recorded := make(chan bool), make(chan bool)
		d.record.before = func(e events.Event) {
			if e.Type == events.ToolDecided {
				d.record.before = nil
				close(recording)
				<-recorded
			}
		}
		d.pick(s, "y")
		<-recording
		d.prompts(51)
		close(recorded)
		if told := d.wait("the answer", func(s said) bool { return s.to == "agent" && s.ID == "r1" }); !strings.Contains(told.line, `"optionId":"y"`) {
			t.Errorf("the agent is told %s", told.line)
		}
	}
	if got, s := d.request("fs/write_text_file", writeOf("s1", path, "hello")); got != "asked" {
		t.Errorf("the yes of another turn is still good: it is %s: %s", got, s.line)
	}
}

// TestAHooksYesIsToItsTool has an agent ask about another thing in the call that its hook has told of: of a call
// whose input is final all but a change of the mode is known to be decided.
func TestAHooksYesIsToItsTool(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"other": "answered", "switch_mode": "asked"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, readsAndEchoes, "tools", workDir(t))
			decision := d.session.Load().Decide(t.Context(), acp.OwnAct{ToolCall: "c1", Tool: "bash", Kind: "execute", Title: "echo",
				Input: []byte(`{"command":"echo"}`), Dir: d.work, Final: true})
			if decision.Verdict != permissions.Approve {
				t.Fatalf("the hook is told %+v", decision)
			}
			params := fmt.Sprintf(`{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Go on?","kind":%q}%s}`, kind, yesNo)
			if got, s := d.request("session/request_permission", params); got != want {
				t.Errorf("it is %s, want %s: %s", got, want, s.line)
			}
		})
	}
}

// TestTooLateForAHook has the disk be slow: while what a hook asks about is put on record as approved, the person cancels
// the turn. The agent does not act.
func TestTooLateForAHook(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, readsAndEchoes, "tools", workDir(t))
	d.record.before = func(e events.Event) {
		if e.Type == events.ToolDecided {
			d.record.before = nil
			d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
			d.wait("the cancel", func(s said) bool { return s.to == "agent" && s.Method == "session/cancel" })
		}
	}
	decision := d.session.Load().Decide(t.Context(), acp.OwnAct{ToolCall: "c1", Tool: "bash", Kind: "execute", Title: "echo",
		Input: []byte(`{"command":"echo"}`), Dir: d.work})
	if decision.Verdict != permissions.Reject || !strings.Contains(decision.Reason, "cancelled the turn") {
		t.Errorf("the hook is told %+v", decision)
	}
	if !strings.Contains(d.record.String(), `"it came to nothing: the person cancelled the turn"`) {
		t.Errorf("on record is %s", d.record)
	}
}

// TestACancelLetsCardsGoOn has the disk be slow while a question ends with its turn: what the agent says of
// the call by then goes on at once, in front of the turn's end, and the agent has its answer before the
// next turn begins.
func TestACancelLetsCardsGoOn(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	if asked, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute"}`+yesNo+`}`); asked != "asked" {
		t.Fatalf("it is %s: %s", asked, s.line)
	}
	recording, recorded := make(chan bool), make(chan bool)
	d.record.before = func(e events.Event) {
		if e.Type == events.ToolDecided {
			close(recording)
			<-recorded
		}
	}
	d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
	d.wait("the cancel", func(s said) bool { return s.to == "agent" && s.Method == "session/cancel" })
	<-recording
	d.agentSays(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"content","content":{"type":"text","text":"called off"}}]}}}`)
	d.agentSays(`{"jsonrpc":"2.0","method":"_test/end"}`)
	came := false
	d.wait("the end", func(s said) bool {
		came = came || s.to == "editor" && strings.Contains(s.line, "called off")
		return s.Method == "_test/end"
	})
	if !came {
		t.Error("what became of the call comes behind the end")
	}
	d.editorSays(`{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}`)
	d.editorSays(`{"jsonrpc":"2.0","id":10,"method":"session/set_mode","params":{"sessionId":"s9","modeId":"m"}}`) // the prompt has been read
	close(recorded)
	if s := d.wait("the answer", func(s said) bool { return s.to == "agent" }); s.ID != "r1" {
		t.Errorf("in front of the answer the agent is told %s", s.line)
	}
}

// TestTooLateForARule has the disk be slow: while an act is put on record that nobody had to be asked about
// any more, the person cancels the turn.
func TestTooLateForARule(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, params string
		before               string // what a person has said yes to
	}{
		{"a file, by an earlier yes", "fs/write_text_file", writeOf("s1", "$WORK/src/a.go", "hello"), editOf("s1", "c1", "$WORK/src/a.go", "null", "hello")},
		{"a terminal", "terminal/create", `{"sessionId":"s1","command":"echo hello"}`, ""},
		{"a question", "session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"echo hello","kind":"execute"}` + yesNo + `}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, readsAndEchoes, "", workDir(t))
			if test.before != "" {
				d.approve(test.before, "y")
			}
			recording, recorded := make(chan bool), make(chan bool)
			d.record.before = func(e events.Event) {
				if e.Type == events.ToolDecided {
					close(recording)
					<-recorded
				}
			}
			d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"late","method":%q,"params":%s}`, test.method, test.params))
			<-recording
			d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
			d.wait("the cancel", func(s said) bool { return s.to == "agent" && s.Method == "session/cancel" })
			close(recorded)
			told := d.wait("what came of it", func(s said) bool { return s.ID == "late" })
			if told.to != "agent" || told.Error == nil && !strings.Contains(told.line, `"cancelled"`) {
				t.Errorf("the %s is told %s", told.to, told.line)
			}
			if !strings.Contains(d.record.String(), "it came to nothing: the person cancelled the turn") {
				t.Errorf("on record is %s", d.record)
			}
		})
	}
}

// TestACommandsFilesMove has a person say yes to a command, and the agent lay a link in it to a file that
// nobody was asked about: while the person reads, and before it has the command run.
func TestACommandsFilesMove(t *testing.T) {
	t.Parallel()
	const run = `{"sessionId":"s1","command":"cd docs && cat notes.txt"}`
	for _, test := range []struct{ name, link, to, want string }{
		{name: "no link", want: "forwarded"},
		{"a link to secrets", "docs/notes.txt", "../.env", "asked"},
		{"a link to any file", "docs/notes.txt", "other.txt", "asked"},
		{"a link on the way", "docs", "elsewhere", "asked"},
		{"a link of another name", "docs/other", "other.txt", "forwarded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, prompted := range []bool{false, true} {
				d := newDialogue(t, "", "", workDir(t))
				for _, name := range []string{".env", "docs/notes.txt", "docs/other.txt", "elsewhere/notes.txt"} {
					writeFile(t, filepath.Join(d.work, name), "x")
				}
				lay := func() {
					if test.link == "" {
						return
					}
					name := filepath.Join(d.work, test.link)
					if err := os.RemoveAll(name); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(test.to, name); err != nil {
						t.Fatal(err)
					}
				}
				if prompted {
					d.approve(`{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"cd docs && cat notes.txt","kind":"execute"}`+yesNo+`}`, "y")
					lay()
					if got, s := d.request("terminal/create", run); got != test.want {
						t.Errorf("behind a yes it is %s, want %s: %s", got, test.want, s.line)
					}
					continue
				}
				outcome, question := d.request("terminal/create", run)
				if outcome != "asked" {
					t.Fatalf("it is %s: %s", outcome, question.line)
				}
				lay()
				d.pick(question, "a2a-acp-allow-once")
				told := d.wait("what came of it", func(s said) bool { return s.ID == "r1" && s.Method != "session/request_permission" })
				if goesOn := told.to == "editor"; goesOn != (test.want == "forwarded") {
					t.Errorf("the %s is told %s", told.to, told.line)
				}
			}
		})
	}
}

// TestRulesThatCameMeanwhile has a person write a rule while a question stands, and answer the question after
// that: what the rule rejects is rejected.
func TestRulesThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	const reject = `
version: 2
auto_approval_policies:
  - id: freeze
    applies_to: ["*"]
    decision: {type: reject, reason: nothing today}
`
	for _, test := range []struct{ name, method, params, option string }{
		{"a file", "fs/write_text_file", writeOf("s1", "$WORK/src/a.go", "hello"), "a2a-acp-allow-once"},
		{"a file, for the session", "fs/write_text_file", writeOf("s1", "$WORK/src/a.go", "hello"), "a2a-acp-allow-session"},
		{"a terminal", "terminal/create", `{"sessionId":"s1","command":"make all"}`, "a2a-acp-allow-once"},
		{"a question", "session/request_permission", asksForHook, "y"},
		{"a question, always", "session/request_permission", asksForHook, "a"},
		{"a change of mode", "session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Ready?","kind":"switch_mode"}` + yesNo + `}`, "y"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, policies := range []string{"", reject} {
				d := newDialogue(t, "", "", workDir(t))
				asked, question := d.request(test.method, test.params)
				if asked != "asked" {
					t.Fatalf("it is %s: %s", asked, question.line)
				}
				in := gate.InForce{Rules: rulesOf(t, policies)}
				d.in.Store(&in)
				d.pick(question, test.option)
				told := d.wait("what came of it", func(s said) bool { return s.ID == "r1" && s.Method != "session/request_permission" })
				if yes := told.to == "editor" || strings.Contains(told.line, `"optionId":"y"`); yes != (policies == "") {
					t.Errorf("under %q the %s is told %s", policies, told.to, told.line)
				}
			}
		})
	}
}

// TestTheLastOfALimit has governors look at a command with which its rule reaches its limit: it runs.
func TestTheLastOfALimit(t *testing.T) {
	t.Parallel()
	const once = `
version: 2
auto_approval_policies:
  - id: once
    applies_to: ["functions.shell"]
    commands: {allow: ["echo"]}
    limit: {count: 1, per: 1h}
    decision: {type: approve}
`
	d := newDialogue(t, once, "governor approve fine", workDir(t))
	for _, want := range []string{"forwarded", "asked"} {
		if got, s := d.request("terminal/create", `{"sessionId":"s1","command":"echo guarded"}`); got != want {
			t.Errorf("it is %s, want %s: %s", got, want, s.line)
		}
	}
}

// TestAHooksInputIsShown has a hook tell of a change, and of more that its tool gets: a person sees all of it, and what
// the change says already no second time.
func TestAHooksInputIsShown(t *testing.T) {
	t.Parallel()
	for all, want := range map[bool]bool{false: true, true: false} {
		d := newDialogue(t, "", "tools", workDir(t))
		path := filepath.Join(d.work, "a")
		ctx, cancel := context.WithCancel(t.Context())
		var asking sync.WaitGroup
		asking.Go(func() {
			d.session.Load().Decide(ctx, acp.OwnAct{ToolCall: "c1", Tool: "edit", Kind: "edit", Title: "edit",
				Input: []byte(`{"filePath":"` + path + `","newString":"b","replaceAll":true}`), Dir: d.work, ChangesAreAll: all,
				Changes: []approval.FileChange{{Path: path, NewText: "b"}}})
		})
		s := d.wait("the question", func(s said) bool { return s.to == "editor" && s.Method == "session/request_permission" })
		if got := strings.Contains(s.line, "replaceAll"); got != want {
			t.Errorf("changes are all: %t, the input is shown: %t, want %t: %s", all, got, want, s.line)
		}
		cancel()
		asking.Wait()
	}
}

// TestAToolsSpellingOfAName has a search be asked about with a name that the agent's tool takes for another file's: that file
// is decided about, too.
func TestAToolsSpellingOfAName(t *testing.T) {
	t.Parallel()
	work := workDir(t)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(work, "docs", "\u00e9")); err != nil { // composed
		t.Fatal(err)
	}
	const rule = `
version: 2
auto_approval_policies:
  - {id: searches, applies_to: ["acp.search"], include_paths: ["docs/**"], decision: {type: approve}}
`
	for name, want := range map[string]string{
		"docs/a b": "answered", "docs/u\u0308": "answered",
		" /etc": "asked", "docs/a ": "answered", "docs/e\u0301": "asked",
	} {
		d := newDialogue(t, rule, "", work)
		params := fmt.Sprintf(`{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Find","kind":"search","rawInput":{"path":%q,"pattern":"x"}}%s}`, name, yesNo)
		if got, s := d.request("session/request_permission", params); got != want {
			t.Errorf("%q: it is %s, want %s: %s", name, got, want, s.line)
		}
	}
}

// TestHowMuchIsAllowedForASession has a person choose how much, in an agent's question and in one of ours. The agent is told
// yes for this once, whichever is chosen.
func TestHowMuchIsAllowedForASession(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ option, below, beside string }{
		{"a", "asked", "asked"}, {"a2a-acp-allow-session-2", "answered", "asked"}, {"a2a-acp-allow-session-3", "answered", "answered"},
	} {
		t.Run(test.option, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			at := func(name string) string { return filepath.Join(d.work, name) }
			outcome, question := d.request("session/request_permission", editOf("s1", "c1", at("src/a.go"), "null", "x"))
			if outcome != "asked" {
				t.Fatalf("it is %s: %s", outcome, question.line)
			}
			if told := d.answer(question, test.option, "r1"); !strings.Contains(told.line, `"optionId":"y"`) {
				t.Errorf("the agent is told %s", told.line)
			}
			for name, want := range map[string]string{"src/b.go": test.below, "docs2/c.go": test.beside, "src/Makefile": "asked", "../d.go": "asked"} {
				if got, s := d.request("session/request_permission", editOf("s1", name, at(name), "null", "x")); got != want {
					t.Errorf("%s is %s, want %s: %s", name, got, want, s.line)
				} else if got == "asked" {
					d.answer(s, "n", fmt.Sprintf("r%d", d.next))
				}
			}
		})
	}
	t.Run("in a question of ours", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, "", "", workDir(t))
		_, question := d.request("fs/write_text_file", writeOf("s1", filepath.Join(d.work, "src", "a.go"), "x"))
		if !strings.Contains(question.line, `"name":"In this session, allow writing everything below `) {
			t.Fatalf("it is %s", question.line)
		}
		d.answer(question, "a2a-acp-allow-session-2", "r1")
		if got, s := d.request("fs/write_text_file", writeOf("s1", filepath.Join(d.work, "src", "b.go"), "x")); got != "forwarded" {
			t.Errorf("another below it is %s: %s", got, s.line)
		}
	})
	t.Run("where the agent's ids are like ours", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, "", "", workDir(t))
		edit := strings.Replace(editOf("s1", "c1", filepath.Join(d.work, "src/a.go"), "null", "x"), `"optionId":"n"`, `"optionId":"A2A-acp-allow-session-2"`, 1)
		if _, question := d.request("session/request_permission", edit); strings.Contains(question.line, "everything below `src`\",") {
			t.Errorf("it is %s", question.line)
		}
	})
}
