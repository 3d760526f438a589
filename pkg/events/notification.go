package events

import "time"

// Recorded is an event with its place in the record: what followers of the record tell others about.
type Recorded struct {
	Seq int64  // its number
	ID  string // unique everywhere, and never another one for the same event
	Event
}

// Notification is an event as the original system tells it (docs/events.md there, and its tool execution
// page): the same members, in the same words. What kinds there are, and which event is of which kind, stands
// in kinds.go.
type Notification struct {
	Event     string         `json:"event"`
	TaskID    string         `json:"task_id"` // "" where no A2A client has begun it
	Timestamp time.Time      `json:"timestamp"`
	Component string         `json:"component"`
	Data      map[string]any `json:"data"`
}

// The kinds of notifications.
const (
	ToolExecution         = "tool_execution"
	ToolConfirmation      = "tool_confirmation_required"
	InputRequired         = "input_required"
	StatusChange          = "status_change"
	Message               = "message"
	ArtifactCreated       = "artifact"
	GovernorFollowUp      = "task_governor_followup"
	FeedbackRequired      = "task_feedback_required"
	AuthenticationAttempt = "authentication"
	SecurityAudit         = "security_audit"
	CircuitBreaker        = "circuit_breaker" // a CloudEvent; see Told
)

// Told returns the event in the words of the original systems: a Notification, or, of a circuit breaker, the
// CloudEvent that told of it there.
func (r Recorded) Told() any {
	if r.Type == CircuitChanged {
		return r.CloudEvent()
	}
	return r.notification()
}

func (r Recorded) notification() Notification {
	k := kindOf(&r.Event)
	return Notification{Event: k.event, TaskID: r.Task, Timestamp: r.Time.UTC(), Component: k.componentOf(&r.Event),
		Data: k.data(k, &r.Event)}
}
