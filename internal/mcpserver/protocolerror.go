package mcpserver

import (
	"encoding/json"
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ProtocolError is an error as JSON-RPC tells it.
type ProtocolError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *ProtocolError) Error() string { return e.Message }

// The codes of JSON-RPC, and those that MCP has defined since 2026-07-28.
const (
	codeParse    = -32700
	codeRequest  = -32600
	codeMethod   = -32601
	codeParams   = -32602
	codeInternal = -32603

	codeHeader     = -32020 // a header and the body disagree
	codeCapability = -32021 // the client has not declared what the request needs
	codeRevision   = -32022 // no such revision here

	codeNoResource = -32002 // until 2025-11-25, and in ACP
	codeURL        = -32042 // of 2025-11-25 alone
)

func failf(code int, format string, args ...any) *ProtocolError {
	return &ProtocolError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// with returns the error with data that says more.
func (e *ProtocolError) with(data any) *ProtocolError {
	if text, err := encode(data); err == nil {
		e.Data = text
	}
	return e
}

// NeedsCapability is the error for a request that needs a capability which the client has not declared:
// `sampling`, or `extensions` with the name of one.
func NeedsCapability(capabilities map[string]any) *ProtocolError {
	return failf(codeCapability, "the client has not declared a capability that this request needs").
		with(map[string]any{"requiredCapabilities": capabilities})
}

// AsProtocolError returns a result whose exit code was mapped as an error of the protocol, for a tool whose
// author wants that (`surface: {mcp: protocol_error}`). The rule is a result with IsError: most clients
// show a model that, and no more of an error of the protocol than its message.
func (r CallResult) AsProtocolError(m *tool.MCPError) CallResult {
	if m == nil {
		return r
	}
	r.Error = &ProtocolError{Code: m.Code, Message: m.Message}
	if m.Detail != nil {
		if data, err := json.Marshal(m.Detail); err == nil {
			r.Error.Data = data
		}
	}
	return r
}

// codeFor returns an error code of a tool's error_mapping as a client of a revision of MCP may be told it.
// Since 2026-07-28 a server must not send -32002 and -32042, invents none of -32020 to -32099, and should
// use none of -32000 to -32019. "" is a client that said nothing.
func codeFor(code int, revision string) int {
	if revision != "" && revision < Revision20260728 {
		return code
	}
	switch {
	case code == codeNoResource, code == codeURL:
		return codeParams
	case -32099 <= code && code <= -32000:
		return codeInternal
	}
	return code
}

// of returns the error as a client of a revision may be told it.
func (e *ProtocolError) of(revision string) *ProtocolError {
	return &ProtocolError{Code: codeFor(e.Code, revision), Message: e.Message, Data: e.Data}
}
