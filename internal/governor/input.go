package governor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mostInput is the number of bytes that a governor is told at most. What is larger counts as an error of
// every governor that needs to be told: to leave something out would be to have it approved unseen.
const mostInput = 16 << 20

// input is what governors are told, in the words of the original system (phase, taskId, sessionId,
// toolCall, agentOutput) with more in them.
type input struct {
	Phase     string   `json:"phase"`
	TaskID    string   `json:"taskId,omitempty"`
	SessionID string   `json:"sessionId,omitempty"`
	Agent     string   `json:"agent,omitempty"`
	Door      string   `json:"door,omitempty"`
	ToolCall  toolCall `json:"toolCall"`
	Policy    policy   `json:"policy"`
	Output    *output  `json:"agentOutput,omitempty"` // of post_run
	review    *permissions.Review
	finished  *permissions.Finished
	encoded   []byte
	problem   error // why it cannot be told
	hash      string
	startedAt time.Time
}

// toolCall is the act.
type toolCall struct {
	CallID     string                     `json:"callId,omitempty"`
	ToolCallID string                     `json:"toolCallId,omitempty"`
	ToolID     string                     `json:"toolId"`
	Aliases    []string                   `json:"aliases,omitempty"` // further ids under which it may be named
	Kind       string                     `json:"kind"`
	Title      string                     `json:"title,omitempty"`
	Parameters map[string]any             `json:"parameters"`
	Request    map[string]any             `json:"request,omitempty"` // the HTTP request that it sends
	Paths      []permissions.ReviewedPath `json:"paths"`
	Commands   []string                   `json:"commands"`
	Unclear    []string                   `json:"unclear,omitempty"`
	Shell      string                     `json:"shell,omitempty"`
	Dir        string                     `json:"dir,omitempty"`
	Workspace  []string                   `json:"workspace"`
	Digest     string                     `json:"digest,omitempty"`
	Script     string                     `json:"scriptSha256,omitempty"`
	ReadOnly   bool                       `json:"readOnly"`
	Doubts     []string                   `json:"doubts,omitempty"`
	Claim      json.RawMessage            `json:"claim,omitempty"`
}

// policy is what the rules decided.
type policy struct {
	Decision string `json:"decision"`
	Source   string `json:"source"`
	Rule     string `json:"rule,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// output is what a call has put out.
type output struct {
	Status    string `json:"status"`
	ExitCode  int    `json:"exitCode"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated bool   `json:"truncated"`
}

func newInput(review *permissions.Review, now time.Time) *input {
	in := &input{
		Phase: tool.PhasePermission, TaskID: review.Task, SessionID: review.Session, Agent: review.Agent,
		Door: string(review.Door),
		Policy: policy{review.Decided.Verdict.String(), string(review.Decided.Source), review.Decided.Rule,
			review.Decided.Reason},
		ToolCall: toolCall{
			CallID: review.CallID, ToolCallID: review.ToolCall, Kind: string(review.Action), Title: review.Title,
			Parameters: review.Arguments, Request: review.Sent, Paths: review.Paths, Commands: review.Commands, Unclear: review.Unclear,
			Shell: review.Shell, Dir: review.Dir, Workspace: review.Workspace.Dirs(), Digest: review.Digest,
			Script:   review.Script,
			ReadOnly: review.ReadOnly, Doubts: review.Doubts, Claim: review.Claim,
		},
		review: review, startedAt: now,
	}
	if len(review.Tools) > 0 {
		in.ToolCall.ToolID, in.ToolCall.Aliases = review.Tools[0], review.Tools[1:]
	}
	// An empty list and null are not the same to who reads them.
	if in.ToolCall.Parameters == nil {
		in.ToolCall.Parameters = map[string]any{}
	}
	if in.ToolCall.Paths == nil {
		in.ToolCall.Paths = []permissions.ReviewedPath{}
	}
	if in.ToolCall.Commands == nil {
		in.ToolCall.Commands = []string{}
	}
	if in.ToolCall.Workspace == nil {
		in.ToolCall.Workspace = []string{}
	}
	return in
}

func newOutput(finished *permissions.Finished, stdout, stderr string, now time.Time) *input {
	in := newInput(&finished.Review, now)
	r := finished.Result
	in.Phase, in.finished = tool.PhaseOutput, finished
	in.Output = &output{Status: string(r.Status), ExitCode: r.ExitCode, Stdout: stdout, Stderr: stderr,
		Truncated: r.Truncated}
	return in
}

// seal encodes what is told, once for all governors.
func (in *input) seal() {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		in.problem = fmt.Errorf("the act cannot be told: %w", err)
		return
	}
	if b.Len() > mostInput {
		in.problem = fmt.Errorf("the act takes %d bytes to tell, and governors are told %d at most", b.Len(),
			mostInput)
		return
	}
	in.encoded = b.Bytes()
	sum := sha256.Sum256(in.encoded)
	in.hash = hex.EncodeToString(sum[:])
}
