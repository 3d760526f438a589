package agentclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fake is an agent, with a bridge that lets everything through, in this process.
type fake struct {
	t       *testing.T
	version int
	can     string // a JSON object: agentCapabilities, or capabilities in version 2

	in  *bufio.Reader
	out io.WriteCloser

	mu      sync.Mutex
	open    map[string]chan frame // requests of the agent's
	calls   []string              // methods that it was called by
	prompts chan frame            // that nobody has answered

	// handle answers a request; nil results are answered by nobody. Optional.
	handle func(f *fake, method string, params map[string]any) (result any, err error)
	start  Starting
	over   chan struct{}
	words  string
}

type frame struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (f *fake) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.out.Write(append(line, '\n')) // who has hung up reads no more
}

// update tells of an update in session s.
func (f *fake) update(update string) {
	f.write(map[string]any{"method": "session/update", "params": map[string]any{"sessionId": "s", "update": json.RawMessage(update)}})
}

// say tells of a chunk of the answer.
func (f *fake) say(text string) {
	f.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":%q}}`, text))
}

// request asks the editor, and waits.
func (f *fake) request(id any, method string, params any) frame {
	raw, _ := json.Marshal(id)
	answer := make(chan frame, 1)
	f.mu.Lock()
	f.open[string(raw)] = answer
	f.mu.Unlock()
	f.write(map[string]any{"id": id, "method": method, "params": params})
	select {
	case a := <-answer:
		return a
	case <-f.over:
		return frame{}
	}
}

func (f *fake) answer(id json.RawMessage, result any) {
	f.write(map[string]any{"id": id, "result": result})
}

func (f *fake) refuse(id json.RawMessage, err *RefusedError) {
	f.write(map[string]any{"id": id, "error": map[string]any{"code": err.Code, "message": err.Message, "data": err.Data}})
}

// run reads until the editor hangs up.
func (f *fake) run() {
	defer close(f.over)
	defer f.out.Close()
	for {
		line, err := f.in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m frame
		if err := json.Unmarshal(line, &m); err != nil {
			f.t.Errorf("the editor writes %q", line)
			return
		}
		if m.Method == "" {
			f.mu.Lock()
			waiting := f.open[string(m.ID)]
			f.mu.Unlock()
			if waiting != nil {
				waiting <- m
			}
			continue
		}
		f.mu.Lock()
		f.calls = append(f.calls, m.Method)
		f.mu.Unlock()
		f.take(m)
	}
}

func (f *fake) take(m frame) {
	var params map[string]any
	_ = json.Unmarshal(m.Params, &params)
	if f.handle != nil {
		result, err := f.handle(f, m.Method, params)
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			f.refuse(m.ID, refused)
			return
		case result != nil:
			f.answer(m.ID, result)
			return
		}
	}
	switch m.Method {
	case "initialize":
		if f.version == 2 {
			f.answer(m.ID, map[string]any{"protocolVersion": 2, "info": map[string]string{"name": "fake", "version": "2"},
				"capabilities": json.RawMessage(f.can)})
			return
		}
		f.answer(m.ID, map[string]any{"protocolVersion": 1, "agentInfo": map[string]string{"name": "fake", "version": "1"},
			"agentCapabilities": json.RawMessage(f.can)})
	case "session/new":
		f.answer(m.ID, map[string]string{"sessionId": "s"})
	case "session/prompt":
		f.prompts <- m
	default:
		if m.ID != nil {
			f.refuse(m.ID, &RefusedError{Code: codeNoMethod, Message: "no such method"})
		}
	}
}

// stage is a Driver with agents that tests play.
type stage struct {
	*Driver
	t       *testing.T
	agent   Configured
	started chan *fake // those that were started
	kept    *keeper

	mu    sync.Mutex
	setUp func(*fake)
	left  map[string]Answer // what Elsewhere was told
}

// newStage makes one. change changes what is configured, and setUp what an agent is.
func newStage(t *testing.T, change func(*Configured), setUp func(*fake)) *stage {
	t.Helper()
	s := &stage{t: t, started: make(chan *fake, 16), kept: &keeper{}, setUp: setUp, left: map[string]Answer{}}
	s.agent = Configured{Agent: Agent{Name: "it", Workspace: t.TempDir()}, Protocol: 1, IdleTimeout: 1 << 40, MaxRunning: 2,
		Start: s.start}
	if change != nil {
		change(&s.agent)
	}
	var err error
	s.Driver, err = New(Options{
		Configured: func() []Configured {
			s.mu.Lock()
			defer s.mu.Unlock()
			return []Configured{s.agent}
		},
		Store: s.kept,
		Elsewhere: func(_ context.Context, id string, a Answer) error {
			s.left[id] = a
			return ErrNoQuestion
		},
		Await: func(context.Context, string, string) error { return ErrExpired },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func (s *stage) start(_ context.Context, starting Starting) (Process, error) {
	editorIn, in := io.Pipe()
	out, editorOut := io.Pipe()
	f := &fake{t: s.t, version: 1, can: "{}", in: bufio.NewReader(editorIn), out: editorOut, open: map[string]chan frame{},
		prompts: make(chan frame, 8), start: starting, over: make(chan struct{}), words: "last words"}
	if s.setUp != nil {
		s.setUp(f)
	}
	go f.run() // ends when the editor hangs up
	s.started <- f
	return Process{In: in, Out: out, Run: runHere, Wait: func() *EndedError {
		editorIn.Close()
		<-f.over
		return &EndedError{How: "exited with code 3", LastWords: f.words}
	}}, nil
}

// heard is what was told of a prompt.
type heard struct {
	mu      sync.Mutex
	events  []Event
	outcome Outcome
	err     error
	over    chan struct{}
}

// said joins what was told: the kinds, and texts of chunks.
func (h *heard) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var words []string
	for _, e := range h.events {
		word := e.Kind.String()
		switch e.Kind {
		case EventBegan:
			word += " " + string(e.Began.How)
		case EventMessage, EventThought:
			word += " " + e.Chunk.Content.Text
		case EventToolCall:
			word += " " + e.ToolCall.ID + " " + e.ToolCall.Status
		case EventQuestion:
			word += " " + e.Question.Title
		case EventInput:
			word += " " + e.Input.Message
		case EventAnswered:
			word += fmt.Sprintf(" %t by %s", e.Answered.Allowed, e.Answered.By)
		case EventNotice:
			word += " " + e.Notice
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// prompt says something in a conversation.
func (s *stage) prompt(ctx context.Context, p Prompt) *heard {
	h := &heard{over: make(chan struct{})}
	if p.Conversation == (Conversation{}) {
		p.Conversation = Conversation{Agent: "it", Principal: "alice", Context: "c"}
	}
	if p.Content == nil {
		p.Content = []Content{{Text: "hello"}}
	}
	go func() { // ends with the prompt
		defer close(h.over)
		h.outcome, h.err = s.Prompt(ctx, p, func(e Event) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.events = append(h.events, e)
		})
	}()
	return h
}

// used waits until as many prompts use alice's conversation, or wait for it.
func (s *stage) used(n int) {
	for {
		s.Driver.mu.Lock()
		c := s.conversations[Conversation{"it", "alice", "c"}]
		enough := c != nil && c.users == n
		s.Driver.mu.Unlock()
		if enough {
			return
		}
		runtime.Gosched()
	}
}

// done waits for the end of a prompt.
func (h *heard) done() *heard {
	<-h.over
	return h
}

func (f *fake) called(method string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.calls, method)
}

// keeper keeps sessions in memory.
type keeper struct {
	mu  sync.Mutex
	all map[Conversation]Kept
}

func (k *keeper) Session(_ context.Context, c Conversation) (Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all[c], nil
}

func (k *keeper) Keep(_ context.Context, c Conversation, kept Kept) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[Conversation]Kept{}
	}
	k.all[c] = kept
	return nil
}

func (k *keeper) Forget(_ context.Context, c Conversation) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, c)
	return nil
}
