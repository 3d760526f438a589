package audit

import (
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// GovernorHistory is what was decided in a task or session, and what governors said about it, the oldest
// first. Its shape is that of the original system's governor/history, with more in it.
type GovernorHistory struct {
	PermissionDecisions []PermissionDecision `json:"permissionDecisions"`
	// PendingPermissions are questions that nobody has answered on record.
	PendingPermissions []PendingPermission `json:"pendingPermissions"`
	GovernorFeedback   []GovernorFeedback  `json:"governorFeedback"`
}

// PermissionDecision is one decision.
type PermissionDecision struct {
	ToolCallID string    `json:"toolCallId,omitempty"` // the agent's
	CallID     string    `json:"callId,omitempty"`     // ours
	SessionID  string    `json:"sessionId,omitempty"`
	TaskID     string    `json:"taskId,omitempty"`
	Result     string    `json:"result"`
	Source     string    `json:"source"` // as in the original: policy:ID, governor:ID, or who else it was
	OptionID   string    `json:"optionId,omitempty"`
	Governors  []string  `json:"governorsInvolved"`
	Timestamp  time.Time `json:"timestamp"`
	Metadata   struct {
		Seq    int64  `json:"seq"` // of the entry on record
		Tool   string `json:"tool,omitempty"`
		At     string `json:"at,omitempty"`
		Reason string `json:"reason,omitempty"`
	} `json:"metadata"`
}

// PendingPermission is a question that waits.
type PendingPermission struct {
	ToolCallID string    `json:"toolCallId,omitempty"`
	CallID     string    `json:"callId,omitempty"`
	SessionID  string    `json:"sessionId,omitempty"`
	TaskID     string    `json:"taskId,omitempty"`
	Source     string    `json:"source"`
	Reason     string    `json:"reason,omitempty"`
	Timestamp  time.Time `json:"timestamp"`
}

// GovernorFeedback is what the governors said at one time.
type GovernorFeedback struct {
	Phase       string           `json:"phase"`
	Timestamp   time.Time        `json:"timestamp"`
	Summary     []string         `json:"summary"`
	ToolCallID  string           `json:"toolCallId,omitempty"`
	CallID      string           `json:"callId,omitempty"`
	SessionID   string           `json:"sessionId,omitempty"`
	TaskID      string           `json:"taskId,omitempty"`
	InputSHA256 string           `json:"inputSha256,omitempty"`
	Results     []GovernorResult `json:"results"`
}

// GovernorResult is what one of them said.
type GovernorResult struct {
	GovernorID     string   `json:"governorId"`
	Status         string   `json:"status"`
	CountsAs       string   `json:"countsAs,omitempty"`
	Messages       []string `json:"messages"`
	FollowUpPrompt string   `json:"followUpPrompt,omitempty"`
	Score          *float64 `json:"score,omitempty"`
	LatencyMS      float64  `json:"latencyMs"`
	ExitCode       *int     `json:"exitCode,omitempty"`
	Redacted       int      `json:"redacted,omitempty"`
	Error          string   `json:"error,omitempty"`
}

// HistoryOf tells what governors said of acts, and what was decided then. It is the one answer to every
// door that asks.
func HistoryOf(acts []ActRecord) GovernorHistory {
	h := GovernorHistory{PermissionDecisions: []PermissionDecision{},
		PendingPermissions: []PendingPermission{}, GovernorFeedback: []GovernorFeedback{}}
	for _, act := range acts {
		h.add(act)
	}
	slices.SortStableFunc(h.PermissionDecisions,
		func(a, b PermissionDecision) int { return a.Timestamp.Compare(b.Timestamp) })
	slices.SortStableFunc(h.GovernorFeedback,
		func(a, b GovernorFeedback) int { return a.Timestamp.Compare(b.Timestamp) })
	return h
}

func (h *GovernorHistory) add(c ActRecord) {
	involved := []string{}
	var asked *Entry
	for i := range c {
		e := &c[i]
		switch {
		case e.Type == events.GovernorsAsked && e.Governance != nil:
			h.GovernorFeedback = append(h.GovernorFeedback, feedback(e))
			for _, a := range e.Governance.Answers {
				if !slices.Contains(involved, a.Governor) {
					involved = append(involved, a.Governor)
				}
			}
		case e.Type == events.ApprovalAsked && e.Decision != nil:
			asked = e
		case e.Type == events.ToolDecided && e.Decision != nil:
			asked = nil
			h.PermissionDecisions = append(h.PermissionDecisions, permissionDecision(e, slices.Clone(involved)))
		}
	}
	if asked != nil {
		h.PendingPermissions = append(h.PendingPermissions, PendingPermission{
			ToolCallID: asked.ToolCall, CallID: asked.CallID, SessionID: asked.Session, TaskID: asked.Task,
			Source: sourceOf(asked.Decision), Reason: asked.Decision.Reason, Timestamp: asked.Time,
		})
	}
}

func permissionDecision(e *Entry, involved []string) PermissionDecision {
	d := PermissionDecision{
		ToolCallID: e.ToolCall, CallID: e.CallID, SessionID: e.Session, TaskID: e.Task, Result: e.Decision.Result,
		Source: sourceOf(e.Decision), OptionID: e.Decision.Option, Governors: involved, Timestamp: e.Time,
	}
	d.Metadata.Seq, d.Metadata.At, d.Metadata.Reason = e.Seq, e.Decision.At, e.Decision.Reason
	if e.Act != nil {
		d.Metadata.Tool = e.Act.Tool
	}
	return d
}

// sourceOf writes who decided as the original system does.
func sourceOf(d *events.Decision) string {
	if (d.Source == "policy" || d.Source == "governor") && d.Rule != "" {
		return d.Source + ":" + d.Rule
	}
	return d.Source
}

func feedback(e *Entry) GovernorFeedback {
	f := GovernorFeedback{
		Phase: e.Governance.Phase, Timestamp: e.Time, ToolCallID: e.ToolCall, CallID: e.CallID,
		SessionID: e.Session, TaskID: e.Task,
		InputSHA256: e.Governance.InputSHA256, Summary: e.Governance.Summary(), Results: []GovernorResult{},
	}
	for _, a := range e.Governance.Answers {
		messages := a.Messages
		if messages == nil {
			messages = []string{}
		}
		f.Results = append(f.Results, GovernorResult{
			GovernorID: a.Governor, Status: a.Status, CountsAs: a.CountsAs, Messages: messages,
			FollowUpPrompt: a.FollowUp,
			Score:          a.Score, LatencyMS: a.Millis, ExitCode: a.ExitCode, Redacted: a.Redacted,
			Error: a.Error,
		})
	}
	return f
}
