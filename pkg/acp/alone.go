package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Alone is an agent without an editor, in a terminal of a person's. No frame passes here: all that is known
// of what the agent does, its hooks tell (Session.Decide, Session.Confirm, Session.Ended), and questions are
// answered on the board. It is decided about as behind a Bridge, which it is with nobody at its ends.
type Alone struct {
	b       *Bridge
	o       AloneOptions
	writing sync.WaitGroup
	opening sync.Mutex // held while a session begins
	closing sync.Once
}

// AloneOptions says what an Alone is made of.
type AloneOptions struct {
	Gate        *gate.Gate      // required
	Record      events.Recorder // required
	Board       approval.Board  // required: where questions are answered
	Agent       string          // required: what it is called
	Principal   string          // as in Options
	Started     string          // likewise
	Confinement Confinement     // likewise
	Workspace   tool.Workspace  // of all of its sessions
	Dir         string          // required, absolute: where it works
	// Stands is told by which id a question can be answered. Required.
	Stands   func(q approval.Question, id string)
	Say      func(line string) // required: one line for the person
	Prefix   string            // required, as in Options
	Patience time.Duration     // as in Options
}

// NewAlone makes an Alone. Close it when the agent has ended.
func NewAlone(o AloneOptions) (*Alone, error) {
	b, err := New(Options{
		EditorIn: strings.NewReader(""), EditorOut: io.Discard, AgentIn: nobody{}, AgentOut: strings.NewReader(""),
		Gate: o.Gate, Record: o.Record, Board: o.Board, Principal: o.Principal, Started: o.Started, Confinement: o.Confinement,
		Workspace: func(string, []string) tool.Workspace { return o.Workspace },
		Stop:      func(StopCause) {}, Exit: func() string { return "" }, Noise: func([]byte) {},
		Say: o.Say, Prefix: o.Prefix, Patience: o.Patience,
	})
	if err != nil {
		return nil, err
	}
	a := &Alone{b: b, o: o}
	b.alone, b.agent = a, o.Agent
	for _, side := range []*outbox{b.toEditor.out, b.toAgent.out} {
		a.writing.Go(side.run) // ends when it is closed
	}
	return a, nil
}

// nobody reads what an agent is told.
type nobody struct{ io.Writer }

func (nobody) Write(p []byte) (int, error) { return len(p), nil }
func (nobody) Close() error                { return nil }

// Session returns the session that the agent knows by an id. It begins when the agent first speaks of it.
func (a *Alone) Session(id string) *Session {
	if id == "" {
		return nil
	}
	a.opening.Lock()
	defer a.opening.Unlock()
	b := a.b
	b.mu.Lock()
	s, ended := b.sessions[id], b.ended
	b.mu.Unlock()
	if s != nil || ended {
		return s
	}
	at := directories{cwd: a.o.Dir, workspace: a.o.Workspace}
	if dirs, err := editorsDirs([]string{a.o.Dir}); err == nil { // else files are called by their own names
		at.dirs = dirs
	}
	s, _ = b.sessionFor(id, at)
	b.note(events.Event{Type: events.SessionOpened, Session: id, Detail: a.o.Dir})
	return s
}

// Sessions returns those that have begun.
func (a *Alone) Sessions() (list []*Session) {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	for _, s := range a.b.sessions {
		list = append(list, s)
	}
	return list
}

// Close withdraws what waits, and ends all sessions.
func (a *Alone) Close() { a.closing.Do(a.end) }

func (a *Alone) end() {
	a.b.end()
	a.b.toEditor.out.close()
	a.b.toAgent.out.close()
	a.writing.Wait()
}

// ask puts a question on the board, and waits there.
func (a *Alone) ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	notice := a.o.Board.Post(q)
	answer, found, err := notice.Earlier(ctx, func() {})
	if err == nil && !found {
		if answer, err = notice.Elsewhere(ctx, func(id string) { a.o.Stands(q, id) }); err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", approval.ErrNobody, err)
			}
			notice.Withdraw(err)
		}
	}
	notice.Over(answer, err)
	return answer, err
}

// Confirm reports whether the agent may use a tool that it asks about once more, with the input that the tool
// gets in the end: whether that very input was approved when its hook asked. Each yes confirms one. Of an
// agent that does not say which call it is, toolCall is "".
func (s *Session) Confirm(toolCall, tool string, input json.RawMessage) bool {
	own := s.unconfirmed(toolCall, tool, input)
	if own == nil || s.b.o.Gate.Decide(own.claim.request).Verdict == permissions.Reject {
		return false
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	first := !own.joined && !s.turn.cancelled
	own.joined = true
	return first
}

func (s *Session) unconfirmed(toolCall, tool string, input json.RawMessage) *ownAct {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	for _, id := range slices.Backward(s.calls.order) {
		own := s.calls.byID[id].own
		if own != nil && (toolCall == "" || id == toolCall) && own.call.name == tool && !own.joined && !own.ended &&
			own.decision != nil && own.decision.Verdict == permissions.Approve && sameJSON(own.input(), input) {
			return own
		}
	}
	return nil
}
