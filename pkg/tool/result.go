package tool

import "encoding/json"

// Status is how a call ended.
type Status string

// The statuses.
const (
	StatusCompleted Status = "completed" // exit code 0
	StatusFailed    Status = "failed"
	StatusDenied    Status = "denied"
	StatusCancelled Status = "cancelled"
	StatusTimeout   Status = "timeout"
)

// Result is what a call came to, in the words of every door and of `tools run --json`.
type Result struct {
	CallID          string  `json:"call_id"`
	ToolID          string  `json:"tool_id"`
	Status          Status  `json:"status"`
	ExitCode        int     `json:"exitCode"` // 128+n after signal n; -1 when nothing ran
	Signal          string  `json:"signal"`
	Stdout          string  `json:"stdout"`
	Stderr          string  `json:"stderr"`
	OutputLength    int64   `json:"output_length"` // bytes of both streams, kept or not
	Truncated       bool    `json:"truncated"`
	Cached          bool    `json:"cached"`
	ExecutionTimeMS float64 `json:"execution_time_ms"`
	// Structured is stdout as an object, of a tool with Output.JSON whose call has succeeded.
	Structured json.RawMessage `json:"structured,omitempty"`
	Error      *Failure        `json:"error,omitempty"`
	MCPError   *MCPError       `json:"mcp_error,omitempty"`
	Metadata   Metadata        `json:"metadata"`
}

// MCPError is the meaning that the author gave to an exit code (`error_mapping`).
type MCPError struct {
	Code       int    `json:"code"`
	Message    string `json:"message"`
	Detail     any    `json:"detail,omitempty"` // a text; under ProfileExtended any JSON
	Retryable  bool   `json:"retryable"`
	ReturnCode int    `json:"return_code"`
	Unmapped   bool   `json:"-"` // error_mapping says nothing about the exit code
}

// Metadata is what a reader wants to know beside the output.
type Metadata struct {
	Diagnostics map[string]any   `json:"a2a_diagnostics"`
	Sandbox     SandboxReport    `json:"sandbox"`
	HTTP        *HTTPReport      `json:"http,omitempty"` // of a tool that sends a request
	Decision    *DecisionSummary `json:"decision,omitempty"`
}

// SandboxReport says what was enforced, and what that led to.
type SandboxReport struct {
	Level     string           `json:"level"`
	Network   bool             `json:"network"`
	Limits    map[string]int64 `json:"limits"`     // those that were enforced
	LimitsHit []string         `json:"limits_hit"` // those that ended the call
	Hints     []Hint           `json:"hints"`
	Reaped    int              `json:"reaped"` // processes of the call that had ended when it did
	Killed    int              `json:"killed"` // those that had to be ended
}

// Hint is something that a reader of a Result may want to know about its sandbox: a sentence, or something
// that the call was refused and the line that would allow it.
type Hint struct {
	Says    string `json:"says,omitempty"`
	Refused string `json:"refused,omitempty"` // "write /home/x/notes.txt"
	// What to write into the tool's entry; "" where nothing is recommended.
	Allow string `json:"allow,omitempty"`
	// It is about what the call changed that others run or believe without a look.
	Changed bool `json:"changed,omitempty"`
}

// Hints makes hints of sentences.
func Hints(sentences ...string) []Hint {
	list := make([]Hint, len(sentences))
	for i, says := range sentences {
		list[i].Says = says
	}
	return list
}

// String returns a hint in a line.
func (h Hint) String() string {
	switch {
	case h.Refused == "":
		return h.Says
	case h.Allow == "":
		return "the sandbox refused: " + h.Refused
	}
	return "the sandbox refused: " + h.Refused + "; this would allow it: " + h.Allow
}

// DecisionSummary says who let the call run, or did not.
type DecisionSummary struct {
	Result string `json:"result"` // approve, reject, ask
	Source string `json:"source"`
	Rule   string `json:"rule,omitempty"`
	At     string `json:"at,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Approver says where a person answered, and who it was as far as we know.
	Approver string `json:"approver,omitempty"`
}
