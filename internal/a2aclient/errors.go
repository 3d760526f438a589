package a2aclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Error is what a server answers that does not do what it was asked.
type Error struct {
	Status  int    // of HTTP
	Code    int    // of JSON-RPC; 0 where it said none
	Reason  string // of the protocol, as TASK_NOT_FOUND; "" where it said none
	Message string
}

func (e *Error) Error() string {
	said := e.Message
	if said == "" {
		said = strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
	}
	switch {
	case e.Reason != "":
		return fmt.Sprintf("the server says: %s (%s)", said, e.Reason)
	case e.Code != 0:
		return fmt.Sprintf("the server says: %s (%d)", said, e.Code)
	}
	return "the server says: " + said
}

// reasons are the reasons of the protocol's own errors, by their code in JSON-RPC (A2A 1.0.1, 5.4).
var reasons = map[int]string{
	-32001: NotFound, -32002: NotCancelable, -32003: "PUSH_NOTIFICATION_NOT_SUPPORTED", -32004: Unsupported,
	-32005: "CONTENT_TYPE_NOT_SUPPORTED", -32006: "INVALID_AGENT_RESPONSE", -32007: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
	-32008: "EXTENSION_SUPPORT_REQUIRED", -32009: "VERSION_NOT_SUPPORTED",
}

// Reasons of errors.
const (
	NotFound      = "TASK_NOT_FOUND"
	NotCancelable = "TASK_NOT_CANCELABLE"
	Unsupported   = "UNSUPPORTED_OPERATION"
)

// Denied reports whether the server wants to know who calls, or does not let him.
func (e *Error) Denied() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// Wrong reports whether it is the request that is wrong, and would be so again.
func (e *Error) Wrong() bool {
	return e.Reason != "" && e.Reason != "INVALID_AGENT_RESPONSE" || e.Code <= -32600 && e.Code >= -32602 ||
		e.Status >= 400 && e.Status < 500 && e.Status != http.StatusRequestTimeout && e.Status != http.StatusTooManyRequests
}

// errorOf reads the body of an answer that is an error: JSON-RPC's, google.rpc.Status, or RFC 9457's.
func errorOf(status int, body []byte) *Error {
	e := &Error{Status: status}
	var said struct {
		Error  json.RawMessage `json:"error"`
		Title  string          `json:"title"`
		Detail string          `json:"detail"`
		// Of 0.3's HTTP+JSON, in some implementations.
		Message string `json:"message"`
	}
	take(body, &said)
	e.Message = first(said.Detail, said.Title, said.Message)
	take(said.Error, &e.Message) // {"error": "…"}
	e.read(said.Error)
	return e
}

// read reads what both bindings have in an error: a code, a message, and details with a reason.
func (e *Error) read(raw json.RawMessage) {
	var said struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
		Details json.RawMessage `json:"details"`
	}
	take(raw, &said)
	e.Message = first(said.Message, e.Message)
	if said.Code < 0 {
		e.Code, e.Reason = said.Code, reasons[said.Code]
	}
	for _, raw := range append(list(said.Details), list(said.Data)...) {
		var info struct {
			Reason string `json:"reason"`
		}
		if take(raw, &info); info.Reason != "" {
			e.Reason = info.Reason
		}
	}
	if text := ""; e.Message == "" || e.Code == -32603 {
		if take(said.Data, &text); text != "" { // a sentence of the original and of 0.3
			e.Message = strings.TrimPrefix(e.Message+": "+text, ": ")
		}
	}
}
