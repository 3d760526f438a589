package acp_test

import (
	"strings"
	"testing"
)

// TestWithoutRecord says what goes on by a rule's word where nothing can be recorded: what the editor reads in any
// case, what the agent asks about that only reads where that is wanted, and nothing else.
func TestWithoutRecord(t *testing.T) {
	t.Parallel()
	ask := func(kind string) string {
		return `{"sessionId":"s1","toolCall":{"toolCallId":"` + kind + `","title":"` + kind + `","kind":"` + kind +
			`","locations":[{"path":"$WORK/docs/a.md"}]},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},` +
			`{"optionId":"no","name":"No","kind":"reject_once"}]}`
	}
	for _, test := range []struct{ name, method, params, blocks, degrades string }{
		{"a read", "fs/read_text_file", `{"sessionId":"s1","path":"$WORK/docs/a.md"}`, "forwarded", "forwarded"},
		{"a write", "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/docs/a.md","content":"x"}`, "denied", "denied"},
		{"a command", "terminal/create", `{"sessionId":"s1","command":"echo"}`, "denied", "denied"},
		{"a question about a read", "session/request_permission", ask("read"), "asked", "answered"},
		{"a question about an edit", "session/request_permission", ask("edit"), "asked", "asked"},
		{"a question about a deletion", "session/request_permission", ask("delete"), "asked", "asked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for setup, want := range map[string]string{"no record": test.blocks, "no record\ndegrades": test.degrades} {
				d := newDialogue(t, readsAndEchoes, setup, workDir(t))
				if got, s := d.request(test.method, test.params); got != want {
					t.Errorf("%s: %s, want %s: %s", strings.ReplaceAll(setup, "\n", ", "), got, want, s.line)
				}
			}
		})
	}
}
