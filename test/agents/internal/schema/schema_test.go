//go:build agents

package schema

import (
	"encoding/json"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	j, err := Load("../../node_modules/@agentclientprotocol/sdk", 1)
	if err != nil {
		t.Fatal(err)
	}
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, test := range []struct {
		name  string
		frame Frame
		want  string
	}{
		{"a good update", Frame{To: Client, Method: "session/update", Params: raw(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}}`)}, ""},
		{
			"no title",
			Frame{To: Client, Method: "session/update", Params: raw(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c"}}`)},
			"session/update notification tool_call: /update /update/sessionUpdate",
		},
		{
			"a kind of update that there is not",
			Frame{To: Client, Method: "session/update", Params: raw(`{"sessionId":"s","update":{"sessionUpdate":"dance"}}`)},
			"session/update notification dance: /update /update/sessionUpdate",
		},
		{
			"the outcome in the form of the first draft",
			Frame{To: Agent, Method: "session/request_permission", ID: raw(`1`), Result: raw(`{"outcome":{"optionId":"x"}}`)},
			"session/request_permission response: /outcome",
		},
		{"a good outcome", Frame{To: Agent, Method: "session/request_permission", ID: raw(`1`), Result: raw(`{"outcome":{"outcome":"cancelled"}}`)}, ""},
		{"a request to the wrong side", Frame{To: Client, Method: "session/new", ID: raw(`1`), Params: raw(`{}`)}, "session/new: unknown"},
		{"a notification of both sides", Frame{To: Client, Method: "$/cancel_request", Params: raw(`{"requestId":1}`)}, ""},
		{"an extension", Frame{To: Client, Method: "_x/y", Params: raw(`{}`)}, ""},
		{"an error without message", Frame{To: Client, Method: "session/prompt", ID: raw(`1`), Error: raw(`{"code":1}`)}, "session/prompt error: not an error object"},
		{"params that are missing", Frame{To: Client, Method: "session/update"}, "session/update: no JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := j.Verdict(test.frame); got != test.want {
				t.Errorf("verdict %q, want %q", got, test.want)
			}
		})
	}
}
