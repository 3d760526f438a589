package events

import (
	"cmp"
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The statuses of a tool_execution, beside Started.
const (
	completed = "completed"
	failed    = "failed"
)

// statusOf returns what became of an act in the three words of the original.
func statusOf(e *Event) string {
	switch {
	case e.Type == ToolStarted, e.Type == JobBegun:
		return Started
	case e.Outcome == nil || e.Type == ToolAttempted:
		return failed
	case e.Outcome.Status == string(tool.StatusCompleted), e.Outcome.Status == EndUnknown:
		return completed
	}
	return failed
}

// execution is what every tool_execution says: which tool, for whom, in which call.
func execution(e *Event) map[string]any {
	data := who(e)
	data["tool_id"], data["status"] = toolOf(e), statusOf(e)
	return data
}

// who says whose event it is, by the names that are known.
func who(e *Event) map[string]any {
	data := map[string]any{"user_id": cmp.Or(e.Principal, e.Agent)}
	for name, value := range map[string]string{"agent": e.Agent, "principal": e.Principal, "session_id": e.Session,
		"call_id": e.CallID, "tool_call_id": e.ToolCall, "context_id": e.Context, "trace_id": e.TraceID, "span_id": e.SpanID} {
		if value != "" {
			data[name] = value
		}
	}
	return data
}

// toolOf returns the id of a tool; of an act without one its kind.
func toolOf(e *Event) string {
	if e.Act == nil {
		return ""
	}
	return cmp.Or(e.Act.Tool, e.Act.Kind)
}

// startedData is a tool that starts. The original's execution_context is a text; here it is the way by which the
// call came in.
func startedData(_ kind, e *Event) map[string]any {
	data := execution(e)
	data["execution_context"], data["parameters"] = e.Door, parameters(e)
	if e.Outcome != nil && e.Outcome.Attempt > 1 {
		data["retry_attempt"] = e.Outcome.Attempt
	}
	return data
}

// parameters are the arguments as the record has them: without the values of secret ones.
func parameters(e *Event) map[string]any {
	if e.Act == nil || e.Act.Arguments == nil {
		return map[string]any{}
	}
	return e.Act.Arguments
}

// endedData is a tool that has ended. retry_attempt is the number of the attempt, from 1, of a call that is
// tried more than once, else 0.
func endedData(_ kind, e *Event) map[string]any {
	data, o := execution(e), e.Outcome
	if o == nil {
		o = &Outcome{}
	}
	data["execution_time"], data["outcome"] = o.Millis/1000, o.Status
	if o.ExitCode != nil {
		data["return_code"] = *o.ExitCode
	}
	if o.By != "" {
		data["carried_out_by"] = o.By
	}
	if data["status"] == completed {
		data["output_length"], data["cached"] = o.Bytes, o.Cached
		return data
	}
	data["error"], data["retry_attempt"], data["will_retry"] = errorOf(o), o.Attempt, e.Type == ToolAttempted
	return data
}

// errorOf says why an act failed; never "".
func errorOf(o *Outcome) string {
	switch {
	case o.Error != "":
		return o.Error
	case o.Signal != "":
		return "ended by " + o.Signal
	case o.ExitCode != nil && *o.ExitCode != 0:
		return fmt.Sprintf("exit code %d", *o.ExitCode)
	case o.Status == NotDone:
		return "nothing came of it"
	}
	return cmp.Or(o.Status, failed)
}

// refusedData is a call that was not let through.
func refusedData(_ kind, e *Event) map[string]any {
	data, d := execution(e), e.Decision
	data["error"] = string(tool.FailDenied) + ": " + cmp.Or(d.Reason, "by "+cmp.Or(d.Rule, d.Source))
	data["outcome"], data["execution_time"] = string(tool.StatusDenied), 0.0
	data["retry_attempt"], data["will_retry"] = 0, false
	data["policy_decision"] = policyDecision(d)
	return data
}
