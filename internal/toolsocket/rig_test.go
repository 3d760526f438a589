package toolsocket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// socketVariable makes this test binary the process that an agent starts, so that tests can kill one.
const socketVariable = "MCPSERVER_TEST_SOCKET"

func TestMain(m *testing.M) {
	if socket := os.Getenv(socketVariable); socket != "" {
		err := Attach(context.Background(), AttachOptions{
			Socket: socket, Token: os.Getenv(TokenVariable), Stdin: os.Stdin, Stdout: os.Stdout,
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeTools are the tools behind a Door.
type fakeTools struct {
	list []mcpserver.Tool
	call func(context.Context, mcpserver.Call) (mcpserver.CallResult, error)
}

func (f fakeTools) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	return mcpserver.NewCatalogue(f.list), nil
}

func (f fakeTools) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	return f.call(ctx, call)
}

// oneTool is a list of one tool that takes anything.
func oneTool(name string) []mcpserver.Tool {
	return []mcpserver.Tool{{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}}
}

// echo answers a call with its arguments.
func echo(_ context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	return mcpserver.CallResult{Content: string(call.Arguments)}, nil
}

// held is a tool whose calls last until they are let go or cancelled.
type held struct {
	begun chan mcpserver.Call // each call as it came
	why   chan error          // each call that was cancelled: the cause
	free  chan struct{}       // closed: let go
}

func newHeld() *held {
	return &held{begun: make(chan mcpserver.Call, 2*mostCalls), why: make(chan error, 2*mostCalls), free: make(chan struct{})}
}

func (h *held) call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	h.begun <- call
	select {
	case <-ctx.Done():
		h.why <- context.Cause(ctx)
		return mcpserver.CallResult{Content: "cancelled", IsError: true}, nil
	case <-h.free:
		return mcpserver.CallResult{Content: "done"}, nil
	}
}

// says keeps what a Door tells the person.
type says struct {
	lines chan string
}

func newSays() *says { return &says{lines: make(chan string, 100)} }

func (s *says) say(line string) { s.lines <- line }

// want takes the next line and looks for a text in it.
func (s *says) want(t *testing.T, text string) {
	t.Helper()
	if line := <-s.lines; !strings.Contains(line, text) {
		t.Errorf("the person was told %q, want it to say %q", line, text)
	}
}

// listen opens a Door that the test closes.
func listen(t testing.TB, tools mcpserver.Tools, say func(string)) *Door {
	t.Helper()
	door, err := Listen(ListenOptions{Tools: tools, Say: say})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := door.Close(); err != nil {
			t.Error(err)
		}
	})
	return door
}

// attached is an Attach with the ends of its streams that are the agent's.
type attached struct {
	in   *io.PipeWriter
	out  io.ReadCloser
	done chan error // what Attach returned
}

// attach runs Attach at a Door until the agent's side is closed, and holds what it writes against the
// protocol.
func attach(ctx context.Context, t testing.TB, door *Door) *attached {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	seen := &spy{PipeReader: outRead}
	a := &attached{in: inWrite, out: seen, done: make(chan error, 1)}
	var running sync.WaitGroup
	running.Go(func() { // ends with Attach
		a.done <- Attach(ctx, AttachOptions{Socket: door.Socket(), Token: door.Token(), Stdin: inRead, Stdout: outWrite, Version: "1.2.3"})
	})
	t.Cleanup(func() {
		inWrite.Close()
		outRead.Close()
		running.Wait()
		seen.check(t)
	})
	return a
}

// spy keeps what was read.
type spy struct {
	*io.PipeReader
	mu   sync.Mutex
	seen bytes.Buffer
}

func (s *spy) Read(p []byte) (int, error) {
	n, err := s.PipeReader.Read(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen.Len() < 1<<20 {
		s.seen.Write(p[:n])
	}
	return n, err
}

// check sees to it that the stream held whole JSON-RPC messages and nothing else, as far as it was kept.
func (s *spy) check(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := bytes.SplitAfter(s.seen.Bytes(), []byte("\n"))
	for _, line := range lines[:len(lines)-1] {
		var message struct{ JSONRPC string }
		if err := json.Unmarshal(line, &message); err != nil || message.JSONRPC != "2.0" {
			t.Errorf("this is on stdout and no JSON-RPC: %.200q", line)
		}
	}
}

// client is an MCP client at a Door: the SDK's own.
func client(t testing.TB, door *Door, o *mcp.ClientOptions) (*mcp.ClientSession, *attached) {
	t.Helper()
	a := attach(t.Context(), t, door)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, o).Connect(t.Context(),
		&mcp.IOTransport{Reader: a.out, Writer: a.in, MaxLineLength: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, a
}

// textOf is the text of a result.
func textOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("a result with %d contents", len(result.Content))
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// writer is an agent that writes its own lines.
type writer struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// byHand begins a session of the era of the real agents, line by line.
func byHand(t *testing.T, a *attached) *writer {
	t.Helper()
	w := &writer{t: t, in: a.in, out: bufio.NewReader(a.out)}
	w.write(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}`)
	if line := w.read(); !strings.Contains(line, `"id":"i"`) || !strings.Contains(line, `"2025-06-18"`) {
		t.Fatalf("answer to initialize: %s", line)
	}
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *writer) write(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *writer) read() string {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatal(err)
	}
	return line
}

// visitor is somebody at the socket who writes own lines.
type visitor struct {
	*writer
	conn net.Conn
}

func visit(t *testing.T, door *Door) *visitor {
	t.Helper()
	conn, err := net.Dial("unix", door.Socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &visitor{&writer{t: t, in: conn, out: bufio.NewReader(conn)}, conn}
}

// hello shows the token, which must be right.
func (v *visitor) hello(door *Door) {
	v.t.Helper()
	v.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"h","method":"hello","params":{"version":%d,"token":%q}}`, wireVersion, door.Token()))
	if line := v.read(); !strings.Contains(line, `"result"`) {
		v.t.Fatalf("answer to hello: %s", line)
	}
}

// wantEnd reads what is left and checks that the connection ends: as reset, where the Door left something
// unread.
func (v *visitor) wantEnd() {
	v.t.Helper()
	if rest, err := io.ReadAll(v.out); err != nil && !errors.Is(err, syscall.ECONNRESET) || len(rest) > 0 {
		v.t.Errorf("the connection goes on with %q, %v", rest, err)
	}
}
