package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// diagnosticsKey is the member of a result's _meta that holds what a person wants to know of the call.
const diagnosticsKey = "a2a-acp/diagnostics"

// structured is the result of a call for programs.
type structured struct {
	Stdout    string         `json:"stdout"`
	Stderr    string         `json:"stderr"`
	ExitCode  int            `json:"exitCode"`
	Signal    string         `json:"signal,omitempty"`
	Truncated bool           `json:"truncated,omitempty"`
	Length    int64          `json:"output_length,omitempty"` // bytes of both streams, when not all of them are here
	Error     *tool.Failure  `json:"error,omitempty"`
	Mapped    *tool.MCPError `json:"mapped_error,omitempty"` // what the author says that the exit code means
}

// FromResult tells a result as MCP does. A failure of the tool is a result with IsError, never an error of the protocol:
// the model is to read it and go on. All is said twice, as text and as an object, since one client gives its model only
// the text and another only the object.
func FromResult(r tool.Result) CallResult {
	out := CallResult{Content: text(r), IsError: r.Status != tool.StatusCompleted}
	said := structured{
		Stdout: r.Stdout, Stderr: r.Stderr, ExitCode: r.ExitCode, Signal: r.Signal,
		Truncated: r.Truncated, Error: r.Error, Mapped: r.MCPError,
	}
	if r.Truncated {
		said.Length = r.OutputLength
	}
	object, err := json.Marshal(said)
	if err == nil {
		out.Structured = object
	}
	diagnostics, err := json.Marshal(map[string]any{diagnosticsKey: struct {
		CallID string        `json:"call_id"`
		Status tool.Status   `json:"status"`
		Cached bool          `json:"cached,omitempty"`
		Millis float64       `json:"execution_time_ms"`
		More   tool.Metadata `json:"metadata"`
	}{r.CallID, r.Status, r.Cached, r.ExecutionTimeMS, r.Metadata}})
	if err == nil {
		out.Meta = diagnostics
	}
	return out
}

// text is the result as a model reads it: why there is none, what the tool printed, and how it ended if not well.
func text(r tool.Result) string {
	var parts []string
	if r.Error != nil {
		parts = append(parts, r.Error.Error())
	}
	if m := r.MCPError; m != nil {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%s: %s", m.Message, m.Detail), ": "))
	}
	if r.Stdout != "" {
		parts = append(parts, r.Stdout)
	}
	if r.Stderr != "" {
		parts = append(parts, "stderr:\n"+r.Stderr)
	}
	switch {
	case r.Signal != "":
		parts = append(parts, "ended by "+r.Signal)
	case r.ExitCode > 0:
		parts = append(parts, fmt.Sprintf("exit code %d", r.ExitCode))
	}
	if r.Truncated {
		parts = append(parts, fmt.Sprintf("(the output was cut: there were %d bytes)", r.OutputLength))
	}
	if len(parts) == 0 {
		return "(no output)"
	}
	for i := range parts[:len(parts)-1] {
		parts[i] = strings.TrimSuffix(parts[i], "\n")
	}
	return strings.Join(parts, "\n")
}
