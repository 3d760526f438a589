package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// message is one JSON-RPC message as it came. Its parts are parts of what was read.
type message struct {
	id     []byte // nil for a notification
	method string // "" for a response
	params []byte
	result []byte // of a response
	failed []byte // of a response: its error
}

// longestID is how many bytes the id of a request may have: it is kept while the request is under way, and
// written into each message about it.
const longestID = 1 << 10

// deepest is how deep a message may nest. Nothing of the protocol needs a tenth of it.
const deepest = 200

// readMessage reads a message as its strictest reader would: a member of the envelope, of the params or of
// their _meta that two readers could read differently is refused. What stands in arguments is not read here.
func readMessage(raw []byte) (message, *ProtocolError) {
	frame := ndjson.ScanText(raw)
	switch {
	case frame.Kind == ndjson.Noise, frame.Kind == ndjson.Blank:
		return message{}, failf(codeParse, "this is no JSON")
	case frame.Kind == ndjson.Array:
		return message{}, failf(codeRequest, "several messages in one are not taken; send each by itself")
	case frame.InvalidUTF8:
		return message{}, failf(codeParse, "it holds bytes that are not UTF-8")
	}
	m := message{id: frame.ID, params: frame.Params, result: frame.Result, failed: frame.Error}
	if string(m.params) == "null" {
		m.params = nil
	}
	if frame.Ambiguous || frame.LossyID {
		return message{id: plainID(m.id)}, failf(codeRequest, "its members can be read in more than one way")
	}
	if len(m.id) > longestID || m.id != nil && (m.id[0] != '"' && m.id[0] != '-' && (m.id[0] < '0' || m.id[0] > '9')) {
		return message{}, failf(codeRequest, "its id is no text and no number, or too long")
	}
	if version, _ := ndjson.Get(raw, "jsonrpc"); string(version) != `"2.0"` {
		return message{id: m.id}, failf(codeRequest, `want "jsonrpc": "2.0"`)
	}
	if m.method = frame.MethodName(); frame.HasMethod() {
		return m, m.check()
	}
	if m.id == nil || m.result == nil && m.failed == nil {
		return message{id: m.id}, failf(codeRequest, "it is no request, no notification and no response")
	}
	return m, nil
}

// plainID returns an id that can be written back; nil for another.
func plainID(id []byte) []byte {
	if len(id) > longestID || !json.Valid(id) || ndjson.Strict(id) != nil {
		return nil
	}
	return id
}

// check looks at what every request has.
func (m message) check() *ProtocolError {
	if m.params == nil {
		return nil
	}
	if m.params[0] != '{' {
		return failf(codeParams, "params are no object")
	}
	if tooDeep(m.params) {
		return failf(codeParams, "params have objects and lists in each other more than %d deep", deepest)
	}
	if err := ndjson.StrictKeys(m.params); err != nil {
		return failf(codeParams, "params: %v", err)
	}
	if about, ok := ndjson.Get(m.params, "_meta"); ok && about[0] == '{' {
		if err := ndjson.Strict(about); err != nil {
			return failf(codeParams, "_meta: %v", err)
		}
	}
	return nil
}

// tooDeep reports whether JSON nests deeper than a message may.
func tooDeep(raw []byte) bool {
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			if depth++; depth > deepest {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}

// param returns a member of params as it is written; nil when there is none.
func param(params []byte, path ...string) []byte {
	if params == nil {
		return nil
	}
	value, ok := ndjson.Get(params, path...)
	if !ok {
		return nil
	}
	return value
}

// textParam returns a member of params that is a text; "" when it is none.
func textParam(params []byte, path ...string) string {
	text, err := ndjson.String(param(params, path...))
	if err != nil {
		return ""
	}
	return text
}

// encode returns JSON in one line. HTML characters stay as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// response returns the response to a request with the result, which is JSON.
func response(id, result []byte) []byte {
	out := make([]byte, 0, len(id)+len(result)+40)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, orNull(id)...)
	out = append(out, `,"result":`...)
	out = append(out, result...)
	return append(out, '}')
}

// failure returns the response to a request that has none.
func failure(id []byte, failed *ProtocolError) []byte {
	text, err := encode(failed)
	if err != nil {
		text = fmt.Appendf(nil, `{"code":%d,"message":"internal error"}`, codeInternal)
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), orNull(id)...)
	out = append(out, `,"error":`...)
	out = append(out, text...)
	return append(out, '}')
}

func orNull(id []byte) []byte {
	if id == nil {
		return []byte("null")
	}
	return id
}

// notification returns a message that nobody answers; params may be nil.
func notification(method string, params any) ([]byte, error) {
	return encode(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", method, params})
}

// request returns a request of ours; params may be nil, and is left out then: no params are null in MCP, and Gemini's
// client breaks off at one that has them so.
func request(id, method string, params json.RawMessage) ([]byte, error) {
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      string          `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params})
}
