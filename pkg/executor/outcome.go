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

// mapOutcome turns what happened to the process into the words of every door.
func (e *Executor) mapOutcome(a *act, r runResult) tool.Result {
	ended, failure := r.outcome, r.failure
	report := a.plan.Report()
	report.LimitsHit = append([]string{}, ended.LimitsHit...)
	report.Reaped, report.Killed = ended.Reaped, ended.Killed
	report.Hints = append(report.Hints, tool.Hints(ended.Notes...)...)
	for _, says := range ended.Changed {
		report.Hints = append(report.Hints, tool.Hint{Says: says, Changed: true})
	}
	result := tool.Result{
		CallID: a.call.ID, ToolID: a.call.Tool,
		ExitCode: ended.ExitCode, Signal: ended.Signal,
		OutputLength: ended.OutputBytes, Truncated: ended.Truncated,
		Metadata: tool.Metadata{
			Diagnostics: map[string]any{"error_profile": e.profile.Word(), "return_code": ended.ExitCode},
			Sandbox:     report,
		},
	}
	if ended.Signal != "" {
		result.Metadata.Diagnostics["signal"] = ended.Signal
	}
	r.tell(&result)
	if failure == nil {
		failure = r.ended(a.tool)
	} else {
		result.ExitCode = -1
	}
	result.Error, result.Status = failure, statusOf(failure)
	if failure == nil && ended.ExitCode != 0 {
		result.Status = tool.StatusFailed
		result.MCPError = meaning(a.entry, a.publicArguments(), ended.ExitCode)
		diagnose(&result, a.runner.Cure(a.tool, ended))
	}
	e.putOutput(a, &r, &result)
	return result
}

// diagnose puts what a client may not be told by the protocol itself where programs and people find it.
func diagnose(result *tool.Result, cure string) {
	diagnostics, m := result.Metadata.Diagnostics, result.MCPError
	diagnostics["code"], diagnostics["message"], diagnostics["retryable"] = m.Code, m.Message, m.Retryable
	if cure != "" {
		diagnostics[tool.CureKey] = cure
		if m.Unmapped {
			m.Detail = fmt.Sprintf("exit code %d: %s", m.ReturnCode, cure)
		}
	}
	if m.Detail != nil {
		diagnostics["detail"] = m.Detail
	}
}

// endedByUs returns the reason why we ended the call, or nil when it ended by itself.
func endedByUs(t *tool.Tool, o outcome, spooled bool) *tool.Failure {
	switch {
	case o.TimedOut:
		failure := tool.Failf(tool.FailTimeout,
			"the call was ended after %s, a limit that `timeout` (seconds) under sandbox sets in the tool's entry (%s); "+
				"before you raise it, check that the call does not wait for something that never comes", t.Sandbox.Limits.Timeout, t.Source)
		failure.Retryable = true
		return failure
	case o.Cancelled:
		return tool.Failf(tool.FailCancelled, "the caller gave up")
	case contains(o.LimitsHit, "output") && spooled:
		return tool.Failf(tool.FailOutput,
			"the call was ended after %d bytes of output on one stream; "+
				"what came before is kept, and spill_mb under output in the tool's entry (%s) sets that limit",
			t.Output.MostSpilled(), t.Source)
	case contains(o.LimitsHit, "output"):
		return tool.Failf(tool.FailOutput,
			"the call was ended after %d bytes of output on one stream; "+
				"what came before is kept, and max_output_mb in the tool's entry (%s) sets that limit", t.Sandbox.Limits.Output, t.Source)
	case len(o.LimitsHit) > 0:
		return tool.Failf(tool.FailResource, "the call was ended by its limit on %s%s", o.LimitsHit[0],
			settingOf(t, o.LimitsHit[0]))
	}
	return nil
}

// settingOf names the key of the tool's entry that sets a limit, and what it is now; "" for one that has none.
func settingOf(t *tool.Tool, limit string) string {
	l := t.Sandbox.Limits
	const mega = 1 << 20
	key, now := "", int64(0)
	switch limit {
	case "memory":
		key, now = "max_memory_mb", l.Memory/mega
	case "cpu":
		key, now = "max_cpu_time_seconds", int64(l.CPU.Seconds())
	case "file_size":
		key, now = "max_file_size_mb", l.FileSize/mega
	case "open_files":
		key, now = "max_open_files", int64(l.OpenFiles)
	case "processes":
		key, now = "max_processes", int64(l.Processes)
	case "temp_size":
		key, now = "max_temp_mb", l.TempSize/mega
	case "address_space":
		key, now = "max_address_space_mb", l.Addresses/mega
	default:
		return ""
	}
	return fmt.Sprintf("; %s under sandbox in the tool's entry (%s) sets it, and is %d", key, t.Source, now)
}

func statusOf(failure *tool.Failure) tool.Status {
	if failure == nil {
		return tool.StatusCompleted
	}
	switch failure.Code {
	case tool.FailDenied, tool.FailApproval:
		return tool.StatusDenied
	case tool.FailTimeout:
		return tool.StatusTimeout
	case tool.FailCancelled:
		return tool.StatusCancelled
	default:
		return tool.StatusFailed
	}
}

// meaning is what the author says that an exit code means.
func meaning(entry *Entry, arguments map[string]any, code int) *tool.MCPError {
	mapped, ok := entry.Tool.ErrorMapping[code]
	if !ok {
		return &tool.MCPError{Code: codeInternal, Message: "Internal error",
			Detail: fmt.Sprintf("exit code %d", code), ReturnCode: code, Unmapped: true}
	}
	out := &tool.MCPError{Code: mapped.Code, Message: mapped.Message, Retryable: mapped.Retryable, ReturnCode: code}
	if detail := entry.Details[code]; detail != nil {
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

func contains(list []string, want string) bool {
	for _, item := range list {
		if item == want {
			return true
		}
	}
	return false
}
