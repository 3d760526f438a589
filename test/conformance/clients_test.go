//go:build conformance

package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// aClient is one of a matrix: who calls a tool, which way, and what its person answers.
type aClient struct {
	Name    string   `json:"name"`
	Library string   `json:"library"`
	Mode    any      `json:"mode"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Dir     string   `json:"cwd,omitempty"`

	Env    map[string]string `json:"env,omitempty"`
	URL    string            `json:"url,omitempty"`
	Token  string            `json:"token,omitempty"`
	Word   string            `json:"word"`
	Answer string            `json:"answer"`
}

// told is what a client has seen.
type told struct {
	Revision string   `json:"revision"`
	Tools    []string `json:"tools"`
	Asked    string   `json:"asked"`
	Text     string   `json:"text"`
	IsError  bool     `json:"isError"`
	Error    string   `json:"error"`
}

// The matrix: how the clients are called, what makes them, and which revision they come to speak.
var clientKinds = []struct {
	name, library string
	mode          any
	revision      string
}{
	{"TypeScript SDK 1.32", "sdk", nil, "2025-11-25"},
	{"TypeScript client 2.3, legacy", "client", "legacy", "2025-11-25"},
	{"TypeScript client 2.3, auto", "client", "auto", "2026-07-28"},
	{"TypeScript client 2.3, pinned", "client", map[string]string{"pin": "2026-07-28"}, "2026-07-28"},
	{"Go SDK 1.8", "go", "2026-07-28", "2026-07-28"},
	{"Go SDK 1.8, older", "go", "2025-11-25", "2025-11-25"},
	{"Go SDK 1.8, oldest", "go", "2025-06-18", "2025-06-18"},
	{"Inspector 2.12, legacy", "inspector", "legacy", ""},
	{"Inspector 2.12, modern", "inspector", "modern", ""},
}

// TestClients has clients that people use call a tool that is asked about, over each way and with each answer of
// their person. A person who is not asked by the client, or has put the question aside, answers elsewhere.
func TestClients(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the node that is installed is one for linux/amd64")
	}
	home, work := apart(t), apart(t)
	write := func(name, text string) string {
		path := filepath.Join(home, ".config", "a2a-acp", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("tools.yaml", `version: 2
tools:
  mark:
    description: Leaves a mark.
    script: echo "{{word}}" >> marks; echo "marked {{word}}"
    parameters: [{name: word, type: string, required: true, description: The word}]
    sandbox: {use_temp_isolation: false, allowed_paths: ["."]}
`)
	const token = "a-token-of-the-matrix-and-of-nobody-else"
	write("a2a-acp.yaml", "serve: {principals: {matrix: {token: {file: "+write("token", token)+"}, scopes: [tools]}}}\n")
	const source = "../../cmd/a2a-acp"
	program := build(t, source)
	url := start(t, home, source, "serve", "--listen", "127.0.0.1:0", "--workspace", work).MCP

	var all []aClient
	for _, kind := range clientKinds {
		for _, way := range []string{"stdio", "HTTP"} {
			for _, answer := range []string{"yes", "no", "cancel", "cannot ask"} {
				c := aClient{Name: kind.name + " over " + way + ": " + answer, Library: kind.library, Mode: kind.mode, Answer: answer, Env: environment(home)}
				c.Word = strings.NewReplacer(" ", "-", ",", "", ":", "").Replace(c.Name)
				if kind.library == "inspector" && answer != "cannot ask" { // its program asks nobody
					continue
				}
				if way == "HTTP" {
					c.URL, c.Token = url, token
				} else {
					c.Command, c.Args, c.Dir = program, []string{"mcp", "--workspace", work}, work
				}
				all = append(all, c)
			}
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	elsewhere, stop := context.WithCancel(ctx)
	var answering sync.WaitGroup
	answering.Go(func() { answerElsewhere(elsewhere, t, home) }) // ends with the clients
	results := map[string]told{}
	var mu sync.Mutex
	var running sync.WaitGroup
	running.Go(func() {
		got := typeScriptClients(ctx, t, all)
		mu.Lock()
		defer mu.Unlock()
		for name, one := range got {
			results[name] = one
		}
	})
	for _, c := range all {
		var call func(context.Context, aClient) told
		switch c.Library {
		case "go":
			call = goClient
		case "inspector":
			call = inspector
		default:
			continue
		}
		running.Go(func() {
			one := call(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			results[c.Name] = one
		})
	}
	running.Wait()
	stop()
	answering.Wait()

	marks, err := os.ReadFile(filepath.Join(work, "marks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			got := results[c.Name]
			want, ran := "marked "+c.Word+"\n", 1
			if c.Answer == "no" {
				want, ran = "denied", 0
			}
			if got.Error != "" || !strings.HasPrefix(got.Text, want) || got.IsError != (ran == 0) {
				t.Errorf("it got %+v, want %q", got, want)
			}
			if len(got.Tools) != 1 || got.Tools[0] != "mark" {
				t.Errorf("it was offered %q", got.Tools)
			}
			if n := strings.Count(string(marks), c.Word+"\n"); n != ran {
				t.Errorf("the tool has run %d times", n)
			}
			if asked := c.Answer != "cannot ask"; asked != strings.Contains(got.Asked, "word = "+c.Word) {
				t.Errorf("its person was asked %q", got.Asked)
			}
			for _, kind := range clientKinds {
				if strings.HasPrefix(c.Name, kind.name+" over") && kind.revision != "" && got.Revision != kind.revision {
					t.Errorf("it speaks %q, want %s", got.Revision, kind.revision)
				}
			}
		})
	}
}

// apart makes a directory that has no parent of its own with another: a home whose files could have come with the
// workspace does not count.
func apart(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// answerElsewhere approves what waits of clients that cannot ask, or whose person has put the question aside, as
// `a2a-acp approvals` does.
func answerElsewhere(ctx context.Context, t *testing.T, home string) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	variables := environment(home)
	options := app.Options{Getenv: func(name string) string { return variables[name] }, Dir: home, Home: home, Say: func(string) {}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		box, err := app.OpenApprovals(ctx, options)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var waiting []store.Approval
		if err == nil {
			waiting, err = box.List(ctx)
		}
		for _, question := range waiting {
			if shown := question.Title + question.Text; strings.Contains(shown, "-cannot-ask") || strings.Contains(shown, "-cancel") {
				_, failed := box.Answer(ctx, question, store.Answer{Approved: true, Approver: "a person elsewhere"})
				if errors.Is(failed, store.ErrAnswered) {
					failed = nil
				}
				err = cmp.Or(err, failed)
			}
		}
		if box != nil {
			err = cmp.Or(err, box.Close())
		}
		if err != nil && ctx.Err() == nil {
			t.Errorf("answering elsewhere: %v", err)
		}
	}
}

// typeScriptClients runs the clients of clients.mjs.
func typeScriptClients(ctx context.Context, t *testing.T, all []aClient) map[string]told {
	var input struct {
		Clients []aClient `json:"clients"`
	}
	for _, c := range all {
		if c.Library == "sdk" || c.Library == "client" {
			input.Clients = append(input.Clients, c)
		}
	}
	text, err := json.Marshal(input)
	if err != nil {
		t.Error(err)
	}
	command := exec.CommandContext(ctx, node, "clients.mjs")
	command.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	var results map[string]told
	if err = cmp.Or(err, json.Unmarshal(out, &results)); err != nil {
		t.Errorf("clients.mjs: %v\n%s\n%s", err, out, stderr.Bytes())
	}
	return results
}

// goClient is a client on the official Go SDK.
func goClient(ctx context.Context, c aClient) (got told) {
	options := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	answers := map[string]*mcp.ElicitResult{
		"yes": {Action: "accept", Content: map[string]any{"answer": "allow once"}}, "no": {Action: "decline"}, "cancel": {Action: "cancel"},
	}
	if answer := answers[c.Answer]; answer != nil {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			got.Asked += r.Params.Message
			time.Sleep(300 * time.Millisecond) // a person reads first
			return answer, nil
		}
	}
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: &http.Client{Transport: bearer(c.Token)}}
	if c.Command != "" {
		command := exec.Command(c.Command, c.Args...) //nolint:noctx // it ends with its input
		command.Dir = c.Dir
		for name, value := range c.Env {
			command.Env = append(command.Env, name+"="+value)
		}
		transport = &mcp.CommandTransport{Command: command}
	}
	fail := func(err error) {
		if err != nil {
			got.Error += err.Error() + "; "
		}
	}
	revision, _ := c.Mode.(string)
	session, err := mcp.NewClient(&mcp.Implementation{Name: c.Name, Version: "1.0.0"}, options).
		Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		fail(err)
		return got
	}
	got.Revision = session.InitializeResult().ProtocolVersion
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		fail(err)
		return got
	}
	for _, tool := range tools.Tools {
		got.Tools = append(got.Tools, tool.Name)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "mark", Arguments: map[string]any{"word": c.Word}})
	fail(err)
	if err == nil {
		got.IsError = result.IsError
		if text, ok := result.Content[0].(*mcp.TextContent); ok {
			got.Text = text.Text
		}
	}
	fail(session.Close())
	return got
}

// bearer shows a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// inspector runs the Inspector's program, which asks nobody: once for the tools, whose schemas it judges (--strict),
// and once for the call.
func inspector(ctx context.Context, c aClient) (got told) {
	era, _ := c.Mode.(string)
	target := append([]string{c.Command}, c.Args...)
	if c.URL != "" {
		target = []string{"--server-url", c.URL, "--transport", "http", "--header", "Authorization: Bearer " + c.Token}
	}
	run := func(into any, args ...string) error {
		args = append(append([]string{"node_modules/.bin/mcp-inspector", "--cli"}, target...), args...)
		command := exec.CommandContext(ctx, node, append(args, "--protocol-era", era, "--quiet")...)
		for name, value := range c.Env {
			command.Env = append(command.Env, name+"="+value)
		}
		var stderr bytes.Buffer
		command.Stderr = &stderr
		out, err := command.Output()
		if err = cmp.Or(err, json.Unmarshal(out, into)); err != nil || stderr.Len() > 0 {
			return fmt.Errorf("%w: %s\n%s", cmp.Or(err, errors.New("it complains")), out, stderr.Bytes())
		}
		return nil
	}
	var list struct {
		Tools []struct{ Name string }
	}
	if err := run(&list, "--method", "tools/list", "--strict"); err != nil {
		got.Error = err.Error()
		return got
	}
	for _, tool := range list.Tools {
		got.Tools = append(got.Tools, tool.Name)
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := run(&result, "--method", "tools/call", "--tool-name", "mark", "--tool-arg", "word="+c.Word); err != nil {
		got.Error = err.Error()
		return got
	}
	got.Text, got.IsError = result.Content[0].Text, result.IsError
	return got
}
