package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

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

// The revision of MCP that changed what error codes mean, and the codes that it speaks of.
const (
	versionOfCodes   = "2026-07-28"
	versionKey       = "io.modelcontextprotocol/protocolVersion" // in _meta of a request, since that revision
	invalidParams    = -32602
	internalError    = -32603
	resourceNotFound = -32002 // until that revision, and in ACP
	urlElicitation   = -32042 // likewise
)

// codeFor returns an error code as a client of a revision of MCP may be told it. Since 2026-07-28 a server
// must not send -32002 and -32042, invents none of -32020 to -32099, and should use none of -32000 to
// -32019. "" is a client that said nothing.
func codeFor(code int, version string) int {
	if version != "" && version < versionOfCodes {
		return code
	}
	switch {
	case code == resourceNotFound, code == urlElicitation:
		return invalidParams
	case -32099 <= code && code <= -32000:
		return internalError
	}
	return code
}

// versionOf tells which revision a client speaks: the newer ones say it with each request, the older ones
// at the beginning.
func versionOf(r *mcp.CallToolRequest) string {
	if version, ok := r.Params.Meta[versionKey].(string); ok {
		return version
	}
	if r.Session != nil {
		if hello := r.Session.InitializeParams(); hello != nil {
			return hello.ProtocolVersion
		}
	}
	return ""
}
