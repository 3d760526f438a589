package toolsocket

import (
	"errors"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// What is said on the socket. The agent's side asks and the Door answers, but for progress and changed,
// which the Door tells. Requests
// have the caller's own ids; cancel and progress name them.
const (
	methodHello = "hello"      // hello → empty object; comes first, once
	methodList  = "tools/list" // nothing → []mcpserver.Tool
	methodCall  = "tools/call" // callParams → mcpserver.CallResult
	// aboutCall, a notification: the library tells its peer nothing of a call that was given up.
	methodCancel   = "cancel"
	methodProgress = "progress" // aboutCall, a notification
	methodChanged  = "changed"  // nothing; a notification of the Door's: tools/list gives another list now
)

// wireVersion is the version of the above. The program may have been replaced on disk since the bridge was
// started.
const wireVersion = 2

type hello struct {
	Version int    `json:"version"`
	Token   string `json:"token"`
}

type callParams struct {
	Name string `json:"name"`
	// Arguments are base64 on the wire: jsonrpc2 decodes params and writes them anew, and a key that is
	// given twice would reach the check of the arguments as one that is given once.
	Arguments []byte `json:"arguments"`
	ToolCall  string `json:"toolCall,omitempty"`
	// W3C Trace Context.
	Traceparent string `json:"traceparent,omitempty"`
	Tracestate  string `json:"tracestate,omitempty"`
}

type aboutCall struct {
	ID   string `json:"id"`
	Text string `json:"text,omitempty"`
}

// The bounds of a Door.
const (
	mostFrame  = mcpserver.MostFrame // bytes of a frame, its newline included
	mostHello  = 4 << 10             // bytes of a frame of somebody who has not shown the token
	mostCalls  = mcpserver.MostCalls // at the same time
	mostGuests = 8                   // connections that have not shown the token, at the same time
)

// The bounds of what Attach takes from the agent for one call. Arguments are a third longer on the wire,
// and must still fit a frame: a longer frame would end the connection, and with it every other call.
// pkg/tool takes less, and says so in words that are recorded.
const (
	mostArguments   = 32 << 20 // bytes
	longestToolCall = 256      // bytes of the agent's id of a call
)

// codeForModel is the error code of what the model is to read as the result of its call, since it can do
// something about it. It is our own, so it lies outside what JSON-RPC reserves.
const codeForModel = 1

// errFrame is what reading gives for a frame beyond the bound.
var errFrame = errors.New("a frame is longer than allowed")
