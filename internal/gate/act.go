package gate

import (
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Act is something that somebody wants to happen, as a door or an executor describes it. Its methods have
// no effect. They are called by one goroutine at a time.
type Act interface {
	// Request returns what the rules decide about.
	Request() permissions.Request
	// Effect returns what happens if the act is carried out. A recent answer to an act with the same Effect
	// counts for this one, too; no answer counts for the zero Effect.
	Effect() Effect
	// AtMost returns the most that the act may get, whatever the rules say: what the sandbox of an agent
	// allows. It approves if the agent is not confined.
	AtMost() permissions.Decision
	// Review returns the act as governors see it.
	Review(permissions.Decision) permissions.Review
	// Event returns an event about the act, without its time.
	Event(events.Type) events.Event
	// Question returns the question for a person. If it returns an error, nobody is asked and the act is
	// rejected for that reason.
	Question(asked permissions.Decision) (approval.Question, error)
	// Recheck reports whether the act is still what was decided about, right before it is carried out, and
	// returns the decision that holds. It is called for approvals only.
	Recheck(permissions.Decision) permissions.Decision
	// Option returns the id of the agent's own option that corresponds to a decision; "" if the question is
	// not an agent's or no option corresponds. cause is why nobody answered, if somebody was asked.
	Option(d permissions.Decision, cause error) string
	// Unrecorded returns the decision that replaces one which could not be recorded. It may ask.
	Unrecorded(permissions.Decision, error) permissions.Decision
	// Mask removes secret values from a text.
	Mask(string) string
}
