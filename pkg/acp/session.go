package acp

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Session is one ACP session. It begins when the editor asks for it, when its id may not be known yet, and
// goes on when the editor loads or resumes it again: an agent that still has it keeps what it has, our MCP
// server included.
type Session struct {
	b        *Bridge
	toEditor *queue        // the order in which what belongs to the session goes there
	known    chan struct{} // closed when id is known, or will never be
	closed   context.Context
	close    context.CancelCauseFunc

	// Guarded by Bridge.mu.
	id string
	directories
	opened  directories  // those that the agent has taken; the others only until it has answered
	servers []*MCPServer // ours, one for each time the editor opened the session
	hooks   []*Hooks     // likewise
	// unproved says why its hooks are not known to be in force; nil where nothing speaks against it.
	unproved error
	calls    toolCalls
	// uncarded counts the calls of our tools that came in and of which no card of the agent's tells yet.
	uncarded map[string]int
	turn     turn
	turns    []*queuedQuestion   // of its questions, the one that stands first
	ofHooks  []*hookQuestion     // those that hooks ask
	loads    int                 // how often it is being opened again: its history is told meanwhile
	texts    map[string]heldText // of files, as the editor had them last, by resolved path

	unaskedModes bool            // the person was told that the agent asks nobody in its mode
	mode         string          // that the agent is in; "" when it has not told
	modeOptions  map[string]bool // the agent's options that are its mode
}

// turn is what happens between a prompt and its answer.
type turn struct {
	ctx       context.Context // ends when the person cancels the turn
	cancel    context.CancelCauseFunc
	cancelled bool
	over      int           // how many have ended before
	of        turnOrigin    // that it belongs to
	summary   func() string // says what came of it; nil where nobody wants to know
}

// ID returns the session's id, and waits for the agent to name it. It is empty when the session never came
// to be.
func (s *Session) ID(ctx context.Context) string {
	select {
	case <-s.known:
	case <-ctx.Done():
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.id
}

// Workspace returns the directories that the session works in.
func (s *Session) Workspace() tool.Workspace {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.workspace
}

// Dirs returns the directories that the session works in, as the editor calls them: its own first.
func (s *Session) Dirs() []string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	dirs := []string{s.cwd}
	for _, dir := range s.dirs {
		if dir.name != s.cwd {
			dirs = append(dirs, dir.name)
		}
	}
	return dirs
}

// turnOrigin is what the editor says that a turn belongs to; the zero turnOrigin for nothing.
type turnOrigin struct {
	trace         tool.Trace
	task, context string // of A2A, where a client of ours is the editor
}

func (s *Session) turnOrigin() turnOrigin {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.turn.of
}

// Trace returns the trace that the editor says the present turn belongs to; the zero Trace for none.
func (s *Session) Trace() tool.Trace { return s.turnOrigin().trace }

// Task returns the A2A task that the present turn works on, and its context; "" for none.
func (s *Session) Task() (task, context string) {
	of := s.turnOrigin()
	return of.task, of.context
}

// Dir returns the session's working directory.
func (s *Session) Dir() string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.cwd
}

// Agent returns the name that the agent gave itself.
func (s *Session) Agent() string { return s.b.agentName() }

// AgentVersion returns the version that the agent says it is of; "" where it says none.
func (s *Session) AgentVersion() string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.b.agentVersion
}

// Principal is who the agent is, as far as we know ourselves.
func (s *Session) Principal() string { return s.b.o.Principal }

// Served reports whether the principal is one of the daemon's.
func (s *Session) Served() bool { return s.b.o.Served }

// openSession owns session/new, load, resume and fork: the session's directories are noted, and the agent
// gets one more MCP server, ours. The client's own servers stay as they are.
func (b *Bridge) openSession(frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseEditor(frame, fmt.Sprintf("%s: %v", frame.MethodName(), err))
	}
	at, err := b.directoriesOf(params)
	if err != nil {
		return b.refuseEditor(frame, fmt.Sprintf("%s: %v", frame.MethodName(), err))
	}
	if b.o.Admit != nil {
		if err := b.o.Admit(at.workspace, at.cwd); err != nil {
			b.o.Say(fmt.Sprintf("no session in %s: %v", at.cwd, err))
			b.toEditor.put(errorResponse(frame.ID, wireError{Code: codeDenied, Message: "a2a-acp: " + err.Error()}))
			return nil
		}
	}
	again := "" // the id of the session that is opened once more
	if method := frame.MethodName(); method == methodSessionLoad || method == methodSessionResume {
		again = params.text("sessionId")
	}
	s, fresh := b.sessionFor(again, at)
	server, err := b.offerTools(s)
	if err != nil {
		b.o.Say(fmt.Sprintf("the agent gets no tools of yours in this session: %v", err))
	}
	if server != nil {
		changed, err := b.withServer(frame, line, server)
		if err != nil {
			b.abandon(s, server, nil, fresh)
			return b.refuseEditor(frame, fmt.Sprintf("%s: %v", frame.MethodName(), err))
		}
		line = changed
	}
	line, hooks, err := b.withHooks(s, line)
	if err != nil {
		b.abandon(s, server, hooks, fresh)
		return b.refuseEditor(frame, fmt.Sprintf("%s: %v", frame.MethodName(), err))
	}
	loads := again != ""
	b.loading(s, loads, 1)
	b.openFromEditor(frame, passed{session: s, answered: func(answer ndjson.Frame, line []byte) []byte {
		b.loading(s, loads, -1)
		b.sessionAnswered(s, at, server, hooks, fresh, answer)
		return line
	}})
	return b.toAgent.relay(line)
}

// loading notes that the agent begins, or ends, to tell the history of a session.
func (b *Bridge) loading(s *Session, loads bool, more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if loads {
		s.loads += more
	}
}

// sessionFor finds the session that is opened once more, or begins one. A session that is loaded has its id
// at once, since its history is replayed before the answer comes.
func (b *Bridge) sessionFor(id string, at directories) (s *Session, fresh bool) {
	if s = b.session(id); s == nil {
		fresh = true
		s = &Session{b: b, toEditor: b.toEditor.anotherQueue(), known: make(chan struct{})}
		s.closed, s.close = context.WithCancelCause(context.Background())
		s.turn.ctx, s.turn.cancel = context.WithCancelCause(s.closed)
	}
	b.moveTo(s, at)
	b.mu.Lock()
	defer b.mu.Unlock()
	if fresh && id != "" {
		s.id, b.sessions[id] = id, s
		delete(b.below, id)
		s.settle()
	}
	return s, fresh
}

// moveTo has a session work somewhere. What waits in it where it worked before is withdrawn, and what was allowed
// there is forgotten.
func (b *Bridge) moveTo(s *Session, at directories) {
	b.mu.Lock()
	id, elsewhere := s.id, s.cwd != at.cwd || !slices.Equal(s.workspace.Dirs(), at.workspace.Dirs())
	b.mu.Unlock()
	moves := id != "" && elsewhere
	if moves {
		b.withdrawTurn(s, errSessionMoved)
	}
	b.mu.Lock()
	s.directories = at
	b.mu.Unlock()
	if moves {
		b.newTurn(s, s.turnOrigin())
		b.o.Gate.EndSession(id)
	}
}

// offerTools opens our MCP server for a session; nil when there is nothing to offer.
func (b *Bridge) offerTools(s *Session) (*MCPServer, error) {
	if b.o.Tools == nil {
		return nil, nil
	}
	server, err := b.o.Tools.Open(s)
	if server == nil || err != nil {
		return nil, err
	}
	b.mu.Lock()
	s.servers = append(s.servers, server)
	b.mu.Unlock()
	return server, nil
}

// abandon takes back what was prepared for a session that did not come to be. One that was there before
// stays where it was.
func (b *Bridge) abandon(s *Session, server *MCPServer, hooks *Hooks, fresh bool) {
	if fresh {
		b.closeSession(s)
		return
	}
	b.mu.Lock()
	at := s.opened
	b.mu.Unlock()
	b.moveTo(s, at)
	b.mu.Lock()
	s.servers = slices.DeleteFunc(s.servers, func(other *MCPServer) bool { return other == server })
	s.hooks = slices.DeleteFunc(s.hooks, func(other *Hooks) bool { return other == hooks })
	b.mu.Unlock()
	if server != nil {
		server.Close()
	}
	if hooks != nil {
		hooks.Close()
	}
}

// sessionAnswered learns the session's id from the agent's answer. One that was opened by its id keeps it:
// the editor goes on calling it so.
func (b *Bridge) sessionAnswered(s *Session, at directories, server *MCPServer, hooks *Hooks, fresh bool,
	answer ndjson.Frame) {
	id := s.boundID()
	if result, err := exactObject(answer.Result); err == nil && id == "" {
		id = result.text("sessionId")
	}
	if failed(answer) || id == "" {
		b.abandon(s, server, hooks, fresh)
		return
	}
	b.moveTo(s, at)
	b.mu.Lock()
	s.opened = at
	b.mu.Unlock()
	b.bind(s, id)
	if hooks != nil && hooks.Proof != nil {
		b.prove(s, hooks.Proof)
	}
	if result, err := exactObject(answer.Result); err == nil {
		b.learnModes(s, result)
	}
	b.note(events.Event{Type: events.SessionOpened, Session: id, Detail: s.Dir()})
}

// bind gives the session its id. A session of that id that was open before ends first, with all that was
// allowed in it.
func (b *Bridge) bind(s *Session, id string) {
	before := b.session(id)
	if before == s {
		return
	}
	if before != nil {
		b.closeSession(before)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.id = id
	b.sessions[id] = s
	delete(b.below, id)
	s.settle()
}

// During returns a context that ends with ctx, when the person cancels the turn, or when the session is
// closed: an agent need not tell an MCP server that the turn was cancelled, and Gemini does not. The caller
// calls stop.
func (s *Session) During(ctx context.Context) (during context.Context, stop func()) {
	turn := s.b.turnContext(s)
	during, withdraw := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(turn, func() { withdraw(context.Cause(turn)) })
	return during, func() {
		unhook()
		withdraw(nil)
	}
}

// settle says that the id is known, or will never be. Called with mu held.
func (s *Session) settle() {
	select {
	case <-s.known:
	default:
		close(s.known)
	}
}

func (s *Session) boundID() string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.id
}

// session finds an open session; nil when there is none of that id.
func (b *Bridge) session(id string) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[id]
}

// sessionIn finds the open session that params of the agent's name; nil when they name none.
func (b *Bridge) sessionIn(params []byte) *Session {
	raw, ok := ndjson.Get(params, "sessionId")
	if !ok {
		return nil
	}
	id, err := ndjson.String(raw)
	if err != nil {
		return nil
	}
	s, _ := b.agentsSession(id)
	return s
}

// queueOf returns the order in which what belongs to a session goes to the editor. Without one there is no
// order but that of the lane.
func (b *Bridge) queueOf(s *Session) *queue {
	if s == nil {
		return b.toEditor
	}
	return s.toEditor
}

// leaveSession owns session/close and session/delete.
func (b *Bridge) leaveSession(frame ndjson.Frame, line []byte) error {
	at := b.toAgent.reserve()
	if params, err := exactObject(frame.Params); err == nil {
		id := params.text("sessionId")
		if s := b.session(id); s != nil {
			b.answersBehind(s)
			b.closeSession(s)
			b.takeBack(s, errSessionClosed)
			b.note(events.Event{Type: events.SessionClosed, Session: s.boundID()})
		}
		b.cancelLeft(id, errSessionClosed) // an editor closes, and deletes, also what it has not opened here
	}
	b.openFromEditor(frame, passed{})
	at.put(bytes.Clone(line))
	return nil
}

// closeSession withdraws what waits in the session, takes our tools away and forgets what was allowed in
// it. Closing twice is harmless.
func (b *Bridge) closeSession(s *Session) { b.endSession(s, errSessionClosed) }

// endSession is closeSession for a reason.
func (b *Bridge) endSession(s *Session, why error) {
	b.mu.Lock()
	id := s.id
	if b.sessions[id] == s {
		delete(b.sessions, id)
	}
	maps.DeleteFunc(b.below, func(_ string, of *Session) bool { return of == s })
	first := s.closed.Err() == nil
	s.close(why)
	servers, hooks := s.servers, s.hooks
	s.servers, s.hooks = nil, nil
	s.settle()
	b.mu.Unlock()
	for _, server := range servers {
		server.Close()
	}
	for _, h := range hooks {
		h.Close()
	}
	b.terminalsLeft(s)
	b.ownEnded(s)
	if first && id != "" && b.session(id) == nil {
		b.o.Gate.EndSession(id)
	}
}
