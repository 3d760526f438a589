package agentclient

import (
	"context"
	"errors"
	"testing"
)

// asks puts a question as a bridge does, and returns what comes of it.
func (f *fake) asks(ctx context.Context, id, stands string, title string) <-chan struct {
	Picked
	error
} {
	standing := make(chan string, 1)
	if stands != "" {
		standing <- stands
	}
	close(standing)
	f.write(map[string]any{"method": "_a2a-acp/asks", "params": map[string]string{"question": id}})
	result := make(chan struct {
		Picked
		error
	}, 1)
	go func() { // ends with the question
		picked, err := f.start.Ask(ctx, Asking{ID: id, Stands: standing,
			Question: Question{Title: title, Options: []Option{{"yes", "Yes", OptionAllowOnce}, {"always", "Always", OptionAllowAlways}, {"no", "No", OptionRejectOnce}}}})
		switch {
		case err != nil:
			f.start.Answered(id, Answered{Reason: err.Error()})
		default:
			f.start.Answered(id, Answered{Allowed: picked.Option != "no", By: picked.By, Reason: picked.Reason})
		}
		result <- struct {
			Picked
			error
		}{picked, err}
	}()
	return result
}

// question waits for the question that was told of.
func (h *heard) question() Question {
	for {
		h.mu.Lock()
		for _, e := range h.events {
			if e.Kind == EventQuestion {
				h.mu.Unlock()
				return *e.Question
			}
		}
		h.mu.Unlock()
		select {
		case <-h.over:
			return Question{}
		default:
		}
	}
}

// TestQuestion answers: what the agent said before is told before, the first answer holds, and nobody but the
// principal has one.
func TestQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	p := <-f.prompts
	f.say("may I")
	result := f.asks(t.Context(), "b1", "board123", "touch it")
	q := h.question()
	if q.ID != "board123" {
		t.Errorf("its id is %q", q.ID)
	}
	yes := Answer{Option: Option{ID: "always"}, Principal: "alice", By: "a2a alice", Reason: "go on"}
	for name, wrong := range map[string]struct {
		answer Answer
		want   error
	}{
		"another's":      {Answer{Option: yes.Option, Principal: "mallory", By: "mallory"}, ErrNoQuestion},
		"no such option": {Answer{Option: Option{ID: "b1"}, Principal: "alice", By: "alice"}, ErrNoOption},
	} {
		if err := s.Answer(t.Context(), q.ID, wrong.answer); !errors.Is(err, wrong.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Answer(t.Context(), q.ID, Answer{Option: yes.Option, Principal: "alice"}); err == nil {
		t.Error("nobody answers, and that counts")
	}
	if err := s.Answer(t.Context(), q.ID, yes); err != nil {
		t.Error(err)
	}
	if got := <-result; got.error != nil || got.Picked != (Picked{Option: "always", By: "a2a alice", Reason: "go on"}) {
		t.Errorf("%+v", got)
	}
	if err := s.Answer(t.Context(), q.ID, yes); !errors.Is(err, ErrNoQuestion) || s.left["board123"].By != "a2a alice" {
		t.Errorf("once more: %v, %v", err, s.left)
	}
	f.answer(p.ID, endTurn)
	if got, want := h.done().said(), "began new; message may I; question touch it; answered true by a2a alice"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if answered := h.events[3].Answered; answered.Option != "always" || answered.Question != q.ID {
		t.Errorf("%+v", answered)
	}
}

// TestQuestionAnsweredElsewhere has somebody else be first: whoever answers here is told.
func TestQuestionAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	p := <-f.prompts
	ctx, cancel := context.WithCancelCause(t.Context())
	result := f.asks(ctx, "b1", "", "touch it")
	q := h.question()
	if len(q.ID) < len(Here) || q.ID[:len(Here)] != Here {
		t.Errorf("its id is %q", q.ID)
	}
	elsewhere := errors.New("it was answered elsewhere")
	cancel(elsewhere)
	if got := <-result; !errors.Is(got.error, elsewhere) {
		t.Errorf("%+v", got)
	}
	if err := s.Answer(t.Context(), q.ID, Answer{Option: Option{ID: "yes"}, Principal: "alice", By: "alice"}); !errors.Is(err, ErrNoQuestion) {
		t.Error(err)
	}
	f.answer(p.ID, endTurn)
	h.done()
}

// TestNobodyAsked has an agent ask when nobody waits for it: nobody is there to answer.
func TestNobodyAsked(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, nil)
	h := s.prompt(t.Context(), Prompt{})
	f := <-s.started
	f.answer((<-f.prompts).ID, endTurn)
	h.done()
	if got := <-f.asks(t.Context(), "b1", "x", "touch it"); !errors.Is(got.error, errNobodyAsked) {
		t.Errorf("%+v", got)
	}
}
