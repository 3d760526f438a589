package events

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// kind says which notification an event is.
type kind struct {
	of   Type
	when func(*Event) bool // nil: always
	event,
	component string
	severity severity // of a security_audit
	data     func(k kind, e *Event) map[string]any
	// names are what else it is called in filters: as the original system emits it, or stores it (audit.py,
	// AuditEventType; models.py, EventType).
	names []string
}

// The components that the original names, and ours beside them.
const (
	bashExecutor    = "bash_executor"
	acpBridge       = "acp_bridge" // what the editor or the agent carries out
	taskManager     = "task_manager"
	governorManager = "governor_manager"
	server          = "server"
	auditor         = "audit"
)

// severity is that of the original's audit.
type severity string

const (
	info     severity = "info"
	warning  severity = "warning"
	failure  severity = "error"
	critical severity = "critical"
)

// kinds says for each type of event which notification it is: the first row that fits. What stands in none is
// a security_audit, as is everything that the original has no event for.
var kinds = []kind{
	{ToolStarted, nil, ToolExecution, bashExecutor, info, startedData, []string{"tool_started", "tool_execution_started"}},
	{ToolAttempted, nil, ToolExecution, bashExecutor, info, endedData, []string{"tool_failed", "tool_execution_failed"}},
	{JobBegun, nil, ToolExecution, bashExecutor, info, startedData, []string{"tool_job_begun"}},
	{ToolEnded, isCached, ToolExecution, bashExecutor, info, endedData,
		[]string{"tool_completed", "tool_execution_completed", "cache_hit"}},
	{ToolEnded, isCompleted, ToolExecution, bashExecutor, info, endedData,
		[]string{"tool_completed", "tool_execution_completed"}},
	{ToolEnded, isCancelled, ToolExecution, bashExecutor, info, endedData, []string{"tool_cancelled", "tool_execution_failed"}},
	{ToolEnded, isMisused, ToolExecution, bashExecutor, info, endedData,
		[]string{"tool_failed", "tool_execution_failed", "parameter_validation_failed"}},
	{ToolEnded, nil, ToolExecution, bashExecutor, info, endedData, []string{"tool_failed", "tool_execution_failed"}},

	// A call that is not let through has ended with that.
	{ToolDecided, isCallRefusedByPerson, ToolExecution, bashExecutor, warning, refusedData,
		[]string{"tool_cancelled", "tool_execution_failed", "tool_confirmation_denied"}},
	{ToolDecided, isCallRefused, ToolExecution, bashExecutor, warning, refusedData,
		[]string{"tool_failed", "tool_execution_failed"}},
	{ToolDecided, isRefusedByPerson, SecurityAudit, auditor, warning, auditData, []string{"tool_confirmation_denied"}},
	{ToolDecided, isByPerson, SecurityAudit, auditor, info, auditData, []string{"tool_confirmation_approved"}},
	{ToolDecided, isRefused, SecurityAudit, auditor, warning, auditData, nil},

	{ApprovalAsked, isCall, ToolConfirmation, bashExecutor, info, confirmationData,
		[]string{"tool_confirmation_requested", "task_input_required"}},
	{ApprovalAsked, nil, InputRequired, acpBridge, info, questionData,
		[]string{"tool_confirmation_requested", "task_input_required"}},
	{ApprovalAnswered, isRefused, SecurityAudit, auditor, warning, auditData, []string{"tool_confirmation_denied"}},
	{ApprovalAnswered, nil, SecurityAudit, auditor, info, auditData, []string{"tool_confirmation_approved"}},

	{GovernorsAsked, hasFollowUp, GovernorFollowUp, governorManager, info, followUpData, nil},
	{GovernorsAsked, isWithheld, FeedbackRequired, governorManager, warning, feedbackData, nil},
	{GovernorsAsked, isRateExceeded, SecurityAudit, governorManager, warning, auditData, []string{"rate_limit_exceeded"}},

	{CircuitChanged, isOpen, CircuitBreaker, bashExecutor, warning, circuitData, []string{"circuit_breaker_opened"}},
	{CircuitChanged, isHalfOpen, CircuitBreaker, bashExecutor, info, circuitData, []string{"circuit_breaker_half_opened"}},
	{CircuitChanged, nil, CircuitBreaker, bashExecutor, info, circuitData, []string{"circuit_breaker_closed"}},

	{TaskCreated, nil, StatusChange, taskManager, info, statusData, []string{"task_created", "task_status_change"}},
	{TaskStatusChanged, needsInput, InputRequired, taskManager, info, inputData,
		[]string{StatusChange, "task_input_required", "task_status_change"}},
	{TaskStatusChanged, isTaskCompleted, StatusChange, taskManager, info, statusData,
		[]string{"task_completed", "task_status_change"}},
	{TaskStatusChanged, isTaskFailed, StatusChange, taskManager, info, statusData,
		[]string{"task_failed", "task_status_change"}},
	{TaskStatusChanged, nil, StatusChange, taskManager, info, statusData, []string{"task_status_change"}},
	{TaskMessage, nil, Message, taskManager, info, messageData, []string{"task_message"}},
	{TaskArtifact, nil, ArtifactCreated, taskManager, info, artifactData, []string{"task_artifact"}},

	{ClientAccepted, nil, AuthenticationAttempt, server, info, clientData, nil},
	{ClientRefused, nil, AuthenticationAttempt, server, warning, clientData, nil},

	{ToolViolated, nil, SecurityAudit, acpBridge, critical, auditData, []string{"security_violation"}},
	{SandboxRefused, nil, SecurityAudit, acpBridge, warning, auditData, []string{"security_violation"}},
	{FrameRefused, nil, SecurityAudit, acpBridge, warning, auditData, []string{"security_violation"}},
	{ConfigRefused, nil, SecurityAudit, auditor, failure, auditData, nil},
	{RecordResumed, nil, SecurityAudit, auditor, failure, auditData, nil},
	{RecordRepaired, nil, SecurityAudit, auditor, critical, auditData, nil},
	{WebhookFailed, nil, SecurityAudit, auditor, failure, auditData, nil},
	{WebhookDisabled, nil, SecurityAudit, auditor, warning, auditData, nil},
	{WebhookPaused, nil, SecurityAudit, auditor, warning, auditData, nil},
}

// others are the events without a row.
var others = kind{event: SecurityAudit, component: auditor, severity: info, data: auditData}

// silent are names of the original that no event has: a result that was not kept is no event, and agents log in
// by themselves.
var silent = []string{"cache_miss", "oauth_login_started", "oauth_login_success", "oauth_login_failed",
	"oauth_refresh_success", "oauth_token_removed"}

// kindOf returns the row of an event.
func kindOf(e *Event) kind {
	for _, k := range kinds {
		if k.of == e.Type && (k.when == nil || k.when(e)) {
			return k
		}
	}
	return others
}

// componentOf is the component of an event: who has carried out an act that this program has not.
func (k kind) componentOf(e *Event) string {
	if e.Outcome != nil && e.Outcome.By != "" {
		return acpBridge
	}
	return k.component
}

// Is reports whether an event has a name: its type, the kind of its Notification, or what the original system
// emits or stores it as.
func (e *Event) Is(name string) bool {
	if string(e.Type) == name {
		return true
	}
	k := kindOf(e)
	return k.event == name || slices.Contains(k.names, name)
}

// Named returns the types of events that may have a name; known reports whether it is one at all.
func Named(name string) (types []Type, known bool) {
	rowless := name == SecurityAudit
	for _, t := range all {
		var rows []kind
		for _, k := range kinds {
			if k.of == t {
				rows = append(rows, k)
			}
		}
		fits := func(k kind) bool { return k.event == name || slices.Contains(k.names, name) }
		last := len(rows) - 1
		open := last < 0 || rows[last].when != nil // what fits no row is one of others
		if string(t) == name || slices.ContainsFunc(rows, fits) || rowless && open {
			types = append(types, t)
		}
	}
	return types, len(types) > 0 || slices.Contains(silent, name)
}

// Names returns all names that Named knows, sorted.
func Names() []string {
	list := slices.Clone(silent)
	list = append(list, SecurityAudit)
	for _, t := range all {
		list = append(list, string(t))
	}
	for _, k := range kinds {
		list = append(append(list, k.event), k.names...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func isCall(e *Event) bool { return e.Act != nil && e.Act.Kind == "call" }

func isRefused(e *Event) bool { return e.Decision != nil && e.Decision.Result == "reject" }

func isByPerson(e *Event) bool { return e.Decision != nil && e.Decision.Source == "person" }

func isRefusedByPerson(e *Event) bool { return isRefused(e) && isByPerson(e) }

func isCallRefused(e *Event) bool { return isRefused(e) && isCall(e) }

func isCallRefusedByPerson(e *Event) bool { return isCallRefused(e) && isByPerson(e) }

func isCached(e *Event) bool { return isCompleted(e) && e.Outcome.Cached }

func isCompleted(e *Event) bool { return e.Outcome != nil && statusOf(e) == "completed" }

func isCancelled(e *Event) bool {
	return e.Outcome != nil && e.Outcome.Status == string(tool.StatusCancelled)
}

func isMisused(e *Event) bool {
	return e.Outcome != nil && strings.HasPrefix(e.Outcome.Error, string(tool.FailValidation)+":")
}

func isOpen(e *Event) bool { return e.Circuit != nil && e.Circuit.State == circuitOpen }

func isHalfOpen(e *Event) bool { return e.Circuit != nil && e.Circuit.State == circuitHalfOpen }

func isTaskCompleted(e *Event) bool { return e.Progress != nil && e.Progress.State == "completed" }

func isTaskFailed(e *Event) bool { return e.Progress != nil && e.Progress.State == "failed" }

func needsInput(e *Event) bool {
	return e.Progress != nil && (e.Progress.State == "input-required" || e.Progress.State == "auth-required")
}
