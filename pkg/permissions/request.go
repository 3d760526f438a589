package permissions

import (
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Action is the kind of act that a Request is about: ACP's tool kinds, and call for a tool of ours.
type Action string

// The actions. An unknown kind of the agent's is ActionOther.
const (
	ActionRead       Action = "read"
	ActionWrite      Action = "write" // edits, too
	ActionDelete     Action = "delete"
	ActionMove       Action = "move"
	ActionExecute    Action = "execute"
	ActionFetch      Action = "fetch"
	ActionSearch     Action = "search"
	ActionSwitchMode Action = "switch_mode"
	ActionCall       Action = "call" // a tool of tools.yaml
	ActionOther      Action = "other"
)

// Request is an act that somebody wants to happen, independent of how it was asked for.
type Request struct {
	Door   tool.Door
	Action Action
	// Prompt is set for an agent's question about an act of its own (session/request_permission): we
	// neither carry it out nor see it carried out, and know it only in the agent's words.
	Prompt bool

	// Trace is the trace that the act belongs to, Task and Context are those of an A2A client, and Audit says how much of it
	// stands on record. No rule looks at them.
	Trace         tool.Trace
	Task, Context string
	Audit         tool.AuditLevel

	// Tools are the ids by which a rule may name the act, the best one first, followed by those that only
	// the agent's words give (see Alleged).
	Tools     []string
	Arguments map[string]any
	Paths     []Path
	// Shell is what the act runs; nil when it runs no command. ShellText is the text it was read from, for
	// people.
	Shell     *shellscan.Script
	ShellText string
	// Argv are the words of the one command that the act runs, where it was given as words and not as text.
	Argv []string
	// Commands is what is known of programs, which Shell and Env are read by; nil for what comes with this
	// program. It is set before they are.
	Commands *command.Catalogue
	// TakesObligations is set if whoever carries the act out fulfils the Decision's Obligation. Otherwise
	// there is none, and less is approved.
	TakesObligations bool
	// TakesProfile is set if whoever carries the act out runs its command under the Profile of the Obligation.
	// Otherwise a rule that wants one approves nothing.
	TakesProfile bool
	agentShell   string // that an agent runs its texts with, as far as is known
	// Env are the names of the variables that the act sets for its command, and Variables those of which
	// the value is known.
	Env       []string
	Variables []Variable

	// Sent is the HTTP request that the act sends, its body parsed: method, url, path, query, body; nil for none.
	Sent map[string]any
	// Credential is set if it is sent with a secret or a token, which is no part of Sent.
	Credential bool

	Workspace tool.Workspace
	Dir       string // what relative paths are relative to: absolute

	Agent string // as it calls itself: a claim
	// Principal is who asks, as far as we know ourselves and nobody else can choose: at the daemon (Served)
	// the name of a principal, for an agent the command that a person had us start. "" stands for everybody
	// unknown.
	Principal string
	Served    bool
	Session   string
	// Mode is the mode that the agent says it is in. Headless is set if nobody can be asked, Confined if
	// the agent's sandbox holds whoever carries the act out.
	Mode     string
	Headless bool
	Confined bool

	// Doubts are reasons not to believe the request: claims that disagree, characters that hide something.
	// One is enough to ask, whatever a rule says; a rejecting rule still rejects.
	Doubts []string

	ReadOnly             bool // the tool's author says that it changes nothing
	Destructive          bool // or that it removes or overwrites something
	OwnProgram           bool // the command's program is the author's, and the call gave some of its words
	RequiresConfirmation bool // the tool's author wants a person asked every time

	// Digest identifies what runs for a tool of ours, including its sandbox; "" if not known, and for every
	// other act.
	Digest string

	// Secret are the arguments whose values must not appear in a reason.
	Secret map[string]bool
	// Withheld are the arguments whose values are unknown because the record does not hold them. A rule
	// that needs one cannot be decided; see Authority.Redecide.
	Withheld map[string]bool
}

// Caller names who asks, for what is counted, asked and kept for each caller by itself. No command that a
// person had us start has the name of one of the daemon's principals: a command holds no NUL.
func (r *Request) Caller() string {
	if r.Served {
		return "principal\x00" + r.Principal
	}
	return r.Principal
}

// Path is a file or directory that an act touches.
type Path struct {
	Name  string // as given; relative to Request.Dir, or a file:// URL
	Write bool
}
