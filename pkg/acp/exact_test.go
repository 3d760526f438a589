package acp_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhatIsNoAnswer has an editor answer a question with what was taken for none here, and could be a yes to
// the agent: it hears that the question was put away, as it is on record.
func TestWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, answer, want string }{
		{"put away", `"result":{"outcome":{"outcome":"cancelled"},"_meta":{"why":"x"}}`, `"_meta":{"why":"x"}`},
		{"an error", `"error":{"code":-32603,"message":"no window"}`, `no window`},
		{"another spelling", `"result":{"outcome":{"outcome":"Selected","optionId":"y"}}`, ""},
		{"no outcome in it", `"result":{"outcome":{"optionId":"y"}}`, ""},
		{"an option that is none", `"result":{"outcome":{"outcome":"selected","optionId":"Y"}}`, ""},
		{"two outcomes", `"result":{"outcome":{"outcome":"cancelled"},"outcome":{"outcome":"selected","optionId":"y"}}`, ""},
		{"an outcome in a list", `"result":{"outcome":[{"outcome":"selected","optionId":"y"}]}`, ""},
		{"put away, with an option", `"result":{"outcome":{"outcome":"cancelled","optionId":"y"}}`, ""},
		{"an error, and an answer", `"error":null,"result":{"outcome":{"outcome":"selected","optionId":"Y"}}`, ""},
		{"the option alone", `"result":"y"`, ""},
		{"nothing", `"result":null`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			if outcome, s := d.request("session/request_permission", asksForHook); outcome != "asked" {
				t.Fatalf("it is %s: %s", outcome, s.line)
			}
			d.editorSays(`{"jsonrpc":"2.0","id":"r1",` + test.answer + `}`)
			want := test.want
			if want == "" {
				want = `"result":{"outcome":{"outcome":"cancelled"}}}`
			}
			if s := d.wait("the answer", func(s said) bool { return s.to == "agent" && s.ID == "r1" }); !strings.Contains(s.line, want) {
				t.Errorf("the agent is told %s", s.line)
			}
		})
	}
}

// TestOptionsAreToldApart has an agent offer options that some editor takes for one another.
func TestOptionsAreToldApart(t *testing.T) {
	t.Parallel()
	const option = `,{"optionId":%s,"name":"Reject","kind":"reject_once"}`
	for _, test := range []struct {
		id      string
		refused bool
	}{
		{`"n"`, false}, {`"yes"`, false}, {`"y-n"`, false},
		{`"y"`, true}, {`"Y"`, true}, {`" y"`, true}, {`"y\u0000n"`, true}, {`"\uff59"`, true}, {`"y\u200b"`, true}, {`""`, true},
	} {
		d := newDialogue(t, "", "", workDir(t))
		ask := `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make","kind":"execute"},"options":[{"optionId":"y","name":"Allow","kind":"allow_once"}` + fmt.Sprintf(option, test.id) + `]}`
		if outcome, s := d.request("session/request_permission", ask); (outcome == "refused") != test.refused {
			t.Errorf("%s: it is %s: %s", test.id, outcome, s.line)
		}
	}
}

// TestIdsAreToldApart has an agent put two requests whose ids some editor takes for one, so that the answer
// to one could be that to the other.
func TestIdsAreToldApart(t *testing.T) {
	t.Parallel()
	const asks = `{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":%s}`
	another := strings.Replace(asksForHook, `"c1"`, `"c2"`, 1)
	for _, test := range []struct {
		first, second string
		refused       bool
	}{
		{`7`, `8`, false}, {`"a"`, `"b"`, false}, {`7`, `"7a"`, false},
		{`7`, `7.0`, true}, {`7`, `"7"`, true}, {`"7"`, `7`, true}, {`70`, `"7e1"`, true}, {`"7"`, `"7.0"`, true},
	} {
		for _, second := range []string{
			fmt.Sprintf(asks, test.second, another),
			`{"jsonrpc":"2.0","id":` + test.second + `,"method":"elicitation/create","params":{"sessionId":"s1","message":"post"}}`,
			`{"jsonrpc":"2.0","id":` + test.second + `,"method":"terminal/create","params":{"sessionId":"s1","command":"make post"}}`,
		} {
			d := newDialogue(t, "", "", workDir(t))
			d.agentSays(fmt.Sprintf(asks, test.first, asksForHook))
			d.wait("the question", func(s said) bool { return s.to == "editor" && s.Method == "session/request_permission" })
			d.agentSays(second)
			if !test.refused { // one question stands at a time
				d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, test.first))
			}
			s := d.wait("what becomes of the second", func(s said) bool {
				return s.to == "agent" && s.Error != nil || s.to == "editor" && s.Method != "session/update"
			})
			if (s.to == "agent" && s.Error != nil) != test.refused {
				t.Errorf("%s and %s: the %s is told %s", test.first, test.second, s.to, s.line)
			}
		}
	}
	t.Run("a number that is not given back", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, "", "", workDir(t))
		d.agentSays(`{"jsonrpc":"2.0","id":9007199254740993,"method":"_x/ask","params":{"sessionId":"s1"}}`)
		if s := d.wait("what becomes of it", func(said) bool { return true }); s.to != "agent" || s.Error == nil {
			t.Errorf("the %s is told %s", s.to, s.line)
		}
	})
}

// TestWhatHasNotGoneOutIsTakenBack has a turn be cancelled, or a session closed, while an act that was
// approved waits for what goes to the editor before it.
func TestWhatHasNotGoneOutIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, over string }{
		{"cancelled", `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`},
		{"closed", `{"jsonrpc":"2.0","id":"close","method":"session/close","params":{"sessionId":"s1"}}`},
	} {
		for _, act := range []string{
			`"method":"fs/write_text_file","params":` + writeOf("s1", "$WORK/docs/a.md", "x"),
			`"method":"terminal/create","params":{"sessionId":"s1","command":"echo"}`,
		} {
			d := newDialogue(t, readsAndEchoes, "long pause", workDir(t))
			d.agentSays(`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":` + asksForHook + `}`)
			d.wait("the question", func(s said) bool { return s.to == "editor" && s.ID == "p" })
			d.editorSays(pickOf("n"))
			d.wait("its end", func(s said) bool { return s.to == "agent" && s.ID == "p" })
			d.agentSays(`{"jsonrpc":"2.0","id":"p2","method":"session/request_permission","params":` + asksForHook + `}`)
			d.agentSays(`{"jsonrpc":"2.0","id":"act",` + act + `}`)
			d.untilMarker(`"id":"act"`)
			d.editorSays(test.over)
			told := d.wait("the end of the act", func(s said) bool { return s.ID == "act" })
			if told.to != "agent" || told.Error == nil || told.Error.Code != -32800 {
				t.Errorf("%s: the %s is told %s", test.name, told.to, told.line)
			}
			d.untilMarker(`"id":"act"`)
			if record := d.record.String(); !strings.Contains(record, "it came to nothing: ") {
				t.Errorf("%s: on record is %s", test.name, record)
			}
			if outcome, s := d.request("_x/again", `{}`); outcome != "forwarded" {
				t.Errorf("%s: it is %s: %s", test.name, outcome, s.line)
			}
		}
	}
}

// TestWhatTheAgentSaysCameOfIt checks what is on record of a question's act, as the agent says.
func TestWhatTheAgentSaysCameOfIt(t *testing.T) {
	t.Parallel()
	const rejects = `
version: 2
auto_approval_policies:
  - {id: no, applies_to: ["functions.*"], decision: {type: reject}}
`
	for _, test := range []struct{ name, policies, option, told, recorded string }{
		{"a no, kept", "", "n", `"status":"failed"`, ""},
		{"a no, not kept", "", "n", `"status":"completed"`, "tool.violated completed"},
		{"a yes", "", "y", `"status":"completed"`, "tool.ended completed"},
		{"a yes that came to nothing", "", "y", `"status":"cancelled"`, "tool.ended cancelled"},
		{"a yes, and a command that failed", "", "y",
			`"status":"completed","_meta":{"terminal_exit":{"terminal_id":"t","exit_code":1}}`, "tool.ended failed 1"},
		{"a yes, and a command that did not fail", "", "y", `"status":"completed","rawOutput":{"exit_code":0}`,
			"tool.ended completed 0"},
		{"a rule's no, kept", rejects, "", `"status":"failed"`, ""},
		{"a rule's no, not kept", rejects, "", `"status":"completed"`, "tool.violated completed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, test.policies, "", workDir(t))
			outcome, s := d.request("session/request_permission", asksForHook)
			if test.option != "" {
				if outcome != "asked" {
					t.Fatalf("it is %s: %s", outcome, s.line)
				}
				d.answer(s, test.option, "r1")
			}
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1",` + test.told))
			d.untilMarker("nothing")
			if ended := strings.Join(d.ended(), ", "); ended != test.recorded {
				t.Errorf("on record is %q, want %q: %s", ended, test.recorded, d.record.String())
			}
		})
	}
}

// TestAnAnswerIsOneFrame has an editor say yes in ways in which some agents find an answer, and others do
// not. The agent is not told a yes that is not on record.
func TestAnAnswerIsOneFrame(t *testing.T) {
	t.Parallel()
	const yes = `"result":{"outcome":{"outcome":"selected","optionId":"y"}}`
	for name, lines := range map[string][]string{
		"a method that is null":     {`{"jsonrpc":"2.0","id":"r1","method":null,"params":null,` + yes + `,"error":null}`},
		"a method, too":             {`{"jsonrpc":"2.0","id":"r1","method":"_x",` + yes + `}`},
		"an intercepted method":     {`{"jsonrpc":"2.0","id":"r1","method":"session/cancel",` + yes + `}`},
		"an id in another spelling": {`{"jsonrpc":"2.0","Id":"r1",` + yes + `}`},
		"two ids":                   {`{"jsonrpc":"2.0","id":null,"ID":"r1",` + yes + `}`},
		"two frames in a line":      {`{"jsonrpc":"2.0","id":"r1",` + yes + `}{"jsonrpc":"2.0","method":"_x"}`},
		"behind something":          {`ok {"jsonrpc":"2.0","id":"r1",` + yes + `}`},
		"on several lines":          {`{`, `"jsonrpc":"2.0","id":"r1",`, `"result":{"outcome":{"outcome":"selected","optionId":"y"}}`, `}`},
		"behind a mark":             {"\ufeff" + `{"jsonrpc":"2.0","id":"r1",` + yes + `}`},
		"in a list":                 {`[{"jsonrpc":"2.0","id":"r1",` + yes + `}]`},
		"twice":                     {`{"jsonrpc":"2.0","id":"r1",` + yes + `,"result":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			if outcome, s := d.request("session/request_permission", asksForHook); outcome != "asked" {
				t.Fatalf("it is %s: %s", outcome, s.line)
			}
			for _, line := range lines {
				if _, err := fmt.Fprintln(d.editorIn, line); err != nil {
					t.Fatal(err)
				}
			}
			d.editorSays(`{"jsonrpc":"2.0","method":"_next"}`)
			told := ""
			d.wait("what comes next", func(s said) bool {
				if s.to == "agent" {
					told += s.line
				}
				return s.to == "agent" && s.Method == "_next"
			})
			if strings.Contains(told, "selected") && !strings.Contains(d.record.String(), `"result":"approve"`) {
				t.Errorf("the agent is told %s", told)
			}
		})
	}
}

// TestAnErrorThatIsNone has an editor write an error that is null beside its result: what it did has not
// failed.
func TestAnErrorThatIsNone(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, readsAndEchoes, "", workDir(t))
	d.agentSays(`{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":` + writeOf("s1", "$WORK/docs/a.md", "x") + `}`)
	d.wait("the write", func(s said) bool { return s.to == "editor" && s.ID == "w" })
	d.editorSays(`{"jsonrpc":"2.0","id":"w","result":{},"error":null}`)
	d.wait("its end", func(s said) bool { return s.to == "agent" && s.ID == "w" })
	if record := d.record.String(); !strings.Contains(record, `"outcome":{"status":"completed","by":"editor"}`) {
		t.Errorf("on record is %s", record)
	}
}

// TestHistoryIsToldAsSuch has an editor open a session again, of which the agent tells what was done in it
// before.
func TestHistoryIsToldAsSuch(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/load", "session/resume"} {
		d := newDialogue(t, "", "", workDir(t))
		done := func(card string) {
			d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"` + card + `","title":"ls","kind":"execute","status":"completed"`))
			d.untilMarker("nothing")
		}
		d.editorSays(`{"jsonrpc":"2.0","id":"load","method":"` + method + `","params":{"sessionId":"s1","cwd":"$WORK","mcpServers":[]}}`)
		d.wait("the request", func(s said) bool { return s.to == "agent" && s.ID == "load" })
		done("before")
		d.agentSays(`{"jsonrpc":"2.0","id":"load","result":{}}`)
		d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == "load" })
		done("after")
		found := 0
		for line := range strings.Lines(d.record.String()) {
			if !strings.Contains(line, `"tool.seen"`) {
				continue
			}
			found++
			if strings.Contains(line, "history") != strings.Contains(line, `"before"`) {
				t.Errorf("%s: on record is %s", method, line)
			}
		}
		if found != 2 {
			t.Errorf("%s: %d of 2 are on record", method, found)
		}
	}
}
