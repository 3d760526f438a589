package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// diagnosticsKey is the member of a result's _meta that holds what a person wants to know of the call.
const diagnosticsKey = "a2a-acp/diagnostics"

// originalKey is the member of a result's _meta that the original system has the diagnostics in.
const originalKey = "a2a_diagnostics"

// aboutResult is what a person wants to know of a call.
type aboutResult struct {
	CallID string        `json:"call_id"`
	Status tool.Status   `json:"status"`
	Cached bool          `json:"cached,omitempty"`
	Millis float64       `json:"execution_time_ms"`
	More   tool.Metadata `json:"metadata"`
	*mapped
}

// mapped is the meaning of an exit code, as the record of a result has it.
type mapped struct {
	Code       int    `json:"code"`
	Message    string `json:"message"`
	Detail     any    `json:"detail,omitempty"`
	Retryable  bool   `json:"retryable"`
	ReturnCode int    `json:"returnCode"`
}

// structured is the result of a call for programs.
type structured struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	ExitCode  int    `json:"exitCode"`
	Signal    string `json:"signal,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	// Bytes of both streams, when not all of them are here.
	Length int64          `json:"output_length,omitempty"`
	Error  *tool.Failure  `json:"error,omitempty"`
	Mapped *tool.MCPError `json:"mapped_error,omitempty"` // what the author says that the exit code means
}

// FromResult tells a result as MCP does. A failure of the tool is a result with IsError, never an error of
// the protocol: the model is to read it and go on. All is said twice, as text and as an object, since one
// client gives its model only the text and another only the object.
//
// A picture on stdout is told as one, too, for models that can look at it.
func FromResult(r tool.Result) CallResult {
	out := CallResult{Images: images(r), IsError: r.Status != tool.StatusCompleted}
	r = r.InText()
	out.Content = text(r)
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
	about := aboutResult{CallID: r.CallID, Status: r.Status, Cached: r.Cached, Millis: r.ExecutionTimeMS,
		More: r.Metadata}
	if r.Metadata.Diagnostics == nil {
		r.Metadata.Diagnostics = map[string]any{}
	}
	if m := r.MCPError; m != nil {
		about.mapped = &mapped{m.Code, m.Message, m.Detail, m.Retryable, m.ReturnCode}
	}
	meta, err := json.Marshal(map[string]any{diagnosticsKey: about, originalKey: r.Metadata.Diagnostics})
	if err == nil {
		out.Meta = meta
	}
	return out
}

// The pictures that models take: what they are, and how long they may be, in bytes.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

const longestPicture = 4 << 20

// images returns the picture that a call has put out, whole.
func images(r tool.Result) []Image {
	binary, _ := r.Metadata.Diagnostics[tool.BinaryKey].(map[string]tool.Binary)
	b, ok := binary["stdout"]
	if !ok || !slices.Contains(pictures, b.Type) || int64(len(r.Stdout)) != b.Bytes || b.Bytes > longestPicture {
		return nil
	}
	return []Image{{Type: b.Type, Data: []byte(r.Stdout)}}
}

// text is the result as a model reads it: why there is none, what the tool printed, and how it ended if not
// well.
func text(r tool.Result) string {
	var parts []string
	if r.Error != nil {
		parts = append(parts, r.Error.Error())
	}
	if m := r.MCPError; m != nil {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%s: %s", m.Message, m.DetailText()), ": "))
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
	if block := diagnosticsBlock(r); block != "" {
		parts = append(parts, block)
	}
	if len(parts) == 0 {
		return "(no output)"
	}
	for i := range parts[:len(parts)-1] {
		parts[i] = strings.TrimSuffix(parts[i], "\n")
	}
	return strings.Join(parts, "\n")
}

// diagnosticsBlock is what an error of the profile acp-basic, which is a text, cannot say in fields: for
// people, and for models that are shown nothing but text. Under extended-json the fields say it.
func diagnosticsBlock(r tool.Result) string {
	m := r.MCPError
	if m == nil || r.Metadata.Diagnostics["error_profile"] != tool.ProfileBasic.Word() {
		return ""
	}
	line := fmt.Sprintf("diagnostics: error code %d, return code %d", m.Code, m.ReturnCode)
	if m.Retryable {
		line += ", retryable"
	}
	if hit := r.Metadata.Sandbox.LimitsHit; len(hit) > 0 {
		line += ", limits hit: " + strings.Join(hit, ", ")
	}
	if cure, ok := r.Metadata.Diagnostics[tool.CureKey].(string); ok && !strings.Contains(m.DetailText(), cure) {
		line += "\ncure: " + cure
	}
	return line
}
