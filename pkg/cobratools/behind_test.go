package cobratools

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// TestAskedBehind: what the guard asks a client of a session for is asked within one call, so that PreRun counts it once;
// one of a client whose requests stand for themselves comes back with the next. Where the guard ends, calls do.
func TestAskedBehind(t *testing.T) {
	t.Parallel()
	calls := 0
	tools := zooTools(t, Config{Selectors: []Selector{{PreRun: func(ctx context.Context, r *Request, in ToolInput) (context.Context, *Request, ToolInput) {
		calls++
		return ctx, r, in
	}}}})
	guardIn, toGuard := io.Pipe()
	fromGuard, guard := io.Pipe()
	b := newBehind([]command{*tools["zoo_delete"]}, ndjson.NewWriter(toGuard))
	read := make(chan error, 1)
	go func() { read <- b.answers(fromGuard) }() // ends with the guard
	go func() {                                  // the guard: it asks, and ends when it is asked a third time
		defer guard.Close()
		defer guardIn.Close()
		lines := bufio.NewScanner(guardIn)
		for lines.Scan() {
			frame := ndjson.Scan(lines.Bytes())
			state, _ := ndjson.Get(frame.Params, "requestState")
			answer, _ := ndjson.Get(frame.Params, "inputResponses", "answer")
			switch given, _ := ndjson.Get(frame.Params, "arguments"); {
			case strings.Contains(string(given), "the end"):
				return
			case len(state) == 0:
				fmt.Fprintf(guard, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","requestState":"sealed",`+
					`"inputRequests":{"answer":{"method":"elicitation/create","params":{"message":"may it?"}}}}}`+"\n", frame.ID)
			default:
				fmt.Fprintf(guard, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],`+
					`"structuredContent":{"stdout":%q,"stderr":"","exitCode":0}}}`+"\n", frame.ID, string(state)+string(answer))
			}
		}
	}()
	call := mcpserver.Call{Client: &mcpserver.Client{Revision: mcpserver.Revision20251125, Capabilities: mcpserver.Capabilities{Elicitation: true}},
		Name: "zoo_delete", Arguments: json.RawMessage("{\n\"args\": [\"<a>\"]}")}
	call.Ask = func(_ context.Context, in mcpserver.InputRequest) (json.RawMessage, error) {
		if in.Method != "elicitation/create" || !strings.Contains(string(in.Params), "may it?") {
			t.Errorf("the client is asked %s %s", in.Method, in.Params)
		}
		return json.RawMessage(`"yes"`), nil
	}
	got, err := b.Call(t.Context(), call)
	if err != nil || !strings.Contains(string(got.Structured), `\"sealed\"\"yes\"`) || calls != 1 {
		t.Errorf("gave %s (%v) in %d calls", got.Structured, err, calls)
	}
	call.Ask, call.Client = nil, &mcpserver.Client{Revision: mcpserver.Revision20260728, Capabilities: mcpserver.Capabilities{Elicitation: true}}
	got, err = b.Call(t.Context(), call)
	if err != nil || got.Input == nil || got.Input.State != "sealed" || len(got.Input.Requests) != 1 {
		t.Fatalf("gave %+v (%v)", got, err)
	}
	call.State, call.Answers = got.Input.State, map[string]json.RawMessage{"answer": json.RawMessage(`"no"`)}
	if got, err = b.Call(t.Context(), call); err != nil || !strings.Contains(string(got.Structured), `\"sealed\"\"no\"`) {
		t.Errorf("gave %s (%v)", got.Structured, err)
	}
	call.Arguments = json.RawMessage(`{"args":["the end"]}`)
	if got, err = b.Call(t.Context(), call); err != nil || !got.IsError || !strings.Contains(string(got.Blocks[0]), "a2a-acp has ended") {
		t.Errorf("gave %+v (%v)", got, err)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
}
