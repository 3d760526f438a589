package agentclient

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzUpdate hears any update: nothing breaks, and what is told has its kind's field.
func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"image","data":"AAEC","mimeType":"image/png"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","content":[{"type":"diff","path":"a","newText":"x"}],"locations":[{"path":"a","line":1}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":null,"rawInput":{}}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal","terminalId":"t"}}`,
		`{"sessionUpdate":"plan","entries":[{"content":"x"}]}`, `{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`, `{"sessionUpdate":"usage_update","used":1}`,
		`{"sessionUpdate":"notice","title":"x"}`, `{"sessionUpdate":7}`, `[]`, `7`, `null`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, update string, second bool) {
		r := &running{terminals: &terminals{}, can: abilities{version: stable}}
		if second {
			r.can.version = draft
		}
		r.turn = &turn{running: r, chunked: map[string]bool{}, idle: make(chan StopReason, 1), telling: func(e Event) {
			told := map[EventKind]bool{
				EventMessage: e.Chunk != nil, EventThought: e.Chunk != nil, EventPlan: true, EventToolCall: e.ToolCall != nil && e.ToolCall.ID != "",
				EventUsage: json.Valid(e.Usage), EventNotice: true, EventOther: json.Valid(e.Other),
			}
			if !told[e.Kind] {
				t.Errorf("%s: %+v", e.Kind, e)
			}
		}}
		for range 2 {
			r.update(json.RawMessage(`{"update":` + update + `}`))
		}
	})
}

// FuzzLines reads lines of a text: what is read is a part of it, and all of it where nothing is left out.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\n\nc", 2, 1)
	f.Add("", 1, -1)
	f.Fuzz(func(t *testing.T, text string, first, most int) {
		first = max(first, 1)
		got := linesOf(text, first, most)
		if !strings.Contains(text, got) || most == 0 && got != "" && first > 1 {
			t.Errorf("%q from %d on, %d of them: %q", text, first, most, got)
		}
		if first == 1 && most < 0 && got != text {
			t.Errorf("all of %q: %q", text, got)
		}
	})
}
