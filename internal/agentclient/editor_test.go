package agentclient

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// process is a command that runs below the test.
type process struct {
	cmd *exec.Cmd
	out *os.File
}

func runHere(c Command) (Running, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Words[0], c.Words[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, w, w
	defer w.Close()
	return &process{cmd, r}, cmd.Start()
}

func (p *process) Output() io.Reader { return p.out }
func (p *process) Stop()             { _ = p.cmd.Process.Kill() }
func (p *process) Wait() (int, string) {
	_ = p.cmd.Wait()
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return p.cmd.ProcessState.ExitCode(), ""
}

// editor begins a prompt, and returns the agent that may ask its editor now.
func editor(t *testing.T, change func(*Configured)) (*stage, *fake) {
	t.Helper()
	s := newStage(t, change, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	p := <-f.prompts
	t.Cleanup(func() {
		f.answer(p.ID, endTurn)
		h.done()
	})
	return s, f
}

// TestFiles reads and writes files as an editor does.
func TestFiles(t *testing.T) {
	t.Parallel()
	_, f := editor(t, nil)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "new", "deep", "a.txt")
	write := func(path, text string) string {
		return string(f.request("w", "fs/write_text_file", map[string]any{"sessionId": "s", "path": path, "content": text}).Error)
	}
	read := func(path string, more map[string]any) (string, string) {
		params := map[string]any{"sessionId": "s", "path": path}
		for key, value := range more {
			params[key] = value
		}
		answer := f.request("r", "fs/read_text_file", params)
		var result struct{ Content string }
		_ = json.Unmarshal(answer.Result, &result)
		return result.Content, string(answer.Error)
	}
	if failed := write(path, "one\ntwo\nthree\n"); failed != "" {
		t.Fatal(failed)
	}
	for _, c := range []struct {
		more map[string]any
		want string
	}{
		{nil, "one\ntwo\nthree\n"}, {map[string]any{"line": 2}, "two\nthree\n"}, {map[string]any{"line": 2, "limit": 1}, "two\n"},
		{map[string]any{"limit": 0}, ""}, {map[string]any{"line": 9}, ""},
	} {
		if got, failed := read(path, c.more); got != c.want || failed != "" {
			t.Errorf("%v: read %q, %s; want %q", c.more, got, failed, c.want)
		}
	}
	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	if failed := write(path, "ü\r\n"); failed != "" {
		t.Fatal(failed)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got, _ := read(path, nil); got != "ü\r\n" {
		t.Errorf("read %q", got)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("left are %v, %v", names, err)
	}
	if _, failed := read(filepath.Join(dir, "none"), nil); !strings.Contains(failed, "-32002") || !strings.Contains(failed, "uri") {
		t.Errorf("a file that is not there: %s", failed)
	}
}

// TestEmptyWhereMissing gives an agent an empty file that takes an error for a failure.
func TestEmptyWhereMissing(t *testing.T) {
	t.Parallel()
	_, f := editor(t, func(c *Configured) { c.EmptyWhereMissing = true })
	answer := f.request("r", "fs/read_text_file", map[string]any{"path": filepath.Join(t.TempDir(), "none")})
	if string(answer.Result) != `{"content":""}` {
		t.Errorf("answered %+v", answer)
	}
}

// TestFilesAreThoseDecidedAbout follows no link, and opens nothing that holds us or is no file: what was decided
// about is a name without links.
func TestFilesAreThoseDecidedAbout(t *testing.T) {
	t.Parallel()
	_, f := editor(t, nil)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "outside", "secret")
	for _, err := range []error{
		os.Mkdir(filepath.Dir(secret), 0o700), os.WriteFile(secret, []byte("secret"), 0o600), os.Mkdir(filepath.Join(dir, "in"), 0o700),
		os.Symlink(secret, filepath.Join(dir, "in", "file")), os.Symlink(filepath.Dir(secret), filepath.Join(dir, "in", "dir")),
		syscall.Mkfifo(filepath.Join(dir, "in", "fifo"), 0o600), os.WriteFile(filepath.Join(dir, "in", "kept"), []byte("kept"), 0o400),
		os.WriteFile(filepath.Join(dir, "in", "binary"), []byte("\xff\xfe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"in/file", "in/dir/secret", "in/dir/other", "in/fifo", "in", "in/../outside/secret", "in//file", "/", "relative", "in/binary"} {
		path := name
		if !strings.HasPrefix(name, "/") && name != "relative" {
			path = dir + "/" + name
		}
		if answer := f.request("r", "fs/read_text_file", map[string]any{"path": path}); answer.Result != nil {
			t.Errorf("%s: read %s", name, answer.Result)
		}
		if name == "in/binary" {
			continue
		}
		if answer := f.request("w", "fs/write_text_file", map[string]any{"path": path, "content": "x"}); answer.Result != nil {
			t.Errorf("%s: written", name)
		}
	}
	if os.Geteuid() != 0 {
		if answer := f.request("w", "fs/write_text_file", map[string]any{"path": filepath.Join(dir, "in", "kept"), "content": "x"}); answer.Result != nil {
			t.Error("a file was written that may not be")
		}
	}
	if text, err := os.ReadFile(secret); string(text) != "secret" || err != nil {
		t.Errorf("outside is %q, %v", text, err)
	}
}

// TestTerminals runs commands as an editor does.
func TestTerminals(t *testing.T) {
	t.Parallel()
	_, f := editor(t, nil)
	create := func(more map[string]any, words ...string) string {
		t.Helper()
		params := map[string]any{"command": words[0], "args": words[1:], "cwd": t.TempDir()}
		for key, value := range more {
			params[key] = value
		}
		answer := f.request("c", "terminal/create", params)
		var result struct{ TerminalID string }
		if err := json.Unmarshal(answer.Result, &result); err != nil {
			t.Fatalf("%s: %s", words, answer.Error)
		}
		return result.TerminalID
	}
	call := func(method, id string) frame {
		return f.request("t", "terminal/"+method, map[string]any{"terminalId": id})
	}
	id := create(nil, "sh", "-c", "echo out; echo err >&2; exit 3")
	if got := string(call("wait_for_exit", id).Result); got != `{"exitCode":3,"signal":null}` {
		t.Errorf("it ended with %s", got)
	}
	if got := string(call("output", id).Result); got != `{"output":"out\nerr\n","truncated":false,"exitStatus":{"exitCode":3,"signal":null}}` {
		t.Errorf("its output is %s", got)
	}
	call("release", id)
	if got := string(call("output", id).Error); !strings.Contains(got, "-32002") {
		t.Errorf("one that was released: %s", got)
	}
	id = create(map[string]any{"outputByteLimit": 5}, "sh", "-c", "printf 'ä123ö'; printf ü")
	call("wait_for_exit", id)
	if got := string(call("output", id).Result); !strings.HasPrefix(got, `{"output":"3öü","truncated":true`) {
		t.Errorf("the end of its output is %s", got)
	}
	id = create(nil, "sleep", "1000")
	waits := make(chan frame, 1)
	go func() { waits <- f.request("w", "terminal/wait_for_exit", map[string]any{"terminalId": id}) }()
	call("kill", id)
	if got := string((<-waits).Result); got != `{"exitCode":null,"signal":"SIGKILL"}` {
		t.Errorf("killed, it ended with %s", got)
	}
	if got := f.request("c", "terminal/create", map[string]any{"command": "/no/such/program"}); got.Error == nil {
		t.Errorf("it runs: %s", got.Result)
	}
	// The last one runs when the agent ends: the test would not end if it went on.
	create(nil, "sleep", "1000")
	f.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","content":[{"type":"terminal","terminalId":"` + id + `"}]}`)
}

// TestFlood has an agent ask for more than it may have open: it is ended, and its command with it.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	<-f.prompts
	answer := f.request("c", "terminal/create", map[string]any{"command": "sleep", "args": []string{"1000"}})
	var made struct{ TerminalID string }
	if err := json.Unmarshal(answer.Result, &made); err != nil {
		t.Fatalf("%s", answer.Error)
	}
	for i := range mostRequests + 1 {
		f.write(map[string]any{"id": i, "method": "terminal/wait_for_exit", "params": map[string]any{"terminalId": made.TerminalID}})
	}
	var ended *EndedError
	if h.done(); !errors.As(h.err, &ended) || !strings.Contains(ended.How, "more at once than an agent may") {
		t.Errorf("%v", h.err)
	}
}

// TestMostTerminals gives an agent no more terminals than it may have.
func TestMostTerminals(t *testing.T) {
	t.Parallel()
	_, f := editor(t, nil)
	for i := range mostTerminals + 1 {
		answer := f.request("c", "terminal/create", map[string]any{"command": "true"})
		if (answer.Error != nil) != (i == mostTerminals) {
			t.Fatalf("terminal %d: %s", i, answer.Error)
		}
	}
}

// TestContent says all kinds of content to agents that take all or nothing.
func TestContent(t *testing.T) {
	t.Parallel()
	all := abilities{image: true, audio: true, embedded: true}
	text := "x"
	for name, c := range map[string]struct {
		content Content
		can     abilities
		want    block
		refused string
	}{
		"text":                   {Content{Text: "x"}, abilities{}, block{Type: "text", Text: "x"}, ""},
		"a link":                 {Content{URI: "https://x/y", MediaType: "text/html"}, abilities{}, block{Type: "resource_link", URI: "https://x/y", Name: "https://x/y", MIMEType: "text/html"}, ""},
		"an image":               {Content{Data: []byte{1}, MediaType: "image/png"}, all, block{Type: "image", Data: []byte{1}, MIMEType: "image/png"}, ""},
		"an image, and no eyes":  {Content{Data: []byte{1, 0}, MediaType: "image/png"}, abilities{}, block{}, "image/png"},
		"a recording":            {Content{Data: []byte{1}, MediaType: "audio/wav"}, all, block{Type: "audio", Data: []byte{1}, MIMEType: "audio/wav"}, ""},
		"a file":                 {Content{Data: []byte{0}, MediaType: "application/pdf", Name: "a b.pdf"}, all, block{Type: "resource", Resource: &resource{URI: "attachment:///a%20b.pdf", MIMEType: "application/pdf", Blob: []byte{0}}}, ""},
		"a file of text":         {Content{Data: []byte("x"), MediaType: "text/plain", URI: "file:///a"}, all, block{Type: "resource", Resource: &resource{URI: "file:///a", MIMEType: "text/plain", Text: &text}}, ""},
		"one that is embedded":   {Content{Data: []byte("x"), MediaType: "text/plain", Name: "a"}, abilities{}, block{Type: "text", Text: "The file a:\n\nx"}, ""},
		"a file that is no text": {Content{Data: []byte{0}, Name: "a"}, abilities{}, block{}, "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := blockOf(c.content, c.can)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("error %v", err)
			}
			if raw, _ := json.Marshal(got); err == nil {
				if _, ok := contentOf(raw); !ok {
					t.Errorf("it cannot be read back: %s", raw)
				}
			}
		})
	}
}
