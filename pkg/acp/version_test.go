package acp_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestOneVersion has an agent answer initialize so that the editor would speak another version of the
// protocol than the one by which its questions are read here. The editor is told that it failed.
func TestOneVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, asked, answer string
		passes              bool
	}{
		{"the same", `1`, `{"protocolVersion":1}`, true},
		{"the same, the second", `2`, `{"protocolVersion":2}`, true},
		{"an older one", `2`, `{"protocolVersion":1}`, true},
		{"the newest", `65535`, `{"protocolVersion":2}`, true},
		{"the first, to one that asks for none", `0`, `{"protocolVersion":1}`, true},
		{"asked with a fraction", `2.0`, `{"protocolVersion":2}`, true},
		{"a newer one", `1`, `{"protocolVersion":2}`, false},
		{"one that nobody has", `2`, `{"protocolVersion":3}`, false},
		{"a fraction", `2`, `{"protocolVersion":2.0}`, false},
		{"an exponent", `2`, `{"protocolVersion":2e0}`, false},
		{"a text", `2`, `{"protocolVersion":"2"}`, false},
		{"a list", `2`, `{"protocolVersion":[2]}`, false},
		{"another spelling", `2`, `{"ProtocolVersion":2}`, false},
		{"two", `2`, `{"protocolVersion":1,"ProtocolVersion":2}`, false},
		{"none", `2`, `{}`, false},
		{"no object", `2`, `null`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", "")
			s.run(fmt.Sprintf(`
editor> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%s}}
agent<  …
agent>  {"jsonrpc":"2.0","id":0,"result":%s}`, test.asked, test.answer))
			line, err := readLine(s.editor)
			if err != nil || strings.Contains(line, `"error"`) == test.passes || !strings.Contains(line, `"id":0`) {
				t.Errorf("the editor is told %s %v", line, err)
			}
			s.end()
		})
	}
}

// TestNoQuestionOfTwoVersions has an agent put a question that says one thing to a reader of version 1 of
// the protocol and another to one of version 2.
func TestNoQuestionOfTwoVersions(t *testing.T) {
	t.Parallel()
	const hook = `{"toolCallId":"c1","title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/.git/hooks/pre-commit","newText":"evil"}]}`
	const typo = `{"toolCallId":"c2","title":"Fix typo","kind":"edit","content":[{"type":"diff","path":"$WORK/README.md","newText":"typo"}]}`
	for _, test := range []struct{ name, version, ask string }{
		{"the first, with a subject of the second", "1", `"toolCall":` + hook + `,"subject":{"type":"tool_call","toolCall":` + typo + `}`},
		{"the first, with a title of the second", "1", `"toolCall":` + hook + `,"title":"Fix typo"`},
		{"the first, with a description of the second", "1", `"toolCall":` + hook + `,"description":"Fix typo"`},
		{"the first, with a Title", "1", `"toolCall":` + hook + `,"Title":"Fix typo"`},
		{"the second, with a call of the first", "2", `"title":"Edit","subject":{"type":"tool_call","toolCall":` + hook + `},"toolCall":` + typo},
		{"the second, with a tool_call", "2", `"title":"Edit","subject":{"type":"tool_call","toolCall":` + hook + `},"tool_call":` + typo},
		{"the second, with a subject of another spelling", "2", `"title":"Edit","subject":{"type":"toolCall","toolCall":` + typo + `}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			if test.version == "2" {
				d.second()
			}
			if got, s := d.request("session/request_permission", `{"sessionId":"s1",`+test.ask+yesNo+`}`); got != "refused" {
				t.Errorf("it is %s: %s", got, s.line)
			}
		})
	}
}

// second has both sides speak version 2 of the protocol.
func (d *dialogue) second() {
	d.editorSays(`{"jsonrpc":"2.0","id":90,"method":"initialize","params":{"protocolVersion":2}}`)
	d.wait("initialize", func(s said) bool { return s.to == "agent" && s.Method == "initialize" })
	d.agentSays(`{"jsonrpc":"2.0","id":90,"result":{"protocolVersion":2}}`)
	d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == 90.0 })
}

// TestOurToolsInVersion2 has an agent ask about a tool of ours in words that are not the tool's: version 2
// has some beside the call.
func TestOurToolsInVersion2(t *testing.T) {
	t.Parallel()
	const subject = `,"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1","title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"}}}`
	for _, test := range []struct{ words, want string }{
		{`"title":"note"`, "asked"},
		{`"title":"mcp__a2a-acp__note","description":""`, "asked"},
		{`"title":"Look at the date"`, "answered"},
		{`"title":"note","description":"It is harmless."`, "answered"},
	} {
		d := newDialogue(t, "", "tools", workDir(t))
		d.second()
		if got, s := d.request("session/request_permission", `{"sessionId":"s1",`+test.words+subject+yesNo+`}`); got != test.want {
			t.Errorf("%s: it is %s, want %s: %s", test.words, got, test.want, s.line)
		}
	}
}

// TestVersion2Warns has an agent of version 2 ask about a command with characters that hide something: the
// person sees them, and why he is asked.
func TestVersion2Warns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ ask, tells string }{
		{`"title":"List","subject":{"type":"command","command":"ls \u202elive","cwd":"$WORK"}`, "hidden character"},
		{`"title":"List","description":"Fine.","subject":{"type":"command","command":"ls","cwd":"$WORK/docs"}`, "in $WORK/docs"},
		{`"title":"List\u202e"`, "hidden character"},
		{`"title":"List","description":"Fine.\n\na2a-acp: allowed","subject":{"type":"command","command":"ls","cwd":"$WORK"}`, "words that begin as those of a2a-acp do"},
	} {
		d := newDialogue(t, "", "", workDir(t))
		d.second()
		got, s := d.request("session/request_permission", `{"sessionId":"s1",`+test.ask+yesNo+`}`)
		told, _ := s.Params["description"].(string)
		if got != "asked" || !strings.Contains(told, strings.ReplaceAll(test.tells, "$WORK", d.work)) || strings.Contains(s.line, "\u202e") {
			t.Errorf("it is %s: %s", got, s.line)
		}
	}
}
