package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

// TestMain is also the supervisor of agents, and the agent of these tests.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == supervisor.Verb:
		os.Exit(supervisor.Main(os.Args[2:], os.Stderr))
	case len(os.Args) > 1 && os.Args[1] == "driven-agent":
		playDrivenAgent()
		os.Exit(0)
	case len(os.Args) > 2 && os.Args[1] == "agent":
		playAgent(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// frame is a line of ACP.
type frame struct {
	ID     any            `json:"id,omitempty"`
	Method string         `json:"method,omitempty"`
	Params map[string]any `json:"params,omitempty"`
	Result any            `json:"result,omitempty"`
	Error  any            `json:"error,omitempty"`
}

// peer is one end of a connection.
type peer struct {
	in  *bufio.Reader
	out io.Writer
}

func (p peer) read() (f frame, ok bool) {
	line, err := p.in.ReadBytes('\n')
	return f, err == nil && json.Unmarshal(line, &f) == nil
}

func (p peer) send(f frame) {
	line, _ := json.Marshal(f)
	_, _ = p.out.Write([]byte(strings.Replace(string(line), "{", `{"jsonrpc":"2.0",`, 1) + "\n")) // an end that has gone is seen when it is read
}

// playAgent is an agent whose every session is called s, and who writes the file at each prompt.
func playAgent(file string) {
	p := peer{bufio.NewReader(os.Stdin), os.Stdout}
	var prompt any
	for {
		f, ok := p.read()
		switch {
		case !ok:
			return
		case f.Method == "initialize":
			p.send(frame{ID: f.ID, Result: map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}}})
		case f.Method == "session/new":
			p.send(frame{ID: f.ID, Result: map[string]any{"sessionId": "s"}})
		case f.Method == "session/prompt":
			prompt = f.ID
			p.send(frame{ID: "w", Method: "fs/write_text_file", Params: map[string]any{"sessionId": "s", "path": file, "content": "x"}})
		case f.ID == "w":
			p.send(frame{ID: prompt, Result: map[string]any{"stopReason": "end_turn"}})
		}
	}
}

// client is an editor at a bridge, whose person always says "always".
type client struct {
	t *testing.T
	peer
	asked, written int
	ended          chan error // once, when the bridge has
}

func newClient(t *testing.T, a *App, file string) *client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	editorIn, out := io.Pipe()
	in, editorOut := io.Pipe()
	c := &client{t: t, peer: peer{bufio.NewReader(in), out}, ended: make(chan error, 1)}
	go func() { // ends with the bridge
		_, err := a.Bridge(context.Background(), BridgeOptions{
			Command: []string{self, "agent", file}, AgentEnv: os.Environ(), EditorIn: editorIn, EditorOut: editorOut, Stderr: lines.New(io.Discard),
		})
		editorOut.Close()
		c.ended <- err
	}()
	c.request("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}})
	c.request("session/new", map[string]any{"cwd": filepath.Dir(file), "mcpServers": []any{}})
	return c
}

// request sends a request and does what the bridge asks for until it is answered.
func (c *client) request(method string, params map[string]any) {
	c.t.Helper()
	c.send(frame{ID: "e", Method: method, Params: params})
	for {
		f, ok := c.read()
		switch {
		case !ok:
			c.t.Fatalf("%s: the bridge has ended", method)
		case f.Method == "session/request_permission":
			c.asked++
			answer := map[string]any{"outcome": "cancelled"}
			for _, option := range f.Params["options"].([]any) {
				if o := option.(map[string]any); o["kind"] == "allow_always" {
					answer = map[string]any{"outcome": "selected", "optionId": o["optionId"]}
				}
			}
			c.send(frame{ID: f.ID, Result: map[string]any{"outcome": answer}})
		case f.Method == "fs/write_text_file":
			c.written++
			c.send(frame{ID: f.ID, Result: map[string]any{}})
		case f.ID == "e":
			if f.Error != nil {
				c.t.Fatalf("%s: %v", method, f.Error)
			}
			return
		}
	}
}

func (c *client) prompt() {
	c.t.Helper()
	c.request("session/prompt", map[string]any{"sessionId": "s", "prompt": []any{map[string]any{"type": "text", "text": "write"}}})
}

// TestBridges has two bridges over one App, whose sessions have the same name: what a person allows for the
// session of one counts there, and not in the other. When the App stops, both end.
func TestBridges(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.new()
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.dir, "work", "a.txt")
	first, second := newClient(t, a, file), newClient(t, a, file)
	for _, step := range []struct {
		name           string
		c              *client
		asked, written int
	}{
		{"the first asks", first, 1, 1},
		{"it is allowed there", first, 1, 2},
		{"and not at the second", second, 1, 1},
		{"until it is there, too", second, 1, 2},
	} {
		step.c.prompt()
		if step.c.asked != step.asked || step.c.written != step.written {
			t.Errorf("%s: asked %d times, written %d times, want %d and %d", step.name, step.c.asked, step.c.written, step.asked, step.written)
		}
	}
	go io.Copy(io.Discard, first.in)  //nolint:errcheck // what a bridge says at its end, until it does
	go io.Copy(io.Discard, second.in) //nolint:errcheck // likewise
	if err := a.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	for _, c := range []*client{first, second} {
		if err := <-c.ended; err != nil {
			t.Error(err)
		}
	}
}
