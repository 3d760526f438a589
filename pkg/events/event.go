package events

import (
	"context"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Type says what happened.
type Type string

// The types. A name is subject and past participle.
const (
	BridgeStarted Type = "bridge.started" // Coverage says what this bridge can and cannot see
	BridgeEnded   Type = "bridge.ended"   //
	DaemonStarted Type = "daemon.started" // Coverage says where it listens, and who may call
	DaemonEnded   Type = "daemon.ended"   //
	SessionOpened Type = "session.opened" //
	SessionClosed Type = "session.closed" // by the editor, before the bridge ended
	ConfigLoaded  Type = "config.loaded"  // Files
	ConfigRefused Type = "config.refused" // a changed file that is not used; the last good one stays
	ToolDecided   Type = "tool.decided"   // durable before any effect
	ToolStarted   Type = "tool.started"   // right before the process of one of our tools starts, for each attempt
	ToolAttempted Type = "tool.attempted" // a run that failed, of an act that is tried again
	// A request of one of our tools has begun a job elsewhere, which is asked about from now on: Job. Durable.
	JobBegun  Type = "job.begun"
	ToolEnded Type = "tool.ended" // what became of an act that was let through; once for each
	ToolSeen  Type = "tool.seen"  // what came of what the agent does by itself, as it says
	// The agent has done by itself what it was refused, or what a rule rejects: Decision.
	ToolViolated  Type = "tool.violated"
	ApprovalAsked Type = "approval.asked" // a person is being asked
	// A person has answered, yes or no; Decision.Approver says who and where.
	ApprovalAnswered Type = "approval.answered"
	// The process that asked has ended; the question stands; Detail names it.
	ApprovalLeft Type = "approval.left"
	// The very same was asked again: one question for both; Detail names it.
	ApprovalJoined Type = "approval.joined"
	// An answer that had waited was given to this call, and counts no more; Detail says whose.
	ApprovalUsed Type = "approval.used"
	// The act was cancelled that nobody waits to do any more: the question, or a yes that no call was given, counts no
	// more; Detail names it.
	ApprovalCancelled Type = "approval.cancelled"
	// A person trusts a workspace's own files as they are: Files; Detail says who.
	TrustGiven   Type = "trust.given"
	TrustRevoked Type = "trust.revoked" // and no longer does
	// What was allowed for a session is asked again; Detail says what it was.
	GrantRevoked Type = "grant.revoked"
	// Somebody has given a secret a value; Detail has its name and theirs, and never the value.
	SecretSet     Type = "secret.set"
	SecretRemoved Type = "secret.removed" // likewise
	// Governance: what they said, before the decision or about the output.
	GovernorsAsked Type = "governors.asked"
	// A tool's calls are refused for a while, tried again, or let through as before.
	CircuitChanged Type = "circuit.changed"
	FrameRefused   Type = "frame.refused"   // a line of the agent's that two readers could read differently
	RecordResumed  Type = "record.resumed"  // nothing could be recorded for a while; Detail says since when, and why
	RecordRepaired Type = "record.repaired" // a torn last line was set aside, or lines are gone from the end
	// Segments that are older than the record is kept were removed: Files; Retired is the last number in them.
	RecordRetired Type = "record.retired"
	// A confined agent says that its sandbox kept it from something; Detail says what would allow it.
	SandboxRefused Type = "sandbox.refused"

	TaskCreated       Type = "task.created"        // by an A2A client: Progress has its first state
	TaskStatusChanged Type = "task.status_changed" // Progress has both states
	TaskMessage       Type = "task.message"        // somebody has said something in it: Progress
	TaskArtifact      Type = "task.artifact"       // it has brought something forth: Progress

	// Somebody was let in at a listener, or was not; Client says who, as far as is known.
	ClientAccepted Type = "client.accepted"
	ClientRefused  Type = "client.refused"

	// An agent was told to log in or out by a client of the daemon's, or has; Agent says which, Detail how,
	// Principal for whom.
	AgentLogin Type = "agent.login"

	WebhookFailed   Type = "webhook.failed"   // a delivery was given up: Detail has whose, of what, and why
	WebhookDisabled Type = "webhook.disabled" // its receiver wants nothing any more
	WebhookPaused   Type = "webhook.paused"   // a person has stopped deliveries; Detail says who
	WebhookResumed  Type = "webhook.resumed"  // they go on; Detail says who, and from where
	WebhookTest     Type = "webhook.test"     // is about nothing, and on no record
)

// all are the types, in the order above.
var all = []Type{
	BridgeStarted, BridgeEnded, DaemonStarted, DaemonEnded, SessionOpened, SessionClosed, ConfigLoaded, ConfigRefused,
	ToolDecided, ToolStarted,
	ToolAttempted, JobBegun, ToolEnded, ToolSeen, ToolViolated, ApprovalAsked, ApprovalAnswered, ApprovalLeft, ApprovalJoined,
	ApprovalUsed, ApprovalCancelled, TrustGiven, TrustRevoked, GrantRevoked, SecretSet, SecretRemoved, GovernorsAsked,
	CircuitChanged, FrameRefused, RecordResumed, RecordRepaired, RecordRetired, SandboxRefused,
	TaskCreated, TaskStatusChanged, TaskMessage,
	TaskArtifact, ClientAccepted, ClientRefused, AgentLogin, WebhookFailed, WebhookDisabled, WebhookPaused, WebhookResumed,
	WebhookTest,
}

// Event is one thing that happened. Only the fields that its type speaks of are set. The JSON names are
// those of the record, and follow OpenTelemetry's gen_ai names where it has one.
type Event struct {
	Type Type      `json:"type"`
	Time time.Time `json:"time"`

	Session  string `json:"session_id,omitempty"`
	Task     string `json:"task_id,omitempty"`      // of an A2A client
	Context  string `json:"context_id,omitempty"`   // that the task belongs to
	CallID   string `json:"call_id,omitempty"`      // ours
	ToolCall string `json:"tool_call_id,omitempty"` // the agent's
	// AskedBy is the call whose question it was that this one has joined, or whose answer it has used; maybe itself.
	AskedBy string `json:"asked_by_call_id,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Door    string `json:"door,omitempty"`
	// Principal is who called the daemon, by the name that it knows the caller by; "" for what did not come
	// through it.
	Principal string `json:"principal,omitempty"`

	// Late marks what happened while nothing could be recorded, and has its place in the record only now.
	Late bool `json:"late,omitempty"`

	// The trace that it belongs to (W3C Trace Context): its own span, and the one that it comes from.
	TraceID    string `json:"trace_id,omitempty"`
	SpanID     string `json:"span_id,omitempty"`
	ParentSpan string `json:"parent_span_id,omitempty"`
	Sampled    bool   `json:"trace_sampled,omitempty"`

	Act      *Act      `json:"act,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
	Outcome  *Outcome  `json:"outcome,omitempty"`

	Governance *tool.Governance `json:"governance,omitempty"`

	Job      *Job      `json:"job,omitempty"`
	Circuit  *Circuit  `json:"circuit,omitempty"`
	Options  []Option  `json:"options,omitempty"`  // what a person who is asked can answer
	Progress *Progress `json:"progress,omitempty"` // of a task
	Client   *Client   `json:"client,omitempty"`

	Retired  int64             `json:"retired,omitempty"`
	Damage   []Damage          `json:"damage,omitempty"`
	Coverage map[string]string `json:"coverage,omitempty"`
	Command  []string          `json:"command,omitempty"`
	Files    []File            `json:"files,omitempty"`
	Detail   string            `json:"detail,omitempty"`
}

// Act is what somebody wants to do, or did.
type Act struct {
	// Level is tool.AuditMetadata where nothing stands on record of what the act is about.
	Level tool.AuditLevel `json:"level,omitempty"`

	Kind      string         `json:"kind"` // read, write, execute, call, prompt, …
	Tool      string         `json:"tool,omitempty"`
	Title     string         `json:"title,omitempty"`
	Paths     []string       `json:"paths,omitempty"`
	Commands  []string       `json:"commands,omitempty"`
	Shell     string         `json:"shell,omitempty"`
	Arguments map[string]any `json:"arguments,omitempty"` // shortened, secrets replaced
	Digest    string         `json:"digest,omitempty"`
	// Request is the HTTP request that it sends: method, url, path, query, body; only its method where an argument is
	// secret.
	Request map[string]any `json:"request,omitempty"`
	// Given has the keyed hashes of the secrets that a tool was given, by its variables.
	Given map[string]string `json:"given,omitempty"`

	// What rules look at beside that, so that what was decided can be decided again by others.
	Tools       []string `json:"tools,omitempty"`      // the other ids that the act has
	Argv        []string `json:"argv,omitempty"`       // the words of Shell, where it was given as words
	Dir         string   `json:"dir,omitempty"`        // what relative paths are relative to
	Workspace   []string `json:"workspace,omitempty"`  // its directories
	Env         []string `json:"env,omitempty"`        // names of the variables that it sets
	Mode        string   `json:"mode,omitempty"`       // the mode that the agent was in
	Headless    bool     `json:"headless,omitempty"`   // nobody could be asked
	Confined    bool     `json:"confined,omitempty"`   // the agent's sandbox holds it
	Sandboxing  bool     `json:"sandboxing,omitempty"` // whoever carries it out can have the command run in the sandbox
	Obliging    bool     `json:"obliging,omitempty"`   // whoever carries it out does what the decision obliges to
	Doubts      []string `json:"doubts,omitempty"`     // why it could not be believed
	ReadOnly    bool     `json:"read_only,omitempty"`
	Destructive bool     `json:"destructive,omitempty"`
	OwnProgram  bool     `json:"own_program,omitempty"`  // the program is its author's, and the call gave some of its words
	Confirm     bool     `json:"confirmation,omitempty"` // the tool's author wants a person asked every time

	// Trial marks an example of a tool's author that was tried out: nobody wanted the act itself.
	Trial bool `json:"trial,omitempty"`

	// History marks an act that the agent told of while its session was opened again: maybe one of earlier.
	History bool `json:"history,omitempty"`

	// Claimed marks an act that we know only from the agent's words, since we do not carry it out ourselves.
	Claimed bool `json:"claimed,omitempty"`
}

// Decision is what was decided, by whom, and why.
type Decision struct {
	tool.DecisionSummary
	Option       string   `json:"option_id,omitempty"` // the option that the asker was given
	Reasons      []string `json:"reasons,omitempty"`
	PolicySHA256 string   `json:"policy_sha256,omitempty"`
	// Environment is what was set for the command beside what was asked for, as an obligation of the
	// decision.
	Environment map[string]string `json:"environment,omitempty"`
	// Sandbox is the profile under which the command runs in place of as it was asked for, likewise.
	Sandbox string `json:"sandbox,omitempty"`
	// Waits says that nobody has answered, and that the question stands for the same act asked about again.
	Waits bool `json:"waits,omitempty"`
}

// The values of Outcome.By.
const (
	ByAgent  = "agent"  // in its own words
	ByEditor = "editor" // for the agent
)

// Statuses of outcomes that the results of our tools do not have.
const (
	Started    = "started"  // it is under way: of a further attempt
	NotDone    = "not_done" // it was let through, and nothing came of it
	EndUnknown = "unknown"  // nobody has asked how it ended
)

// Outcome is how an act ended.
type Outcome struct {
	Status   string  `json:"status"`
	By       string  `json:"by,omitempty"` // who carried it out; "" for this program
	ExitCode *int    `json:"exit_code,omitempty"`
	Signal   string  `json:"signal,omitempty"`
	Millis   float64 `json:"ms,omitempty"`
	// TokenMillis is how long the token endpoint of its source took; 0 where a token was kept, or none is wanted.
	TokenMillis float64  `json:"token_ms,omitempty"`
	Bytes       int64    `json:"output_length,omitempty"`
	Truncated   bool     `json:"truncated,omitempty"`
	OutputHash  string   `json:"output_sha256,omitempty"`
	LimitsHit   []string `json:"limits_hit,omitempty"`
	Level       string   `json:"sandbox_level,omitempty"`
	Killed      int      `json:"killed,omitempty"`
	// What it changed that others run or believe without a look, a sentence each.
	Changed []string `json:"changed,omitempty"`
	Error   string   `json:"error,omitempty"`

	// What it printed, of a tool of which that is to stand on record: the beginning of what is long.
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`

	// Diagnostics are those of a failure: what clients may not be told by the protocol itself.
	Diagnostics map[string]any `json:"a2a_diagnostics,omitempty"`

	Attempt int    `json:"attempt,omitempty"` // which one it was, from 1, of an act that was tried more than once
	Cached  bool   `json:"cached,omitempty"`  // nothing ran: it is the result of the call SameAs
	SameAs  string `json:"same_as,omitempty"`
}

// Circuit is the circuit breaker of a tool, or of a source: closed lets calls through, open refuses them until Until, and
// half-open lets a few through on trial.
type Circuit struct {
	Tool   string    `json:"tool"`
	Source string    `json:"source,omitempty"` // of one of a source, which no tool has: its name
	State  string    `json:"state"`
	Before string    `json:"before"`
	Manual bool      `json:"manual,omitempty"` // a person has closed it
	Until  time.Time `json:"until,omitzero"`

	Failures    int       `json:"failures,omitempty"` // that have opened it
	Threshold   int       `json:"threshold,omitempty"`
	LastFailure time.Time `json:"last_failure,omitzero"`
	Opened      time.Time `json:"opened,omitzero"`    // when it had opened, of one that is half open
	Recovery    float64   `json:"recovery,omitempty"` // seconds that it is open
}

// Job is a job that a request has begun. Its URLs are without the values that the call was given.
type Job struct {
	Source string    `json:"source"`           // that it was sent to
	URL    string    `json:"url"`              // that is asked how it stands, with GET
	Cancel string    `json:"cancel,omitempty"` // method and URL of what ends it
	Began  time.Time `json:"began"`
	// Partial says that something was taken out of a URL, so that nobody else can ask there.
	Partial bool `json:"partial,omitempty"`
}

// Option is an answer that a person who is asked can give.
type Option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"` // allow_once, reject_once, … (ACP)
}

// Progress is what became of a task of an A2A client. States are written as A2A 1.0 does, without TASK_STATE_,
// in small letters and with dashes: input-required.
type Progress struct {
	State    string `json:"state,omitempty"`
	Before   string `json:"before,omitempty"` // the state that it was in
	Role     string `json:"role,omitempty"`   // of who has said Text: user or agent
	Text     string `json:"text,omitempty"`   // shortened
	Artifact string `json:"artifact,omitempty"`
	Name     string `json:"name,omitempty"`
	Media    string `json:"media_type,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
}

// Client is who came to a listener.
type Client struct {
	By        string `json:"by,omitempty"` // how it said who it is: token, api_key, jwt, …
	Address   string `json:"address,omitempty"`
	UserAgent string `json:"user_agent,omitempty"`
	Error     string `json:"error,omitempty"` // why it was refused
}

// Damage is what was wrong with the record before.
type Damage struct {
	Kind    string `json:"kind"`
	Seq     int64  `json:"seq,omitempty"`
	File    string `json:"file,omitempty"`
	Message string `json:"message"`
}

// File is a configuration file by its content.
type File struct {
	Path   string `json:"path"`
	Layer  string `json:"layer,omitempty"`
	SHA256 string `json:"sha256"`
}

// Under puts the event into a trace.
func (e *Event) Under(t tool.Trace) {
	e.TraceID, e.SpanID, e.ParentSpan, e.Sampled = t.ID, t.Span, t.Parent, t.Sampled
}

// Trace returns the trace that the event belongs to; the zero Trace for none.
func (e *Event) Trace() tool.Trace {
	return tool.Trace{ID: e.TraceID, Span: e.SpanID, Parent: e.ParentSpan, Sampled: e.Sampled}
}

// Durable reports whether the event must be on disk before what it speaks of may go on.
func (e *Event) Durable() bool {
	return e.Type == ToolDecided || e.Type == JobBegun || e.Type == RecordRetired
}

// Recorder keeps events. Record returns when the event is kept as its type asks: a durable one is on disk.
// An error means that it is not kept, and then nothing that it speaks of may happen. Safe for concurrent
// use; may block on the disk.
type Recorder interface {
	Record(ctx context.Context, event Event) error
}

// Later is what some Recorders can do beside.
type Later interface {
	// Later keeps an event that could not be recorded, and records it when that can be done again, in front of
	// what comes then.
	Later(event Event)
}

// RecordLater has a Recorder keep an event that it could not record, where it does such a thing.
func RecordLater(r Recorder, event Event) {
	if l, ok := r.(Later); ok {
		l.Later(event)
	}
}
