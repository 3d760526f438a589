package editor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// Frame is one line, and what the envelope in it says.
type Frame struct {
	At      time.Time
	ToAgent bool
	Raw     []byte // without the newline

	ID     json.RawMessage // nil: none
	Method string          // of a response, the method of its request; "" when it answers nothing
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// IsResponse reports whether the frame answers a request.
func (f Frame) IsResponse() bool { return f.Result != nil || f.Error != nil }

// envelopeKeys are the members that a JSON-RPC message may have.
var envelopeKeys = map[string]bool{"jsonrpc": true, "id": true, "method": true, "params": true,
	"result": true, "error": true}

// Parse reads a line as strictly as any reader could: one JSON object in valid UTF-8, its members spelled
// exactly, none twice, and together a request, a notification or a response.
func Parse(line []byte) (Frame, error) {
	frame := Frame{Raw: line}
	if !utf8.Valid(line) {
		return frame, errors.New("not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return frame, errors.New("not a JSON object")
	}
	members := make(map[string]json.RawMessage)
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return frame, fmt.Errorf("not JSON: %w", err)
		}
		name, ok := token.(string)
		if !ok {
			return frame, fmt.Errorf("not JSON: %v is no member's name", token)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return frame, fmt.Errorf("not JSON: %w", err)
		}
		if _, twice := members[name]; twice {
			return frame, fmt.Errorf("member %q twice", name)
		}
		if !envelopeKeys[name] {
			return frame, fmt.Errorf("member %q is not JSON-RPC's", name)
		}
		members[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return frame, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return frame, errors.New("more than one JSON value")
	}
	frame.ID, frame.Params, frame.Result, frame.Error = members["id"], members["params"], members["result"],
		members["error"]
	return frame, frame.check(members)
}

func (f *Frame) check(members map[string]json.RawMessage) error {
	if string(members["jsonrpc"]) != `"2.0"` {
		return fmt.Errorf("jsonrpc is %s", members["jsonrpc"])
	}
	if f.ID != nil && !idOf(f.ID) {
		return fmt.Errorf("id %s is neither a string nor an integer", f.ID)
	}
	if method, ok := members["method"]; ok {
		if err := json.Unmarshal(method, &f.Method); err != nil || f.Method == "" {
			return fmt.Errorf("method is %s", method)
		}
		if f.IsResponse() {
			return errors.New("both a call and a response")
		}
		if f.Params != nil && f.Params[0] != '{' {
			return fmt.Errorf("params are %.40s", f.Params)
		}
		return nil
	}
	switch {
	case f.ID == nil:
		return errors.New("a response without id")
	case (f.Result == nil) == (f.Error == nil):
		return errors.New("a response has either a result or an error")
	case f.Params != nil:
		return errors.New("a response with params")
	}
	return nil
}

// idOf reports whether raw is an id of the kind that every protocol version allows.
func idOf(raw json.RawMessage) bool {
	if raw[0] == '"' {
		return true
	}
	var n int64
	return json.Unmarshal(raw, &n) == nil && string(raw) != "null"
}
