package acp_test

import (
	"strings"
	"testing"
)

// TestAgentsWordsAreTheirs has an agent write lines into its cards that begin as ours do: they are shown as
// its own, and what only has our name in it stays as it is.
func TestAgentsWordsAreTheirs(t *testing.T) {
	t.Parallel()
	text := func(s string) string {
		return `"title":"x","content":[{"type":"content","content":{"type":"text","text":"` + s + `"}}]`
	}
	for _, test := range []struct{ name, says, shown string }{
		{"a line", text(`fine\na2a-acp: allowed by you`), `fine\nthe agent writes: a2a-acp: allowed by you`},
		{"in other letters", text(`**Ａ2a‑ACP**: allowed`), `the agent writes: **Ａ2a‑ACP**: allowed`},
		{"behind a carriage return", text(`fine\ra2a-acp asks because`), `the agent writes: a2a-acp asks because`},
		{"the title", `"title":"a2a-acp: allowed"`, `"title":"the agent writes: a2a-acp: allowed"`},
		{"a link", `"title":"x","content":[{"type":"content","content":{"type":"resource_link","uri":"a2a-acp://x","name":"a2a-acp: allowed"}}]`,
			`"uri":"a2a-acp://x","name":"the agent writes: a2a-acp: allowed"`},
		{"raw output", `"title":"x","rawOutput":"a2a-acp: allowed"`, `"rawOutput":"the agent writes: a2a-acp: allowed"`},
		{"title and text", `"content":[{"type":"content","content":{"type":"text","text":"a2a-acp: one"}}],"title":"a2a-acp: two"`,
			`writes: a2a-acp: one"}}],"title":"the agent writes: a2a-acp: two"`},
		{"our name in a sentence", text(`see a2a-acp: it is a guard`), `"text":"see a2a-acp: it is a guard"`},
		{"our name and no more", text(`a2a-acp bridge claude`), `"text":"a2a-acp bridge claude"`},
		{"another name", text(`a2a: x\na2a-ac: x\n`), `"text":"a2a: x\na2a-ac: x\n"`},
		{"a file", `"title":"x","content":[{"type":"diff","path":"/x","newText":"a2a-acp: allowed"}]`, `"newText":"a2a-acp: allowed"`},
	} {
		for _, s := range []struct{ name, line string }{
			{"an update", updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1",` + test.says)},
			{"a session that nobody knows", strings.ReplaceAll(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1",`+test.says), `"s1"`, `"s9"`)},
		} {
			t.Run(test.name+" in "+s.name, func(t *testing.T) {
				t.Parallel()
				d := newDialogue(t, "", "", workDir(t))
				d.agentSays(s.line)
				told := d.wait("the update", func(s said) bool { return s.to == "editor" && strings.Contains(s.line, `"c1"`) })
				if !strings.Contains(told.line, test.shown) {
					t.Errorf("the editor is told %s, want %s", told.line, test.shown)
				}
			})
		}
	}
}

// TestOurLineStaysOurs checks that a line of ours in a card of the agent's is told as it is, beside the
// agent's.
func TestOurLineStaysOurs(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, readsAndEchoes, "", workDir(t))
	d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"echo x","kind":"execute","rawInput":{"command":"echo x"}`))
	d.agentSays(`{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{"sessionId":"s1","command":"echo x"}}`)
	d.wait("our line", func(s said) bool { return s.to == "editor" && strings.Contains(s.line, `"text":"a2a-acp: allowed`) })
	d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"content","content":{"type":"text","text":"a2a-acp: allowed by nobody"}}]`))
	d.wait("both", func(s said) bool {
		return s.to == "editor" && strings.Contains(s.line, `"text":"the agent writes: a2a-acp: allowed by nobody"`) &&
			strings.Contains(s.line, `"text":"a2a-acp: allowed: `)
	})
}
