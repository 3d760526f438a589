package agentclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// endTurn answers a prompt.
var endTurn = map[string]any{"stopReason": "end_turn"}

// TestPrompt says something, hears all kinds of answers, and goes on in the same process. The ids travel along.
func TestPrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{Task: "t1", Message: "m1"})
	f := <-s.started
	p := <-f.prompts
	f.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`)
	f.say("one ")
	f.update(`{"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"pending"}]}`)
	f.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"read a","kind":"read","rawInput":{"path":"a"}}`)
	f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"diff","path":"a","newText":"x"}]}`)
	f.update(`{"sessionUpdate":"usage_update","used":1,"size":2}`)
	f.update(`{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`)
	f.say("two")
	f.answer(p.ID, map[string]any{"stopReason": "end_turn", "usage": map[string]int{"totalTokens": 7}, "_meta": map[string]int{"x": 1}})
	h.done()
	if h.err != nil || h.outcome.Stop != StopEndTurn || string(h.outcome.Usage) != `{"totalTokens":7}` || string(h.outcome.Meta) != `{"x":1}` {
		t.Fatalf("%+v, %v", h.outcome, h.err)
	}
	if got, want := h.said(), "began new; thought hm; message one ; plan; tool call c pending; tool call c completed; usage; other; message two"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	call := h.events[5].ToolCall
	if call.Title != "read a" || string(call.Input) != `{"path":"a"}` || len(call.Output) != 1 || call.Output[0].Diff.NewText != "x" {
		t.Errorf("the call in the end: %+v", call)
	}
	var sent struct {
		SessionID string
		Prompt    []block
		Meta      map[string]map[string]string `json:"_meta"`
	}
	if err := json.Unmarshal(p.Params, &sent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"contextId": "c", "taskId": "t1", "messageId": "m1"}, sent.Meta["a2a"]); diff != "" ||
		sent.SessionID != "s" || len(sent.Prompt) != 1 || sent.Prompt[0].Text != "hello" {
		t.Errorf("%+v (-want +got)\n%s", sent, diff)
	}
	again := s.prompt(t.Context(), Prompt{})
	f.answer((<-f.prompts).ID, endTurn)
	if got := again.done().said(); got != "began kept" {
		t.Errorf("told %q", got)
	}
}

// TestAfter has an agent told more before its answer is over, and before the next prompt of the conversation.
func TestAfter(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	rounds := 0
	h := s.prompt(t.Context(), Prompt{Continue: true, After: func(_ context.Context, o Outcome) []Content {
		if rounds++; rounds == 3 || o.Stop != StopEndTurn {
			return nil
		}
		return []Content{{Text: fmt.Sprint("again ", rounds)}}
	}})
	f := <-s.started
	first := <-f.prompts
	other := s.prompt(t.Context(), Prompt{Content: []Content{{Text: "other"}}})
	f.say("one ")
	f.answer(first.ID, endTurn)
	for _, want := range []string{"again 1", "again 2"} {
		p := <-f.prompts
		if !strings.Contains(string(p.Params), want) {
			t.Errorf("told %s, want %s", p.Params, want)
		}
		f.say("more ")
		f.answer(p.ID, endTurn)
	}
	h.done()
	f.answer((<-f.prompts).ID, endTurn)
	other.done()
	if got, want := h.said(), "began new; message one ; began kept; message more ; began kept; message more "; got != want || rounds != 3 {
		t.Errorf("told %q in %d rounds, want %q", got, rounds, want)
	}
}

// TestPromptsWait has prompts of one conversation wait for each other, in order, and those of another not.
func TestPromptsWait(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	first := s.prompt(t.Context(), Prompt{Message: "1"})
	f := <-s.started
	p := <-f.prompts
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := s.prompt(ctx, Prompt{Message: "2"})
	s.used(2)
	other := s.prompt(t.Context(), Prompt{Conversation: Conversation{Agent: "it", Principal: "bob", Context: "c"}})
	g := <-s.started
	q := <-g.prompts
	g.say("of bob's")
	g.answer(q.ID, endTurn)
	if got := other.done().said(); got != "began new; message of bob's" {
		t.Errorf("told %q", got)
	}
	cause := errors.New("never mind")
	cancel(cause)
	if waits.done(); !errors.Is(waits.err, cause) || len(waits.events) > 0 {
		t.Errorf("one that waited ends with %v, and %q", waits.err, waits.said())
	}
	if len(f.prompts) > 0 || f.called("session/cancel") {
		t.Error("the agent heard of one that waited")
	}
	f.answer(p.ID, endTurn)
	if first.done(); first.err != nil {
		t.Error(first.err)
	}
}

// TestCancel cancels a prompt: the agent may say more, and one that does not cancel is ended.
func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("it cancels", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, func(f *fake) {
			f.handle = func(f *fake, method string, _ map[string]any) (any, error) {
				if method == "session/cancel" {
					f.say("bye")
					f.answer((<-f.prompts).ID, map[string]string{"stopReason": "cancelled"})
				}
				return nil, nil
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		h := s.prompt(ctx, Prompt{})
		f := <-s.started
		p := <-f.prompts
		f.prompts <- p
		cancel()
		if h.done(); h.err != nil || h.outcome.Stop != StopCancelled || !strings.HasSuffix(h.said(), "message bye") {
			t.Errorf("%+v, %v, %q", h.outcome, h.err, h.said())
		}
	})
	t.Run("it leaves a command", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, func(f *fake) {
			f.handle = cancels
		})
		ctx, cancel := context.WithCancel(t.Context())
		h := s.prompt(ctx, Prompt{})
		f := <-s.started
		f.prompts <- <-f.prompts
		var made struct{ TerminalID string }
		sleep := map[string]any{"command": "sleep", "args": []string{"1000"}}
		if answer := f.request("c", "terminal/create", sleep); json.Unmarshal(answer.Result, &made) != nil {
			t.Fatalf("%s", answer.Error)
		}
		cancel()
		if h.done(); h.outcome.Stop != StopCancelled {
			t.Errorf("%+v, %v", h.outcome, h.err)
		}
		if got := f.request("d", "terminal/create", sleep); got.Error == nil {
			t.Fatal("another one begins")
		}
		got := f.request("w", "terminal/wait_for_exit", map[string]any{"terminalId": made.TerminalID})
		if !strings.Contains(string(got.Result), "SIGKILL") {
			t.Errorf("it ended with %s", got.Result)
		}
		h = s.prompt(t.Context(), Prompt{})
		p := <-f.prompts
		if got := f.request("e", "terminal/create", map[string]any{"command": "true"}); got.Error != nil {
			t.Errorf("after the next prompt none begins: %s", got.Error)
		}
		f.answer(p.ID, endTurn)
		h.done()
	})
	t.Run("it does not", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, nil)
		s.o.CancelGrace = 1
		ctx, cancel := context.WithCancel(t.Context())
		h := s.prompt(ctx, Prompt{})
		f := <-s.started
		<-f.prompts
		cancel()
		if h.done(); h.err != nil || h.outcome.Stop != StopCancelled {
			t.Errorf("%+v, %v", h.outcome, h.err)
		}
		<-f.over
		if n := s.List()[0].Running; n != 0 {
			t.Errorf("%d processes", n)
		}
	})
}

// TestDies ends an agent that answers: the prompt fails with its last words, whether the bridge says so first or
// not, and the next one goes on with the session where the agent can.
func TestDies(t *testing.T) {
	t.Parallel()
	for name, die := range map[string]func(f *fake, p frame){
		"at once": func(f *fake, _ frame) { f.out.Close() },
		"as a bridge tells it": func(f *fake, p frame) {
			f.refuse(p.ID, &RefusedError{Code: codeInternal, Message: "Internal error", Data: json.RawMessage(`{"details":"the agent ended: exited with code 3"}`)})
		},
	} {
		for can, want := range map[string]string{`{}`: "began anew", `{"loadSession":true}`: "began resumed",
			`{"sessionCapabilities":{"resume":{}}}`: "began resumed"} {
			t.Run(name+" "+can, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, nil, func(f *fake) {
					f.can = can
					f.handle = func(f *fake, method string, _ map[string]any) (any, error) {
						switch method {
						case "session/load":
							f.say("of the past")
							return struct{}{}, nil
						case "session/resume":
							return struct{}{}, nil
						case "_a2a-acp/settled": // Gemini answers before it has told all
							f.say("of the past, too")
						}
						return nil, nil
					}
				})
				h := s.prompt(t.Context(), Prompt{})
				f := <-s.started
				die(f, <-f.prompts)
				var ended *EndedError
				if h.done(); !errors.As(h.err, &ended) || ended.How != "exited with code 3" || ended.LastWords != "last words" {
					t.Errorf("%+v, %v", h.outcome, h.err)
				}
				next := s.prompt(t.Context(), Prompt{Continue: true})
				g := <-s.started
				p := <-g.prompts
				g.answer(p.ID, endTurn)
				if next.done(); next.said() != want {
					t.Errorf("told %q, want %q", next.said(), want)
				}
				// Who remembers is told to go on, and who does not is told what was said.
				if told := strings.Contains(string(p.Params), "hello"); told != (can == "{}") {
					t.Errorf("told %s", p.Params)
				}
			})
		}
	}
}

// TestSessionIsLost has an agent not know its session any more: another begins, and that is said.
func TestSessionIsLost(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]*RefusedError{
		"Claude": {Code: codeNotFound, Message: "Resource not found"},
		"Gemini": {Code: codeInternal, Message: "Internal error", Data: json.RawMessage(`{"details":"No previous sessions found for this project."}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil, func(f *fake) {
				f.can = `{"loadSession":true}`
				f.handle = func(_ *fake, method string, _ map[string]any) (any, error) {
					if method == "session/load" {
						return nil, refusal
					}
					return nil, nil
				}
			})
			key := Conversation{"it", "alice", "c"}
			_ = s.kept.Keep(t.Context(), key, Kept{Session: "old", Workspace: s.agent.Workspace})
			h := s.prompt(t.Context(), Prompt{Conversation: key})
			f := <-s.started
			f.answer((<-f.prompts).ID, endTurn)
			if h.done(); h.err != nil || h.events[0].Began.How != OpenedAnew || !strings.Contains(h.events[0].Began.Why, refusal.words()) {
				t.Errorf("%v: %+v", h.err, h.events[0].Began)
			}
			if kept, _ := s.kept.Session(t.Context(), key); kept.Session != "s" {
				t.Errorf("kept is %+v", kept)
			}
		})
	}
}

// TestMostRunning starts no more processes than may run: one that is idle ends for another, and where none is,
// it is waited for.
func TestMostRunning(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c *Configured) { c.MaxRunning = 1 }, nil)
	in := func(name string) Prompt {
		return Prompt{Conversation: Conversation{"it", "alice", name}}
	}
	first := s.prompt(t.Context(), in("first"))
	f := <-s.started
	p := <-f.prompts
	cause := errors.New("never mind")
	ctx, gone := context.WithCancelCause(t.Context())
	impatient := s.prompt(ctx, in("impatient"))
	second := s.prompt(t.Context(), in("second"))
	gone(cause)
	if impatient.done(); !errors.Is(impatient.err, cause) {
		t.Errorf("%+v, %v", impatient.outcome, impatient.err)
	}
	if len(s.started) > 0 {
		t.Error("more run than may")
	}
	f.answer(p.ID, endTurn)
	first.done()
	g := <-s.started
	<-f.over
	g.answer((<-g.prompts).ID, endTurn)
	if second.done(); second.err != nil {
		t.Error(second.err)
	}
}

// TestRunningForOthers: one principal does not have all the processes that may run, and ends an idle one of its own for another.
func TestRunningForOthers(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c *Configured) { c.MaxRunning = 4 }, nil)
	in := func(principal, name string) Prompt { return Prompt{Conversation: Conversation{"it", principal, name}} }
	bob := s.prompt(t.Context(), in("bob", "idle"))
	bobs := <-s.started
	bobs.answer((<-bobs.prompts).ID, endTurn)
	bob.done()
	var works []*fake
	for _, name := range []string{"a", "b", "c"} {
		s.prompt(t.Context(), in("alice", name))
		f := <-s.started
		works = append(works, f)
	}
	fourth := s.prompt(t.Context(), in("alice", "d"))
	again := s.prompt(t.Context(), in("bob", "idle"))
	bobs.answer((<-bobs.prompts).ID, endTurn)
	again.done()
	other := s.prompt(t.Context(), in("bob", "other")) // in place of his idle one
	f := <-s.started
	<-bobs.over
	f.answer((<-f.prompts).ID, endTurn)
	other.done()
	if other.err != nil || again.err != nil {
		t.Errorf("bob's: %v, %v", again.err, other.err)
	}
	works[0].answer((<-works[0].prompts).ID, endTurn)
	f = <-s.started // alice's fourth, in place of her first
	<-works[0].over
	f.answer((<-f.prompts).ID, endTurn)
	if fourth.done(); fourth.err != nil {
		t.Error(fourth.err)
	}
}

// TestIdle ends a process that nobody uses, and forgets it.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c *Configured) { c.IdleTimeout = 1 }, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	f.answer((<-f.prompts).ID, endTurn)
	h.done()
	<-f.over
	if err := s.Forget(t.Context(), Conversation{"it", "alice", "c"}); err != nil {
		t.Error(err)
	}
	if len(s.kept.all) != 0 {
		t.Errorf("kept is %v", s.kept.all)
	}
}

// TestForget ends a prompt that is under way, and one that waits.
func TestForget(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, func(f *fake) {
		f.handle = cancels
	})
	first := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	p := <-f.prompts
	f.prompts <- p
	waits := s.prompt(t.Context(), Prompt{})
	s.used(2)
	if err := s.Forget(t.Context(), Conversation{"it", "alice", "c"}); err != nil {
		t.Fatal(err)
	}
	first.done()
	waits.done()
	if first.outcome.Stop != StopCancelled {
		t.Errorf("the first: %+v, %v", first.outcome, first.err)
	}
	<-f.over
}

// TestExpel ends the processes of a principal that may have nothing done any more: one that does not cancel, one whose
// prompt waits, and one that is idle. Those of others go on.
func TestExpel(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c *Configured) { c.MaxRunning = 3 }, nil)
	s.o.CancelGrace = 1
	idle := s.prompt(t.Context(), Prompt{Conversation: Conversation{"it", "alice", "idle"}})
	rests := <-s.started
	rests.answer((<-rests.prompts).ID, endTurn)
	idle.done()
	first := s.prompt(t.Context(), Prompt{})
	works := <-s.started
	<-works.prompts
	waits := s.prompt(t.Context(), Prompt{})
	s.used(2)
	other := s.prompt(t.Context(), Prompt{Conversation: Conversation{"it", "bob", "c"}})
	bobs := <-s.started
	prompt := <-bobs.prompts
	select {
	case <-rests.over:
		t.Fatal("the idle one has ended before")
	default:
	}
	s.Expel(func(principal string) bool { return principal == "bob" })
	first.done()
	if waits.done(); !errors.Is(waits.err, ErrRevoked) {
		t.Errorf("the one that waits: %+v, %v", waits.outcome, waits.err)
	}
	<-works.over
	<-rests.over
	if !works.called("session/cancel") {
		t.Error("the agent was not told")
	}
	bobs.answer(prompt.ID, endTurn)
	if other.done(); other.err != nil || other.outcome.Stop != StopEndTurn {
		t.Errorf("another's: %+v, %v", other.outcome, other.err)
	}
}

// TestClose ends the program while a prompt is under way: nothing is cancelled, since that would take questions
// back, and whoever waits is told why.
func TestClose(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	<-f.prompts
	s.Close()
	if h.done(); !errors.Is(h.err, ErrClosed) {
		t.Errorf("%+v, %v", h.outcome, h.err)
	}
	if f.called("session/cancel") {
		t.Error("the agent was told to cancel")
	}
	if again := s.prompt(t.Context(), Prompt{}).done(); !errors.Is(again.err, ErrClosed) {
		t.Errorf("after the end: %v", again.err)
	}
}

// TestReconfigured starts another process where the configuration has changed.
func TestReconfigured(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, func(f *fake) { f.can = `{"sessionCapabilities":{"resume":{}}}` })
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	f.answer((<-f.prompts).ID, endTurn)
	h.done()
	s.mu.Lock()
	s.agent.Revision = "another"
	s.setUp = func(f *fake) {
		f.can = `{"sessionCapabilities":{"resume":{}}}`
		f.handle = func(_ *fake, method string, _ map[string]any) (any, error) {
			if method == "session/resume" {
				return struct{}{}, nil
			}
			return nil, nil
		}
	}
	s.mu.Unlock()
	next := s.prompt(t.Context(), Prompt{})
	g := <-s.started
	<-f.over
	g.answer((<-g.prompts).ID, endTurn)
	if next.done(); next.said() != "began resumed" {
		t.Errorf("%v: %q", next.err, next.said())
	}
	if s.prompt(t.Context(), Prompt{Conversation: Conversation{"nobody", "alice", "c"}}).done().err == nil {
		t.Error("there is an agent that nobody has configured")
	}
}

// TestVersion2 speaks the draft to an agent that has no other: the answer to a prompt only accepts it.
func TestVersion2(t *testing.T) {
	t.Parallel()
	tries := 0
	s := newStage(t, nil, func(f *fake) {
		f.version, f.can = 2, `{"session":{"prompt":{"image":{}}}}`
		f.handle = func(_ *fake, method string, params map[string]any) (any, error) {
			if method == "initialize" && params["protocolVersion"] == 1.0 {
				tries++
				return nil, &RefusedError{Code: codeUnsupported, Message: "Unsupported protocol version"}
			}
			return nil, nil
		}
	})
	h := s.prompt(t.Context(), Prompt{})
	<-(<-s.started).over
	f := <-s.started
	p := <-f.prompts
	f.update(`{"sessionUpdate":"state_update","state":"idle"}`) // of before
	f.answer(p.ID, map[string]string{"messageId": "u"})
	f.update(`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hello"}]}`)
	f.update(`{"sessionUpdate":"state_update","state":"running"}`)
	f.update(`{"sessionUpdate":"agent_message_chunk","messageId":"1","content":{"type":"text","text":"in pieces"}}`)
	f.update(`{"sessionUpdate":"agent_message","messageId":"1","content":[{"type":"text","text":"in pieces"}]}`)
	f.update(`{"sessionUpdate":"agent_message","messageId":"2","content":[{"type":"text","text":"whole"},{"type":"image","data":"AAEC","mimeType":"image/png"}]}`)
	f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"t"}`)
	f.update(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"--- a"}}}`)
	f.update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"x","priority":"low","status":"pending"}]}}`)
	f.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"max_tokens"}`)
	h.done()
	if got, want := h.said(), "began new; message in pieces; message whole; message ; tool call c pending; tool call c pending; plan"; h.err != nil || got != want || h.outcome.Stop != StopMaxTokens || tries != 1 {
		t.Fatalf("%+v, %v, %d tries: told %q, want %q", h.outcome, h.err, tries, got, want)
	}
	if image := h.events[3].Chunk.Content; image.MediaType != "image/png" || len(image.Data) != 3 {
		t.Errorf("the image is %+v", image)
	}
	if patch := h.events[5].ToolCall.Output[0].Diff.Patch; patch != "--- a" {
		t.Errorf("the patch is %q", patch)
	}
}

// TestLogin logs in as the configuration says, and tells how to where it says nothing.
func TestLogin(t *testing.T) {
	t.Parallel()
	agent := func(f *fake) {
		in := false
		f.handle = func(_ *fake, method string, params map[string]any) (any, error) {
			switch method {
			case "initialize":
				return map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{"auth": map[string]any{"logout": struct{}{}}},
					"authMethods": []map[string]any{{"id": "key", "name": "A key"},
						{"id": "browser", "name": "In a browser", "type": "terminal", "args": []string{"--login"}}}}, nil
			case "session/new":
				if !in {
					return nil, &RefusedError{Code: codeLogin, Message: "Authentication required"}
				}
			case "authenticate":
				in = params["methodId"] == "key"
				return struct{}{}, nil
			case "logout":
				in = false
				return struct{}{}, nil
			}
			return nil, nil
		}
	}
	s := newStage(t, func(c *Configured) { c.Command = []string{"agent", "--acp"} }, agent)
	var needed *LoginError
	if h := s.prompt(t.Context(), Prompt{}).done(); !errors.As(h.err, &needed) {
		t.Fatalf("%+v, %v", h.outcome, h.err)
	}
	want := []Login{{ID: "key", Name: "A key"}, {ID: "browser", Name: "In a browser", Terminal: []string{"agent", "--acp", "--login"}}}
	if diff := cmp.Diff(want, needed.Logins); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if in, err := s.LoggedIn(t.Context(), "it"); in || err != nil {
		t.Errorf("logged in: %t, %v", in, err)
	}
	if logins, err := s.Logins(t.Context(), "it"); len(logins) != 2 || err != nil {
		t.Errorf("%v, %v", logins, err)
	}
	if err := s.Login(t.Context(), "it", "key"); err != nil {
		t.Error(err)
	}
	if err := s.Login(t.Context(), "it", "browser"); err == nil || !strings.Contains(err.Error(), "agent --acp --login") {
		t.Error(err)
	}
	if err := s.Login(t.Context(), "it", "another"); err == nil {
		t.Error("there is a login that the agent does not offer")
	}
	if err := s.Logout(t.Context(), "it"); err != nil {
		t.Error(err)
	}
	s.mu.Lock()
	s.agent.Login = "key"
	s.mu.Unlock()
	if in, err := s.LoggedIn(t.Context(), "it"); !in || err != nil {
		t.Errorf("logged in: %t, %v", in, err)
	}
	if n := s.List()[0].Running; n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// TestSilent ends an agent that does not say that it is ready.
func TestSilent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, func(f *fake) {
		f.handle = func(_ *fake, method string, _ map[string]any) (any, error) {
			if method == "initialize" {
				return nil, nil
			}
			return nil, nil
		}
		f.version = 0
	})
	s.o.StartPatience = 1
	h := s.prompt(t.Context(), Prompt{}).done()
	var ended *EndedError
	if !errors.As(h.err, &ended) || !strings.Contains(ended.How, "was not ready within 1ns") {
		t.Errorf("%v", h.err)
	}
	<-(<-s.started).over
}

// TestHostile hears what no agent says: nothing breaks, and nothing is made up.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	p := <-f.prompts
	for _, line := range []string{
		`not JSON`, `[]`, `{}`, `{"id":null,"error":{"code":-32700,"message":"x"}}`, `{"id":99,"result":{}}`, `{"id":1,"result":{}}`,
		`{"method":"session/update"}`, `{"method":"session/update","params":{"update":7}}`,
		`{"method":"_a2a-acp/asks","params":{"question":"q"}}`, `{"method":"_a2a-acp/asks","params":{"question":"q"}}`,
		`{"method":"_a2a-acp/asks","params":[]}`,
	} {
		f.mu.Lock()
		_, _ = f.out.Write([]byte(line + "\n"))
		f.mu.Unlock()
	}
	for _, update := range []string{
		`{}`, `[]`, `{"sessionUpdate":"agent_message_chunk"}`, `{"sessionUpdate":"agent_message_chunk","content":[]}`,
		`{"sessionUpdate":"tool_call"}`, `{"sessionUpdate":"tool_call","toolCallId":7}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":[],"content":{},"locations":7,"status":null,"kind":null}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[7,{"type":"terminal","terminalId":"none"},{"type":"content","content":{"type":"odd"}}]}`,
		`{"sessionUpdate":"state_update","state":"idle"}`, `{"sessionUpdate":"plan","entries":"all"}`,
	} {
		f.update(update)
	}
	for _, id := range []any{-1, 1.5, "1", nil, "x"} {
		if id == nil {
			continue
		}
		if answer := f.request(id, "no/such", nil); !strings.Contains(string(answer.Error), "-32601") {
			t.Errorf("id %v: answered %+v", id, answer)
		}
	}
	f.say("still here")
	f.answer(p.ID, map[string]any{"stopReason": 7})
	if h.done(); h.err != nil || !strings.HasSuffix(h.said(), "message still here") || h.outcome.Stop != "" {
		t.Errorf("%+v, %v: %q", h.outcome, h.err, h.said())
	}
}

// cancels answers the prompt that is cancelled, as an agent has to.
func cancels(f *fake, method string, _ map[string]any) (any, error) {
	if method == "session/cancel" {
		f.answer((<-f.prompts).ID, map[string]string{"stopReason": "cancelled"})
	}
	return nil, nil
}
