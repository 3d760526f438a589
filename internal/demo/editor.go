package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// editor plays the editor and the person in front of it. It tells what the person would see.
type editor struct {
	out *bufio.Writer

	mu    sync.Mutex
	cards map[string]card
	no    bool // the person says no to what they are asked

	question string // the card of the last question
}

// card is what the editor shows of one tool call.
type card struct {
	title, status string
	lines         []string
}

// scene is one turn of the story.
type scene struct {
	prompt, heading string
}

var scenes = []scene{
	{"read", "The agent reads a file of the workspace. Reading inside the workspace is allowed by default."},
	{"outside", "It writes next to the workspace. Your rule `stay-inside` says no."},
	{"notes", "It writes inside the workspace. No rule speaks of that, so you are asked; you say yes."},
	{"words", "It calls count_words, a bash tool of your tools.yaml, over MCP. The tool only reads, so nobody is asked."},
	{"slow", "It calls a tool that runs longer than its author allows."},
	{"command", "It asks to run a command. Nothing in your rules covers it, so you are asked; you read the card, and say no."},
	{"poisoned", "The README told agents to write a git hook. The agent believes it and asks; your rule `no-hooks` answers."},
}

// show plays all scenes through the bridge and prints what was put on record. It returns a picture of it.
func show(ctx context.Context, binary string, out io.Writer) (string, error) {
	stage, err := os.MkdirTemp("", "demo-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(stage)
	workspace, err := build(stage)
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return "", err
	}
	environ := append(os.Environ(), "A2A_STATE_DIR="+filepath.Join(stage, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(stage, "config"))

	cmd := exec.CommandContext(ctx, binary, "bridge", "--tools", filepath.Join(stage, "tools.yaml"),
		"--policies", filepath.Join(stage, "policies.yaml"), "--", self, "agent")
	cmd.Env, cmd.Dir, cmd.Stderr = environ, workspace, prefixed(out, "  ⁝ ")
	fmt.Fprintf(out, "An editor starts   a2a-acp bridge -- demo agent   in a small project.\n")
	question, err := play(ctx, cmd, workspace, out)
	if err != nil {
		return "", err
	}
	var summary string
	for _, verb := range []string{"audit summary", "audit list", "audit show --last --kind write"} {
		text, err := printed(ctx, binary, environ, verb)
		if err != nil {
			return "", err
		}
		fmt.Fprint(out, text)
		if verb == "audit summary" {
			summary = text
		}
	}
	return boxed(question) + summary, nil
}

// build lays out the stage: a project that is a git repository, and the person's own files beside it.
func build(stage string) (workspace string, err error) {
	workspace = filepath.Join(stage, "project")
	if err := os.MkdirAll(filepath.Join(workspace, ".git/hooks"), 0o755); err != nil {
		return "", err
	}
	for name, path := range map[string]string{
		"README.md": filepath.Join(workspace, "README.md"), "tools.yaml": filepath.Join(stage, "tools.yaml"),
		"policies.yaml": filepath.Join(stage, "policies.yaml"),
	} {
		data, err := fs.ReadFile(files, "files/"+name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return "", err
		}
	}
	return filepath.EvalSymlinks(workspace)
}

// play drives the agent through the scenes. It returns the card of the last question.
func play(ctx context.Context, cmd *exec.Cmd, workspace string, out io.Writer) (string, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start the bridge: %w", err)
	}
	e := &editor{out: bufio.NewWriter(out), cards: map[string]card{}}
	// Requests are answered one at a time and in order, as the cards must be drawn in order.
	conn := jsonrpc2.NewConn(ctx, jsonrpc2.NewPlainObjectStream(stdio{stdout, stdin}),
		jsonrpc2.HandlerWithError(e.handle))

	call := func(method string, params, result any) error { return conn.Call(ctx, method, params, result) }
	err = errors.Join(
		call("initialize", map[string]any{
			"protocolVersion": 1, "clientInfo": map[string]string{"name": "demo-editor", "version": "1"},
			"clientCapabilities": map[string]any{"fs": map[string]bool{"readTextFile": true,
				"writeTextFile": true}},
		}, nil),
		call("session/new", map[string]any{"cwd": workspace, "mcpServers": []any{}}, nil),
	)
	for i, scene := range scenes {
		if err != nil {
			break
		}
		e.tell("\n%d. %s\n", i+1, scene.heading)
		e.no = scene.prompt == "command"
		err = call("session/prompt", map[string]any{
			"sessionId": "demo", "prompt": []any{map[string]string{"type": "text", "text": scene.prompt}},
		}, nil)
		e.out.Flush()
	}
	conn.Close()
	return e.question, errors.Join(err, cmd.Wait())
}

func (e *editor) tell(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Fprintf(e.out, format, args...)
	e.out.Flush()
}

// handle answers what the bridge lets through.
func (e *editor) handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	if r.Params == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "params are missing"}
	}
	switch r.Method {
	case "session/update":
		return nil, e.update(*r.Params)
	case "session/request_permission":
		return e.permission(*r.Params)
	case "fs/read_text_file":
		var p struct{ Path string }
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(p.Path)
		return map[string]string{"content": string(data)}, err
	case "fs/write_text_file":
		var p struct{ Path, Content string }
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		return map[string]any{}, os.WriteFile(p.Path, []byte(p.Content), 0o644)
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "method not found: " + r.Method}
}

type wireUpdate struct {
	SessionUpdate string          `json:"sessionUpdate"`
	ToolCallID    string          `json:"toolCallId"`
	Title         string          `json:"title"`
	Status        string          `json:"status"`
	Content       json.RawMessage `json:"content"`
}

// update draws what the agent, or the bridge, tells.
func (e *editor) update(params json.RawMessage) error {
	var p struct {
		Update wireUpdate `json:"update"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	switch p.Update.SessionUpdate {
	case "agent_message_chunk":
		var c struct{ Text string }
		if err := json.Unmarshal(p.Update.Content, &c); err != nil {
			return err
		}
		e.tell("   agent   │ %s\n", strings.ReplaceAll(strings.TrimSpace(c.Text), "\n", "\n           │ "))
	case "tool_call", "tool_call_update":
		e.draw(p.Update)
	}
	return nil
}

// draw shows a card when something about it has changed.
func (e *editor) draw(u wireUpdate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.cards[u.ToolCallID]
	if u.Title != "" {
		c.title = u.Title
	}
	if u.Status != "" {
		c.status = u.Status
	}
	var content []struct{ Content struct{ Text string } }
	if json.Unmarshal(u.Content, &content) == nil {
		c.lines = nil
		for _, item := range content {
			if line, _, _ := strings.Cut(item.Content.Text, "\n"); line != "" {
				c.lines = append(c.lines, line)
			}
		}
	}
	e.cards[u.ToolCallID] = c
	if c.status == "pending" {
		return // the person sees it when they are asked, or when it has ended
	}
	fmt.Fprintf(e.out, "   card    │ [%s] %s\n", c.status, c.title)
	for _, line := range c.lines {
		fmt.Fprintf(e.out, "           │   %s\n", line)
	}
	e.out.Flush()
}

// option is an answer that the person can give.
type option struct{ OptionID, Name, Kind string }

// asked draws the whole card of a question.
func (e *editor) asked(u wireUpdate, options []option) {
	var content []struct {
		Type, Path, NewText string
		Content             struct{ Text string }
	}
	if err := json.Unmarshal(u.Content, &content); err != nil {
		content = nil // a card without a content is drawn without one
	}
	lines := []string{u.Title}
	for _, item := range content {
		text := item.Content.Text
		if item.Type == "diff" {
			text = "+ " + strings.ReplaceAll(strings.TrimSuffix(item.NewText, "\n"), "\n", "\n+ ")
		}
		lines = append(lines, strings.Split("\n"+text, "\n")...)
	}
	buttons := ""
	for _, o := range options {
		buttons += "[" + o.Name + "] "
	}
	lines = append(lines, "", strings.TrimSpace(buttons))
	e.question = strings.Join(lines, "\n")
	e.tell("   card    │ %s\n", strings.Join(lines, "\n           │ "))
}

// permission is the person: they read the card and answer.
func (e *editor) permission(params json.RawMessage) (any, error) {
	var p struct {
		ToolCall wireUpdate `json:"toolCall"`
		Options  []option   `json:"options"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	want := map[bool]string{false: "allow_once", true: "reject_once"}[e.no]
	for _, o := range p.Options {
		if o.Kind == want {
			e.asked(p.ToolCall, p.Options)
			e.tell("   you     │ %s\n", o.Name)
			return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": o.OptionID}}, nil
		}
	}
	return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}, nil
}

// printed runs a verb and returns the command line and what it printed.
func printed(ctx context.Context, binary string, environ []string, verb string) (string, error) {
	cmd := exec.CommandContext(ctx, binary, strings.Fields(verb)...)
	cmd.Env = environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("a2a-acp %s: %w: %s", verb, err, out)
	}
	return fmt.Sprintf("\n$ a2a-acp %s\n%s", verb, out), nil
}

// prefixed marks what the bridge says on stderr.
func prefixed(out io.Writer, prefix string) io.Writer {
	r, w := io.Pipe()
	// Ends with the program: the bridge's stderr is open until then.
	go func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			fmt.Fprintln(out, prefix+lines.Text())
		}
	}()
	return w
}
