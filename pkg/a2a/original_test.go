package a2a

import (
	"io"
	"strings"
	"testing"
)

// TestOriginal is about what the original's clients find where they look for it.
func TestOriginal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	params := `{"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"text","text":"do it"}]}}`
	for _, test := range []struct{ method, path, body, want string }{
		{"POST", "/a2a/message/send", params, `"state":"completed"`},
		{"POST", "/a2a/message/stream", params, `"final":true`},
		{"POST", "/a2a/rpc", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":` + params + `}`, `"state":"completed"`},
		{"GET", "/a2a/commands/get", "", `{"commands":[{"id":"act","name":"Act"`},
		{"POST", "/a2a/command/execute", `{"command":"Act","parameters":{"a":1}}`, `"data":{"parameters":{"a":1},"toolId":"act"}`},
		{"POST", "/a2a/command/execute", `{"command":"a","command":"b"}`, `stands there twice`},
		{"GET", "/a2a/message/send", "", `want POST`},
		{"GET", "/.well-known/agent.json", "", `"protocolVersion":"0.3.0"`},
	} {
		response := h.request("anna", test.method, test.path, test.body, "A2A-Version", "")
		body, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s: %s %s, %v", test.method, test.path, response.Status, body, err)
		}
		_ = response.Body.Close()
	}
}
