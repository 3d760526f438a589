package toolsocket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What an author writes is what the agent sees, dots in names included, in the order of the list.
func TestListReachesTheAgent(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	door := listen(t, fakeTools{list: []mcpserver.Tool{
		mcpserver.FromTool(&tool.Tool{
			ID: "functions.z_read", Name: "Read", Description: "Reads a file",
			Parameters:  []tool.Parameter{{Name: "path", Type: tool.TypeString, Required: true, Description: "which"}},
			Annotations: tool.Annotations{Title: "Read a file", ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no},
		}),
		mcpserver.FromTool(&tool.Tool{ID: "a.deploy", Name: "Deploy"}),
	}}, nil)
	session, _ := client(t, door, nil)
	got, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(got.Tools)
	if err != nil {
		t.Fatal(err)
	}
	out := `{"type":"object","properties":{"stdout":{"type":"string"},"stderr":{"type":"string"},` +
		`"exitCode":{"type":"integer","description":"128+n after signal n; -1 when nothing ran"}},"required":["stdout","stderr","exitCode"]}`
	want := `[{"name":"a.deploy","title":"Deploy","annotations":{"title":"Deploy","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true},` +
		`"inputSchema":{"type":"object","properties":{},"additionalProperties":false},"outputSchema":` + out + `},` +
		`{"name":"functions.z_read","title":"Read a file","description":"Reads a file",` +
		`"annotations":{"title":"Read a file","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},` +
		`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"which"}},"required":["path"],"additionalProperties":false},"outputSchema":` + out + `}]`
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, string(shown))); diff != "" {
		t.Errorf("tools/list (-want +got)\n%s", diff)
	}
}

func asJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestResultReachesTheAgent(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		result  tool.Result
		want    string
		isError bool
	}{
		{"a success", tool.Result{CallID: "c1", Status: tool.StatusCompleted, Stdout: "out <&>\x00\u2028\n"}, "out <&>\x00\u2028\n", false},
		{"a failure", tool.Result{CallID: "c2", Status: tool.StatusFailed, ExitCode: 3, Stderr: "no\n"}, "stderr:\nno\nexit code 3", true},
		{"a denial", tool.Result{CallID: "c3", Status: tool.StatusDenied, ExitCode: -1, Error: tool.Failf(tool.FailDenied, "rule x")}, "denied: rule x", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			told := mcpserver.FromResult(row.result)
			door := listen(t, fakeTools{list: oneTool("a.b"), call: func(context.Context, mcpserver.Call) (mcpserver.CallResult, error) { return told, nil }}, nil)
			session, _ := client(t, door, nil)
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"})
			if err != nil {
				t.Fatal(err)
			}
			if textOf(t, got) != row.want || got.IsError != row.isError {
				t.Errorf("got %q, error %t; want %q, %t", textOf(t, got), got.IsError, row.want, row.isError)
			}
			if diff := cmp.Diff(asJSON(t, string(told.Structured)), got.StructuredContent); diff != "" {
				t.Errorf("structured content (-want +got)\n%s", diff)
			}
			diagnostics, _ := got.Meta["a2a-acp/diagnostics"].(map[string]any)
			if diagnostics["call_id"] != row.result.CallID {
				t.Errorf("diagnostics %v, want those of the call %s", got.Meta, row.result.CallID)
			}
		})
	}
}

// The check of the arguments must see what the agent wrote: a decoder on the way would keep one of two
// equal keys.
func TestArgumentsAreTheAgentsBytes(t *testing.T) {
	t.Parallel()
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, row := range []struct{ name, params, arguments, toolCall string }{
		{"a trace", `"arguments":{},"_meta":{"traceparent":"` + trace + `","tracestate":"a=1"}`, `{}`, ""},
		{"a trace that is none", `"arguments":{},"_meta":{"traceparent":"` + trace + `\n","tracestate":"a=1"}`, `{}`, ""},
		{"a key twice", `"arguments":{"a":1, "a" : 2}`, `{"a":1, "a" : 2}`, ""},
		{"a number that no float holds", `"arguments":{"n":12345678901234567890.10}`, `{"n":12345678901234567890.10}`, ""},
		{"half a pair, and what JSON need not escape", `"arguments":{"s":"\ud800<é>"}`, `{"s":"\ud800<é>"}`, ""},
		{"no object", `"arguments":[1]`, `[1]`, ""},
		{"none", `"_meta":{}`, ``, ""},
		{"Claude's id of the call", `"arguments":{},"_meta":{"claudecode/toolUseId":"toolu_1"}`, `{}`, "toolu_1"},
		{"an id that is no text", `"arguments":{},"_meta":{"claudecode/toolUseId":7}`, `{}`, ""},
		{"an id that is none", `"arguments":{},"_meta":{"claudecode/toolUseId":"` + strings.Repeat("x", longestToolCall+1) + `"}`, `{}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			came := make(chan mcpserver.Call, 1)
			door := listen(t, fakeTools{list: oneTool("a.b"), call: func(_ context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
				came <- call
				return mcpserver.CallResult{}, nil
			}}, nil)
			agent := byHand(t, attach(t.Context(), t, door))
			agent.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b",` + row.params + `}}`)
			if line := agent.read(); !strings.Contains(line, `"result"`) {
				t.Fatalf("answer %s", line)
			}
			call := <-came
			if want := strings.Contains(row.params, trace+`"`); want != (call.Trace.Header() == trace && call.Trace.State == "a=1") {
				t.Errorf("trace %+v", call.Trace)
			}
			if diff := cmp.Diff([]string{"a.b", row.arguments, row.toolCall}, []string{call.Name, string(call.Arguments), call.ToolCall}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCallThatHasNoResult(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, call, want string
		code             int64
		err              error
		said             string // to the person
	}{
		{"one that has gone since", "a.b", `there is no such tool: "a.b"`, jsonrpc.CodeInvalidParams, mcpserver.ErrUnknownTool, ""},
		{"a fault of ours", "a.b", "internal error; a2a-acp has told the person why", jsonrpc.CodeInternalError, errors.New("disk sda1 on fire"), "disk sda1 on fire"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			told := newSays()
			door := listen(t, fakeTools{list: oneTool("a.b"), call: func(context.Context, mcpserver.Call) (mcpserver.CallResult, error) {
				return mcpserver.CallResult{}, row.err
			}}, told.say)
			session, _ := client(t, door, nil)
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: row.call})
			var failed *jsonrpc.Error
			if !errors.As(err, &failed) {
				t.Fatalf("got %+v, %v; want an error of the protocol", result, err)
			}
			if diff := cmp.Diff([]any{row.code, row.want}, []any{failed.Code, failed.Message}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if row.said != "" {
				told.want(t, row.said)
			}
		})
	}
}

// Progress arrives in its order and before the result, and grows as the protocol wants it.
func TestProgress(t *testing.T) {
	t.Parallel()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: func(_ context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
		for i := range 3 {
			call.Progress(mcpserver.Progress{Text: fmt.Sprintf("waiting %d", i)})
		}
		return mcpserver.CallResult{Content: "done"}, nil
	}}, nil)
	agent := byHand(t, attach(t.Context(), t, door))
	agent.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b","_meta":{"progressToken":"p"}}}`)
	type progress struct {
		Method string
		Params struct {
			Token    string `json:"progressToken"`
			Progress float64
			Message  string
		}
	}
	for i := range 3 {
		var want, got progress
		want.Method, want.Params.Token, want.Params.Progress, want.Params.Message = "notifications/progress", "p", float64(i+1), fmt.Sprintf("waiting %d", i)
		if err := json.Unmarshal([]byte(agent.read()), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if line := agent.read(); !strings.Contains(line, `"done"`) {
		t.Errorf("after the progress: %s", line)
	}

	// An agent that did not ask for progress gets none.
	agent.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a.b"}}`)
	if line := agent.read(); !strings.Contains(line, `"done"`) {
		t.Errorf("without a token: %s", line)
	}
}

// Progress that is told after the end of its call is not sent: the id may be that of the next call by then.
func TestProgressAfterTheEnd(t *testing.T) {
	t.Parallel()
	late := make(chan func(mcpserver.Progress), 1)
	door := listen(t, fakeTools{list: oneTool("a.b"), call: func(_ context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
		late <- call.Progress
		return mcpserver.CallResult{Content: "done"}, nil
	}}, nil)
	v := visit(t, door)
	v.hello(door)
	v.write(`{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"a.b"}}`)
	if line := v.read(); !strings.Contains(line, `"done"`) {
		t.Fatalf("got %s", line)
	}
	(<-late)(mcpserver.Progress{Text: "too late"})
	v.write(`{"jsonrpc":"2.0","id":"2","method":"tools/list"}`)
	if line := v.read(); !strings.Contains(line, `"id":"2"`) {
		t.Errorf("after the end: %s", line)
	}
}

// TestProtocolErrorReachesTheAgent is about an author who wants an exit code to be an error of the
// protocol: each client is told the code that its revision has for it.
func TestProtocolErrorReachesTheAgent(t *testing.T) {
	t.Parallel()
	told := mcpserver.CallResult{Content: "not told", IsError: true}.AsProtocolError(&tool.MCPError{Code: -32002, Message: "Resource not found", Detail: "no such row"})
	if plain := (mcpserver.CallResult{Content: "told"}).AsProtocolError(nil); plain.Error != nil {
		t.Error("a success became an error")
	}
	door := func() *Door {
		return listen(t, fakeTools{list: oneTool("a.b"), call: func(context.Context, mcpserver.Call) (mcpserver.CallResult, error) { return told, nil }}, nil)
	}
	old := byHand(t, attach(t.Context(), t, door()))
	old.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b"}}`)
	if line := old.read(); !strings.Contains(line, `"error":{"code":-32002,"message":"Resource not found","data":"no such row"}`) {
		t.Errorf("a client of 2025-06-18 is told %s", line)
	}
	now := &writer{t: t}
	a := attach(t.Context(), t, door())
	now.in, now.out = a.in, bufio.NewReader(a.out)
	now.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"agent","version":"1"}}}}`)
	if line := now.read(); !strings.Contains(line, `"code":-32602`) || !strings.Contains(line, "Resource not found") || strings.Contains(line, "-32002") {
		t.Errorf("a client of 2026-07-28 is told %s", line)
	}
}
