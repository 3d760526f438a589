package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
)

// Tools are the tools that a Door offers.
type Tools interface {
	// List returns the tools, in the order in which the agent will see them. Safe for concurrent use.
	List(ctx context.Context) ([]Tool, error)
	// Call runs a tool. A tool that fails, arguments that do not fit and a denial are results, with IsError
	// set; an error means that there is none, and is ErrUnknownTool or a fault of ours. It may wait for a
	// person, and must return soon after ctx ends. Safe for concurrent use.
	Call(ctx context.Context, call Call) (CallResult, error)
}

// ErrUnknownTool is what Tools.Call returns for a name that List does not give.
var ErrUnknownTool = errors.New("there is no such tool")

// Tool is a tool as MCP shows it (2025-11-25, Tool).
type Tool struct {
	Name         string          `json:"name"` // see ToolName
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"` // an object with "type":"object"
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations"`
}

// Annotations are hints for the client (2025-11-25, ToolAnnotations). Nil means the protocol's default: not
// read-only, destructive, not idempotent, in an open world.
type Annotations struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// Call is one call as it came from the agent. Nothing in it has been checked.
type Call struct {
	Name      string
	Arguments json.RawMessage // the agent's very bytes; empty when it gave none
	ToolCall  string          // the agent's own id of the call where it tells (Claude does); "" else
	// Progress tells the agent that the call is still under way, and why; clients show the text or drop it.
	// It blocks while the agent does not read, does nothing once the call has ended, and is safe for
	// concurrent use.
	Progress func(text string)
}

// CallResult is what a call came to.
type CallResult struct {
	Content string `json:"content"` // for the model: some clients give it nothing else
	// An object that fits OutputSchema; other clients give it only this.
	Structured json.RawMessage `json:"structured,omitempty"`
	Images     []Image         `json:"images,omitempty"` // for models that can look at them, beside Content
	IsError    bool            `json:"isError,omitempty"`
	Meta       json.RawMessage `json:"meta,omitempty"` // an object: `_meta` of the result
	// Error, when it is set, is told in place of all that: an error of the protocol.
	Error *ProtocolError `json:"error,omitempty"`
}

// Image is a picture that a call put out.
type Image struct {
	Type string `json:"type"` // as image/png
	Data []byte `json:"data"`
}

// ProtocolError is an error as JSON-RPC tells it. Its code is that of error_mapping; codeFor says what
// becomes of it.
type ProtocolError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}
