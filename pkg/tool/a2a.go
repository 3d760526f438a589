package tool

import "net/netip"

// A2A is a remote agent that a tool sends a message to in place of running a script.
type A2A struct {
	URL   string // of the agent, or of its card
	Skill string // the skill that is to be run; "" where the agent itself finds out what is wanted
	Auth  string // how the token is shown; "" as the agent's card wants it
	// Allow are addresses that may be reached although they are not public, and Origins those that the card may lead
	// to beside its own.
	Allow   []netip.Prefix
	Origins []string
}

// The parameters of a tool with an A2A that are no data for the skill.
const (
	A2AMessage = "message" // the text that is sent
	A2ATask    = "task"    // the task that the message answers
)

// A2AToken is the name of the reference of a tool's sandbox that is the token.
const A2AToken = "a2a.token"

// A2AParameters are those of a tool that declares none and names no skill.
func A2AParameters() []Parameter {
	return []Parameter{
		{Name: A2AMessage, Type: TypeString, Required: true, Description: "What the agent is told or asked"},
		{Name: A2ATask, Type: TypeString, Description: "The task of an earlier result that waits for an answer; message is the answer"},
	}
}
