package acp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// Methods that the bridge reads or knows of (ACP 1 and 2). Every other method is passed on unread, unless
// isUnknownAct holds for it.
const (
	methodInitialize    = "initialize"
	methodSessionNew    = "session/new"
	methodSessionLoad   = "session/load"
	methodSessionResume = "session/resume"
	methodSessionFork   = "session/fork"
	methodSessionClose  = "session/close"
	methodSessionDelete = "session/delete"
	methodPrompt        = "session/prompt"
	methodCancel        = "session/cancel"

	methodSetMode         = "session/set_mode"
	methodSetConfigOption = "session/set_config_option"

	methodPermission     = "session/request_permission"
	methodUpdate         = "session/update"
	methodReadFile       = "fs/read_text_file"
	methodWriteFile      = "fs/write_text_file"
	methodTerminalCreate = "terminal/create"

	methodElicitationDone = "elicitation/complete"

	methodCancelRequest = "$/cancel_request"
)

// Error codes: JSON-RPC 2.0, ACP's own, and ours. ACP asks that own codes lie outside -32768..-32000.
const (
	codeNoJSON         = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInternal       = -32603
	codeCancelled      = -32800
	codeDenied         = -31003
)

// wireError is the error member of a response.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// failed reports whether an answer is an error. Some write one that is null beside every result.
func failed(answer ndjson.Frame) bool { return len(answer.Error) > 0 && string(answer.Error) != "null" }

// encode writes a value of ours as JSON without escaping HTML, since nobody reads it as HTML and the other
// side's text must come back as it was. It is used only for values that cannot fail to encode.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a2a-acp: bug: encode %T: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// response builds the answer to the request with the id, which is given back with the bytes it came with.
func response(id []byte, result any) []byte {
	return join(`{"jsonrpc":"2.0","id":`, id, `,"result":`, encode(result), `}`)
}

// errorResponse builds the refusal of the request with the id; without one, null stands for it (JSON-RPC
// 2.0, 5).
func errorResponse(id []byte, e wireError) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return join(`{"jsonrpc":"2.0","id":`, id, `,"error":`, encode(e), `}`)
}

// request builds a request of ours, or a notification when id is empty.
func request(id, method string, params any) []byte {
	if id == "" {
		return join(`{"jsonrpc":"2.0","method":`, encode(method), `,"params":`, encode(params), `}`)
	}
	return join(`{"jsonrpc":"2.0","id":`, encode(id), `,"method":`, encode(method), `,"params":`,
		encode(params), `}`)
}

// join puts strings and byte slices together.
func join(parts ...any) []byte {
	var b bytes.Buffer
	for _, part := range parts {
		switch p := part.(type) {
		case string:
			b.WriteString(p)
		case []byte:
			b.Write(p)
		}
	}
	return b.Bytes()
}
