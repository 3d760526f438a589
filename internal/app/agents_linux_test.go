package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/serve"
)

// playDrivenAgent is an agent that does what its prompts say, a line each.
func playDrivenAgent() {
	p := peer{bufio.NewReader(os.Stdin), os.Stdout}
	next := 0
	ask := func(method string, params map[string]any) frame {
		next++
		id := fmt.Sprint("a", next)
		params["sessionId"] = "s"
		p.send(frame{ID: id, Method: method, Params: params})
		for {
			f, ok := p.read()
			if !ok {
				os.Exit(0)
			}
			if f.ID == id {
				return f
			}
		}
	}
	say := func(text string) {
		p.send(frame{Method: "session/update", Params: map[string]any{"sessionId": "s", "update": map[string]any{
			"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": text}}}})
	}
	do := func(line string) {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "write":
			say(fmt.Sprint("wrote ", ask("fs/write_text_file", map[string]any{"path": rest, "content": "x"}).Error == nil))
		case "ask":
			f := ask("session/request_permission", map[string]any{
				"toolCall": map[string]any{"toolCallId": fmt.Sprint("c", next), "kind": "execute", "title": rest, "rawInput": map[string]any{"command": rest}},
				"options":  []map[string]any{{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}}})
			answer, _ := json.Marshal(f.Result)
			say(string(answer))
		case "forge":
			p.send(frame{Method: "_a2a-acp/asks", Params: map[string]any{"question": rest}})
		case "die":
			fmt.Fprintln(os.Stderr, rest)
			os.Exit(3)
		case "pid":
			_ = os.WriteFile("pid", []byte(strconv.Itoa(os.Getpid())), 0o600) // it starts where it works
		case "environment":
			say(os.Getenv(rest))
		}
	}
	for {
		f, ok := p.read()
		switch {
		case !ok:
			return
		case f.Method == "initialize":
			p.send(frame{ID: f.ID, Result: map[string]any{"protocolVersion": 1, "agentInfo": map[string]any{"name": "driven", "version": "1"},
				"agentCapabilities": map[string]any{"sessionCapabilities": map[string]any{"resume": map[string]any{}}}}})
		case f.Method == "session/new":
			p.send(frame{ID: f.ID, Result: map[string]any{"sessionId": "s"}})
		case f.Method == "session/resume":
			p.send(frame{ID: f.ID, Result: map[string]any{}})
		case f.Method == "session/prompt":
			for _, block := range f.Params["prompt"].([]any) {
				for line := range strings.Lines(block.(map[string]any)["text"].(string)) {
					do(strings.TrimSpace(line))
				}
			}
			p.send(frame{ID: f.ID, Result: map[string]any{"stopReason": "end_turn"}})
		}
	}
}

// drivenStage is a program whose one agent is driven.
type drivenStage struct {
	t *testing.T
	*agentclient.Driver
	app  *App
	work string
}

func newDrivenStage(t *testing.T, policies, more string) *drivenStage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := newHome(t)
	s := &drivenStage{t: t, work: filepath.Join(h.dir, "work")}
	h.write("a2a-acp.yaml", "agents:\n  it:\n    command: ["+self+", driven-agent]\n    workspace: "+s.work+"\n"+more)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n"+policies)
	s.app = h.new()
	s.Driver, err = s.app.Agents(AgentsOptions{Environ: []string{"PATH=" + os.Getenv("PATH")}, Stderr: lines.New(testWriter{t}), Served: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.app.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// says has somebody say lines to the agent, and returns what it says; asked is given each question.
func (s *drivenStage) says(who string, asked func(agentclient.Question), text ...string) (said []string, err error) {
	s.t.Helper()
	_, err = s.Prompt(s.t.Context(), agentclient.Prompt{
		Conversation: agentclient.Conversation{Agent: "it", Principal: who, Context: "c"},
		Content:      []agentclient.Content{{Text: strings.Join(text, "\n")}},
	}, func(e agentclient.Event) {
		switch {
		case e.Kind == agentclient.EventMessage:
			said = append(said, e.Chunk.Content.Text)
		case e.Kind == agentclient.EventQuestion && asked == nil:
			s.t.Errorf("asked about %s", e.Question.Title)
		case e.Kind == agentclient.EventQuestion:
			asked(*e.Question)
		}
	})
	return said, err
}

// answer answers a question, from a goroutine of its own.
func (s *drivenStage) answer(q agentclient.Question, a agentclient.Answer, want error) {
	go func() { // ends with the question
		if err := s.Answer(context.Background(), q.ID, a); !errors.Is(err, want) {
			s.t.Errorf("answering %s: %v, want %v", q.Title, err, want)
		}
	}()
}

var yes = agentclient.Answer{Option: agentclient.Option{ID: "y", Kind: agentclient.OptionAllowOnce}, Principal: "alice", By: "a2a alice"}

// TestDrivenAgentsPrincipal has rules see who talks to an agent, and the record name who has answered, and for whom.
func TestDrivenAgentsPrincipal(t *testing.T) {
	t.Parallel()
	s := newDrivenStage(t, `
  - id: of-bob
    applies_to: ["*"]
    principals: [bob]
    decision: {type: approve}
`, "")
	file := filepath.Join(s.work, "a.txt")
	if said, err := s.says("bob", nil, "write "+file); err != nil || said[0] != "wrote true" {
		t.Errorf("%v, %q", err, said)
	}
	said, err := s.says("alice", func(q agentclient.Question) {
		q.Options = nil
		s.answer(q, agentclient.Answer{Option: agentclient.Option{ID: "a2a-acp-reject"}, Principal: "alice", By: "a2a alice"}, nil)
	}, "write "+file)
	if err != nil || said[0] != "wrote false" {
		t.Errorf("%v, %q", err, said)
	}
	if _, err := s.says("alice", func(q agentclient.Question) { s.answer(q, yes, nil) }, "ask touch b"); err != nil {
		t.Error(err)
	}
	if err := s.app.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	record := readRecord(t, s.app.state)
	for _, want := range []string{
		`"principal":"bob"`, `"principal":"alice"`, `"approver":"a2a alice"`,
	} {
		if !strings.Contains(record, want) {
			t.Errorf("the record has no %s", want)
		}
	}
	if strings.Contains(record, `"by":"editor"`) {
		t.Error("the record says that an editor has carried something out")
	}
}

func readRecord(t *testing.T, state string) string {
	t.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(state, "audit", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestDrivenAgentDies has an agent die while its question stands: the question stays, is answered, and the very
// same act has the answer, in this process, once. What it has said last is told without its secrets.
func TestDrivenAgentDies(t *testing.T) {
	t.Parallel()
	s := newDrivenStage(t, manual, "")
	var left agentclient.Question
	_, err := s.says("alice", func(q agentclient.Question) {
		left = q
		kill(t, filepath.Join(s.work, "pid"))
	}, "pid", "ask touch b")
	var ended *agentclient.EndedError
	if !errors.As(err, &ended) || ended.How != "was killed by signal 9 (killed)" {
		t.Fatalf("%v", err)
	}
	for _, wrong := range []struct {
		principal string
		want      error
	}{{"mallory", agentclient.ErrNoQuestion}, {"", agentclient.ErrNoQuestion}} {
		answer := yes
		answer.Principal = wrong.principal
		if err := s.Answer(t.Context(), left.ID, answer); !errors.Is(err, wrong.want) {
			t.Errorf("%q answers: %v", wrong.principal, err)
		}
	}
	if err := s.Answer(t.Context(), left.ID, yes); err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(t.Context(), left.ID, yes); !errors.Is(err, agentclient.ErrAnswered) {
		t.Errorf("once more: %v", err)
	}
	const allowed = `{"outcome":{"optionId":"y","outcome":"selected"}}`
	if said, err := s.says("alice", nil, "ask touch b"); err != nil || said[0] != allowed {
		t.Errorf("the very same: %v, %q", err, said)
	}
	asked := 0
	if _, err := s.says("alice", func(q agentclient.Question) {
		asked++
		s.answer(q, yes, nil)
	}, "ask touch b"); err != nil || asked != 1 {
		t.Errorf("once more: %v, asked %d times", err, asked)
	}
}

// manual has a person asked about everything.
const manual = `
  - id: all
    applies_to: ["*"]
    decision: {type: manual}
`

// kill kills the process that a file names.
func kill(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	pid, err := strconv.Atoi(string(text))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestDrivenAgentsLastWords tells them without the values that the agent was given.
func TestDrivenAgentsLastWords(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("the-value-of-a-key"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newDrivenStage(t, manual, "    environment:\n      THE_KEY: {file: "+key+"}\n      PLAIN: text\n")
	if said, err := s.says("alice", nil, "environment PLAIN", "environment A2A_STATE_DIR"); err != nil || said[0] != "text" || said[1] != "" {
		t.Errorf("%v, %q", err, said)
	}
	_, err := s.says("alice", nil, "die it broke: the-value-of-a-key \x1b[31mdGhlLXZhbHVlLW9mLWEta2V5")
	var ended *agentclient.EndedError
	if !errors.As(err, &ended) || ended.How != "exited with code 3" || ended.LastWords != `it broke: [secret] \u{1b}[31m[secret]` {
		t.Errorf("%+v", err)
	}
}

// TestDrivenAgentsTerminalOnly has a rule want the answer from a terminal, and somebody ask who has shown no token:
// nobody answers from elsewhere, not even once the agent is dead.
func TestDrivenAgentsTerminalOnly(t *testing.T) {
	t.Parallel()
	for principal, rules := range map[string]string{
		"alice":             strings.Replace(manual, "manual}", "manual, answer: terminal}", 1),
		serve.NameAnonymous: manual,
	} {
		t.Run(principal, func(t *testing.T) {
			t.Parallel()
			answeredAtTerminal(t, principal, rules)
		})
	}
}

func answeredAtTerminal(t *testing.T, principal, rules string) {
	t.Helper()
	s := newDrivenStage(t, rules, "")
	answer := yes
	answer.Principal = principal
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var left agentclient.Question
	_, err := s.Prompt(ctx, agentclient.Prompt{
		Conversation: agentclient.Conversation{Agent: "it", Principal: principal, Context: "c"},
		Content:      []agentclient.Content{{Text: "pid\nask touch b"}},
	}, func(e agentclient.Event) {
		if e.Kind != agentclient.EventQuestion {
			return
		}
		left = *e.Question
		// An answer that is taken waits for this function, which would wait for it.
		refusing, over := context.WithTimeout(ctx, 5*time.Second)
		defer over()
		if err := s.Answer(refusing, left.ID, answer); !left.AtTerminal || !errors.Is(err, agentclient.ErrAtTerminal) {
			t.Errorf("answered: %v, %+v", err, left)
			cancel()
			return
		}
		kill(t, filepath.Join(s.work, "pid"))
	})
	var ended *agentclient.EndedError
	if !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if err := s.Answer(ctx, left.ID, answer); !errors.Is(err, agentclient.ErrAtTerminal) {
		t.Errorf("answered: %v", err)
	}
}

// TestDrivenAgentForges has an agent use the method by which a question's place is marked: it is refused.
func TestDrivenAgentForges(t *testing.T) {
	t.Parallel()
	s := newDrivenStage(t, manual, "")
	var notices []string
	if _, err := s.Prompt(t.Context(), agentclient.Prompt{
		Conversation: agentclient.Conversation{Agent: "it", Principal: "alice", Context: "c"},
		Content:      []agentclient.Content{{Text: "forge a2a-acp-1"}},
	}, func(e agentclient.Event) { notices = append(notices, e.Notice) }); err != nil {
		t.Error(err)
	}
	if !strings.Contains(strings.Join(notices, "\n"), "its method is a2a-acp's own") {
		t.Errorf("told %q", notices)
	}
}

// TestDrivenAgentsWorkspace starts no agent where none may work.
func TestDrivenAgentsWorkspace(t *testing.T) {
	t.Parallel()
	for _, workspace := range []string{"/", "$HOME", "/no/such/directory"} {
		s := newDrivenStage(t, manual, "")
		if workspace == "$HOME" {
			workspace = filepath.Dir(s.work)
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(s.work), "config", "a2a-acp", "a2a-acp.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), "workspace: "+s.work, "workspace: "+workspace, 1)
		if err := os.WriteFile(filepath.Join(filepath.Dir(s.work), "config", "a2a-acp", "a2a-acp.yaml"), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.app.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		var ended *agentclient.EndedError
		if _, err := s.says("alice", nil, "pid"); !errors.As(err, &ended) || !strings.Contains(ended.How, "is no directory that an agent may work in") {
			t.Errorf("%s: %v", workspace, err)
		}
	}
}
