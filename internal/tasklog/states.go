package tasklog

import "slices"

// State is what a task is at.
type State string

// The states, in the words of A2A; MCP has the same without rejected and auth-required.
const (
	None          State = "" // before the first event
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required" // a person has to answer
	AuthRequired  State = "auth-required"  // somebody has to log in
	Completed     State = "completed"
	Failed        State = "failed"
	Canceled      State = "canceled"
	Rejected      State = "rejected"
)

// Ended reports whether nothing happens to the task any more.
func (s State) Ended() bool {
	return s == Completed || s == Failed || s == Canceled || s == Rejected
}

// Interrupted reports whether the task waits for somebody.
func (s State) Interrupted() bool { return s == InputRequired || s == AuthRequired }

// Kind is what sort of thing an event is.
type Kind string

// The kinds.
const (
	Created  Kind = "created"  // the task begins
	Status   Kind = "status"   // its state changes, or something is said about it
	Artifact Kind = "artifact" // it has put something out
)

// leads says to which states an event of a kind may lead from a state. What is not here does not happen: after
// the end nothing does, and a task that was begun is never merely submitted again.
var leads = map[Kind]map[State][]State{
	Created: {None: {Submitted}},
	Status: {
		Submitted:     {Working, InputRequired, AuthRequired, Completed, Failed, Canceled, Rejected},
		Working:       {Working, InputRequired, AuthRequired, Completed, Failed, Canceled, Rejected},
		InputRequired: {Working, InputRequired, AuthRequired, Completed, Failed, Canceled, Rejected},
		AuthRequired:  {Working, InputRequired, AuthRequired, Completed, Failed, Canceled, Rejected},
	},
	Artifact: {
		Submitted:     {Submitted},
		Working:       {Working},
		InputRequired: {InputRequired},
		AuthRequired:  {AuthRequired},
	},
}

// may reports whether an event leads from one state to another.
func may(kind Kind, before, after State) bool { return slices.Contains(leads[kind][before], after) }
