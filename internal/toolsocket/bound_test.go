package toolsocket

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// Arguments that are too long are the model's to mend, and do not end the connection that other calls go
// over.
func TestOversizedArguments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tens of megabytes through the door take seconds")
	}
	called := make(chan mcpserver.Call, 2)
	door := listen(t, fakeTools{list: oneTool("a.b"), call: func(_ context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
		called <- call
		return mcpserver.CallResult{Content: "called"}, nil
	}}, nil)
	agent := byHand(t, attach(t.Context(), t, door))
	call := func(id int, arguments string) string {
		agent.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a.b","arguments":%s}}`, id, arguments))
		return agent.read()
	}
	long := `{"a":"` + strings.Repeat("x", mostArguments+1-len(`{"a":""}`)) + `"}`
	want := fmt.Sprintf("the arguments have %d bytes, and %d is what can be passed on", len(long), mostArguments)
	if line := call(1, long); !strings.Contains(line, want) || !strings.Contains(line, `"isError":true`) {
		t.Errorf("got %s, want it to say %q", line, want)
	}
	// A megabyte is no trouble: the small bound of a connection that has not shown the token holds no longer.
	if line := call(2, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`); !strings.Contains(line, `"called"`) || len(called) != 1 {
		t.Errorf("the next call: %s; %d calls of the tool", line, len(called))
	}
}

// What Attach takes from the agent always fits a frame.
func TestArgumentsFitAFrame(t *testing.T) {
	t.Parallel()
	rest, err := json.Marshal(callParams{Name: strings.Repeat("x", 128), ToolCall: strings.Repeat("\x00", longestToolCall)})
	if err != nil {
		t.Fatal(err)
	}
	if n := base64.StdEncoding.EncodedLen(mostArguments) + len(rest); n > mostFrame-mostHello {
		t.Errorf("the longest call has %d bytes, and a frame %d", n, mostFrame)
	}
}

// A result may fill a frame, and one that does not fit is the model's to read about; the connection goes on.
func TestOversizedResult(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tens of megabytes through the door take seconds")
	}
	lengths := make(chan int, 1)
	door := listen(t, fakeTools{list: oneTool("a.b"), call: func(context.Context, mcpserver.Call) (mcpserver.CallResult, error) {
		return mcpserver.CallResult{Content: strings.Repeat("x", <-lengths)}, nil
	}}, nil)
	v := visit(t, door)
	v.hello(door)
	most := mostFrame - mostHello - len(`{"content":""}`)
	for _, row := range []struct {
		name   string
		length int
		want   func(line string) bool
	}{
		{"one byte too many", most + 1, func(line string) bool {
			return strings.Contains(line, fmt.Sprintf(`"code":%d`, codeForModel)) && strings.Contains(line, "let the tool write less")
		}},
		{"as many as can be", most, func(line string) bool { return len(line) > most && len(line) <= mostFrame }},
	} {
		lengths <- row.length
		v.write(`{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"a.b"}}`)
		if line := v.read(); !row.want(line) {
			t.Errorf("%s: %d bytes, %.200s", row.name, len(line), line)
		}
	}
}

// A line that is beyond all bounds is answered with an error, and the next one as if nothing had been.
func TestOversizedLine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tens of megabytes through the door take seconds")
	}
	door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, nil)
	agent := byHand(t, attach(t.Context(), t, door))
	agent.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"` + strings.Repeat("x", mostFrame) + `"}`)
	if line := agent.read(); !strings.Contains(line, `"id":7,"error"`) || !strings.Contains(line, "is what is taken") {
		t.Errorf("got %s", line)
	}
	agent.write(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a.b","arguments":{"a":1}}}`)
	if line := agent.read(); !strings.Contains(line, `"id":8`) || !strings.Contains(line, `{\"a\":1}`) {
		t.Errorf("afterwards: %s", line)
	}
}

// So many calls at the same time, and no more; then the model is told what to do.
func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	tool := newHeld()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: tool.call}, nil)
	session, _ := client(t, door, nil)
	var calls sync.WaitGroup
	for range mostCalls {
		calls.Go(func() { // ends when the tool is let go
			if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"}); err != nil || got.IsError {
				t.Errorf("a call within the bound: %+v, %v", got, err)
			}
		})
	}
	for range mostCalls {
		<-tool.begun
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"})
	if err != nil {
		t.Fatal(err)
	}
	if !got.IsError || !strings.Contains(textOf(t, got), "wait until one of them has ended") {
		t.Errorf("one call too many: %q, error %t", textOf(t, got), got.IsError)
	}
	close(tool.free)
	calls.Wait()
	if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"}); err != nil || got.IsError {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}
