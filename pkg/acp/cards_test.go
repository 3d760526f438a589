package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// another opens a second session.
func (d *dialogue) another(id string) {
	d.t.Helper()
	d.editorSays(`{"jsonrpc":"2.0","id":"open","method":"session/new","params":{"cwd":"$WORK","mcpServers":[]}}`)
	d.wait("the session", func(s said) bool { return s.to == "agent" && s.ID == "open" })
	d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"open","result":{"sessionId":%q}}`, id))
	d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == "open" })
}

const inAnother = `"sessionId":"s2"`

func ofAnother(line string) string { return strings.ReplaceAll(line, `"sessionId":"s1"`, inAnother) }

// TestCardsOfAllSessions has an agent with two sessions that the editor has opened, and an editor that goes
// by the names of cards and terminals alone: what stands in a card of one session's question is not changed
// from the other.
func TestCardsOfAllSessions(t *testing.T) {
	t.Parallel()
	const terminal = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","content":[{"type":"terminal","terminalId":"t1"}]}` + yesNo + `}`
	for _, test := range []struct {
		name, ask, line string
		comes           bool // once the question has ended
	}{
		{"an update", asksForHook, updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"typo"`), true},
		{"the call anew", asksForHook, updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"typo"`), true},
		{"a chunk of content", asksForHook, updateOf(`"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"typo"}}`), true},
		{"a kind that nobody knows", asksForHook, updateOf(`"sessionUpdate":"tool_call_title","toolCallId":"c1","title":"typo"`), true},
		{"a kind that nobody knows, with a list of cards", asksForHook, updateOf(`"sessionUpdate":"_cards","cards":[{"id":"\u00631","title":"typo"}]`), true},
		{"output of its terminal", terminal, updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"terminal_output":{"terminal_id":"t1","data":"typo"}}`), true},
		{"another question", asksForHook, `{"jsonrpc":"2.0","id":70,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"typo","kind":"execute"}` + yesNo + `}}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			d.another("s2")
			outcome, question := d.request("session/request_permission", test.ask)
			if outcome != "asked" {
				t.Fatalf("it is %s: %s", outcome, question.line)
			}
			d.agentSays(ofAnother(test.line))
			d.untilMarker("typo")
			d.pick(question, "n")
			if test.comes {
				d.wait("what was held back", func(s said) bool {
					return s.to == "editor" && strings.Contains(s.line, "typo") && strings.Contains(s.line, inAnother)
				})
			}
		})
	}
	t.Run("a decision", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, readsAndEchoes, "", workDir(t))
		d.another("s2")
		d.agentSays(ofAnother(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"echo","kind":"execute"`)))
		outcome, question := d.request("session/request_permission", asksForHook)
		if outcome != "asked" {
			t.Fatalf("it is %s: %s", outcome, question.line)
		}
		if outcome, s := d.request("terminal/create", ofAnother(`{"sessionId":"s1","command":"echo"}`)); outcome != "forwarded" {
			t.Errorf("it is %s: %s", outcome, s.line)
		}
		d.untilMarker("a2a-acp: allowed")
		d.pick(question, "n")
		d.wait("the line in the card", func(s said) bool {
			return s.to == "editor" && strings.Contains(s.line, "a2a-acp: allowed") && strings.Contains(s.line, inAnother)
		})
	})
}

// TestWhatWaitsInAnotherSession has an agent say of a card what has to wait for something else in the order of
// one session, and then ask in that card in another: that comes when the question has ended, and not under it.
func TestWhatWaitsInAnotherSession(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"an update":                updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"typo"`),
		"a kind that nobody knows": updateOf(`"sessionUpdate":"_cards","cards":[{"id":"\u00631","title":"typo"}]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "governor waits what for", workDir(t))
			d.another("s2")
			// The governor thinks, and what is said behind it in that session waits.
			d.agentSays(ofAnother(`{"jsonrpc":"2.0","id":"thinks","method":"terminal/create","params":{"sessionId":"s1","command":"make guarded"}}`))
			d.agentSays(ofAnother(line))
			outcome, question := d.request("session/request_permission", asksForHook)
			if outcome != "asked" {
				t.Fatalf("it is %s: %s", outcome, question.line)
			}
			d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"thinks"}}`)
			d.wait("its end", func(s said) bool { return s.to == "agent" && s.ID == "thinks" })
			d.agentSays(ofAnother(updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"behind"}`)))
			d.wait("what was said behind", func(s said) bool {
				if s.to == "editor" && strings.Contains(s.line, "typo") {
					t.Errorf("while the question stands the editor is told %s", s.line)
				}
				return s.to == "editor" && strings.Contains(s.line, "behind")
			})
			d.pick(question, "n")
			d.wait("what was held back", func(s said) bool {
				return s.to == "editor" && strings.Contains(s.line, "typo") && strings.Contains(s.line, inAnother)
			})
		})
	}
}

// TestNothingOfAnotherSessionStays has an agent show something in a card of one session, and ask in one of
// that name in another: nothing of it is left under the question.
func TestNothingOfAnotherSessionStays(t *testing.T) {
	t.Parallel()
	harmless := updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"typo","kind":"edit","content":[{"type":"content","content":{"type":"text","text":"typo"}}],"locations":[{"path":"/typo"}],"rawInput":{"text":"typo"}`)
	for name, show := range map[string]func(d *dialogue){
		"an open one": func(d *dialogue) {
			d.another("s2")
			d.agentSays(ofAnother(harmless))
		},
		"one that was closed": func(d *dialogue) {
			d.another("s2")
			d.agentSays(ofAnother(harmless))
			d.wait("the card", func(s said) bool { return strings.Contains(s.line, "typo") })
			d.editorSays(`{"jsonrpc":"2.0","id":"close","method":"session/close","params":{"sessionId":"s2"}}`)
			d.wait("its end", func(s said) bool { return s.to == "agent" && s.ID == "close" })
		},
		"one that nobody knows": func(d *dialogue) { d.agentSays(ofAnother(harmless)) },
		"a chunk alone": func(d *dialogue) {
			d.agentSays(ofAnother(updateOf(`"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"typo"}}`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			show(d)
			_, question := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1"}`+yesNo+`}`)
			for _, want := range []string{`"title":"Tool call"`, `"kind":"other"`, `"content":[` + ourWords + `,` + forSession("nothing is kept: an act of this kind (other) is asked every time") + `]`, `"locations":[]`, `"rawInput":{}`} {
				if !strings.Contains(question.line, want) {
					t.Errorf("the question does not say %s: %s", want, question.line)
				}
			}
		})
	}
}

// TestATerminalOfAnotherSession has an agent ask in a card that shows a terminal which the editor runs in
// another session.
func TestATerminalOfAnotherSession(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	d.another("s2")
	d.agentSays(ofAnother(`{"jsonrpc":"2.0","id":"run","method":"terminal/create","params":{"sessionId":"s1","command":"top"}}`))
	d.pick(d.wait("the question", func(s said) bool { return s.Method == "session/request_permission" }), "a2a-acp-allow-once")
	d.wait("the command", func(s said) bool { return s.Method == "terminal/create" })
	d.editorSays(`{"jsonrpc":"2.0","id":"run","result":{"terminalId":"t1"}}`)
	d.wait("the terminal", func(s said) bool { return s.to == "agent" && s.ID == "run" })
	_, question := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","content":[{"type":"terminal","terminalId":"t1"}]}`+yesNo+`}`)
	if strings.Contains(question.line, "terminalId") {
		t.Errorf("the question is %s", question.line)
	}
}

// TestASubjectNobodyKnows has an agent ask about a subject of a type that version 2 of the protocol does not
// have, and some editor may: no rule answers, the person is told what it is, and what it may name is not
// changed.
func TestASubjectNobodyKnows(t *testing.T) {
	t.Parallel()
	const rules = readsAndEchoes + `
  - id: anything
    applies_to: ["acp.*"]
    decision: {type: approve}
`
	for _, test := range []struct{ name, subject, line string }{
		{"a card", `{"type":"_vendor","toolCallId":"c1"}`, updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"typo"`)},
		{"a card in a call", `{"type":"tool_calls","toolCalls":[{"toolCallId":"\u00631"}]}`, updateOf(`"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"typo"}}`)},
		{"a card by its name", `{"type":"_vendor","cards":{"c1":{}}}`, updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"typo"`)},
		{"a terminal", `{"type":"terminal","terminalId":"t1"}`, updateOf(`"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"typo"`)},
		{"a terminal in a list", `{"type":"terminals","of":[{"terminal_id":"t1"}]}`, updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"terminal_output":{"terminal_id":"t1","data":"typo"}}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, rules, "", workDir(t))
			d.second()
			outcome, question := d.request("session/request_permission", `{"sessionId":"s1","title":"Fix it?","subject":`+test.subject+yesNo+`}`)
			if outcome != "asked" || !strings.Contains(fmt.Sprint(question.Params["description"]), `"type":`) {
				t.Fatalf("it is %s, and says %s", outcome, question.line)
			}
			d.agentSays(test.line)
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c3","title":"of another"`))
			d.wait("another card", func(s said) bool { return s.to == "editor" && strings.Contains(s.line, "of another") })
			d.untilMarker("typo")
			d.pick(question, "n")
			d.wait("what was held back", func(s said) bool { return s.to == "editor" && strings.Contains(s.line, "typo") })
		})
	}
	for name, subject := range map[string]string{
		"too many names": `{"type":"_vendor","of":[` + strings.Repeat(`"x",`, 300) + `"x"]}`,
		"a card of ours": `{"type":"_vendor","toolCallId":"ours-1"}`,
		"no type":        `{"toolCallId":"c1"}`,
		"a type twice":   `{"type":"_vendor","Type":"tool_call","toolCallId":"c1"}`,
	} {
		d := newDialogue(t, rules, "", workDir(t))
		d.second()
		if outcome, s := d.request("session/request_permission", `{"sessionId":"s1","title":"Fix it?","subject":`+subject+yesNo+`}`); outcome != "refused" {
			t.Errorf("%s: it is %s: %s", name, outcome, s.line)
		}
	}
	t.Run("a card with a question", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, rules, "", workDir(t))
		d.second()
		const first = `{"sessionId":"s1","title":"Run it?","subject":{"type":"command","command":"make all","cwd":"$WORK","toolCallId":"c1"}` + yesNo + `}`
		if outcome, s := d.request("session/request_permission", first); outcome != "asked" {
			t.Fatalf("it is %s: %s", outcome, s.line)
		}
		if outcome, s := d.request("session/request_permission", `{"sessionId":"s1","title":"Fix it?","subject":{"type":"_vendor","toolCallId":"c1"}`+yesNo+`}`); outcome != "refused" {
			t.Errorf("it is %s: %s", outcome, s.line)
		}
	})
}

// TestASecondClick has a question end, and the agent, or we, ask the next one at once: it is not put while a
// second click on the first would answer it.
func TestASecondClick(t *testing.T) {
	t.Parallel()
	another := strings.ReplaceAll(strings.Replace(asksForHook, `"c1"`, `"c2"`, 1), "pre-commit", "post-commit")
	const elicits = `{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"sessionId":"s1","message":"Which?","mode":"form","requestedSchema":{"type":"object","properties":{}}}}`
	for _, test := range []struct {
		name, first  string
		end          func(d *dialogue)
		method, next string
	}{
		{"in the same card", "", func(d *dialogue) { d.editorSays(pickOf("y")) }, "session/request_permission", strings.ReplaceAll(asksForHook, "pre-commit", "post-commit")},
		{"in another card", "", func(d *dialogue) { d.editorSays(pickOf("n")) }, "session/request_permission", another},
		{"a command", "", func(d *dialogue) { d.editorSays(pickOf("y")) }, "terminal/create", `{"sessionId":"s1","command":"make docs"}`},
		{"a question that was taken back", "", func(d *dialogue) {
			d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`)
		}, "session/request_permission", another},
		{"another kind of question", elicits, func(d *dialogue) {
			d.editorSays(`{"jsonrpc":"2.0","id":"e","result":{"action":"accept","content":{}}}`)
		}, "session/request_permission", another},
		{"another kind of question, taken back", elicits, func(d *dialogue) {
			d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"e"}}`)
		}, "session/request_permission", another},
		{"another kind of question, that is over", elicits, func(d *dialogue) {
			d.agentSays(`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}`)
		}, "session/request_permission", another},
		{"a question that nobody knows here", strings.Replace(elicits, "elicitation/create", "_vendor/ask", 1), func(d *dialogue) {
			d.editorSays(`{"jsonrpc":"2.0","id":"e","result":{}}`)
		}, "session/request_permission", another},
		{"another session", "", func(d *dialogue) { d.editorSays(pickOf("y")) }, "session/request_permission", ofAnother(another)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "long pause", workDir(t))
			d.another("s2")
			first := test.first
			if first == "" {
				first = `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":` + asksForHook + `}`
			}
			d.agentSays(first)
			d.wait("the first question", func(s said) bool { return s.to == "editor" && (s.ID == "p" || s.ID == "e") })
			test.end(d)
			d.wait("its end", func(s said) bool {
				return s.to == "agent" && (s.ID == "p" || s.ID == "e") || s.Method == "$/cancel_request" || s.Method == "elicitation/complete"
			})
			d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"next","method":%q,"params":%s}`, test.method, test.next))
			d.untilMarker("post-commit")
			d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"next"}}`)
			d.wait("the end of the next", func(s said) bool {
				if s.Method == "session/request_permission" || s.Method == "$/cancel_request" {
					t.Errorf("the editor is told %s", s.line)
				}
				return s.to == "agent" && s.ID == "next"
			})
		})
	}
}

// TestOneQuestionAtATime has an agent ask a second time while its first question stands: who is about to
// click on the first, or presses a key, must not find the second in its place. Nothing else waits for the
// answer.
func TestOneQuestionAtATime(t *testing.T) {
	t.Parallel()
	another := strings.ReplaceAll(strings.Replace(asksForHook, `"c1"`, `"c2"`, 1), "pre-commit", "post-commit")
	const run = `{"sessionId":"s1","command":"make post-commit"}`
	for _, test := range []struct {
		name, method, params string
		end                  func(d *dialogue) // of the first; it is answered where there is none
		comes                bool              // while the first stands
	}{
		{"in another card", "session/request_permission", another, nil, false},
		{"a command", "terminal/create", run, nil, false},
		{"once the first is taken back", "session/request_permission", another, func(d *dialogue) {
			d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`)
		}, false},
		{"once the first is answered elsewhere", "terminal/create", run, func(d *dialogue) {
			(<-d.board.posted).elsewhere <- approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, By: "cli maria"}
		}, false},
		{"in another session", "session/request_permission", ofAnother(another), nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "board", workDir(t))
			d.another("s2")
			d.agentSays(`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":` + asksForHook + `}`)
			d.wait("the first question", func(s said) bool { return s.to == "editor" && s.ID == "p" })
			d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"next","method":%q,"params":%s}`, test.method, test.params))
			second := func(s said) bool {
				return s.to == "editor" && s.Method == "session/request_permission" && strings.Contains(s.line, "post-commit")
			}
			if test.comes {
				d.wait("the second question", second)
				return
			}
			d.agentSays(updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"behind"}`))
			d.wait("what is behind it", func(s said) bool {
				if strings.Contains(s.line, "post-commit") {
					t.Errorf("while the first question stands the editor is told %s", s.line)
				}
				return s.to == "editor" && strings.Contains(s.line, "behind")
			})
			if test.end == nil {
				d.editorSays(pickOf("y"))
			} else {
				test.end(d)
			}
			d.wait("the second question", second)
		})
	}
	for _, test := range []struct {
		name string
		end  func(d *dialogue)
	}{
		{"taken back", func(d *dialogue) {
			d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"next"}}`)
		}},
		{"answered elsewhere", func(d *dialogue) {
			<-d.board.posted
			(<-d.board.posted).elsewhere <- approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, By: "cli maria"}
		}},
		{"its turn is cancelled", func(d *dialogue) {
			d.editorSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
		}},
	} {
		t.Run("a second one that is "+test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "board", workDir(t))
			d.agentSays(`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":` + asksForHook + `}`)
			d.wait("the first question", func(s said) bool { return s.to == "editor" && s.ID == "p" })
			d.agentSays(`{"jsonrpc":"2.0","id":"next","method":"terminal/create","params":` + run + `}`)
			test.end(d)
			d.wait("its end", func(s said) bool {
				if s.Method == "session/request_permission" {
					t.Errorf("the editor is told %s", s.line)
				}
				return s.to == "agent" && s.ID == "next" && s.Error != nil
			})
		})
	}
}

// TestTheSameQuestionTwice has an agent ask the very same twice at once, and the second be the one that the
// first waits for: the second is put, and the first after it.
func TestTheSameQuestionTwice(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "same board", workDir(t))
	for range 2 {
		d.next++
		d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":"terminal/create","params":{"sessionId":"s1","command":"make all"}}`, d.next))
	}
	run := 0
	d.wait("the two commands", func(s said) bool {
		switch s.Method {
		case "session/request_permission":
			d.pick(s, "a2a-acp-allow-once")
		case "terminal/create":
			run++
		}
		return run == 2
	})
}

func pickOf(option string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":%q}}}`, option)
}
