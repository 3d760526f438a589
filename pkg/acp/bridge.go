package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Bridge sits between one editor and one agent for as long as the agent lives.
//
// It has four goroutines of its own, a lane and an outbox for each direction, and one for every act that
// waits for a person or for governors. Run starts them and waits for them; only the reader of the editor's
// input may outlive it, since a read of standard input cannot be interrupted and the process is about to
// end.
type Bridge struct {
	o        Options
	toEditor *queue // for what belongs to no session; see queueOf
	toAgent  *queue
	ours     *ourRequests
	alone    *Alone // where there is no editor; nil elsewhere

	holding sync.WaitGroup // acts that wait for a person or for governors

	mu sync.Mutex // guards everything below, and the fields of every Session; taken before outbox.mu
	connection
}

// connection is what the bridge knows of the two sides. Guarded by Bridge.mu.
type connection struct {
	version      int    // the protocol version that the agent chose; 0 until it did
	agent        string // the agent's name, as it gave it
	agentVersion string // likewise
	editor       string
	unrecorded   string // what kept an event from being recorded the last time; "" when nothing has

	fromEditorOpen map[ndjson.Key]*passed // requests that were passed on and are not answered
	fromAgentOpen  map[ndjson.Key]*passed
	held           map[ndjson.Key]*held // requests of the agent that wait for a person or for governors
	sessions       map[string]*Session
	below          map[string]*Session // where agents work that an agent has started, by the ids of their sessions
	passedOn       int                 // how many requests were passed on
	ended          bool

	// Not every editor goes by sessions where it goes by cards and terminals, so these are of all sessions.
	asking  map[string]*openQuestion // the questions that stand, by the cards that they stand in, or speak of
	showing map[string]*openQuestion // the same, by the terminals that they show
	running map[string]*terminal     // those that the editor has run for the agent
	shown   shownCards

	lastEnded time.Time // when a question ended that a person was put
}

// passed is a request that was passed on and whose answer is still to come.
type passed struct {
	number  int // in the order of passing
	id      []byte
	method  string
	session *Session
	ours    bool // we have asked, and not the other end
	// clickable says that the editor may put it to the person: it is not decided here.
	clickable bool
	// heard sees the answer before anything is done with it: what it puts to the other end goes before it. Optional.
	heard func(answer ndjson.Frame)
	over  bool // the agent's question has ended: the answer that still comes goes nowhere. Guarded by Bridge.mu.
	// answered sees the answer before it is passed on and gives the line to pass on; nil where there is
	// nothing to pass on. Optional.
	answered func(frame ndjson.Frame, line []byte) []byte
}

// ToolDoor offers the tools that people wrote to the agent of one session.
type ToolDoor interface {
	// Open makes the MCP server entry that the agent is to start, or returns nil when there is nothing to
	// offer. The entry is closed when the session ends.
	Open(*Session) (*MCPServer, error)
	// Request returns what a call of the tool that the agent knows under that name would ask for. Unknown
	// arguments are nil; without arguments, or with wrong ones, the request is about the tool alone. It
	// returns false if there is no such tool.
	Request(s *Session, name string, arguments json.RawMessage) (permissions.Request, bool)
	// ToolID returns the id of the tool that an agent knows under that name in a workspace; agents respell
	// names for their models. It is called where no method of a Session may be.
	ToolID(w tool.Workspace, name string) (string, bool)
}

// MCPServer is one entry of session/new's mcpServers: a stdio server.
type MCPServer struct {
	Name    string // set by the Bridge: the first free one of serverNames
	Command string
	Args    []string
	Env     []Variable
	Close   func()
}

// Variable is one environment variable, as ACP writes it.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Options configure a Bridge.
type Options struct {
	EditorIn  io.Reader      // required: what the editor writes
	EditorOut io.Writer      // required
	AgentIn   io.WriteCloser // required: the agent's standard input; the Bridge closes it when the editor goes
	AgentOut  io.Reader      // required: the agent's standard output

	Gate   *gate.Gate      // required: decides about every act
	Record events.Recorder // required
	// Degrades says that what only reads goes on by a rule's word where nothing can be recorded.
	Degrades bool
	// Mark returns what stands on record in the place of a secret value. Optional.
	Mark  func(value string) string
	Tools ToolDoor       // optional: without it the agent is offered nothing
	Hooks HookDoor       // optional: without it the agent carries out by itself what it does not ask about
	Board approval.Board // optional: without it questions are answered in the editor only
	// Person answers in the editor's place. Optional.
	Person    Person
	Principal string // optional: who the agent is, as far as we know ourselves (see permissions.Request)
	// Served says that Principal is a name of the daemon's. Optional.
	Served bool
	// Patience is how long the agent's own acts and questions wait for an answer. No answer by then counts
	// as no. Optional, default DefaultPatience.
	Patience time.Duration
	// Pause is the least time between the end of a question and the next one, so that the second half of a
	// double click does not answer a question that nobody has read. Optional, default DefaultPause.
	Pause time.Duration

	// Started names what was started as the agent: its program, and the whole sandbox that holds it. An answer
	// that was left for what was started otherwise does not count. Optional.
	Started string

	Confinement Confinement // optional: the sandbox that the agent is in; nil where it is in none
	// Terminals is used for an agent that is not confined. Optional: without it editors get the command as
	// it was decided about.
	Terminals Terminals

	// Workspace makes the workspace of a session from the directories that the editor names. Required.
	Workspace func(cwd string, additional []string) tool.Workspace
	// Cancelled is called when what waits in a session is withdrawn, as where the editor cancels its turn or closes it,
	// before the agent hears of that: a question that an earlier bridge has put for the session is over then. agent is
	// the name that the agent gave itself; session is the editor's id, which need not be of a session that is open
	// here. Optional.
	Cancelled func(agent, session string, why error)
	// Admit is called for every session before it begins. If it returns an error, the editor is told and
	// there is no session. Optional.
	Admit func(w tool.Workspace, cwd string) error
	// Logins is called with the arguments that the agent asks the editor to add when a person is to log in.
	// Optional.
	Logins func([][]string)
	// LoginCommand returns the command that the editor is to run instead of one that the agent names for
	// its login; nil if it may run none. Optional: without it the editor runs none.
	LoginCommand func(command []string) []string

	// Stop begins to end the agent. It is called at most once, when the editor has gone or ctx has ended,
	// and must not block. Required.
	Stop func(why StopCause)
	// Abandoned is closed when the agent has ended and its output is not worth waiting for: somebody who
	// cannot be ended holds it open. Optional.
	Abandoned <-chan struct{}
	// Exit says how the agent ended, once its output has ended. It may block until that is known. Required.
	Exit func() string

	Say func(line string) // required: one line for the person, on stderr
	// Noise is called with what the agent printed to its output that is no frame. Required.
	Noise func(line []byte)

	// SearchDir returns the directory that a search goes through, by the title of its question, or that it only lists; ""
	// where that does not say it. Optional.
	SearchDir func(title string) (dir string, lists bool)
	// UnaskedModes are the agent's modes in which it does not ask. A person who prompts it in one is told,
	// once a session. Optional.
	UnaskedModes []string

	// BeginTurn is called when a turn begins in a session. What it returns is called at the turn's end, and
	// says in one line what the turn came to, "" for nothing; a nil func says nothing. The person sees the line
	// in a card of ours. Optional.
	BeginTurn func(session string) (summary func() string)

	ForwardAlways bool // the person's "always" goes to the agent as it is
	HideFiles     bool // do not offer the editor's fs methods to the agent
	HideTerminals bool
	MaxFrame      int // optional, default ndjson.DefaultMax; bytes of a line, at least that

	Now    func() time.Time // optional, default time.Now
	Prefix string           // required: what the ids of our own requests begin with; nobody else may know it
}

// DefaultPatience is a day: the editor shows the question all that time, and the agent's turn waits for it.
const DefaultPatience = 24 * time.Hour

// DefaultPause is the longest time between the two clicks of a double click that desktops have by default.
const DefaultPause = 500 * time.Millisecond

func (o *Options) check() error {
	switch {
	case o.EditorIn == nil || o.EditorOut == nil || o.AgentIn == nil || o.AgentOut == nil:
		return errors.New("make a bridge: the four streams are required")
	case o.Gate == nil || o.Record == nil || o.Workspace == nil:
		return errors.New("make a bridge: Gate, Record and Workspace are required")
	case o.Stop == nil || o.Exit == nil || o.Say == nil || o.Noise == nil || o.Prefix == "":
		return errors.New("make a bridge: Stop, Exit, Say, Noise and Prefix are required")
	}
	return nil
}

// StopCause says why an agent is to end.
type StopCause int

// The causes.
const (
	EditorGone  StopCause = iota // the editor closed its end
	ContextDone                  // Run's ctx ended
	AgentSilent                  // the agent closed its output, or has ended
)

// New makes a Bridge. Nothing is read or written before Run.
func New(o Options) (*Bridge, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.Pause <= 0 {
		o.Pause = DefaultPause
	}
	o.MaxFrame = max(o.MaxFrame, ndjson.DefaultMax)
	b := &Bridge{o: o, toEditor: newOutbox(ndjson.NewWriter(o.EditorOut)),
		toAgent: newOutbox(ndjson.NewWriter(o.AgentIn))}
	b.ours = newOurRequests(o.Prefix)
	b.connection = connection{
		fromEditorOpen: map[ndjson.Key]*passed{},
		fromAgentOpen:  map[ndjson.Key]*passed{},
		held:           map[ndjson.Key]*held{},
		sessions:       map[string]*Session{},
		below:          map[string]*Session{},
		asking:         map[string]*openQuestion{},
		showing:        map[string]*openQuestion{},
		running:        map[string]*terminal{},
	}
	return b, nil
}

// Run relays until the agent's output ends, and then answers what the agent has left unanswered. If the
// editor goes away or ctx ends, it has the agent stopped and relays what still comes. The error is nil if
// the agent's output ended in the ordinary way.
func (b *Bridge) Run(ctx context.Context) error {
	var writing sync.WaitGroup
	for _, side := range []*outbox{b.toEditor.out, b.toAgent.out} {
		writing.Go(side.run) // ends when it is closed
	}
	fromEditor, fromAgent := make(chan error, 1), make(chan error, 1)
	// Ends when the editor closes its end, or with the process.
	go func() {
		fromEditor <- b.lane(ndjson.NewReader(b.o.EditorIn, b.o.MaxFrame), b.fromEditor, b.editorTooLong)
	}()
	// Ends when the agent closes its output, which it does at the latest when Stop has ended it.
	go func() { fromAgent <- b.lane(ndjson.NewReader(b.o.AgentOut, b.o.MaxFrame), b.fromAgent, b.agentTooLong) }()

	var once sync.Once
	stop := func(why StopCause) {
		once.Do(func() {
			b.o.AgentIn.Close()
			b.o.Stop(why)
		})
	}
	var agentErr error
	done := ctx.Done()
	for fromAgent != nil {
		select {
		case err := <-fromEditor:
			fromEditor = nil // never ready again
			if err != nil {
				b.o.Say(fmt.Sprintf("the editor's end broke: %v", err))
			}
			stop(EditorGone)
		case <-done:
			done = nil
			stop(ContextDone)
		case agentErr = <-fromAgent:
			fromAgent = nil
		case <-b.o.Abandoned:
			fromAgent = nil
			agentErr = errors.New("somebody who cannot be ended holds the agent's output open")
		}
	}
	stop(AgentSilent) // an agent that closed its output and lives on is of no use to anybody
	b.end()
	b.toEditor.out.close()
	b.toAgent.out.close()
	writing.Wait()
	return agentErr
}

// errGone ends what waits for a person when the agent has ended. Nobody has taken the question back.
var errGone = approval.AskerGone("the agent has ended")

// end withdraws what waits, and answers what the agent left open.
func (b *Bridge) end() {
	b.mu.Lock()
	b.ended = true
	for _, h := range b.held {
		h.withdraw(errGone)
	}
	var sessions []*Session
	for _, s := range b.sessions {
		sessions = append(sessions, s)
	}
	b.mu.Unlock()
	b.ours.closeAll(errGone)
	b.holding.Wait()
	for _, s := range sessions {
		b.endSession(s, errGone)
	}
	b.answerForAgent()
}

// answerForAgent answers every request of the editor's that the agent can no longer answer: a prompt that
// the person cancelled as cancelled, everything else as failed, with the reason.
func (b *Bridge) answerForAgent() {
	why := b.o.Exit()
	b.mu.Lock()
	open := slices.SortedFunc(maps.Values(b.fromEditorOpen), func(p, q *passed) int { return p.number - q.number })
	b.fromEditorOpen = map[ndjson.Key]*passed{}
	version := b.version
	b.mu.Unlock()
	for _, p := range open {
		if p.ours {
			continue
		}
		var line []byte
		if p.method == methodPrompt && version < 2 && p.session != nil && b.cancelledTurn(p.session) {
			line = response(p.id, map[string]string{"stopReason": "cancelled"})
		} else {
			// Zed shows data.details, and only that, when it is data's only member.
			line = errorResponse(p.id,
				wireError{Code: codeInternal, Message: "Internal error",
					Data: map[string]string{"details": "the agent ended: " + why}})
		}
		b.toEditor.put(line)
	}
}
