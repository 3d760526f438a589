package acp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// The variables stand behind the agent's own, and the rest of the request is as it came.
func TestOblige(t *testing.T) {
	t.Parallel()
	o := permissions.Obligation{Environment: []permissions.Variable{{Name: "GIT_PAGER", Value: "cat"}, {Name: "A", Value: `"\`}}}
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"x","method":"terminal/create","params":{"sessionId":"s","command":"git","args":["log"],"_meta":{"a":1}}}`: `{"jsonrpc":"2.0","id":"x","method":"terminal/create",` +
			`"params":{"sessionId":"s","command":"git","args":["log"],"_meta":{"a":1},"env":[{"name":"GIT_PAGER","value":"cat"},{"name":"A","value":"\"\\"}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"env":[{"name":"A","value":"b"},{"value":"d","name":"C"}],"sessionId":"s","outputByteLimit":1e3}}`: `{"jsonrpc":"2.0","id":1,` +
			`"method":"terminal/create","params":{"sessionId":"s","outputByteLimit":1000,"env":[{"name":"A","value":"b"},{"name":"C","value":"d"},{"name":"GIT_PAGER","value":"cat"},{"name":"A","value":"\"\\"}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"env":null,"sessionId":"s"}}`: `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s",` +
			`"env":[{"name":"GIT_PAGER","value":"cat"},{"name":"A","value":"\"\\"}]}}`,
	} {
		raw := []byte(line)
		frame := ndjson.Scan(raw)
		a := act{frame: frame, line: raw, terminal: &TerminalOrder{}}
		var got, wanted any
		if err := json.Unmarshal(a.oblige(o), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", line, diff)
		}
		if len(a.terminal.Environment) != 2 {
			t.Errorf("the order for the sandbox has %v", a.terminal.Environment)
		}
		if same := a.oblige(permissions.Obligation{}); string(same) != line {
			t.Errorf("without an obligation, %s becomes %s", line, same)
		}
	}
}
