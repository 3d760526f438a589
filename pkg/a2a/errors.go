package a2a

import (
	"encoding/json"
	"errors"
	"fmt"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Error is an error as clients are told it: one of those that the protocol knows, and what it is about.
type Error struct {
	kind   errorKind
	text   string
	field  string            // of the request that is wrong; "" for none
	about  map[string]string // of ErrorInfo; nil for nothing
	wrong  []*Error          // further fields that are wrong
	hidden error             // for our log alone
}

func (e *Error) Error() string {
	if e.field != "" {
		return e.field + ": " + e.text
	}
	return e.text
}

func (e *Error) Unwrap() error { return e.hidden }

// errorKind is an error of the protocol in each binding's words (A2A 1.0.1, 5.4 and 9.5).
type errorKind struct {
	code   int    // JSON-RPC
	http   int    // HTTP status
	grpc   int    // google.rpc.Code
	status string // its name
	reason string // of ErrorInfo; "" for the errors that are not A2A's own
}

// The errors of the protocol.
var (
	errParse         = errorKind{-32700, 400, 3, "INVALID_ARGUMENT", ""}
	errRequest       = errorKind{-32600, 400, 3, "INVALID_ARGUMENT", ""}
	errMethod        = errorKind{-32601, 404, 12, "UNIMPLEMENTED", ""}
	errParams        = errorKind{-32602, 400, 3, "INVALID_ARGUMENT", ""}
	errInternal      = errorKind{-32603, 500, 13, "INTERNAL", ""}
	errTaskNotFound  = errorKind{-32001, 404, 5, "NOT_FOUND", "TASK_NOT_FOUND"}
	errNotCancelable = errorKind{-32002, 400, 9, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"}
	errNoPush        = errorKind{-32003, 400, 9, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"}
	errUnsupported   = errorKind{-32004, 400, 9, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"}
	errContentType   = errorKind{-32005, 400, 3, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"}
	errExtension     = errorKind{-32008, 400, 9, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"}
	errVersion       = errorKind{-32009, 400, 9, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"}
	errUnknownCaller = errorKind{-32031, 401, 16, "UNAUTHENTICATED", "UNAUTHENTICATED"}
	errBusy          = errorKind{-32033, 429, 8, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"}
	errStopping      = errorKind{-32034, 503, 14, "UNAVAILABLE", "UNAVAILABLE"}
)

func failf(kind errorKind, format string, args ...any) *Error {
	return &Error{kind: kind, text: fmt.Sprintf(format, args...)}
}

// invalid is about a field of a request.
func invalid(field, format string, args ...any) *Error {
	return &Error{kind: errParams, field: field, text: fmt.Sprintf(format, args...)}
}

func taskNotFound(id wire.TaskID) *Error {
	e := failf(errTaskNotFound, "there is no task %q", id)
	e.about = map[string]string{"taskId": string(id)}
	return e
}

// asError returns an error as clients are told it. What is ours alone they are not told.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{kind: errInternal, text: "something went wrong here; the server's log says what", hidden: err}
}

const (
	typeErrorInfo  = "type.googleapis.com/google.rpc.ErrorInfo"
	typeBadRequest = "type.googleapis.com/google.rpc.BadRequest"
)

// violation is a field of a request that is wrong (google.rpc.BadRequest.FieldViolation).
type violation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

func (e *Error) violations() []violation {
	var list []violation
	for _, one := range append([]*Error{e}, e.wrong...) {
		if one.field != "" {
			list = append(list, violation{one.field, one.text})
		}
	}
	return list
}

// details are what programs read of an error, as ProtoJSON writes google.protobuf.Any.
func (e *Error) details() []any {
	details := []any{}
	if e.kind.reason != "" {
		info := map[string]any{"@type": typeErrorInfo, "reason": e.kind.reason, "domain": wire.ProtocolDomain}
		if e.about != nil {
			info["metadata"] = e.about
		}
		details = append(details, info)
	}
	if wrong := e.violations(); wrong != nil {
		details = append(details, map[string]any{"@type": typeBadRequest, "fieldViolations": wrong})
	}
	return details
}

// rpcError is an error as JSON-RPC has it.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    []any  `json:"data,omitempty"`
}

func (e *Error) rpc() rpcError { return rpcError{e.kind.code, e.Error(), e.details()} }

// restError is an error as HTTP+JSON has it: google.rpc.Status.
type restError struct {
	Code    int    `json:"code"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Details []any  `json:"details"`
}

func (e *Error) status() restError {
	return restError{e.kind.http, e.kind.status, e.Error(), e.details()}
}

func (e *Error) rest() []byte { return restBody(map[string]any{"error": e.status()}) }

// legacyREST is the same for clients of 0.3, of which some read the error of JSON-RPC there.
func (e *Error) legacyREST() []byte {
	return restBody(map[string]any{"error": e.status(), "code": e.kind.code, "message": e.Error()})
}

func restBody(members map[string]any) []byte {
	body, err := json.Marshal(members)
	if err != nil { // there is nothing in it that JSON has no words for
		return []byte(`{"error":{"code":500,"status":"INTERNAL","message":"an error that cannot be told"}}`)
	}
	return body
}
