package agentclient

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

// asksFor has an agent ask for words, and returns what gets the answer.
func (f *fake) asksFor(message string) <-chan frame {
	answer := make(chan frame, 1)
	go func() { // ends with the answer
		answer <- f.request("e-"+message, "elicitation/create", map[string]any{"mode": "form", "sessionId": "s", "message": message,
			"requestedSchema": json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
	}()
	return answer
}

// input waits for the Input that was told of last, and was not before.
func (h *heard) input(before string) Input {
	for {
		h.mu.Lock()
		for _, e := range h.events {
			if e.Kind == EventInput && e.Input.ID != before {
				h.mu.Unlock()
				return *e.Input
			}
		}
		h.mu.Unlock()
		select {
		case <-h.over:
			return Input{}
		default:
		}
	}
}

// TestInput tells an agent what it asks for: the first reply holds, nobody else has one, and what is taken back, or
// outlives its prompt, is answered with cancel.
func TestInput(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ends func(s *stage, f *fake, in Input, cancel func()) error
		want string
	}{
		"a reply": {func(s *stage, _ *fake, in Input, _ func()) error {
			reply := Reply{Content: json.RawMessage(`{"name":"x"}`), Principal: "mallory"}
			if err := s.Reply(context.Background(), in.ID, reply); !errors.Is(err, ErrNoQuestion) {
				t.Errorf("another principal replies: %v", err)
			}
			reply.Principal, reply.Message = "alice", "m2"
			if err := s.Reply(context.Background(), in.ID, reply); err != nil {
				return err
			}
			if err := s.Reply(context.Background(), in.ID, reply); !errors.Is(err, ErrNoQuestion) {
				t.Errorf("a second reply: %v", err)
			}
			return nil
		}, `{"action":"accept","content":{"name":"x"},"_meta":{"a2a":{"contextId":"c","messageId":"m2"}}}`},
		"nobody says": {func(s *stage, _ *fake, in Input, _ func()) error {
			return s.Reply(context.Background(), in.ID, Reply{Declined: true, Principal: "alice"})
		}, `{"action":"decline"}`},
		"the agent takes it back": {func(_ *stage, f *fake, _ Input, _ func()) error {
			f.write(map[string]any{"method": "$/cancel_request", "params": map[string]any{"requestId": "e-who"}})
			return nil
		}, `{"action":"cancel"}`},
		"the prompt is cancelled": {func(_ *stage, _ *fake, _ Input, cancel func()) error {
			cancel()
			return nil
		}, `{"action":"cancel"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h := s.prompt(ctx, Prompt{})
			f := <-s.started
			p := <-f.prompts
			answered := f.asksFor("who")
			in := h.input("")
			if in.Message != "who" || string(in.Schema) != `{"type":"object","properties":{"name":{"type":"string"}}}` {
				t.Errorf("%+v", in)
			}
			if err := test.ends(s, f, in, cancel); err != nil {
				t.Error(err)
			}
			if got := <-answered; string(got.Result) != test.want {
				t.Errorf("the agent is answered with %s %s, want %s", got.Result, got.Error, test.want)
			}
			f.answer(p.ID, map[string]string{"stopReason": "cancelled"})
			h.done()
			if err := s.Reply(t.Context(), in.ID, Reply{Principal: "alice"}); !errors.Is(err, ErrNoQuestion) {
				t.Errorf("a reply after the end: %v", err)
			}
		})
	}
}

// TestInputOfNobody is refused where nobody has asked the agent, and where it is a page.
func TestInputOfNobody(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	p := <-f.prompts
	page := f.request("p", "elicitation/create", map[string]any{"mode": "url", "sessionId": "s", "message": "open it", "url": "https://evil.example"})
	if page.Error == nil {
		t.Errorf("a page is answered with %s", page.Result)
	}
	f.answer(p.ID, endTurn)
	h.done()
	if got := <-f.asksFor("who"); string(got.Result) != `{"action":"cancel"}` {
		t.Errorf("%s %s", got.Result, got.Error)
	}
}
