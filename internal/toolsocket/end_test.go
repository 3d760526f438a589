package toolsocket

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// A call ends in the bridge however the agent gives it up.
func TestCallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	errTest := errors.New("the test is over")
	for _, row := range []struct {
		name   string
		leave  func(agent *writer, a *attached, stop context.CancelCauseFunc)
		causes []error // of the call; the first that is learned of counts
		want   error   // of Attach, when it ends
		ends   bool
	}{
		{"it says so", func(agent *writer, _ *attached, _ context.CancelCauseFunc) {
			agent.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
		}, []error{mcpserver.ErrCancelled}, nil, false},
		{"it closes stdin", func(_ *writer, a *attached, _ context.CancelCauseFunc) { a.in.Close() }, []error{mcpserver.ErrCancelled, mcpserver.ErrGone}, nil, true},
		{"it interrupts the process", func(_ *writer, _ *attached, stop context.CancelCauseFunc) { stop(errTest) }, []error{mcpserver.ErrCancelled, mcpserver.ErrGone}, errTest, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tool := newHeld()
			door := listen(t, fakeTools{list: oneTool("a.b"), call: tool.call}, nil)
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			a := attach(ctx, t, door)
			agent := byHand(t, a)
			agent.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b"}}`)
			<-tool.begun
			row.leave(agent, a, stop)
			why := <-tool.why
			known := false
			for _, cause := range row.causes {
				known = known || errors.Is(why, cause)
			}
			if !known {
				t.Errorf("the call was cancelled because %v, want one of %v", why, row.causes)
			}
			if row.ends {
				if err := <-a.done; !errors.Is(err, row.want) {
					t.Errorf("Attach: %v, want %v", err, row.want)
				}
				return
			}
			close(tool.free) // the connection goes on
			agent.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a.b"}}`)
			if line := agent.read(); !strings.Contains(line, `"id":2`) || !strings.Contains(line, `"done"`) {
				t.Errorf("the next call: %s", line)
			}
		})
	}
}

// A cancelled call is the only one that ends.
func TestCancelIsOfOneCall(t *testing.T) {
	t.Parallel()
	tool := newHeld()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: tool.call}, nil)
	session, _ := client(t, door, nil)
	first, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	calls.Go(func() {
		if _, err := session.CallTool(first, &mcp.CallToolParams{Name: "a.b"}); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled call: %v", err)
		}
	})
	<-tool.begun
	calls.Go(func() {
		if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"}); err != nil || got.IsError {
			t.Errorf("the other call: %+v, %v", got, err)
		}
	})
	<-tool.begun
	cancel()
	if why := <-tool.why; !errors.Is(why, mcpserver.ErrCancelled) {
		t.Errorf("cancelled because %v", why)
	}
	close(tool.free)
	calls.Wait()
	if len(tool.why) > 0 {
		t.Errorf("the other call was cancelled, too: %v", <-tool.why)
	}
}

// An attached process that is killed can tell nobody; the kernel does.
func TestCallEndsWithAKilledProcess(t *testing.T) {
	t.Parallel()
	tool := newHeld()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: tool.call}, nil)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), self)
	process.Env = append(os.Environ(), socketVariable+"="+door.Socket(), TokenVariable+"="+door.Token())
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: process}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var calls sync.WaitGroup
	calls.Go(func() { // ends with the process
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"}); err == nil {
			t.Error("the call to a killed process has a result")
		}
	})
	<-tool.begun
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if why := <-tool.why; !errors.Is(why, mcpserver.ErrGone) {
		t.Errorf("cancelled because %v, want %v", why, mcpserver.ErrGone)
	}
	calls.Wait()
}

// When the tools are taken away, every call that is under way hears it before the process ends, even while
// the tools themselves take their time to end; and nothing is left.
func TestDoorClosesDuringCalls(t *testing.T) {
	t.Parallel()
	const many = 20
	begun, why, let := make(chan struct{}, many), make(chan error, many), make(chan struct{})
	door := listen(t, fakeTools{list: oneTool("a.b"), call: func(ctx context.Context, _ mcpserver.Call) (mcpserver.CallResult, error) {
		begun <- struct{}{}
		<-ctx.Done()
		why <- context.Cause(ctx)
		<-let
		return mcpserver.CallResult{Content: "too late"}, nil
	}}, nil)
	session, a := client(t, door, nil)
	var calls, closing sync.WaitGroup
	for range many {
		calls.Go(func() { // ends with the Door
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"})
			var failed *jsonrpc.Error
			if !errors.As(err, &failed) || failed.Message != ErrBridgeGone.Error() {
				t.Errorf("the agent is told %+v, %v; want %v", got, err, ErrBridgeGone)
			}
		})
	}
	for range many {
		<-begun
	}
	closing.Go(func() { // ends with the calls of the tool
		if err := door.Close(); err != nil {
			t.Error(err)
		}
	})
	calls.Wait()
	for range many {
		if cause := <-why; !errors.Is(cause, ErrClosed) {
			t.Errorf("cancelled because %v, want %v", cause, ErrClosed)
		}
	}
	if err := <-a.done; !errors.Is(err, ErrBridgeGone) {
		t.Errorf("Attach: %v", err)
	}
	close(let)
	closing.Wait()
	if _, err := os.Stat(filepath.Dir(door.Socket())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's directory is still there: %v", err)
	}
}

// A Door that is closed while nothing goes on ends Attach as well, and closing twice is harmless.
func TestDoorClosesBetweenCalls(t *testing.T) {
	t.Parallel()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, nil)
	session, a := client(t, door, nil)
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := door.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-a.done; !errors.Is(err, ErrBridgeGone) {
		t.Errorf("Attach: %v", err)
	}
}

// An agent that does not read cannot keep the process from ending: an answer was being written when it was
// interrupted.
func TestInterruptedWhileNobodyReads(t *testing.T) {
	t.Parallel()
	errTest := errors.New("the test is over")
	door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, nil)
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	a := attach(ctx, t, door)
	agent := byHand(t, a)
	agent.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b"}}`)
	if _, err := io.ReadFull(a.out, make([]byte, 1)); err != nil { // the pipe has no room: the rest of the answer is still being written
		t.Fatal(err)
	}
	stop(errTest)
	if err := <-a.done; !errors.Is(err, errTest) {
		t.Errorf("Attach: %v", err)
	}
}

// BenchmarkAttach is what our server adds to the start of a session, but for the start of a process.
func BenchmarkAttach(b *testing.B) {
	tools := make([]mcpserver.Tool, 50)
	for i := range tools {
		tools[i] = oneTool("tool_" + string(rune('a'+i/26)) + string(rune('a'+i%26)))[0]
	}
	for b.Loop() {
		door, err := Listen(ListenOptions{Tools: fakeTools{list: tools, call: echo}})
		if err != nil {
			b.Fatal(err)
		}
		session, _ := client(b, door, nil)
		if got, err := session.ListTools(b.Context(), nil); err != nil || len(got.Tools) != len(tools) {
			b.Fatal(got, err)
		}
		session.Close()
		door.Close()
	}
}
