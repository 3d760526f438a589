package hook

import "encoding/json"

// Moment says when an agent's hook was started.
type Moment int

// The moments.
const (
	Before Moment = iota // the tool is about to run, and waits for the answer
	After                // it has ended
	Again                // the agent asks once more, with the input that the tool gets in the end
	Begins               // a session has begun
)

// Call is a use of a tool of the agent's own, as its hook tells it.
type Call struct {
	Moment Moment
	// Sessions are the agent's ids of the session that it is in, and of those above that one. None where each
	// session has a Door of its own.
	Sessions []string
	ID       string          // the agent's id of it, as its cards have it
	Tool     string          // the agent's name for the tool
	Input    json.RawMessage // an object: exactly what the tool gets
	Dir      string          // where relative names begin, and commands run
	// Final is set where nobody makes another input of it behind us: what the agent asks about the call after
	// that is answered, though it may tell less of it.
	Final bool
	// CardEnds is set where the agent's card alone tells what came of it.
	CardEnds bool
	// ServerTools is how the names of an MCP server's tools begin, with * for the server's, and ? for that
	// where - is told as _; "" for mcp__*__.
	ServerTools string
	// Kind is ACP's kind of tool calls, "" for a tool that nobody here knows.
	Kind string
	// Harmless is set where the tool has no effect outside of the agent: its notes and its plans, and agents
	// below it, whose own calls come here, too.
	Harmless bool
	// TheirOwn is set where the agent has the person asked itself, since that is what the tool is for.
	TheirOwn bool
	// Planning is set while the agent may only plan. It holds itself to that where nothing is decided here.
	Planning bool
	// Title says in one line what it does, Changes what it does to files, and Locations where it looks beside
	// what its input names by a path.
	Title     string
	Changes   []Change
	Locations []string
	// File is what it reads or changes, as its input names it; "" for none, or several.
	File string
	// ChangesAreAll is set where Changes say all that the input says.
	ChangesAreAll bool
	// Note says what a person is to know of it who reads that.
	Note string

	// What came of it. Set After.
	Failed bool
	Exit   *int   // a command's exit code, where it is told
	Error  string // in the agent's words
}

// WithCommand returns the input of a command with another command in its place, and the rest as it is; false
// for what is no command of a shell's.
func (c Call) WithCommand(rewrite func(command string) string) (input json.RawMessage, ok bool) {
	var members map[string]json.RawMessage
	var command string
	if c.Kind != "execute" || json.Unmarshal(c.Input, &members) != nil ||
		json.Unmarshal(members["command"], &command) != nil || command == "" {
		return nil, false
	}
	members["command"] = encode(rewrite(command))
	return encode(members), true
}

// Change is a change of a file: a part of it, or the whole of it where OldText is nil.
type Change struct {
	Path, NewText string
	OldText       *string
}

// Verdict is what an agent is told of a Call.
type Verdict int

// The verdicts. The zero one lets nothing happen.
const (
	Deny Verdict = iota
	// Allow lets it happen whatever another hook makes of its input.
	Allow
	// Confirm has the agent ask once more with the input that the tool gets in the end: another hook, of a
	// repository's too, may have put another one in the place of what was decided about.
	Confirm
	// Undecided leaves it to the agent, which asks the person where it would without us.
	Undecided
)

// Answer is what is said of a Call before it.
type Answer struct {
	Verdict Verdict
	Reason  string // for the model
	// Input is what the tool is to get in place of what it was asked with; nil for that. Of a Call that is
	// approved, where the agent lets us.
	Input json.RawMessage
}
