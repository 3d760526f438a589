package agentclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// running is an agent's process, with our end of the connection to it.
type running struct {
	o          Options
	driver     *Driver
	agent      Configured
	of         Conversation
	process    Process
	connection *connection
	terminals  *terminals
	can        abilities
	loading    atomic.Bool // it tells the past of a session
	over       chan struct{}
	ending     sync.Once
	ended      *EndedError // set when ending is done

	mu      sync.Mutex
	turn    *turn
	markers map[string]marker // of the questions that stand
}

// start starts a process of an agent's, and introduces us. It is asked for another version of ACP where it
// does not have the one that it was asked for.
func (d *Driver) start(ctx context.Context, agent Configured, of Conversation) (*running, error) {
	r, err := d.startIn(ctx, agent, of)
	var refused *RefusedError
	if errors.As(err, &refused) && refused.Code == codeUnsupported && agent.Protocol == stable {
		agent.Protocol = draft
		r, err = d.startIn(ctx, agent, of)
	}
	return r, err
}

func (d *Driver) startIn(ctx context.Context, agent Configured, of Conversation) (*running, error) {
	r := &running{o: d.o, driver: d, agent: agent, of: of, over: make(chan struct{}), markers: map[string]marker{}}
	if err := d.begin(ctx, r); err != nil {
		return nil, err
	}
	var err error
	r.process, err = agent.Start(ctx, Starting{Conversation: of, Ask: r.ask, Answered: r.answered, Say: r.notice})
	if err != nil {
		d.gone(r)
		return nil, err
	}
	r.terminals = &terminals{run: r.process.Run}
	r.connection = newConnection(r.process.Out, r.process.In)
	r.connection.request, r.connection.notification = r.serve, r.notified
	go func() { // ends with the process; whoever ends that waits for it
		r.connection.run()
		close(r.over)
		r.end() // it may have died while nobody used it
	}()
	patient, cancel := context.WithTimeoutCause(ctx, d.o.StartPatience, errSilent)
	defer cancel()
	if err := r.initialize(patient); err != nil {
		return nil, r.failed(err)
	}
	return r, nil
}

var errSilent = errors.New("the agent does not say that it is ready")

// opened opens the conversation's session, logging in where the configuration says how.
func (r *running) opened(ctx context.Context, kept Kept) (Began, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.o.StartPatience, errSilent)
	defer cancel()
	began, err := r.openSession(ctx, kept)
	var refused *RefusedError
	if errors.As(err, &refused) && refused.Code == codeLogin && r.agent.Login != "" {
		if err = r.login(ctx, r.agent.Login); err == nil {
			began, err = r.openSession(ctx, kept)
		}
	}
	if err != nil {
		return began, r.loginError(r.because(err))
	}
	return began, nil
}

// isOver reports whether the connection has ended.
func (r *running) isOver() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

// end ends the process, and returns when everything of it is gone. ended says how, then.
func (r *running) end() {
	r.ending.Do(func() {
		r.process.In.Close()
		r.terminals.close() // or one that waits for a command's end would keep the connection
		<-r.over
		r.ended = r.process.Wait()
		if r.connection.flooded {
			r.ended.How = "asked for more at once than an agent may, and was ended"
		}
		r.driver.gone(r)
	})
}

// failed ends a process that was to get ready, and returns the error with what is known then.
func (r *running) failed(err error) error {
	err = r.because(err)
	r.end()
	if errors.Is(err, errSilent) {
		return &EndedError{How: fmt.Sprintf("was not ready within %s, and was ended", r.o.StartPatience),
			LastWords: r.ended.LastWords}
	}
	return err
}

// dead is what the bridge answers in the place of an agent that has ended (pkg/acp, answerForAgent).
const dead = "the agent ended: "

// because returns how the process has ended where that is why an error came.
func (r *running) because(err error) error {
	var refused *RefusedError
	switch {
	case errors.Is(err, errHungUp):
		return r.howEnded()
	case errors.As(err, &refused) && refused.Code == codeInternal:
		var data struct {
			Details string `json:"details"`
		}
		if json.Unmarshal(refused.Data, &data) == nil && strings.HasPrefix(data.Details, dead) {
			return r.howEnded()
		}
	}
	return err
}

// howEnded says how the process has ended: with the Driver, of which a prompt's own context hears a moment later, or by itself.
func (r *running) howEnded() error {
	r.end()
	if r.driver.closing.Err() != nil {
		return context.Cause(r.driver.closing)
	}
	return r.ended
}

// serve answers a request of the agent's that the bridge has let through.
func (r *running) serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "elicitation/create":
		return r.elicit(ctx, params)
	case "fs/read_text_file":
		return r.readFile(params)
	case "fs/write_text_file":
		return r.writeFile(params)
	case "terminal/create":
		if r.process.Run == nil {
			break
		}
		return r.terminals.create(params)
	case "terminal/output":
		return r.terminals.output(params)
	case "terminal/wait_for_exit":
		return r.terminals.waitForExit(r.driver.closing, params)
	case "terminal/kill":
		return r.terminals.kill(params)
	case "terminal/release":
		return r.terminals.release(params)
	}
	return nil, &wireError{Code: codeNoMethod, Message: fmt.Sprintf("a2a-acp has no method %s", method)}
}

// notified takes a notification of the agent's, or of the bridge's.
func (r *running) notified(method string, params json.RawMessage) {
	switch method {
	case "session/update":
		r.update(params)
	case asks:
		var p struct {
			Question string `json:"question"`
		}
		if json.Unmarshal(params, &p) == nil {
			r.marker(p.Question).come()
		}
	}
}

// asks marks the place of a question among what the agent says (pkg/acp, Asks).
const asks = "_a2a-acp/asks"

// marker is the place of a question.
type marker struct {
	come func()        // says that the agent's words before it have been told
	came chan struct{} // closed once they have
}

// marker returns the place of a question.
func (r *running) marker(question string) marker {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, there := r.markers[question]
	if !there {
		m.came = make(chan struct{})
		m.come = sync.OnceFunc(func() { close(m.came) })
		r.markers[question] = m
	}
	return m
}

// current returns the turn that is under way; nil for none.
func (r *running) current() *turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turn
}

// notice tells what the bridge has to say.
func (r *running) notice(line string) {
	if t := r.current(); t != nil {
		t.tell(Event{Kind: EventNotice, Notice: line})
	}
}

// turn is a prompt that the agent answers.
type turn struct {
	running *running
	calls   toolCalls
	asking  context.Context // done when nothing that the agent asks for is answered any more
	chunked map[string]bool // version 2: messages of which a chunk was told
	began   atomic.Bool     // version 2: the agent has taken the prompt
	idle    chan StopReason // likewise: it has answered it

	mu      sync.Mutex // held while something is told
	telling func(Event)
}

func (t *turn) tell(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.telling != nil {
		t.telling(e)
	}
}

// tellCall tells of a tool call as it is by now.
func (t *turn) tellCall(call *toolCall) {
	shown := call.ToolCall
	shown.Output = call.output(t.running.terminals)
	t.tell(Event{Kind: EventToolCall, ToolCall: &shown})
	call.forget()
}

// continued is what an agent is told in the place of a prompt that was cut off.
const continued = "You were cut off while you worked on my last message: the program that you run in has ended and was " +
	"started again. Look at what you have done already, and go on from there. Where you had asked for permission to do " +
	"something, do that very thing now, exactly as you had asked for it."

// prompt has the agent answer.
func (r *running) prompt(ctx context.Context, p Prompt, began Began, tell func(Event)) (Outcome, error) {
	content := p.Content
	if p.Continue && (began.How == OpenedResumed || began.How == OpenedKept) {
		content = []Content{{Text: continued}}
	}
	blocks, err := blocksOf(content, r.can)
	if err != nil {
		return Outcome{}, err
	}
	asking, over := context.WithCancel(ctx)
	defer over()
	t := &turn{running: r, asking: asking, chunked: map[string]bool{}, idle: make(chan StopReason, 1), telling: tell}
	t.tell(Event{Kind: EventBegan, Began: &began})
	r.terminals.resume()
	r.mu.Lock()
	r.turn = t
	r.mu.Unlock()
	defer func() { // nothing is told any more
		r.mu.Lock()
		r.turn = nil
		r.mu.Unlock()
		t.mu.Lock()
		t.telling = nil
		t.mu.Unlock()
	}()
	ids := map[string]string{"contextId": p.Context}
	for name, id := range map[string]string{"taskId": p.Task, "messageId": p.Message} {
		if id != "" {
			ids[name] = id
		}
	}
	meta := map[string]any{"a2a": ids}
	if p.Trace != "" {
		meta["traceparent"] = p.Trace
	}
	answered, err := r.connection.send("session/prompt", map[string]any{"sessionId": began.Session, "prompt": blocks, "_meta": meta})
	if err != nil {
		return Outcome{}, r.because(err)
	}
	return r.outcome(ctx, t, began.Session, answered)
}

// outcome waits for the end of a turn.
func (r *running) outcome(ctx context.Context, t *turn, session string, answered <-chan answer) (Outcome, error) {
	var outcome Outcome
	cancelled, grace := ctx.Done(), (<-chan time.Time)(nil)
	idle := (<-chan StopReason)(nil) // version 2: once the prompt is taken
	var halting sync.WaitGroup
	defer halting.Wait() // when a turn is said to be cancelled, nothing of it runs
	for {
		select {
		case a := <-answered:
			if a.err != nil {
				return r.refused(ctx, a.err)
			}
			outcome = outcomeOf(a.result)
			if r.can.version == stable {
				return outcome, nil
			}
			t.began.Store(true)
			idle, answered = t.idle, nil
		case outcome.Stop = <-idle:
			if outcome.Stop == "error" {
				return Outcome{}, &RefusedError{Code: codeInternal, Message: "it has ended its answer with an error"}
			}
			return outcome, nil
		case <-r.over:
			select {
			case a := <-answered: // the bridge has answered for it
				if a.err == nil {
					return outcomeOf(a.result), nil
				}
				return r.refused(ctx, a.err)
			default:
				return r.refused(ctx, errHungUp)
			}
		case <-cancelled:
			if errors.Is(context.Cause(ctx), ErrClosed) {
				r.end() // told to cancel, it would take its questions back
				return Outcome{}, ErrClosed
			}
			cancelled = nil
			_ = r.connection.notify("session/cancel", map[string]string{"sessionId": session}) // who has hung up is seen above
			// The agent need not end its commands. It ends with them.
			halting.Go(r.terminals.halt)
			patience := r.o.CancelGrace
			if errors.Is(context.Cause(ctx), ErrRevoked) {
				patience = min(patience, revokedGrace)
			}
			timer := time.NewTimer(patience)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			r.end()
			return Outcome{Stop: StopCancelled}, nil
		}
	}
}

// revokedGrace is how long an agent may take to cancel that works for nobody any more.
const revokedGrace = time.Second

// refused is the end of a turn that the agent did not answer: cancelled, where that was asked for.
func (r *running) refused(ctx context.Context, refusal error) (Outcome, error) {
	refusal = r.loginError(r.because(refusal))
	select {
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), ErrClosed) {
			return Outcome{}, ErrClosed
		}
		return Outcome{Stop: StopCancelled}, nil
	default:
		return Outcome{}, refusal
	}
}

// outcomeOf reads the answer to a prompt.
func outcomeOf(raw json.RawMessage) Outcome {
	var result struct {
		StopReason StopReason      `json:"stopReason"`
		Usage      json.RawMessage `json:"usage"`
		Meta       json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &result) // what cannot be read is no reason that anybody knows
	return Outcome{Stop: result.StopReason, Usage: result.Usage, Meta: result.Meta}
}
