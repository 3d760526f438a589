package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// troupe drives agents that do what a test says. It implements Agents, and keeps answers as a Driver does.
type troupe struct {
	// act answers a prompt.
	act func(ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error)

	mu      sync.Mutex
	waiting map[string]*asked // by the id of the question
	replies map[string]chan agentclient.Reply
}

type asked struct {
	principal string
	answer    chan agentclient.Answer // of capacity 1
	given     bool
}

func (a *troupe) List() []agentclient.Agent {
	return []agentclient.Agent{{Name: "acp", Title: "Actor", Workspace: "/home/secret", Running: 3}}
}

func (a *troupe) Prompt(ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
	return a.act(ctx, p, tell)
}

func (a *troupe) question(id, principal string) *asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string]*asked{}
	}
	if a.waiting[id] == nil {
		a.waiting[id] = &asked{principal: principal, answer: make(chan agentclient.Answer, 1)}
	}
	return a.waiting[id]
}

func (a *troupe) Answer(_ context.Context, id string, answer agentclient.Answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch q := a.waiting[id]; {
	case q == nil || q.principal != answer.Principal:
		return agentclient.ErrNoQuestion
	case q.given:
		return agentclient.ErrAnswered
	default:
		q.given = true
		q.answer <- answer
		return nil
	}
}

func (a *troupe) Outlived(ctx context.Context, id, principal string) error {
	q := a.question(id, principal)
	select {
	case answer := <-q.answer:
		q.answer <- answer
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *troupe) Reply(_ context.Context, id string, r agentclient.Reply) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.replies[id] == nil {
		return agentclient.ErrNoQuestion
	}
	a.replies[id] <- r
	return nil
}

// ask asks a question and waits for the answer.
func (a *troupe) ask(ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event), q agentclient.Question) (agentclient.Answer, error) {
	waits := a.question(q.ID, p.Principal)
	tell(agentclient.Event{Kind: agentclient.EventQuestion, Question: &q})
	select {
	case answer := <-waits.answer:
		tell(agentclient.Event{Kind: agentclient.EventAnswered, Answered: &agentclient.Answered{Question: q.ID,
			Allowed: answer.Option.Kind.Allows(), Option: answer.Option.ID, By: answer.By}})
		return answer, nil
	case <-ctx.Done():
		return agentclient.Answer{}, context.Cause(ctx)
	}
}

// asksName asks for a text, and returns where the reply comes.
func (a *troupe) asksName(tell func(agentclient.Event)) <-chan agentclient.Reply {
	reply := make(chan agentclient.Reply, 1)
	a.mu.Lock()
	a.replies = map[string]chan agentclient.Reply{"here-1": reply}
	a.mu.Unlock()
	tell(agentclient.Event{Kind: agentclient.EventInput, Input: &agentclient.Input{ID: "here-1", Message: "Your name?",
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}})
	return reply
}

func began(tell func(agentclient.Event)) {
	tell(agentclient.Event{Kind: agentclient.EventBegan, Began: &agentclient.Began{Session: "s", How: agentclient.OpenedNew}})
}

func says(tell func(agentclient.Event), c agentclient.Content) {
	tell(agentclient.Event{Kind: agentclient.EventMessage, Chunk: &agentclient.Chunk{Content: c}})
}

var turnEnded = agentclient.Outcome{Stop: agentclient.StopEndTurn}

// theatre is a house with an agent that speaks ACP, below /agents/acp.
type theatre struct {
	*house
	troupe *troupe
}

func newTheatre(t *testing.T, act func(*troupe, context.Context, agentclient.Prompt, func(agentclient.Event)) (agentclient.Outcome, error)) *theatre {
	t.Helper()
	s := &theatre{troupe: &troupe{}}
	s.troupe.act = func(ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		return act(s.troupe, ctx, p, tell)
	}
	s.house = &house{t: t, dir: t.TempDir()}
	s.open(s.with)
	t.Cleanup(s.close)
	return s
}

func (s *theatre) with(o *Options) {
	o.Agents["acp"] = NewACPAgent(ACPOptions{Agents: s.troupe, Name: "acp", Version: "1", MostSaid: 2 << 20})
}

// call makes a request of JSON-RPC to the agent.
func (s *theatre) call(who, method, params string) (result, failure map[string]any) {
	s.t.Helper()
	var answer struct{ Result, Error map[string]any }
	read(s.t, s.request(who, "POST", "/agents/acp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`), &answer)
	return answer.Result, answer.Error
}

// says sends a text, and returns the task.
func (s *theatre) says(who, text, more string) map[string]any {
	s.t.Helper()
	result, failure := s.call(who, "SendMessage", message(text, more))
	if failure != nil {
		s.t.Fatalf("%s: %v", text, failure)
	}
	return result["task"].(map[string]any)
}

// task waits until a task has ended or waits for somebody, and returns it.
func (s *theatre) settled(who string, id any) map[string]any {
	s.t.Helper()
	stream := eventsOf(s.request(who, "POST", "/agents/acp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":%q}}`, id)))
	defer stream.body.Close()
	for {
		if _, data := stream.next(s.t); data == nil {
			break
		}
	}
	result, _ := s.call(who, "GetTask", fmt.Sprintf(`{"id":%q}`, id))
	return result
}

// waiting waits until a task waits for its client, and returns it.
func (s *theatre) waiting(who string, id any) map[string]any {
	s.t.Helper()
	stream := eventsOf(s.request(who, "POST", "/agents/acp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":%q}}`, id)))
	defer stream.body.Close()
	for {
		switch _, data := stream.next(s.t); {
		case data == nil:
			s.t.Fatalf("task %v has ended", id)
		case at(data, "result.task.status.state") == "TASK_STATE_INPUT_REQUIRED",
			at(data, "result.statusUpdate.status.state") == "TASK_STATE_INPUT_REQUIRED":
			result, _ := s.call(who, "GetTask", fmt.Sprintf(`{"id":%q}`, id))
			return result
		}
	}
}

var askedToRun = agentclient.Question{ID: "q1", Title: "Run make", Text: "make", Options: []agentclient.Option{
	{ID: "deny", Name: "Deny", Kind: agentclient.OptionAllowOnce}, // the agent's names are its own
	{ID: "y", Name: "Yes", Kind: agentclient.OptionAllowOnce},
	{ID: "n", Name: "No", Kind: agentclient.OptionRejectOnce},
}}

// TestACPAgentTells is about what goes to an agent, and what comes of it.
func TestACPAgentTells(t *testing.T) {
	t.Parallel()
	var got agentclient.Prompt
	s := newTheatre(t, func(_ *troupe, _ context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		got = p
		began(tell)
		for _, word := range []string{"one ", "two ", "three"} {
			says(tell, agentclient.Content{Text: word})
		}
		says(tell, agentclient.Content{Data: []byte("PNG"), MediaType: "image/png", Name: "x.png"})
		tell(agentclient.Event{Kind: agentclient.EventPlan, Plan: []agentclient.PlanEntry{{Content: "look", Status: "in_progress"}}})
		old := "a\n"
		call := agentclient.ToolCall{ID: "c", Title: "Edit", Kind: "edit", Status: "pending",
			Output: []agentclient.ToolOutput{{Diff: &agentclient.Diff{Path: "/w/x", OldText: &old, NewText: "b\n"}}}}
		tell(agentclient.Event{Kind: agentclient.EventToolCall, ToolCall: &call})
		tell(agentclient.Event{Kind: agentclient.EventToolCall, ToolCall: &call}) // nothing new
		shows := func(text string) agentclient.ToolOutput {
			return agentclient.ToolOutput{Content: &agentclient.Content{Text: text}}
		}
		call = agentclient.ToolCall{ID: "d", Title: "Look", Status: "completed", Output: []agentclient.ToolOutput{shows("one"), shows("two\n"), shows("three")}}
		tell(agentclient.Event{Kind: agentclient.EventToolCall, ToolCall: &call})
		return agentclient.Outcome{Stop: agentclient.StopEndTurn, Usage: json.RawMessage(`{"totalTokens":3}`)}, nil
	})
	result, failure := s.call("anna", "SendMessage", `{"message":{"role":"ROLE_USER","messageId":"m1","contextId":"c","parts":[
		{"text":"look"},{"raw":"UE5H","mediaType":"image/png","filename":"in.png"},{"url":"https://example.com/x","filename":"x"},{"data":{"a":1}}]}}`)
	if failure != nil {
		t.Fatal(failure)
	}
	task := result["task"].(map[string]any)
	if at(task, "status.state") != "TASK_STATE_COMPLETED" || len(task["history"].([]any)) != 3 {
		t.Errorf("the task is %v", task)
	}
	var names []string
	for _, artifact := range task["artifacts"].([]any) {
		names = append(names, fmt.Sprintf("%v %v", at(artifact, "name"), at(artifact, "parts.text")))
	}
	if all := strings.Join(names, "\n"); all != "response one two three\nplan - [-] look\n\n/w/x --- a/w/x\n+++ b/w/x\n@@ -1,1 +1,1 @@\n-a\n+b\n\nLook one\ntwo\nthree" {
		t.Errorf("the artifacts are %q", all)
	}
	if parts := at(task, "artifacts.0.parts").([]any); at(parts[1], "raw") != "UE5H" || at(parts[1], "mediaType") != "image/png" {
		t.Errorf("the answer is %v", parts)
	}
	if c := got.Content; got.Principal != "anna" || got.Context != "c" || got.Task != task["id"] || got.Message != "m1" || got.Continue ||
		len(c) != 4 || c[0].Text != "look" || string(c[1].Data) != "PNG" || c[1].Name != "in.png" || c[2].URI != "https://example.com/x" || c[3].Text != `{"a":1}` {
		t.Errorf("the agent was told %+v", got)
	}
	for _, bad := range []string{`{"url":"file:///etc/passwd"}`, `{"url":"/etc/passwd"}`, `{"text":"  "}`} {
		if _, failure := s.call("anna", "SendMessage", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[`+bad+`]}}`); failure["code"] != -32602.0 {
			t.Errorf("%s: %v", bad, failure)
		}
	}
	var card map[string]any
	read(t, s.request("", "GET", "/agents/acp/.well-known/agent-card.json", ""), &card)
	if said, _ := json.Marshal(card); card["name"] != "Actor" || strings.Contains(string(said), "secret") {
		t.Errorf("the card is %s", said)
	}
}

// TestACPAgentAnswers is about what an agent says that is no text: files keep their names, what it attaches as JSON is
// data, and an answer may be a message in place of a task.
func TestACPAgentAnswers(t *testing.T) {
	t.Parallel()
	outcome := turnEnded
	var content agentclient.Content
	s := newTheatre(t, func(_ *troupe, _ context.Context, _ agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		says(tell, content)
		return outcome, nil
	})
	for _, test := range []struct {
		content agentclient.Content
		want    string
	}{
		{agentclient.Content{URI: "attachment:///data.json", Name: "data.json", MediaType: "application/json", Text: `{"a":[1]}`},
			`[{"data":{"a":[1]},"mediaType":"application/json"}]`},
		{agentclient.Content{URI: "file:///w/package.json", Name: "package.json", MediaType: "application/json", Text: `{"a":1}`},
			`[{"filename":"package.json","mediaType":"application/json","text":"{\"a\":1}"}]`},
		{agentclient.Content{URI: "attachment:///data.json", Name: "data.json", MediaType: "application/json", Text: `{"a":12345678901234567890}`},
			`[{"filename":"data.json","mediaType":"application/json","text":"{\"a\":12345678901234567890}"}]`},
		{agentclient.Content{URI: "attachment:///o.txt", Name: "o.txt", MediaType: "text/plain", Data: []byte("x")},
			`[{"filename":"o.txt","mediaType":"text/plain","raw":"eA=="}]`},
		{agentclient.Content{URI: "https://example.com/o", Name: "o"}, `[{"filename":"o","url":"https://example.com/o"}]`},
	} {
		content = test.content
		if got, _ := json.Marshal(at(s.says("anna", "go", ""), "artifacts.0.parts")); string(got) != test.want {
			t.Errorf("%+v\n is told as %s,\nwant %s", test.content, got, test.want)
		}
	}
	content = agentclient.Content{Text: "hello"}
	outcome.Meta = json.RawMessage(`{"a2a":{"message":true}}`)
	result, failure := s.call("anna", "SendMessage", message("go", `,"contextId":"c"`))
	if at(result, "message.parts.0.text") != "hello" || at(result, "message.contextId") != "c" || result["task"] != nil {
		t.Errorf("a message in place of a task: %v, %v", result, failure)
	}
	if result, _ = s.call("anna", "ListTasks", `{"contextId":"c"}`); at(result, "totalSize") != 1.0 {
		t.Errorf("its task is not there: %v", result)
	}
	outcome.Stop = agentclient.StopRefusal
	if result, _ = s.call("anna", "SendMessage", message("go", "")); at(result, "task.status.state") != "TASK_STATE_REJECTED" {
		t.Errorf("one that was refused: %v", result)
	}
}

// TestACPAgentAsks is about questions: who answers them, what counts, and what is told meanwhile.
func TestACPAgentAsks(t *testing.T) {
	t.Parallel()
	var said agentclient.Answer
	s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		q := askedToRun
		q.ID = p.Content[0].Text
		waits := a.question(q.ID, p.Principal)
		tell(agentclient.Event{Kind: agentclient.EventQuestion, Question: &q})
		tell(agentclient.Event{Kind: agentclient.EventToolCall, ToolCall: &agentclient.ToolCall{ID: "c", Title: "Meanwhile", Kind: "read", Status: "completed"}})
		said = <-waits.answer
		tell(agentclient.Event{Kind: agentclient.EventAnswered, Answered: &agentclient.Answered{Question: q.ID,
			Allowed: said.Option.Kind.Allows(), Option: said.Option.ID}})
		if ctx.Err() != nil {
			return agentclient.Outcome{}, context.Cause(ctx)
		}
		return agentclient.Outcome{Stop: map[bool]agentclient.StopReason{true: agentclient.StopEndTurn, false: agentclient.StopCancelled}[said.Option.Kind.Allows()]}, nil
	})
	for _, test := range []struct {
		answer, option, state string
	}{
		{`{"text":"allow"}`, "deny", "TASK_STATE_COMPLETED"}, // the first that allows, whatever its name
		{`{"text":"deny"}`, "n", "TASK_STATE_REJECTED"},
		{`{"data":{"optionId":"deny"}}`, "n", "TASK_STATE_REJECTED"},
		{`{"data":{"optionId":"y"}}`, "y", "TASK_STATE_COMPLETED"},
		{`{"text":"option:y"}`, "y", "TASK_STATE_COMPLETED"},
	} {
		task := s.says("anna", test.answer, "")
		if at(task, "status.state") != "TASK_STATE_INPUT_REQUIRED" || !strings.Contains(fmt.Sprint(at(task, "status.message")), "Run make") {
			t.Fatalf("asked: %v", task)
		}
		answer := func(parts string) (any, any) {
			result, failure := s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[%s]}}`, task["id"], parts))
			return at(result, "task.status.state"), failure["code"]
		}
		for _, wrong := range []string{`{"text":"perhaps"}`, `{"text":"allow it all"}`, `{"data":{"optionId":"y","requestId":"another"}}`} {
			if _, code := answer(wrong); code != -32602.0 {
				t.Errorf("%s: %v", wrong, code)
			}
		}
		if state, code := answer(test.answer); state != test.state || said.Option.ID != test.option || said.By != "the A2A client of anna" {
			t.Errorf("%s: %v %v %+v", test.answer, state, code, said)
		}
		if _, code := answer(test.answer); code != -32004.0 {
			t.Errorf("a second answer: %v", code)
		}
		result, _ := s.call("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"]))
		if history := fmt.Sprint(result["history"]); strings.Count(history, "Meanwhile (read): completed") != 1 {
			t.Errorf("the history is %s", history)
		}
	}
	task := s.says("anna", "elsewhere", "")
	if err := s.troupe.Answer(t.Context(), "elsewhere", agentclient.Answer{Principal: "anna", Option: askedToRun.Options[1]}); err != nil {
		t.Fatal(err)
	}
	if task = s.settled("anna", task["id"]); at(task, "status.state") != "TASK_STATE_COMPLETED" {
		t.Errorf("answered elsewhere: %v", task)
	}
}

// TestACPAgentOutlives ends the server while a question stands and a prompt waits: the answer counts afterwards, wherever
// it is given, and the agent goes on.
func TestACPAgentOutlives(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"on the task", "elsewhere"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			turn := make(chan struct{}, 1) // as a Driver has it for each conversation
			s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
				select {
				case turn <- struct{}{}:
					defer func() { <-turn }()
				case <-ctx.Done():
					return agentclient.Outcome{}, context.Cause(ctx)
				}
				began(tell)
				if p.Content[0].Text == "ask" && !p.Continue {
					_, err := a.ask(ctx, p, tell, askedToRun)
					if !errors.Is(err, agentclient.ErrClosed) {
						t.Errorf("the prompt ends with %v", err)
					}
					return agentclient.Outcome{}, err
				}
				says(tell, agentclient.Content{Text: fmt.Sprint("continued: ", p.Continue)})
				return turnEnded, nil
			})
			first := s.says("anna", "ask", `,"contextId":"c"`)
			result, _ := s.call("anna", "SendMessage", strings.TrimSuffix(message("wait", `,"contextId":"c"`), "}")+`,"configuration":{"returnImmediately":true}}`)
			second := result["task"].(map[string]any)
			if at(second, "status.state") != "TASK_STATE_SUBMITTED" {
				t.Errorf("who waits is %v", second)
			}
			s.close()
			s.open(s.with)
			if task := s.settled("anna", second["id"]); at(task, "artifacts.parts.text") != "continued: false" {
				t.Errorf("who waited: %v", task)
			}
			if where == "elsewhere" {
				s.troupe.question("q1", "anna")
				if err := s.troupe.Answer(t.Context(), "q1", agentclient.Answer{Principal: "anna", Option: askedToRun.Options[1]}); err != nil {
					t.Error(err)
				}
			} else {
				result, failure := s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[{"text":"yes"}]}}`, first["id"]))
				if failure != nil {
					t.Fatal(failure, result)
				}
			}
			if task := s.settled("anna", first["id"]); at(task, "status.state") != "TASK_STATE_COMPLETED" || at(task, "artifacts.parts.text") != "continued: true" {
				t.Errorf("after the answer: %v", task)
			}
		})
	}
}

// TestACPAgentIdle has the server end again after an answer, before the agent is there: the task goes on with the answer, and
// what was answered is not asked again, also where something else is.
func TestACPAgentIdle(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"on the task", "elsewhere"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			prompts, starting := 0, make(chan struct{})
			s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
				prompts++
				if prompts == 2 {
					close(starting)
					<-ctx.Done()
					return agentclient.Outcome{}, context.Cause(ctx)
				}
				began(tell)
				q := askedToRun
				switch prompts {
				case 3:
					q.ID = "q2"
				case 4:
					return turnEnded, nil
				}
				_, err := a.ask(ctx, p, tell, q)
				return agentclient.Outcome{}, err
			})
			asks := func(task map[string]any, question string) {
				t.Helper()
				if at(task, "status.state") != "TASK_STATE_INPUT_REQUIRED" || at(task, "status.message.metadata.requestId") != question {
					t.Fatalf("in place of %s: %v", question, task)
				}
			}
			task := s.says("anna", "ask", "")
			asks(task, "q1")
			restart := func() {
				s.close()
				s.open(s.with)
			}
			allow := func(question string) {
				t.Helper()
				answer := fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[{"text":"allow %s"}]},"configuration":{"returnImmediately":true}}`, task["id"], question)
				if _, failure := s.call("anna", "SendMessage", answer); failure != nil {
					t.Fatal(failure)
				}
			}
			restart()
			if where == "elsewhere" {
				s.troupe.question("q1", "anna")
				if err := s.troupe.Answer(t.Context(), "q1", agentclient.Answer{Principal: "anna", Option: askedToRun.Options[1]}); err != nil {
					t.Fatal(err)
				}
			} else {
				allow("q1")
			}
			<-starting
			restart()
			task = s.waiting("anna", task["id"])
			asks(task, "q2")
			said := len(task["history"].([]any))
			restart()
			result, _ := s.call("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"]))
			if asks(result, "q2"); len(result["history"].([]any)) != said {
				t.Errorf("the restart was told: %v", result["history"])
			}
			allow("q2")
			if task = s.settled("anna", task["id"]); at(task, "status.state") != "TASK_STATE_COMPLETED" || prompts != 4 {
				t.Errorf("after %d prompts: %v", prompts, task)
			}
		})
	}
}

// TestACPAgentEnds is about how prompts end that do not end well.
func TestACPAgentEnds(t *testing.T) {
	t.Parallel()
	holding := make(chan struct{}, 1)
	s := newTheatre(t, func(_ *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		if p.Content[0].Text == "login" {
			return agentclient.Outcome{}, &agentclient.LoginError{Message: "who?", Logins: []agentclient.Login{{ID: "l", Name: "Browser"}}}
		}
		began(tell)
		switch verb, rest, _ := strings.Cut(p.Content[0].Text, " "); verb {
		case "die":
			return agentclient.Outcome{}, &agentclient.EndedError{How: "exited with code 3", LastWords: "oh no"}
		case "refuse":
			return agentclient.Outcome{}, &agentclient.RefusedError{Code: -32603, Message: "the model says no"}
		case "break":
			return agentclient.Outcome{}, errors.New("a secret of ours")
		case "flood":
			for ctx.Err() == nil {
				says(tell, agentclient.Content{Data: make([]byte, 1<<20), MediaType: "application/octet-stream"})
			}
			return agentclient.Outcome{}, context.Cause(ctx)
		case "hold":
			says(tell, agentclient.Content{Text: "holding"})
			holding <- struct{}{}
			<-ctx.Done()
			says(tell, agentclient.Content{Text: ", told"})
			return agentclient.Outcome{Stop: agentclient.StopCancelled}, nil
		default:
			return agentclient.Outcome{Stop: agentclient.StopReason(rest)}, nil
		}
	})
	for _, test := range []struct{ text, state, said string }{
		{"die", "TASK_STATE_FAILED", "the agent exited with code 3. Its last words: oh no"},
		{"refuse", "TASK_STATE_FAILED", "the agent says: the model says no (code -32603)"},
		{"break", "TASK_STATE_FAILED", "something went wrong here; the server's log says what"},
		{"flood", "TASK_STATE_FAILED", "the agent was stopped: it has said more than 2 MiB for one message"},
		{"login", "TASK_STATE_AUTH_REQUIRED", "the agent has no login: who?. Log in (on its machine: a2a-acp agents login acp)"},
		{"stop refusal", "TASK_STATE_REJECTED", "The agent refuses to go on."},
		{"stop max_tokens", "TASK_STATE_FAILED", "The agent stopped: it has used as many tokens as it may."},
		{"stop cancelled", "TASK_STATE_CANCELED", "The agent stopped by itself."},
		{"stop own", "TASK_STATE_COMPLETED", "The agent stopped for a reason of its own."},
	} {
		task := s.says("anna", test.text, "")
		if said, _ := at(task, "status.message.parts.text").(string); at(task, "status.state") != test.state || !strings.HasPrefix(said, test.said) {
			t.Errorf("%s: %v", test.text, task["status"])
		}
	}
	result, _ := s.call("anna", "SendMessage", strings.TrimSuffix(message("hold", ""), "}")+`,"configuration":{"returnImmediately":true}}`)
	<-holding
	if task, failure := s.call("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, at(result, "task.id"))); at(task, "status.state") != "TASK_STATE_CANCELED" || at(task, "artifacts.parts.text") != "holding, told" {
		t.Errorf("canceled: %v %v", task, failure)
	}
}

// TestACPAgentInput has an agent ask for what a form says.
func TestACPAgentInput(t *testing.T) {
	t.Parallel()
	s := newTheatre(t, func(a *troupe, _ context.Context, _ agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		reply := a.asksName(tell)
		r := <-reply
		tell(agentclient.Event{Kind: agentclient.EventAnswered, Answered: &agentclient.Answered{Question: "here-1", Allowed: !r.Declined}})
		says(tell, agentclient.Content{Text: fmt.Sprintf("%t %s", r.Declined, r.Content)})
		return turnEnded, nil
	})
	for _, test := range []struct{ parts, said string }{
		{`{"text":"Anna"}`, `false {"name":"Anna"}`},
		{`{"text":"decline"}`, `true `},
		{`{"data":{"action":"decline"}}`, `true `},
		{`{"data":{"content":{"name":"no"}}}`, `false {"name":"no"}`},
	} {
		task := s.says("anna", "go", "")
		if !strings.Contains(fmt.Sprint(at(task, "status.message")), "Your name?") {
			t.Fatalf("asked: %v", task)
		}
		result, failure := s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[%s]}}`, task["id"], test.parts))
		if at(result, "task.artifacts.parts.text") != test.said {
			t.Errorf("%s: %v %v", test.parts, result, failure)
		}
	}
}

// TestAnswersItsQuestion has an agent ask for a text and for a yes at once: an answer that names the second is none to the
// first, however it names it.
func TestAnswersItsQuestion(t *testing.T) {
	t.Parallel()
	var s *theatre
	s = newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		reply := a.asksName(tell)
		s.door.of(p.Task).asks(1)
		q := askedToRun
		q.ID = p.Task + "-q"
		answer, err := a.ask(ctx, p, tell, q)
		if err != nil {
			return agentclient.Outcome{}, err
		}
		select {
		case r := <-reply:
			return agentclient.Outcome{}, fmt.Errorf("the text is %s", r.Content)
		default:
		}
		says(tell, agentclient.Content{Text: fmt.Sprint(answer.Option.Kind.Allows())})
		return turnEnded, nil
	})
	for parts, want := range map[string]string{
		`"parts":[{"text":"allow ID-q"}]`: "true", `"parts":[{"text":"deny ID-q"}]`: "false",
		`"parts":[{"text":"allow"}],"metadata":{"requestId":"ID-q"}`:    "true",
		`"parts":[{"data":{"toolCallId":"ID-q"}},{"text":"deny"}]`:      "",
		`"parts":[{"data":{"answer":"deny","request_id":"ID-q"}}]`:      "false",
		`"parts":[{"text":"allow"}],"metadata":{"requestId":"ID-none"}`: "",
	} {
		result, _ := s.call("anna", "SendMessage", strings.TrimSuffix(message("go", ""), "}")+`,"configuration":{"returnImmediately":true}}`)
		id := at(result, "task.id").(string)
		run := s.door.of(id)
		run.asks(2)
		result, failure := s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,%s}}`, id,
			strings.ReplaceAll(parts, "ID", id)))
		if want == "" {
			if failure["code"] != -32602.0 {
				t.Errorf("%s: %v, %v", parts, result, failure)
			}
			s.call("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, id))
		}
		<-run.over
		task, _ := s.call("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, id))
		if said, _ := at(task, "artifacts.parts.text").(string); said != want {
			t.Errorf("%s: said %q, want %q: %v", parts, said, want, task["status"])
		}
	}
}

// TestAgentThatCame has an agent come while the server runs, after an earlier process has left a task of it that waits.
func TestAgentThatCame(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.close()
	h.open(func(o *Options) { o.Agents["late"] = newActor() })
	var asked struct{ Result map[string]any }
	read(t, h.request("anna", "POST", "/agents/late", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+message("ask", "")+`}`), &asked)
	h.close()
	var came atomic.Bool
	h.open(func(o *Options) {
		o.More = func(name string) Agent {
			if name != "late" && name != "tasks" || !came.Load() {
				return nil
			}
			return newActor()
		}
	})
	var beside struct{ Error map[string]any }
	read(t, h.request("", "GET", "/agents/.well-known/agent-card.json", ""), &beside)
	if said, _ := beside.Error["message"].(string); !strings.Contains(said, "a slash at its end: /agents/NAME/") {
		t.Errorf("beside the agents is %v", beside)
	}
	if r := h.request("anna", "GET", "/agents/late/.well-known/agent-card.json", ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("before it came: %s", r.Status)
	}
	came.Store(true)
	var answer struct{ Result map[string]any }
	read(t, h.request("anna", "POST", "/agents/late", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+
		message("this", fmt.Sprintf(`,"taskId":%q`, at(asked.Result, "task.id")))+`}`), &answer)
	if at(answer.Result, "task.status.message.parts.text") != "did this" {
		t.Errorf("the task that waited: %v", answer.Result)
	}
	task := h.send("anna", "do it")
	if r := h.request("anna", "GET", "/tasks/"+task["id"].(string), ""); r.StatusCode != http.StatusOK {
		t.Errorf("an agent called tasks has taken the place of the tasks: %s", r.Status)
	}
}

// TestYesIsForWhatWasRead has two people of one principal see a question. One says yes, the agent asks for something else at
// once, and the other's yes, which comes a moment later, is not for that.
func TestYesIsForWhatWasRead(t *testing.T) {
	t.Parallel()
	var done []string
	s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		for _, id := range []string{"q-list", "q-remove", "q-send"} {
			answer, err := a.ask(ctx, p, tell, agentclient.Question{ID: p.Task + id, Title: id, Options: []agentclient.Option{
				{ID: "y", Name: "Yes", Kind: agentclient.OptionAllowOnce}, {ID: "n", Name: "No", Kind: agentclient.OptionRejectOnce}}})
			if err != nil {
				return agentclient.Outcome{}, err
			}
			done = append(done, fmt.Sprint(id, " ", answer.Option.Kind.Allows()))
		}
		return turnEnded, nil
	})
	task := s.says("anna", "go", "")
	id := task["id"].(string)
	answer := func(parts string) (result, failure map[string]any) {
		return s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[%s]}}`, id, parts))
	}
	result, failure := answer(`{"text":"allow"}`)
	if at(result, "task.status.state") != "TASK_STATE_INPUT_REQUIRED" {
		t.Fatal(result, failure)
	}
	named := id + "q-remove"
	asked, _ := at(result, "task.status.message.parts.text").(string)
	if want := fmt.Sprintf("Answer %q or %q.", "allow "+named, "deny "+named); !strings.HasSuffix(asked, want) {
		t.Errorf("it asks %q, want %q at its end", asked, want)
	}
	// A refusal says what would be an answer, and to which question.
	_, failure = answer(`{"text":"allow"}`)
	if want := fmt.Sprintf(`send %q, or its requestId with one of y, n: %s ("q-remove")`, "allow "+named, named); !strings.Contains(fmt.Sprint(failure), want) {
		t.Errorf("it is refused with %v, want %q in it", failure, want)
	}
	for _, late := range []string{`{"text":"allow"}`, `{"text":"yes"}`, `{"data":{"optionId":"y"}}`, `{"text":"allow ` + id + `q-list"}`,
		`{"data":{"optionId":"y","requestId":"` + id + `q-list"}}`, `{"text":"y"}`, `{"text":"allow x` + id + `q-remove"}`} {
		if result, failure := answer(late); failure["code"] != -32602.0 {
			t.Errorf("%s: %v, %v", late, result, failure)
		}
	}
	if result, failure := answer(`{"text":"allow ` + id + `q-remove"}`); at(result, "task.status.state") != "TASK_STATE_INPUT_REQUIRED" {
		t.Fatal(result, failure)
	}
	if result, failure := answer(`{"text":"deny"}`); at(result, "task.status.state") != "TASK_STATE_COMPLETED" { // a no harms nobody
		t.Fatal(result, failure)
	}
	if got := strings.Join(done, ", "); got != "q-list true, q-remove true, q-send false" {
		t.Errorf("answered: %s", got)
	}
}

// TestYesToWhatWasTakenBack has an agent ask for a text, take that back and ask whether it may do something: a yes that was on
// its way to the first is none to the second.
func TestYesToWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	var s *theatre
	s = newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		a.asksName(tell)
		s.door.of(p.Task).asks(1)
		tell(agentclient.Event{Kind: agentclient.EventAnswered, Answered: &agentclient.Answered{Question: "here-1"}})
		answer, err := a.ask(ctx, p, tell, askedToRun)
		if err == nil && answer.Option.Kind.Allows() {
			says(tell, agentclient.Content{Text: "it runs"})
		}
		return turnEnded, err
	})
	result, _ := s.call("anna", "SendMessage", strings.TrimSuffix(message("go", ""), "}")+`,"configuration":{"returnImmediately":true}}`)
	id := at(result, "task.id")
	for at(s.waiting("anna", id), "status.message.metadata.requestId") != askedToRun.ID { // it may be the text that it waits for
	}
	answer := func(text string) (result, failure map[string]any) {
		return s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[{"text":%q}]}}`, id, text))
	}
	for _, late := range []string{"yes", "allow"} {
		if result, failure := answer(late); failure["code"] != -32602.0 {
			t.Errorf("%s: %v", late, result)
		}
	}
	if result, failure := answer("allow " + askedToRun.ID); at(result, "task.status.state") != "TASK_STATE_COMPLETED" {
		t.Errorf("%v, %v", result, failure)
	}
}

// TestMostSaid has an agent say much in what is no text: names, links and data count, too. It
// takes memory, which others measure.
func TestMostSaid(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	for name, row := range map[string]struct {
		content agentclient.Content
		times   int
	}{
		"data":       {agentclient.Content{URI: "attachment:///d", MediaType: "application/json", Text: `["` + long + `"]`}, 40},
		"name":       {agentclient.Content{URI: "https://example.com/", Name: long}, 40},
		"link":       {agentclient.Content{URI: "https://example.com/" + long}, 40},
		"media type": {agentclient.Content{Data: []byte("x"), MediaType: "text/" + long}, 40},
		"many":       {agentclient.Content{URI: "https://e.com/"}, 32 << 10},
	} {
		s := newTheatre(t, func(_ *troupe, ctx context.Context, _ agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
			began(tell)
			for range row.times {
				if ctx.Err() != nil {
					break
				}
				says(tell, row.content)
			}
			return turnEnded, context.Cause(ctx)
		})
		if task := s.says("anna", "go", ""); at(task, "status.state") != "TASK_STATE_FAILED" ||
			!strings.Contains(fmt.Sprint(at(task, "status.message")), "more than 2 MiB") {
			t.Errorf("%s: %v", name, at(task, "status"))
		}
	}
}

// TestScopeIsLookedAtAgain has a task wait while its principal loses the scope tools: no message of his has anything done any
// more, neither a yes nor the next try, nor does the start of another process.
func TestScopeIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	prompts, may := 0, atomic.Bool{}
	may.Store(true)
	s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		prompts++
		began(tell)
		if p.Content[0].Text == "login" {
			return agentclient.Outcome{}, &agentclient.LoginError{Message: "log in"}
		}
		_, err := a.ask(ctx, p, tell, agentclient.Question{ID: "q-" + p.Task, Title: "remove all", Options: []agentclient.Option{
			{ID: "y", Name: "Yes", Kind: agentclient.OptionAllowOnce}}})
		return turnEnded, err
	})
	s.close()
	s.open(func(o *Options) {
		o.Agents["acp"] = NewACPAgent(ACPOptions{Agents: s.troupe, Name: "acp", Version: "1",
			May: func(principal string) bool { return may.Load() && principal == "anna" }})
		caller := o.Caller
		o.Caller = func(r *http.Request) Caller {
			c := caller(r)
			c.NoTools = !may.Load()
			return c
		}
	})
	var tasks []string
	for _, text := range []string{"login", "go"} {
		tasks = append(tasks, s.says("anna", text, "")["id"].(string))
	}
	may.Store(false)
	for _, id := range tasks {
		if result, failure := s.call("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"m","taskId":%q,
			"parts":[{"text":"allow"}]}}`, id)); failure["code"] != -32004.0 {
			t.Errorf("%v, %v", result, failure)
		}
	}
	if prompts != 2 || s.troupe.question("q-"+tasks[1], "anna").given {
		t.Errorf("%d prompts", prompts)
	}
	// Somebody whose token says more than his settings do now is no better off.
	s.door.o.Caller = func(r *http.Request) Caller { return Caller{Name: r.Header.Get("Authorization")} }
	if result, failure := s.call("anna", "SendMessage", message("login", `,"taskId":"`+tasks[0]+`"`)); at(result, "task.status.state") != "TASK_STATE_REJECTED" {
		t.Errorf("%v, %v", result, failure)
	}
	if prompts != 2 {
		t.Errorf("%d prompts", prompts)
	}
}

// screen looks at answers as a test says.
type screen struct {
	judge func(round int, a AgentAnswer) ScreenedAnswer

	mu     sync.Mutex
	rounds int
	over   int
}

func (s *screen) Screens(agent string) bool { return agent == "acp" }

func (s *screen) Screen(_ context.Context, a AgentAnswer) ScreenedAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rounds++
	return s.judge(s.rounds, a)
}

func (s *screen) Over(AgentAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over++
}

// TestAnswersAreScreened has what an agent answers looked at before anybody is told: what is sent back, withheld or replaced
// stands in no event.
func TestAnswersAreScreened(t *testing.T) {
	t.Parallel()
	said := func(status, followUp string) tool.Governance {
		return tool.Governance{Phase: tool.PhaseOutput, Answers: []tool.GovernorAnswer{{Governor: "g", Status: status,
			Messages: []string{"because"}, FollowUp: followUp}}}
	}
	back := func(a AgentAnswer) ScreenedAnswer {
		return ScreenedAnswer{Text: a.Text, Governor: "g", Withheld: "because", FollowUp: "without the canary", Said: said("reject", "without the canary")}
	}
	for name, test := range map[string]struct {
		judge             func(round int, a AgentAnswer) ScreenedAnswer
		stop              agentclient.StopReason
		state, text, tell string
		prompts, feedback int
	}{
		"approved": {func(_ int, a AgentAnswer) ScreenedAnswer { return ScreenedAnswer{Text: a.Text} }, agentclient.StopEndTurn,
			"TASK_STATE_COMPLETED", "round 1 canary", "", 1, 0},
		"replaced": {func(_ int, a AgentAnswer) ScreenedAnswer {
			return ScreenedAnswer{Text: strings.ReplaceAll(a.Text, "canary", "[redacted]"), Said: said("approve", "")}
		}, agentclient.StopEndTurn, "TASK_STATE_COMPLETED", "round 1 [redacted]", "", 1, 1},
		"sent back": {func(round int, a AgentAnswer) ScreenedAnswer {
			if round < 3 {
				return back(a)
			}
			return ScreenedAnswer{Text: "round 3", Said: said("approve", "")}
		}, agentclient.StopEndTurn, "TASK_STATE_COMPLETED", "round 3", "", 3, 3},
		"withheld": {func(_ int, a AgentAnswer) ScreenedAnswer {
			return ScreenedAnswer{Governor: "g", Withheld: "because", Said: said("reject", "")}
		}, agentclient.StopEndTurn, "TASK_STATE_FAILED", "", "withheld by governor g: because", 1, 1},
		"cut off, and not sent back": {func(_ int, a AgentAnswer) ScreenedAnswer { return back(a) }, agentclient.StopMaxTokens,
			"TASK_STATE_FAILED", "", "withheld by governor g: because", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var prompts []string
			s := &theatre{troupe: &troupe{}, house: &house{t: t, dir: t.TempDir()}}
			s.troupe.act = func(ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
				began(tell)
				for {
					prompts = append(prompts, p.Content[0].Text)
					says(tell, agentclient.Content{Text: fmt.Sprintf("round %d ", len(prompts))})
					says(tell, agentclient.Content{Text: "canary"})
					outcome := agentclient.Outcome{Stop: test.stop}
					if p.Content = p.After(ctx, outcome); p.Content == nil {
						return outcome, nil
					}
				}
			}
			look := &screen{judge: test.judge}
			s.open(func(o *Options) {
				o.Agents["acp"] = NewACPAgent(ACPOptions{Agents: s.troupe, Name: "acp", Version: "1", Screen: look})
			})
			t.Cleanup(s.close)
			stream := eventsOf(s.request("anna", "POST", "/agents/acp/message:stream", message("go", "")))
			defer stream.body.Close()
			var all strings.Builder
			id := ""
			for {
				_, data := stream.next(t)
				if data == nil {
					break
				}
				id = cmp.Or(id, fmt.Sprint(at(data, "task.id")))
				fmt.Fprintln(&all, data)
			}
			task, _ := s.call("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, id))
			text, _ := at(task, "artifacts.parts.text").(string)
			if at(task, "status.state") != test.state || text != test.text || !strings.Contains(fmt.Sprint(at(task, "status.message.parts.text")), test.tell) {
				t.Errorf("the task is %v", task)
			}
			if test.text != "round 1 canary" && strings.Contains(strings.ReplaceAll(all.String(), "without the canary", ""), "canary") {
				t.Errorf("it is told all the same: %s", all.String())
			}
			if len(prompts) != test.prompts || test.prompts > 1 && prompts[1] != "without the canary" || look.over != 1 {
				t.Errorf("the agent was told %q, and it was over %d times", prompts, look.over)
			}
			var history struct {
				GovernorFeedback []map[string]any `json:"governorFeedback"`
			}
			read(t, s.request("anna", "GET", "/agents/acp/a2a/tasks/"+id+"/governor/history", ""), &history)
			if len(history.GovernorFeedback) != test.feedback {
				t.Errorf("the history is %v", history)
			}
		})
	}
}
