package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// codeInternal is what an exit code means that error_mapping does not mention (JSON-RPC 2.0: internal error).
const codeInternal = -32603

// mapOutcome turns what became of the act into the words of every door.
func (e *Executor) mapOutcome(a *act, r runResult) tool.Result {
	ended, failure := r.outcome, r.failure
	result := tool.Result{
		CallID: a.call.ID, ToolID: a.call.Tool,
		ExitCode: ended.ExitCode, Signal: ended.Signal,
		OutputLength: ended.OutputBytes, Truncated: ended.Truncated,
		Metadata: tool.Metadata{
			Diagnostics: map[string]any{"error_profile": e.profile.Word(), "return_code": ended.ExitCode},
		},
	}
	a.runner.Tell(a, ended, &result.Metadata)
	if ended.Signal != "" {
		result.Metadata.Diagnostics["signal"] = ended.Signal
	}
	r.tell(&result)
	if failure == nil {
		failure = r.ended()
	} else {
		result.ExitCode = -1
	}
	result.Error, result.Status = failure, statusOf(failure)
	if failure == nil && ended.ExitCode != 0 {
		result.Status = tool.StatusFailed
		result.MCPError = meaning(a.entry, a.publicArguments(), ended)
		diagnose(&result, a.runner.Cure(a.tool, ended))
	}
	e.putOutput(a, &r, &result)
	if a.tool.Output.JSON && result.Status == tool.StatusCompleted {
		putJSON(a, &r, &result)
	}
	return result
}

// diagnose puts what a client may not be told by the protocol itself where programs and people find it.
func diagnose(result *tool.Result, cure string) {
	diagnostics, m := result.Metadata.Diagnostics, result.MCPError
	diagnostics["code"], diagnostics["message"], diagnostics["retryable"] = m.Code, m.Message, m.Retryable
	if cure != "" {
		diagnostics[tool.CureKey] = cure
		if m.Unmapped {
			m.Detail = fmt.Sprintf("%v: %s", m.Detail, cure)
		}
	}
	if m.Detail != nil {
		diagnostics["detail"] = m.Detail
	}
}

// gaveUp is why a call was ended that its caller does not wait for any more.
func gaveUp() *tool.Failure { return tool.Failf(tool.FailCancelled, "the caller gave up") }

func statusOf(failure *tool.Failure) tool.Status {
	if failure == nil {
		return tool.StatusCompleted
	}
	switch failure.Code {
	case tool.FailDenied, tool.FailApproval:
		return tool.StatusDenied
	case tool.FailTimeout, tool.FailUpstreamTimeout, tool.FailPollTimeout:
		return tool.StatusTimeout
	case tool.FailCancelled:
		return tool.StatusCancelled
	default:
		return tool.StatusFailed
	}
}

// meaning is what the author says that an exit code means, or the status of an answer.
func meaning(entry *Entry, arguments map[string]any, ended outcome) *tool.MCPError {
	code := ended.ExitCode
	mapped, ok := entry.Tool.ErrorMapping[ended.meant()]
	if !ok && ended.HTTP != nil {
		return meaningOfStatus(ended)
	}
	if !ok {
		return &tool.MCPError{Code: codeInternal, Message: "Internal error",
			Detail: fmt.Sprintf("exit code %d", code), ReturnCode: code, Unmapped: true}
	}
	out := &tool.MCPError{Code: mapped.Code, Message: mapped.Message, Retryable: mapped.Retryable, ReturnCode: code}
	if detail := entry.Details[ended.meant()]; detail != nil {
		filled, err := detail.Render(arguments)
		if err != nil {
			filled = mapped.Detail
		}
		if filled != "" {
			out.Detail = filled
		}
	}
	return out
}

// outcomeEvent is the end of an act as it is recorded. Of the output there is the hash of all that was held
// in memory, without what the act was given; of a stream that is longer the whole has a hash of its own,
// where it was kept; of the diagnostics what is more than the exit code itself.
func outcomeEvent(result tool.Result, r runResult) *events.Outcome {
	out := &events.Outcome{
		Status: string(result.Status), Signal: result.Signal, Millis: result.ExecutionTimeMS,
		Bytes: result.OutputLength, Truncated: result.Truncated,
		LimitsHit: result.Metadata.Sandbox.LimitsHit, Level: result.Metadata.Sandbox.Level,
		Killed: result.Metadata.Sandbox.Killed,
	}
	for _, says := range r.outcome.Changed {
		out.Changed = append(out.Changed, events.Text(says))
	}
	if result.ExitCode >= 0 {
		code := result.ExitCode
		out.ExitCode = &code
		sum := sha256.New()
		for _, part := range [][]byte{r.outcome.Stdout, {0}, r.outcome.Stderr} {
			sum.Write(part)
		}
		out.OutputHash = hex.EncodeToString(sum.Sum(nil))
	}
	if result.MCPError != nil || result.Metadata.Diagnostics[tool.BlobsKey] != nil ||
		result.Metadata.Diagnostics[tool.BlobErrorKey] != nil {
		out.Diagnostics = events.Arguments(result.Metadata.Diagnostics, nil, nil)
	}
	if result.Error != nil {
		out.Error = string(result.Error.Code) + ": " + events.Text(result.Error.Message)
	}
	return out
}
