//go:build agents

package agents

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// driven is a real agent that is driven without an editor, in this process, as the daemon does it.
type driven struct {
	*rig
	agent  agent
	root   string
	app    *app.App
	agents *agentclient.Driver
}

// asksAll has a person asked about everything but reading.
const asksAll = `
version: 2
auto_approval_policies:
  - id: everything
    applies_to: ["*"]
    decision: {type: manual}
`

// drive configures an agent.
func drive(t *testing.T, a agent, policies, more string) *driven {
	t.Helper()
	asBridge.RLock()
	t.Cleanup(asBridge.RUnlock)
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	d := &driven{rig: assemble(t, a, options{}), agent: a}
	d.root = filepath.Dir(d.work)
	write(t, filepath.Join(d.root, "policies.yaml"), policies)
	command, err := json.Marshal(d.program.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	version := "1"
	if a.version == 2 {
		version = "2"
	}
	write(t, filepath.Join(d.root, "config", "a2a-acp", "a2a-acp.yaml"), "agents:\n  it:\n    command: "+string(command)+
		"\n    workspace: "+d.work+"\n    protocol: "+version+"\n"+more)
	d.open()
	t.Cleanup(func() {
		d.close()
		if left := endStrays(t, d.home); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return d
}

// open starts the program.
func (d *driven) open() {
	d.t.Helper()
	variables := map[string]string{"HOME": d.home, "PATH": os.Getenv("PATH"), "A2A_STATE_DIR": d.state,
		"XDG_CONFIG_HOME": filepath.Join(d.root, "config")}
	var err error
	d.app, err = app.New(app.Options{PolicyFiles: []string{filepath.Join(d.root, "policies.yaml")},
		Getenv: func(name string) string { return variables[name] }, Dir: d.work, Home: d.home,
		Say: func(line string) { d.t.Log("say: " + line) }, Version: "test"})
	if err != nil {
		d.t.Fatal(err)
	}
	binary, err := built()
	if err != nil {
		d.t.Fatal(err)
	}
	d.agents, err = d.app.Agents(app.AgentsOptions{Environ: append(d.program.Environment, builtVariable+"="+binary),
		Stderr: lines.New(writer(d.t.Log)), Served: true})
	if err != nil {
		d.t.Fatal(err)
	}
}

type writer func(...any)

func (w writer) Write(p []byte) (int, error) {
	w("stderr: " + strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// age makes the agent's sessions older: Gemini names the file of one by the minute in which it began, and writes
// it anew where it loads it in that minute.
func (d *driven) age() {
	files, err := filepath.Glob(filepath.Join(d.home, ".gemini/tmp/*/chats/session-*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if err := os.Rename(file, filepath.Join(filepath.Dir(file), "session-2026-01-01T00-00-"+name[strings.LastIndex(name, "-")+1:])); err != nil {
			d.t.Fatal(err)
		}
	}
}

// close ends the program.
func (d *driven) close() {
	if err := d.app.Stop(context.Background()); err != nil {
		d.t.Error(err)
	}
}

// told is what was told of a prompt.
type told struct {
	events  []agentclient.Event
	outcome agentclient.Outcome
	err     error
}

// said is the agent's answer.
func (h told) said() string {
	var text strings.Builder
	for _, e := range h.events {
		if e.Kind == agentclient.EventMessage {
			text.WriteString(e.Chunk.Content.Text)
		}
	}
	return text.String()
}

// began is how the session was opened.
func (h told) began() agentclient.Began {
	for _, e := range h.events {
		if e.Kind == agentclient.EventBegan {
			return *e.Began
		}
	}
	return agentclient.Began{}
}

// in is a conversation of the test's.
func in(conversation string) agentclient.Conversation {
	return agentclient.Conversation{Agent: "it", Principal: "alice", Context: conversation}
}

// answers answers the questions of a prompt with an option of a kind.
func (d *driven) answers(kind agentclient.OptionKind) func(agentclient.Event) {
	return func(e agentclient.Event) {
		if e.Kind != agentclient.EventQuestion {
			return
		}
		question := *e.Question
		go func() { // ends with the question
			for _, option := range question.Options {
				if option.Kind == kind {
					if err := d.agents.Answer(context.Background(), question.ID,
						agentclient.Answer{Option: option, Principal: "alice", By: "a test"}); err != nil {
						d.t.Errorf("answer %s: %v", question.Title, err)
					}
					return
				}
			}
			d.t.Errorf("%s: no option is %s: %+v", question.Title, kind, question.Options)
		}()
	}
}

// prompt plays a script in a conversation.
func (d *driven) play(ctx context.Context, p agentclient.Prompt, heard func(agentclient.Event), steps ...model.Step) (h told) {
	d.t.Helper()
	p.Content = append([]agentclient.Content{{Text: model.Prompt(steps...)}}, p.Content...)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h.outcome, h.err = d.agents.Prompt(ctx, p, func(e agentclient.Event) {
		h.events = append(h.events, e)
		if heard != nil {
			heard(e)
		}
	})
	return h
}

func drivenAgents(t *testing.T, test func(t *testing.T, a agent)) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// TestDriven says something, has a command approved and a file written, goes on in the same session, and in
// another process.
func TestDriven(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		ctx := t.Context()
		hello := d.play(ctx, agentclient.Prompt{Conversation: in("c"), Task: "task-1", Message: "m-1"}, nil,
			model.Step{Think: "let me see", Say: "Hello there, driver."})
		if hello.err != nil || hello.outcome.Stop != agentclient.StopEndTurn || !strings.Contains(hello.said(), "Hello there, driver.") ||
			hello.began().How != agentclient.OpenedNew {
			t.Fatalf("%+v, %v: %q, %+v", hello.outcome, hello.err, hello.said(), hello.began())
		}
		acts := d.play(ctx, agentclient.Prompt{Conversation: in("c")}, d.answers(agentclient.OptionAllowOnce),
			model.Step{Calls: []model.Call{{Act: model.Write, Path: d.path("made.txt"), Text: "by the agent\n"}}},
			model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch touched"}}},
			model.Step{Say: "done"})
		if acts.err != nil || acts.outcome.Stop != agentclient.StopEndTurn || acts.began().How != agentclient.OpenedKept {
			t.Fatalf("%+v, %v, %+v", acts.outcome, acts.err, acts.began())
		}
		if got := d.files(); got["made.txt"] != "by the agent\n" {
			t.Errorf("made.txt: %q", got)
		}
		if _, err := os.Stat(d.path("touched")); err != nil {
			t.Error(err)
		}
		var questions, answered, calls int
		for _, e := range acts.events {
			switch e.Kind {
			case agentclient.EventQuestion:
				questions++
				if e.Question.Action == "execute" && e.Question.Command != "touch touched" {
					t.Errorf("the question shows the command %q", e.Question.Command)
				}
			case agentclient.EventAnswered:
				answered++
				if !e.Answered.Allowed || e.Answered.By != "a test" || e.Answered.Option == "" {
					t.Errorf("answered %+v", *e.Answered)
				}
			case agentclient.EventToolCall:
				calls++
			}
		}
		if questions < 2 || answered != questions || calls == 0 {
			t.Errorf("%d questions, %d answers, %d tool calls were told of", questions, answered, calls)
		}
		d.close()
		d.age()
		d.open()
		again := d.play(ctx, agentclient.Prompt{Conversation: in("c")}, nil, model.Step{Say: "back again"})
		if again.err != nil || !strings.Contains(again.said(), "back again") || strings.Contains(again.said(), "Hello there") {
			t.Errorf("%v: %q", again.err, again.said())
		}
		if began := again.began(); began.How != agentclient.OpenedResumed || began.Session != hello.began().Session {
			t.Errorf("began %+v, want the session %s resumed", began, hello.began().Session)
		}
	})
}

// TestDrivenConfined has an agent in the sandbox: it works where it may, and is not helped elsewhere.
func TestDrivenConfined(t *testing.T) {
	t.Parallel()
	d := drive(t, gemini(), "version: 2\nauto_approval_policies: [{id: all, applies_to: [\"*\"], decision: {type: approve}}]\n",
		"    confine: gemini\n")
	elsewhere := filepath.Join(d.root, "elsewhere.txt")
	h := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, nil,
		model.Step{Calls: []model.Call{{Act: model.Write, Path: d.path("made.txt"), Text: "inside"}}},
		model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch touched " + elsewhere}}},
		model.Step{Say: "done"})
	if h.err != nil || h.outcome.Stop != agentclient.StopEndTurn {
		t.Fatalf("%+v, %v", h.outcome, h.err)
	}
	files := d.files()
	if _, touched := files["touched"]; files["made.txt"] != "inside" || !touched {
		t.Errorf("made are %v", files)
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("it wrote outside of its sandbox")
	}
}

// TestDrivenSees says an image and a file to an agent, which takes them.
func TestDrivenSees(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		pixel, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
		if err != nil {
			t.Fatal(err)
		}
		h := d.play(t.Context(), agentclient.Prompt{Conversation: in("c"), Content: []agentclient.Content{
			{Data: pixel, MediaType: "image/png"}, {Text: "a,b", Name: "table.csv", MediaType: "text/csv"},
		}}, nil, model.Step{Say: "seen"})
		if h.err != nil || !strings.Contains(h.said(), "seen") {
			t.Errorf("%v: %q", h.err, h.said())
		}
	})
}

// TestDrivenRefuses says no: nothing is done, and the agent goes on.
func TestDrivenRefuses(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		h := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, d.answers(agentclient.OptionRejectOnce),
			model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch touched"}}}, model.Step{Say: "well then"})
		if h.err != nil {
			t.Error(h.err)
		}
		if _, err := os.Stat(d.path("touched")); err == nil {
			t.Error("it was done all the same")
		}
	})
}

// TestDrivenCancels cancels a prompt while a question stands; the next one works.
func TestDrivenCancels(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h := d.play(ctx, agentclient.Prompt{Conversation: in("c")}, func(e agentclient.Event) {
			if e.Kind == agentclient.EventQuestion {
				cancel()
			}
		}, model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch touched"}}}, model.Step{Say: "done"})
		if h.err != nil || h.outcome.Stop != agentclient.StopCancelled {
			t.Errorf("%+v, %v", h.outcome, h.err)
		}
		next := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, nil, model.Step{Say: "here I am"})
		if next.err != nil || !strings.Contains(next.said(), "here I am") || next.began().How != agentclient.OpenedKept {
			t.Errorf("%v: %q, %+v", next.err, next.said(), next.began())
		}
		if _, err := os.Stat(d.path("touched")); err == nil {
			t.Error("it was done all the same")
		}
	})
}

// TestDrivenTwice has two conversations at once: each has its process and its session, and a question of one
// holds back nothing of the other.
func TestDrivenTwice(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		stands, goOn := make(chan agentclient.Question, 1), make(chan struct{})
		var first told
		var asking sync.WaitGroup
		asking.Go(func() {
			first = d.play(t.Context(), agentclient.Prompt{Conversation: in("first")}, func(e agentclient.Event) {
				if e.Kind == agentclient.EventQuestion {
					stands <- *e.Question
				}
			}, model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch first"}}}, model.Step{Say: "first is done"})
			close(goOn)
		})
		var question agentclient.Question
		select {
		case question = <-stands:
		case <-goOn:
			t.Fatalf("nothing was asked: %+v, %v", first.outcome, first.err)
		}
		second := d.play(t.Context(), agentclient.Prompt{Conversation: in("second")}, nil, model.Step{Say: "second is done"})
		if second.err != nil || !strings.Contains(second.said(), "second is done") {
			t.Errorf("%v: %q", second.err, second.said())
		}
		yes := question.Options[0]
		for _, option := range question.Options {
			if option.Kind == agentclient.OptionAllowOnce {
				yes = option
			}
		}
		// It is another's.
		if err := d.agents.Answer(t.Context(), question.ID, agentclient.Answer{Option: yes, Principal: "mallory", By: "mallory"}); !errors.Is(err, agentclient.ErrNoQuestion) {
			t.Errorf("another principal answers: %v", err)
		}
		if err := d.agents.Answer(t.Context(), question.ID, agentclient.Answer{Option: yes, Principal: "alice", By: "alice"}); err != nil {
			t.Error(err)
		}
		if err := d.agents.Answer(t.Context(), question.ID, agentclient.Answer{Option: yes, Principal: "alice", By: "alice"}); err == nil {
			t.Error("it is answered twice")
		}
		asking.Wait()
		if first.err != nil || !strings.Contains(first.said(), "first is done") || first.began().Session == second.began().Session {
			t.Errorf("%v: %q, sessions %s and %s", first.err, first.said(), first.began().Session, second.began().Session)
		}
	})
}

// TestDrivenRestarts answers a question after the program was ended while it stood: the agent goes on with its
// session, asks the very same, and has the answer.
func TestDrivenRestarts(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		stands := make(chan agentclient.Question, 1)
		cut := make(chan told, 1)
		prompt := agentclient.Prompt{Conversation: in("c"), Task: "task-1"}
		steps := []model.Step{{Calls: []model.Call{{Act: model.Shell, Command: "touch touched"}}}, {Say: "done"}}
		go func() {
			cut <- d.play(context.Background(), prompt, func(e agentclient.Event) {
				if e.Kind == agentclient.EventQuestion {
					stands <- *e.Question
				}
			}, steps...)
		}()
		question := <-stands
		d.close()
		if h := <-cut; !errors.Is(h.err, agentclient.ErrClosed) {
			t.Errorf("the prompt ended with %+v, %v", h.outcome, h.err)
		}
		d.age()
		d.open()
		answer := agentclient.Answer{Option: agentclient.Option{Kind: agentclient.OptionAllowOnce}, Principal: "mallory", By: "mallory"}
		if err := d.agents.Answer(t.Context(), question.ID, answer); !errors.Is(err, agentclient.ErrNoQuestion) {
			t.Errorf("another principal answers: %v", err)
		}
		answer.Principal, answer.By = "alice", "alice, later"
		if err := d.agents.Answer(t.Context(), question.ID, answer); err != nil {
			t.Fatal(err)
		}
		// Not with Continue: the model plays what it is told, where a real one goes on by itself.
		after := d.play(t.Context(), prompt, func(e agentclient.Event) {
			if e.Kind == agentclient.EventQuestion {
				t.Errorf("it is asked again: %s", e.Question.Title)
			}
		}, steps...)
		if after.err != nil || after.began().How != agentclient.OpenedResumed {
			t.Errorf("%+v, %v, %+v", after.outcome, after.err, after.began())
		}
		if _, err := os.Stat(d.path("touched")); err != nil {
			t.Error(err)
		}
	})
}

// TestDrivenDies kills an agent in the middle of its answer: the prompt fails with how it ended, and the next
// one goes on with the session.
func TestDrivenDies(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "")
		first := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, nil, model.Step{Say: "hello"})
		if first.err != nil {
			t.Fatal(first.err)
		}
		died := false
		h := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, func(e agentclient.Event) {
			if e.Kind == agentclient.EventMessage && !died {
				died = true
				endAgents(t, d.home)
				d.age()
			}
		}, model.Step{Say: "I am about to say more", Hang: true})
		var ended *agentclient.EndedError
		if !errors.As(h.err, &ended) || ended.How == "" {
			t.Errorf("%+v, %v", h.outcome, h.err)
		}
		next := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, nil, model.Step{Say: "risen"})
		if next.err != nil || !strings.Contains(next.said(), "risen") {
			t.Errorf("%v: %q, %+v", next.err, next.said(), next.began())
		}
		t.Logf("went on: %+v", next.began())
	})
}

// endAgents kills all that runs of an agent, its supervisor too.
func endAgents(t *testing.T, home string) { endStrays(t, home) }

// TestDrivenRests has an agent idle: its process ends, and the next prompt goes on with the session.
func TestDrivenRests(t *testing.T) {
	t.Parallel()
	drivenAgents(t, func(t *testing.T, a agent) {
		d := drive(t, a, asksAll, "    idle_timeout: 0.001\n")
		first := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, nil, model.Step{Say: "hello"})
		if first.err != nil {
			t.Fatal(first.err)
		}
		for d.agents.List()[0].Running > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		if left := endStrays(t, d.home); len(left) > 0 {
			t.Errorf("an idle agent left behind: %q", left)
		}
		d.age()
		next := d.play(t.Context(), agentclient.Prompt{Conversation: in("c")}, nil, model.Step{Say: "awake"})
		if next.err != nil || !strings.Contains(next.said(), "awake") || next.began().How != agentclient.OpenedResumed {
			t.Errorf("%v: %q, %+v", next.err, next.said(), next.began())
		}
	})
}
