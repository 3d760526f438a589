package agentclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Agents are the agents that people have configured. It is safe for concurrent use.
//
// A conversation is one ACP session with one agent. It begins with its first prompt. Each has a process of
// its own while it is used, so that what one says, breaks or prints never reaches another; the process
// ends when the conversation has been idle for as long as the configuration says, and the next prompt starts one
// and goes on with the session. Which session that is is kept in the store, so that it outlives us.
type Agents interface {
	// List returns the agents that are configured now, in the order of their names.
	List() []Agent

	// Prompt says something to an agent and waits until the agent has answered. Prompts of one conversation
	// wait for each other, in the order in which they came. tell is called with what happens, in order, by one
	// goroutine at a time, and not after Prompt has returned; the agent waits for it, so it must not wait
	// for an Answer.
	//
	// When ctx ends the agent is told to cancel, and what it still says is told; the Outcome's Stop is
	// StopCancelled then. An agent that does not cancel is ended.
	//
	// Questions that stand when it returns are over, but for ErrClosed and *EndedError: those stay, and can be
	// answered until they expire. Whoever ends the program closes what drives the agents first, and cancels
	// no ctx: a cancelled prompt takes its questions back.
	//
	// Where as many of an agent's processes run as may, and each is used, a prompt waits until one is not.
	//
	// Besides ErrNoAgent, ErrClosed and ctx's cause (for a prompt that had not begun), errors are *EndedError,
	// *RefusedError, *LoginError and *ContentError.
	Prompt(ctx context.Context, p Prompt, tell func(Event)) (Outcome, error)

	// Answer answers a question. The first answer holds, wherever it is given: here, or where people
	// look at what waits for them (a2a-acp approvals). For any other it returns ErrAnswered. A question whose
	// process has ended, or that an earlier process of ours asked, takes an answer as long as it has not
	// expired; it is used when the agent asks the very same again, for example in a Prompt with Continue. One that
	// is for a terminal returns ErrAtTerminal.
	Answer(ctx context.Context, question string, a Answer) error

	// Outlived waits for the answer to a question that its process has left, wherever it is given. It returns nil
	// once there is one, ErrNoQuestion, ErrExpired where none will come any more, and ctx's cause.
	Outlived(ctx context.Context, question, principal string) error

	// Reply gives an agent what it asked for with an Input. The first reply holds; for any other, and for an
	// Input that is over, it returns ErrNoQuestion.
	Reply(ctx context.Context, input string, r Reply) error

	// Forget ends a conversation: its process, and that we know of its session. A prompt that is under
	// way is cancelled. One that is not known is no error.
	Forget(ctx context.Context, c Conversation) error

	// Logins returns the ways to log in that an agent offers. It starts the agent to ask it.
	Logins(ctx context.Context, agent string) ([]Login, error)
	// Login has an agent log in by one of its Logins, and waits until it has; an agent may open a
	// browser on this machine. For one of a terminal it returns an error that says what to run.
	Login(ctx context.Context, agent, login string) error
	// LoggedIn reports whether an agent begins a session, by having it begin one.
	LoggedIn(ctx context.Context, agent string) (bool, error)
	// Logout has an agent forget its login, where it can.
	Logout(ctx context.Context, agent string) error
}

// Agent is a configured agent.
type Agent struct {
	Name        string // as it is configured
	Title       string
	Description string // for people; "" for none
	Program     string // what is started, for people
	Workspace   string // the directory that it works in, absolute
	Confined    string // the profile of its sandbox; "" for none
	Running     int    // its processes
}

// Conversation names a session with an agent. Those of different principals are different, whatever they
// are called.
type Conversation struct {
	Agent     string // required
	Principal string // required: who talks to it. Rules see it, and answers to its questions count for it alone
	Context   string // required: the name, chosen by the caller: an A2A contextId
}

// Prompt is something that is said to an agent.
type Prompt struct {
	Conversation
	// Task and Message are the caller's ids. With the conversation's Context they travel to the agent in
	// _meta.a2a, as taskId, messageId and contextId. Optional.
	Task, Message string
	// Trace is the W3C Trace Context that it belongs to, as a traceparent. Optional.
	Trace string
	// Content is what is said. Required, also with Continue: an agent that does not know the session any more
	// is told it anew.
	Content []Content
	// Continue says that this very prompt was cut off, because we or the agent ended. An agent that
	// goes on with the session is told that, in place of the Content.
	Continue bool
	// After is told how the agent has ended its answer, and returns what it is told next, before anybody else's prompt in the
	// conversation; nil for nothing, and then the answer is over. What the agent says then is told like the rest. Optional.
	After func(context.Context, Outcome) []Content
}

// Content is a piece of what is said, by either side: a text, a file or a link, whichever is set.
type Content struct {
	Text      string // of a Content that is nothing else, and of a file that is text
	Data      []byte // of an image, a recording or a file
	URI       string // of a link, and of a file where it has one
	Name      string // of a file or a link; optional
	MediaType string // of Data; optional elsewhere
}

// EventKind says what an Event tells, and which of its fields is set.
type EventKind int

// The kinds.
const (
	EventBegan    EventKind = iota // Began: it is the prompt's turn, and the agent has it
	EventMessage                   // Chunk: of the agent's answer
	EventThought                   // Chunk: of what it thinks
	EventPlan                      // Plan, whole
	EventToolCall                  // ToolCall, whole: as it is by now
	EventQuestion                  // Question: somebody has to answer
	EventInput                     // Input: somebody has to tell the agent something
	EventAnswered                  // Answered: the question, or the input, is over
	EventUsage                     // Usage
	EventNotice                    // Notice: something that the agent, or we, want people to know
	EventOther                     // Other: an update of ACP's that nobody here reads, such as a change of mode
)

// String returns the name of the kind.
func (k EventKind) String() string {
	return [...]string{"began", "message", "thought", "plan", "tool call", "question", "input", "answered", "usage",
		"notice", "other"}[k]
}

// Event is what happens while an agent answers. Exactly the field that its Kind names is set.
type Event struct {
	Kind     EventKind
	Began    *Began
	Chunk    *Chunk
	Plan     []PlanEntry
	ToolCall *ToolCall
	Question *Question
	Input    *Input
	Answered *Answered
	Usage    json.RawMessage // ACP's usage_update: used, size and cost
	Notice   string
	Other    json.RawMessage // the update, as it came
}

// Began tells in which session a prompt is answered.
type Began struct {
	Session string // ACP's id
	How     Opening
	Why     string // for OpenedAnew: why the session could not be gone on with
	Agent   string // as the agent calls itself; "" where it does not
	Version string
}

// Opening is how a conversation has got its session.
type Opening string

// The openings.
const (
	OpenedNew     Opening = "new"     // the conversation begins
	OpenedKept    Opening = "kept"    // the process that had it runs
	OpenedResumed Opening = "resumed" // another process goes on with it
	OpenedAnew    Opening = "anew"    // the agent remembers nothing of what was said before
)

// Chunk is a piece of a message. Those of one message follow each other.
type Chunk struct {
	Message string // the agent's id of the message; "" where it has none
	Content Content
}

// PlanEntry is one step of what the agent means to do.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority,omitempty"` // high, medium or low
	Status   string `json:"status,omitempty"`   // pending, in_progress or completed
}

// ToolCall is something that the agent does, as it tells of it: claims, but for Questions and Notices.
type ToolCall struct {
	ID     string
	Title  string
	Name   string // of the tool; "" where the agent does not say
	Kind   string // ACP's: read, edit, delete, move, search, execute, think, fetch, switch_mode or other
	Status string // ACP's: pending, in_progress, completed, failed or cancelled
	Output []ToolOutput
	Files  []Location
	Input  json.RawMessage // rawInput; nil where it does not say
	Result json.RawMessage // rawOutput
}

// ToolOutput is a piece of what a tool call shows: content, a diff or a terminal, whichever is set.
type ToolOutput struct {
	Content  *Content
	Diff     *Diff
	Terminal *TerminalOutput
}

// Diff is a change of a file.
type Diff struct {
	Path    string
	OldText *string // nil for a new file, or one that is not known
	NewText string
	// Patch is a diff in the format of git, of one file or several, where the agent says no texts (ACP 2); ""
	// elsewhere.
	Patch string
}

// TerminalOutput is a command that we run for the agent, as far as it has got.
type TerminalOutput struct {
	ID     string
	Output string
	Exit   *int // nil while it runs
}

// Location is a file that a tool call is about.
type Location struct {
	Path string
	Line int // from 1 on; 0 for none
}

// Here begins the ID of a question that can be answered here alone, and ends with this process.
const Here = "here-"

// Question is what a person has to decide before the agent goes on. All texts are ready to be shown:
// what in them comes from the agent is escaped and fenced.
type Question struct {
	// ID is what Answer knows it by. Where the question can be answered elsewhere, too, it has the same name
	// there, and it outlives this process; elsewhere it begins with Here.
	ID       string
	Action   string   // what would happen: read, write, execute, call, fetch, switch_mode, …
	Title    string   // one line
	Text     string   // Markdown: what would happen, with the very command or change, and why it is asked
	Risk     []string // what it would run and could reach, a line each; nil where that is plain
	Command  string   // the command that would run; "" for none
	Dir      string   // where it would run
	Paths    []string // files that it is about
	Change   *Diff    // of a file that would be written
	ToolCall string   // the ID of the ToolCall that it is about; "" where that is not known
	Options  []Option // of which one answers it
	// AtTerminal is set where only a person at a terminal of the agent's machine may answer: a rule, or root, wants
	// that.
	AtTerminal bool
	Lasting    []string  // what answers of OptionAllowAlways can allow, in words, the narrowest first
	Expires    time.Time // no answer by then counts as no
}

// OptionKind says what an Option does.
type OptionKind string

// The kinds (ACP, permission options).
const (
	OptionAllowOnce    OptionKind = "allow_once"
	OptionAllowAlways  OptionKind = "allow_always"
	OptionRejectOnce   OptionKind = "reject_once"
	OptionRejectAlways OptionKind = "reject_always"
)

// Allows reports whether an option of the kind lets it happen.
func (k OptionKind) Allows() bool { return k == OptionAllowOnce || k == OptionAllowAlways }

// Option is an answer that a question offers.
type Option struct {
	ID   string
	Name string // for people
	Kind OptionKind
}

// Answer is somebody's answer to a question.
type Answer struct {
	// Option is the one of the question's that was picked, by its ID and Kind. A question that its
	// process has left takes the Kind alone.
	Option Option
	// Principal is whose conversation the question stands in. Required: of another's there is none.
	Principal string
	// By is who answered, and where, for the record: "a2a maria". Required.
	By     string
	Reason string // what was said beside; optional
}

// Input is something that an agent asks its person to tell it (ACP, elicitation), and that decides about nothing.
// It ends with the process.
type Input struct {
	ID       string
	Message  string          // the agent's words
	Schema   json.RawMessage // of the answer: an object of texts, numbers, booleans and choices
	ToolCall string          // the ID of the ToolCall that it is about; "" for none
}

// Reply answers an Input.
type Reply struct {
	Declined  bool            // somebody does not want to say
	Content   json.RawMessage // an object as Input.Schema wants it
	Principal string          // as in Answer
	// Message is the caller's id of what was said. It travels to the agent as that of a Prompt does. Optional.
	Message string
}

// Answered is how a question, or an Input, has ended.
type Answered struct {
	Question string // its ID
	Allowed  bool
	Option   string // the id of the option that was picked; "" where it was answered elsewhere, or by nobody
	By       string // who answered; "" where nobody did
	Reason   string // why nobody did, or what was said beside
}

// Outcome is how a prompt has ended.
type Outcome struct {
	Stop  StopReason
	Usage json.RawMessage // what the agent says of tokens; nil where it does not
	Meta  json.RawMessage // _meta of its answer; nil for none
}

// StopReason is why an agent has stopped, in ACP's words. Another text than these is the agent's own.
type StopReason string

// The reasons.
const (
	StopEndTurn   StopReason = "end_turn"
	StopMaxTokens StopReason = "max_tokens"
	StopMaxTurns  StopReason = "max_turn_requests"
	StopRefusal   StopReason = "refusal"
	StopCancelled StopReason = "cancelled"
)

// Login is a way to log in that an agent offers.
type Login struct {
	ID          string
	Name        string
	Description string
	// Terminal is the command by which a person logs in at a terminal of this machine; nil for a Login that
	// Agents.Login carries out.
	Terminal []string
}

// The errors that have no words of an agent's.
var (
	ErrNoAgent    = errors.New("no agent of that name is configured")
	ErrClosed     = errors.New("the program ends; what was cut off goes on with Continue")
	ErrNoQuestion = errors.New("there is no such question, or nobody could find an answer to it any more")
	ErrAnswered   = errors.New("it was answered before")
	ErrExpired    = errors.New("nobody answered in time, which counts as no")
	ErrAtTerminal = errors.New("only a person at a terminal of the agent's machine may answer it: a2a-acp approvals")
	ErrNoOption   = errors.New("the question does not offer that option")
	ErrNoLogout   = errors.New("the agent has no way to log out")
)

// EndedError says that an agent has ended while it was to answer, or could not be started.
type EndedError struct {
	How       string // "exited with code 3", or why it did not start
	LastWords string // the end of what it said on stderr, without secrets, for people; "" for nothing
}

// Error returns how it ended, and its last words.
func (e *EndedError) Error() string {
	if e.LastWords == "" {
		return "the agent " + e.How
	}
	return fmt.Sprintf("the agent %s. Its last words: %s", e.How, e.LastWords)
}

// RefusedError is an agent's answer that it cannot do what it was asked for.
type RefusedError struct {
	Code    int
	Message string
	Data    json.RawMessage // nil for none
}

// Error returns the agent's words.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the agent says: %s (code %d)", e.words(), e.Code)
}

// words are the agent's: most agents say in data.details what an internal error was.
func (e *RefusedError) words() string {
	var data struct {
		Details string `json:"details"`
	}
	if json.Unmarshal(e.Data, &data) == nil && data.Details != "" {
		return e.Message + ": " + data.Details
	}
	return e.Message
}

// LoginError says that somebody has to log in before the agent answers.
type LoginError struct {
	Message string
	Logins  []Login
}

// Error returns the agent's words.
func (e *LoginError) Error() string {
	return "the agent has no login: " + strings.TrimSuffix(e.Message, ".")
}

// ContentError says that an agent cannot be told a piece of content.
type ContentError struct{ MediaType string }

// Error names the type.
func (e *ContentError) Error() string {
	return fmt.Sprintf("the agent does not take content of type %s", e.MediaType)
}
