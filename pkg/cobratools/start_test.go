package cobratools_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// builtIn is the directory of the programs that the tests start.
var builtIn string

func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// built builds the example's program, and the one that guards, once for all tests, as they are shipped.
var built = sync.OnceValues(func() (dir string, err error) {
	if builtIn, err = os.MkdirTemp("", "cobratools"); err != nil {
		return "", err
	}
	for name, source := range map[string]string{"plain/shelf": "examples/cobratools", "guard/a2a-acp": "cmd/a2a-acp"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(builtIn, name), "github.com/a2a-acp/a2a-acp/"+source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
	}
	return builtIn, nil
})

// client is an MCP client of `shelf mcp start`, whose person answers what it is asked.
type client struct {
	t      *testing.T
	in     io.WriteCloser
	lines  *bufio.Scanner
	stderr strings.Builder
	asked  []string // what the person was asked
	answer string   // what it says
	after  time.Duration
	last   int
	saw    func(line string) // gets each line; optional
	work   string
	home   string
}

// startShelf starts it in a directory and a home of its own, with or without the program that guards.
func startShelf(t *testing.T, guarded bool) *client {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return startProgram(t, filepath.Join(dir, "plain", "shelf"), dir, guarded)
}

// startProgram starts the program in a file, which is shelf by some name.
func startProgram(t *testing.T, program, dir string, guarded bool) *client {
	t.Helper()
	var err error
	root := t.TempDir()
	c := &client{t: t, work: filepath.Join(root, "work"), home: filepath.Join(root, "home"), answer: "allow once"}
	for _, dir := range []string{c.work, c.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := "/usr/bin:/bin"
	if guarded {
		path = filepath.Join(dir, "guard") + ":" + path
	}
	cmd := exec.Command(program, "mcp", "start") //nolint:noctx // it ends with its input
	cmd.Dir, cmd.Env, cmd.Stderr = c.work, []string{"PATH=" + path, "HOME=" + c.home, "A2A_STATE_DIR=" + filepath.Join(c.home, "state")}, &c.stderr
	if c.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.in.Close()
		for c.lines.Scan() { // it ends with the program
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v: %s", err, c.stderr.String())
		}
	})
	c.lines = bufio.NewScanner(out)
	c.lines.Buffer(nil, 1<<20)
	c.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "clientInfo": map[string]string{"name": "test", "version": "1"},
		"capabilities": map[string]any{"elicitation": map[string]any{}}})
	c.send(map[string]any{"method": "notifications/initialized"})
	return c
}

func (c *client) send(message map[string]any) {
	c.t.Helper()
	message["jsonrpc"] = "2.0"
	line, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.t.Fatalf("%v: %s", err, c.stderr.String())
	}
}

// frame is what the server sends.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Message string `json:"message"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// next returns the next frame, with what is asked in between answered.
func (c *client) next() (f frame) {
	c.t.Helper()
	for c.lines.Scan() {
		if c.saw != nil {
			c.saw(c.lines.Text())
		}
		if f = (frame{}); json.Unmarshal(c.lines.Bytes(), &f) != nil {
			c.t.Fatalf("it prints what is no message: %s", c.lines.Bytes())
		}
		switch {
		case f.Method == "elicitation/create":
			c.asked = append(c.asked, f.Params.Message)
			time.Sleep(c.after) // a person thinks
			c.send(map[string]any{"id": f.ID, "result": map[string]any{"action": "accept", "content": map[string]any{"answer": c.answer}}})
		case f.Method == "":
			return f
		}
	}
	c.t.Fatalf("it ended: %s", c.stderr.String())
	return f
}

// call makes a request and returns its result.
func (c *client) call(method string, params map[string]any) json.RawMessage {
	c.t.Helper()
	c.last++
	c.send(map[string]any{"id": c.last, "method": method, "params": params})
	f := c.next()
	if string(f.ID) != fmt.Sprint(c.last) || f.Error != nil {
		c.t.Fatalf("%s: answered %s %s %s", method, f.ID, f.Error, f.Result)
	}
	return f.Result
}

// result is that of a call of a tool.
type result struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured struct {
		Stdout   string `json:"stdout"`
		ExitCode int    `json:"exitCode"`
	} `json:"structuredContent"`
	IsError bool `json:"isError"`
}

func (r *result) text() (text string) {
	for _, content := range r.Content {
		text += content.Text + "\n"
	}
	return text
}

func (c *client) tool(name string, arguments map[string]any) (r result) {
	c.t.Helper()
	if err := json.Unmarshal(c.call("tools/call", map[string]any{"name": name, "arguments": arguments}), &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

func words(words ...string) map[string]any { return map[string]any{"args": words} }

// TestStart: the commands are tools with or without a guard, and what stands around calls sees each.
func TestStart(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		t.Run(map[bool]string{false: "alone", true: "guarded"}[guarded], func(t *testing.T) {
			t.Parallel()
			c := startShelf(t, guarded)
			var list struct {
				Tools []struct {
					Name string `json:"name"`
				} `json:"tools"`
			}
			if err := json.Unmarshal(c.call("tools/list", nil), &list); err != nil || len(list.Tools) != 3 || list.Tools[0].Name != "shelf_add" {
				t.Fatalf("lists %+v (%v)", list, err)
			}
			added := c.tool("shelf_add", map[string]any{"flags": map[string]any{"tag": []string{"a,b"}}, "args": []string{"bank", "no. 0123456789 --limit=0"}})
			if added.IsError {
				t.Fatalf("add: %s\n%s", added.text(), c.stderr.String())
			}
			if text, err := os.ReadFile(filepath.Join(c.work, "notes", "bank")); string(text) != "no. 0123456789 --limit=0 #a,b" {
				t.Errorf("the note is %q (%v)", text, err)
			}
			listed := c.tool("shelf_list", nil)
			if want := "bank: no. [account] --limit=0 #a,b\n"; listed.Structured.Stdout != want || listed.IsError {
				t.Errorf("list printed %q", listed.Structured.Stdout)
			}
			if strings.Contains(listed.text(), "0123456789") || !strings.Contains(listed.text(), "[account]") {
				t.Errorf("the model reads %q", listed.text())
			}
			if says := strings.Contains(added.text()+listed.text(), "no sandbox"); says == guarded {
				t.Errorf("says that there is no sandbox: %t\n%s", says, listed.text())
			}
			// What the guard reads as the person's own lies where no sandbox that writes to caches sees it.
			if own, err := filepath.Glob(filepath.Join(c.home, "state", "cobratools", "shelf-*.yaml")); err != nil || (len(own) == 1) != guarded {
				t.Errorf("the tools are in %q (%v)", own, err)
			}
			if _, err := os.Lstat(filepath.Join(c.home, ".cache")); err == nil {
				t.Error("it leaves something in the cache")
			}
			for _, wrong := range []map[string]any{
				{"flags": map[string]any{"limit": "1; id"}}, {"flags": map[string]any{"config": "x"}}, words("--limit=0"),
			} {
				if r := c.tool("shelf_list", wrong); !r.IsError {
					t.Errorf("%v gave %s", wrong, r.text())
				}
			}
		})
	}
}

// TestAsked: what destroys is asked about where there is a guard, and the person's no is one.
func TestAsked(t *testing.T) {
	t.Parallel()
	c := startShelf(t, true)
	c.tool("shelf_add", words("one", "text"))
	note := filepath.Join(c.work, "notes", "one")
	c.asked = nil // of what writes, too, where no rule names it
	c.answer, c.after = "deny", 300*time.Millisecond
	if r := c.tool("shelf_remove", words("one")); !r.IsError || len(c.asked) != 1 || !strings.Contains(c.asked[0], "remove one") {
		t.Errorf("gave %s; asked %q", r.text(), c.asked)
	}
	if _, err := os.Stat(note); err != nil {
		t.Fatalf("the note is gone although the person said no: %v", err)
	}
	c.answer, c.after = "allow once", 0
	if r := c.tool("shelf_remove", words("one")); r.IsError || len(c.asked) != 2 {
		t.Errorf("gave %s; asked %q", r.text(), c.asked)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("the note is still there")
	}
}

// TestLeftOut: what the guard takes from nobody, such as the words of a program that runs them, is offered by nobody, and the
// others are served.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "watch") // of which the guard knows that it gives its words to a shell
	if err := os.Link(filepath.Join(dir, "plain", "shelf"), program); err != nil {
		t.Fatal(err)
	}
	c := startProgram(t, program, dir, true)
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.call("tools/list", nil), &list); err != nil || len(list.Tools) != 3 {
		t.Fatalf("lists %+v (%v): %s", list, err, c.stderr.String())
	}
	for _, one := range list.Tools {
		if strings.Contains(string(one.InputSchema), `"args"`) {
			t.Errorf("%s takes words: %s", one.Name, one.InputSchema)
		}
	}
	if r := c.tool("shelf_list", map[string]any{"flags": map[string]any{"limit": 1}}); r.IsError {
		t.Errorf("list: %s", r.text())
	}
	if r := c.tool("shelf_remove", words("one")); !r.IsError || len(c.asked) > 0 {
		t.Errorf("remove: %s; asked %q", r.text(), c.asked)
	}
}

// TestTwoReadings: what the guard could read as a call that nothing stands around is not passed on.
func TestTwoReadings(t *testing.T) {
	t.Parallel()
	c := startShelf(t, true)
	c.tool("shelf_add", words("bank", "0123456789"))
	for _, line := range []string{
		`[{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"name":"shelf_list"}}]`,
		`{"jsonrpc":"2.0","id":91,"method":"ping","method":"tools/call","params":{"name":"shelf_list"}}`,
		`{"jsonrpc":"2.0","id":92,"METHOD":"tools/call","method":"ping","params":{"name":"shelf_list"}}`,
		`{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{"name":"x","name":"shelf_list"}}`,
		`{"jsonrpc":"2.0","id":94,"method":"tools/call","params":{"name":"shelf_\u006cist"}}`,
	} {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if f := c.next(); strings.Contains(string(f.Result), "0123456789") {
			t.Errorf("%s\ngave %s", line, f.Result)
		}
	}
}

// TestResultsAlone: what a command prints comes by no other way than its result, which what stands around calls has seen.
func TestResultsAlone(t *testing.T) {
	t.Parallel()
	c := startShelf(t, true)
	c.tool("shelf_add", words("bank", "0123456789"))
	c.call("logging/setLevel", map[string]any{"level": "debug"})
	meta := map[string]any{
		"progressToken": 1, "io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}, "extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}},
	}
	var all []string
	c.saw = func(line string) { all = append(all, line) }
	for _, params := range []map[string]any{
		{"name": "shelf_list", "_meta": map[string]any{"progressToken": 1}}, {"name": "shelf_list", "_meta": meta},
		{"name": "shelf_remove", "_meta": meta, "arguments": words("bank")}, // it waits for a person, and becomes no task
	} {
		c.last++
		c.send(map[string]any{"id": c.last, "method": "tools/call", "params": params})
		if f := c.next(); strings.Contains(string(f.Result), "taskId") {
			t.Errorf("%v became a task: %s", params, f.Result)
		}
	}
	c.last++
	c.send(map[string]any{"id": c.last, "method": "resources/read", "params": map[string]any{"uri": "a2a-acp://outputs/x"}})
	if f := c.next(); f.Error == nil {
		t.Errorf("an output is read: %s", f.Result)
	}
	for _, line := range all {
		if strings.Contains(line, "0123456789") || strings.Contains(line, `"notifications/message"`) {
			t.Errorf("it sends %s", line)
		}
	}
}

// TestSettings: enable writes an entry by which the program is started, and disable leaves no trace of it.
func TestSettings(t *testing.T) {
	t.Parallel()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	const before = "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}},\n}\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	shelf := func(words ...string) string {
		out, err := exec.Command(filepath.Join(dir, "plain", "shelf"), append([]string{"mcp"}, words...)...).CombinedOutput() //nolint:noctx // it ends by itself
		if err != nil {
			t.Fatalf("%q: %v: %s", words, err, out)
		}
		return string(out)
	}
	shelf("enable", "cursor", "--config-path", file, "--env", "NOTES=1")
	now, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(now), `"shelf"`) || !strings.Contains(string(now), `"start"`) || !strings.Contains(string(now), "// mine") {
		t.Errorf("became %s (%v)", now, err)
	}
	if list := shelf("list", "cursor", "--config-path", file); !strings.Contains(list, "this program") || strings.Count(list, "\n") != 2 {
		t.Errorf("lists %s", list)
	}
	leak := exec.Command(filepath.Join(dir, "plain", "shelf"), "mcp", "enable", "cursor", "--config-path", file, "--env", "SHELF_TOKEN=hunter2") //nolint:noctx // it ends by itself
	if out, err := leak.CombinedOutput(); err == nil || strings.Contains(string(out), "hunter2") {
		t.Errorf("a secret is written down: %v: %s", err, out)
	}
	if now, err := os.ReadFile(file); err != nil || strings.Contains(string(now), "hunter2") {
		t.Errorf("became %s (%v)", now, err)
	}
	shelf("disable", "cursor", "--config-path", file)
	if now, err := os.ReadFile(file); string(now) != before {
		t.Errorf("is left as %s (%v)", now, err)
	}
}

// TestSameTools: `a2a-acp import cli` makes the tools of a program that it says it has by itself.
func TestSameTools(t *testing.T) {
	t.Parallel()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	run := func(program string, words ...string) []byte {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, program), words...)
		cmd.Dir, cmd.Env = home, []string{"PATH=/usr/bin:/bin", "HOME=" + home}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			if strings.Contains(stderr.String(), "in the sandbox only") && os.Getenv("REQUIRE_SANDBOX") == "" {
				t.Skip(stderr.String())
			}
			t.Fatalf("%s %q: %v: %s", program, words, err, stderr.String())
		}
		return out
	}
	own := run("plain/shelf", "mcp", "tools", "-o", "-")
	imported := run("guard/a2a-acp", "import", "cli", filepath.Join(dir, "plain", "shelf"), "--inherited", "-o", "mcp-tools")
	var want, got any
	if err := errors.Join(json.Unmarshal(own, &want), json.Unmarshal(imported, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-mcp tools +import cli)\n%s", diff)
	}
}

// TestSettingsAreText: what a repository's settings call a server is shown as text, and so is what is wrong with them.
func TestSettingsAreText(t *testing.T) {
	t.Parallel()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ editor, text, want string }{
		"a server":     {"cursor", `{"mcpServers":{"a\u001b[2J\u202eb":{"command":"x\u0007\u009by"}}}`, `a\u{1b}[2J`},
		"its command":  {"vscode", `{"servers":{"a":{"command":"x\u0007\u009by"}}}`, `x\u{7}\u{9b}y`},
		"what is none": {"codex", "[mcp_servers.a]\ncommand = \"\u202ex\n\u009b", "cannot be changed"},
	} {
		file := filepath.Join(t.TempDir(), "settings")
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list := exec.Command(filepath.Join(dir, "plain", "shelf"), "mcp", "list", row.editor, "--config-path", file) //nolint:noctx // it ends by itself
		out, _ := list.CombinedOutput()                                                                              // it says what is wrong
		if said := string(out); strings.ContainsAny(said, "\x1b\x07\u009b\u202e") || !strings.Contains(said, row.want) {
			t.Errorf("%s: it prints %q, want %s", name, said, row.want)
		}
	}
}
