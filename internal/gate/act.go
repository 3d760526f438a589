package gate

import (
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Act is something that somebody wants to happen, as a door or an executor knows it. Its methods have no
// effects, and are called by one goroutine at a time.
type Act interface {
	// Request is what the rules are asked about.
	Request() permissions.Request
	// Effect is what happens when the act is carried out, so that an answer which was given to the very
	// same a moment ago counts; none counts for the zero Effect.
	Effect() Effect
	// AtMost is the most that may come of the act, whatever the rules say: what the sandbox lets an agent
	// do. It approves where nothing holds the act.
	AtMost() permissions.Decision
	// Review is the act as governors are told of it.
	Review(permissions.Decision) permissions.Review
	// Event begins an event about the act, but for its time.
	Event(events.Type) events.Event
	// Question is what a person reads. With an error nobody is asked, and the act is rejected for that
	// reason.
	Question(asked permissions.Decision) (approval.Question, error)
	// Recheck looks once more whether the act is what was decided about, right before it is carried out,
	// and returns the decision that holds. It is called with approvals only.
	Recheck(permissions.Decision) permissions.Decision
	// Option is the id of the agent's own option by which a decision answers its question; "" where that is
	// none of an agent's, or no option answers it. cause is why nobody has answered, where somebody was
	// asked.
	Option(d permissions.Decision, cause error) string
	// Unrecorded returns what holds in place of a decision that could not be put on record, be it to ask.
	Unrecorded(permissions.Decision, error) permissions.Decision
	// Mask takes what nobody may see out of a text.
	Mask(string) string
}
