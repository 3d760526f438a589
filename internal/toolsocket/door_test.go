package toolsocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// run attaches with no agent that says anything.
func run(t *testing.T, o AttachOptions) error {
	t.Helper()
	o.Stdin = io.NopCloser(strings.NewReader(""))
	stdout := &output{}
	o.Stdout = stdout
	err := Attach(t.Context(), o)
	if stdout.Len() > 0 {
		t.Errorf("on stdout: %q", stdout)
	}
	return err
}

type output struct{ strings.Builder }

func (*output) Close() error { return nil }

func TestAttachIsRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		want string // of the error
		said string // to the person; "" for nothing
		with func(*testing.T, *Door) AttachOptions
	}{
		{"no token", "A2A_ATTACH_TOKEN is not set", "", func(_ *testing.T, d *Door) AttachOptions {
			return AttachOptions{Socket: d.Socket()}
		}},
		{"no socket", "socket, stdin and stdout are required", "", func(_ *testing.T, d *Door) AttachOptions {
			return AttachOptions{Token: d.Token()}
		}},
		{"another token", "wrong token", "refused: wrong token", func(_ *testing.T, d *Door) AttachOptions {
			return AttachOptions{Socket: d.Socket(), Token: strings.Repeat("0", len(d.Token()))}
		}},
		{"half the token", "wrong token", "refused: wrong token", func(_ *testing.T, d *Door) AttachOptions {
			return AttachOptions{Socket: d.Socket(), Token: d.Token()[:32]}
		}},
		{"the token a second time", "only one process may attach, once", "used before", func(t *testing.T, d *Door) AttachOptions {
			visit(t, d).hello(d)
			return AttachOptions{Socket: d.Socket(), Token: d.Token()}
		}},
		{"nobody there", "no such file or directory", "", func(t *testing.T, d *Door) AttachOptions {
			return AttachOptions{Socket: filepath.Join(t.TempDir(), "none"), Token: d.Token()}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			told := newSays()
			door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, told.say)
			err := run(t, row.with(t, door))
			if err == nil || !strings.Contains(err.Error(), row.want) || errors.Is(err, ErrBridgeGone) {
				t.Errorf("got %v, want it to say %q", err, row.want)
			}
			if row.said != "" {
				told.want(t, row.said)
			}
			if len(told.lines) > 0 {
				t.Errorf("the person was told %q", <-told.lines)
			}
		})
	}
}

// A wrong token costs nothing: the process that has the right one still comes in.
func TestWrongTokenDoesNotSpendTheRightOne(t *testing.T) {
	t.Parallel()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, nil)
	if err := run(t, AttachOptions{Socket: door.Socket(), Token: "wrong"}); err == nil {
		t.Fatal("a wrong token was taken")
	}
	if err := run(t, AttachOptions{Socket: door.Socket(), Token: door.Token()}); err != nil {
		t.Error(err)
	}
}

// Nobody gets anything before the token, and what is said is what is on the list; neither reaches a tool.
func TestWhatCannotBeSaid(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		hello bool
		line  string
		want  string // the answer; "" for none
		ends  bool
		said  string
	}{
		{"a call before hello", false, `{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"a.b"}}`, `before hello`, true, `before hello`},
		{"a list before hello", false, `{"jsonrpc":"2.0","id":"1","method":"tools/list"}`, `before hello`, true, `before hello`},
		{"a hello without an id", false, `{"jsonrpc":"2.0","method":"hello","params":{}}`, ``, true, `before hello`},
		{"a hello that is none", false, `{"jsonrpc":"2.0","id":"1","method":"hello","params":"x"}`, `cannot be read`, true, `cannot be read`},
		{"no JSON", false, `GET / HTTP/1.1`, ``, true, `no JSON-RPC object`},
		{"a long line before hello", false, strings.Repeat(" ", 2*mostHello), ``, true, `longer than allowed`},
		{"a batch", true, `[{"jsonrpc":"2.0","id":"1","method":"tools/list"}]`, ``, true, `no JSON-RPC object`},
		{"hello again", true, `{"jsonrpc":"2.0","id":"1","method":"hello","params":{"version":1,"token":"x"}}`, `there is no method \"hello\"`, false, ``},
		{"to be approved", true, `{"jsonrpc":"2.0","id":"1","method":"approve","params":{}}`, `there is no method \"approve\"`, false, ``},
		{"a call that is no request", true, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a.b"}}`, ``, false, ``},
		{"a call with a number", true, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a.b"}}`, `an id that is a string`, false, ``},
		{"params that are none", true, `{"jsonrpc":"2.0","id":"1","method":"tools/call","params":[1]}`, `-32602`, false, ``},
		{"a cancel of nothing", true, `{"jsonrpc":"2.0","method":"cancel","params":{"id":"9"}}`, ``, false, ``},
		{"an answer that nobody asked for", true, `{"jsonrpc":"2.0","id":"1","result":{}}`, ``, false, ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			told := newSays()
			door := listen(t, fakeTools{list: oneTool("a.b"), call: func(context.Context, mcpserver.Call) (mcpserver.CallResult, error) {
				t.Error("the tool was called")
				return mcpserver.CallResult{}, nil
			}}, told.say)
			v := visit(t, door)
			if row.hello {
				v.hello(door)
			}
			v.write(row.line)
			if row.want != "" {
				if line := v.read(); !strings.Contains(line, row.want) || strings.Contains(line, `"result"`) {
					t.Errorf("answer %q, want it to say %q", line, row.want)
				}
			}
			if row.ends {
				told.want(t, row.said)
				v.wantEnd()
				return
			}
			v.write(`{"jsonrpc":"2.0","id":"after","method":"tools/list"}`)
			if line := v.read(); !strings.Contains(line, `"id":"after"`) || !strings.Contains(line, `"a.b"`) {
				t.Errorf("afterwards: %s", line)
			}
		})
	}
}

// An id that is in use names one call only, so that a cancel can never mean another.
func TestIDInUse(t *testing.T) {
	t.Parallel()
	tool := newHeld()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: tool.call}, nil)
	v := visit(t, door)
	v.hello(door)
	v.write(`{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"a.b"}}`)
	<-tool.begun
	v.write(`{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"a.b"}}`)
	if line := v.read(); !strings.Contains(line, `the id \"1\" is in use`) {
		t.Errorf("got %s", line)
	}
	v.write(`{"jsonrpc":"2.0","method":"cancel","params":{"id":"1"}}`)
	if why := <-tool.why; !errors.Is(why, mcpserver.ErrCancelled) {
		t.Errorf("cancelled because %v", why)
	}
}

// The program on disk may be another than the one that runs.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, nil)
	v := visit(t, door)
	v.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"h","method":"hello","params":{"version":%d,"token":%q}}`, wireVersion+1, door.Token()))
	if line := v.read(); !strings.Contains(line, "start the agent again") {
		t.Errorf("got %s", line)
	}
	v.wantEnd()
}

// Those who say nothing cannot pile up, and the one who is meant comes in as soon as one of them has gone.
func TestSilentVisitors(t *testing.T) {
	t.Parallel()
	told := newSays()
	door := listen(t, fakeTools{list: oneTool("a.b"), call: echo}, told.say)
	var silent []*visitor
	for range mostGuests {
		silent = append(silent, visit(t, door))
	}
	err := run(t, AttachOptions{Socket: door.Socket(), Token: door.Token()})
	if err == nil || errors.Is(err, ErrBridgeGone) {
		t.Errorf("one too many: %v, want a refusal that is not taken for the end of the session", err)
	}
	told.want(t, "have not shown the token yet")
	silent[0].conn.Close()
	told.want(t, "went away without a hello")
	if err := run(t, AttachOptions{Socket: door.Socket(), Token: door.Token()}); err != nil {
		t.Error(err)
	}
}

// Gemini starts a second process when it loads a session again: that one has a Door of its own. Both serve,
// and the end of one is nothing to the other.
func TestTwoDoors(t *testing.T) {
	t.Parallel()
	tools := fakeTools{list: oneTool("a.b"), call: echo}
	first, second := listen(t, tools, nil), listen(t, tools, nil)
	if first.Socket() == second.Socket() || first.Token() == second.Token() {
		t.Fatal("two doors share a socket or a token")
	}
	if err := run(t, AttachOptions{Socket: second.Socket(), Token: first.Token()}); err == nil {
		t.Error("the token of one door opens another")
	}
	one, _ := client(t, first, nil)
	two, _ := client(t, second, nil)
	for _, session := range []*mcp.ClientSession{one, two} {
		if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b", Arguments: map[string]int{"n": 1}}); err != nil || textOf(t, got) != `{"n":1}` {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if got, err := two.CallTool(t.Context(), &mcp.CallToolParams{Name: "a.b"}); err != nil || got.IsError {
		t.Errorf("after the other door was closed: %+v, %v", got, err)
	}
}

func TestSocketIsOursAlone(t *testing.T) {
	t.Parallel()
	door := listen(t, fakeTools{}, nil)
	if len(door.Socket()) >= 108 {
		t.Errorf("the path has %d bytes", len(door.Socket()))
	}
	var got []os.FileMode
	for _, path := range []string{door.Socket(), filepath.Dir(door.Socket())} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.Mode().Perm())
	}
	if diff := cmp.Diff([]os.FileMode{0o600, 0o700}, got); diff != "" {
		t.Errorf("modes of the socket and its directory (-want +got)\n%s", diff)
	}
}

func TestWhereTheSocketLies(t *testing.T) {
	t.Parallel()
	base, err := os.MkdirTemp("/tmp", "mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	dir := func(name string, mode os.FileMode) string {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private, open, temp := dir("private", 0o700), dir("open", 0o755), dir("temp", 0o755)
	long := dir(strings.Repeat("long/", 20), 0o700)
	for _, row := range []struct{ name, runtime, temp, want string }{
		{"the runtime directory", private, temp, private},
		{"one that others can enter", open, temp, temp},
		{"one whose name is too long", long, temp, temp},
		{"one that is not there", filepath.Join(base, "none"), temp, temp},
		{"one that is relative", "private", temp, temp},
		{"none", "", temp, temp},
		{"both too long", long, long, "/tmp"},
		{"a relative temporary directory", "", "temp", "/tmp"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			door, err := Listen(ListenOptions{Tools: fakeTools{}, Dir: row.runtime, TempDir: row.temp})
			if err != nil {
				t.Fatal(err)
			}
			defer door.Close()
			if got := filepath.Dir(filepath.Dir(door.Socket())); got != row.want {
				t.Errorf("in %s, want %s", got, row.want)
			}
		})
	}
}

func TestListenNeedsTools(t *testing.T) {
	t.Parallel()
	if _, err := Listen(ListenOptions{}); err == nil {
		t.Error("a door to nothing")
	}
}
