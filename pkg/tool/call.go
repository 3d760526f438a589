package tool

import "encoding/json"

// Door is the way by which a call came in.
type Door string

// The doors.
const (
	DoorACP Door = "acp" // an agent's request through the bridge
	DoorMCP Door = "mcp" // an agent's tool call
	DoorA2A Door = "a2a" // a message of another agent, or of a program, to the daemon
	DoorCLI Door = "cli" // tools run
)

// Call is one request to run a tool, as a door understood it. Nothing in it has been checked.
type Call struct {
	ID        string // ours, unique
	Tool      string
	Arguments json.RawMessage // one JSON object as it came; empty means no arguments. See Tool.CheckArguments
	Origin    Origin
	Workspace Workspace
	Dir       string // what "." means to the caller: absolute
}

// Origin says who made a call.
type Origin struct {
	Door  Door
	Agent string // the agent's own name, as it gave it; "" when a person calls
	// Principal is who calls, as far as we know ourselves: at the daemon (Served) the name of the principal
	// that it has identified; of an agent the command that a person had us start, which is never recorded.
	Principal string
	// Served is set if the call came to the daemon, and Principal is a name of the daemon's, which rules may
	// ask for and the record holds.
	Served   bool
	Session  string // the ACP session; "" when there is none
	Task     string // the A2A task; "" when there is none
	Context  string // the A2A context that the task belongs to
	Mode     string // the mode that the agent is in, as far as it has told
	Headless bool   // nobody can be asked
	Trial    bool   // an example of the tool's author is tried out: nobody wants the call itself
	Trace    Trace  // that the call belongs to; the zero Trace for none
	ToolCall string // the id under which the agent told the editor of the call; "" when it did not
	// Token is what the principal of a call to the daemon has shown, where an issuer of tokens has signed it.
	Token Credential
	// Claims are what that token says of the principal.
	Claims Claims
}

// Recorded returns the principal of a call to the daemon, and "" for any other call: the command of an agent
// may hold what is nobody else's business.
func (o Origin) Recorded() string {
	if o.Served {
		return o.Principal
	}
	return ""
}
