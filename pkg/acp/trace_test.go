package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestTrace has what happens in a turn be of the trace that the editor says, and what the agent asks for of its own
// where it says one. What is no trace says nothing, and a turn without one ends the one before. No editor says which task of
// A2A a turn is.
func TestTrace(t *testing.T) {
	t.Parallel()
	const editors, agents = "0af7651916cd43dd8448eb211c80319c", "ffffffffffffffffffffffffffffffff"
	header := func(id string) string { return `"_meta":{"traceparent":"00-` + id + `-b7ad6b7169203331-01"}` }
	d := newDialogue(t, readsAndEchoes, "", workDir(t))
	prompt := func(meta string) {
		d.editorSays(`{"jsonrpc":"2.0","id":` + encodeJSON("p"+meta) + `,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]` + meta + `}}`)
		d.wait("the prompt", func(s said) bool { return s.to == "agent" && s.Method == "session/prompt" })
	}
	var want []string
	do := func(method, params, trace string) {
		d.request(method, params)
		want = append(want, trace)
	}
	write := func(meta string) string {
		return `{"sessionId":"s1","path":"$WORK/docs/a.md","content":"x"` + meta + `}`
	}
	prompt("")
	do("fs/write_text_file", write(""), "")
	prompt("," + strings.Replace(header(editors), "{", `{"a2a":{"taskId":"t","contextId":"c"},`, 1))
	do("fs/write_text_file", write(""), editors)
	do("fs/write_text_file", write(","+header(agents)), agents)
	do("terminal/create", `{"sessionId":"s1","command":"echo",`+header(agents)+`}`, agents)
	do("fs/write_text_file", write(","+header(strings.Repeat("0", 32))), editors)
	do("fs/write_text_file", write(`,"_meta":{"traceparent":"00-`+agents+`-b7ad6b7169203331-01","Traceparent":"x"}`), editors)
	prompt("")
	do("fs/write_text_file", write(""), "")
	var got []string
	for line := range strings.Lines(d.record.String()) {
		var e events.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == events.ToolDecided {
			got = append(got, e.TraceID)
		}
		if e.Task != "" || e.Context != "" {
			t.Errorf("%s: task %q of context %q", e.Type, e.Task, e.Context)
		}
		if (e.TraceID == "") != (e.SpanID == "") || e.TraceID != "" && e.ParentSpan != "b7ad6b7169203331" {
			t.Errorf("%s: %+v", e.Type, e.Trace())
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("traces of what was decided: %q, want %q", got, want)
	}
}
