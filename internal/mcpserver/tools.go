package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Tools are the tools that a Server offers.
type Tools interface {
	// List returns the tools that a client is offered. Safe for concurrent use.
	List(ctx context.Context, client *Client) (*Catalogue, error)
	// Call runs a tool. A tool that fails, arguments that do not fit and a denial are results, with IsError
	// set; an error means that there is none, and is ErrUnknownTool, a *ProtocolError or a fault of ours. It
	// may wait for a person, and must return soon after ctx ends. Safe for concurrent use.
	Call(ctx context.Context, call Call) (CallResult, error)
}

// ErrUnknownTool is what Tools.Call returns for a name that List does not give.
var ErrUnknownTool = errors.New("there is no such tool")

// Catalogue is a list of tools. It is immutable, and encoded once however many clients ask for it.
type Catalogue struct {
	Tools []Tool // in the order in which clients see them: by their names, whatever they were loaded from

	once    sync.Once
	encoded []byte // as JSON
	failed  error
}

// NewCatalogue returns a catalogue of tools.
func NewCatalogue(tools []Tool) *Catalogue {
	sorted := slices.Clone(tools)
	slices.SortStableFunc(sorted, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return &Catalogue{Tools: sorted}
}

// JSON returns the tools as tools/list has them.
func (c *Catalogue) JSON() ([]byte, error) {
	c.once.Do(func() {
		if len(c.Tools) == 0 {
			c.encoded = []byte("[]")
			return
		}
		c.encoded, c.failed = encode(c.Tools)
	})
	return c.encoded, c.failed
}

// Tool is a tool as MCP shows it (2025-11-25, Tool).
type Tool struct {
	Name         string          `json:"name"` // see ToolName
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"` // an object with "type":"object"
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations"`
	Meta         json.RawMessage `json:"_meta,omitempty"` // an object
}

// Tokens returns about how many tokens a tool costs a model that is offered it: a fourth of its bytes.
func (t Tool) Tokens() int {
	text, err := encode(t)
	if err != nil {
		return 0
	}
	return tokensOf(len(text))
}

func tokensOf(size int) int { return (size + 3) / 4 }

// Annotations are hints for the client (2025-11-25, ToolAnnotations). Nil means the protocol's default: not
// read-only, destructive, not idempotent, in an open world.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Call is one call as it came from the client. Nothing in it has been checked.
type Call struct {
	Client    *Client
	Name      string
	Arguments json.RawMessage // the client's very bytes; empty when it gave none
	ToolCall  string          // the client's own id of the call where it tells (Claude does); "" else
	Trace     tool.Trace      // that the client says the call belongs to; the zero Trace for none
	Round                     // of a call that is made again with what the client was asked for
	// Listens is set if the client wants to hear of the call while it is under way.
	Listens bool
	// Progress tells the client that the call is still under way; clients show it or drop it. It blocks while
	// the client does not read, does nothing once the call has ended, and is safe for concurrent use.
	Progress func(Progress)
	// Log tells the client something at the level that it wants to hear. Otherwise it is as Progress.
	Log func(level Level, logger string, data any)
	// Ask asks the client and waits for its answer, which is as it was sent. It is nil where the client
	// cannot be asked in the middle of a call: there InputRequired is the way, and it works everywhere.
	Ask func(ctx context.Context, input InputRequest) (json.RawMessage, error)
	// Defer has the client not wait for the result, and ask for it later, where it can (tasks).
	Defer func()
	// Detach lets the connection that waits for the result go; the client may fetch the result with another
	// one from then on. It does nothing where no client could.
	Detach func(retry time.Duration)
}

// Progress is how far a call has come.
type Progress struct {
	Text string
	// Done and Total are in any unit. Where both are zero, the server counts what it tells.
	Done, Total float64
}

// Round is what a client brings along that makes a request again, after it was answered with InputRequired.
type Round struct {
	// Answers are the answers to InputRequired.Requests, by their keys, as they were sent. There may be fewer,
	// and others.
	Answers map[string]json.RawMessage
	// State is InputRequired.State, of this very request. It is "" at the first time, or where what the
	// client brought was not what it had been given.
	State string
}

// InputRequired is an answer that needs the client's answers first. A client of a time before 2026-07-28 is
// asked, and the request made again for it.
type InputRequired struct {
	// Waits is set if the call waits for somebody, so that it becomes a task where the client takes one. The
	// call's arguments are kept then.
	Waits    bool
	Requests map[string]InputRequest
	// State comes back with the answers, for the same request of the same principal alone. Nobody has read
	// nor changed it; but a client may bring it twice.
	State string
}

// InputRequest is something that a client is asked for: `elicitation/create`, `sampling/createMessage` or
// `roots/list`.
type InputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// CallResult is what a call came to.
type CallResult struct {
	Content string `json:"content"` // for the model: some clients give it nothing else
	// An object that fits OutputSchema; other clients give it only this.
	Structured json.RawMessage `json:"structured,omitempty"`
	Images     []Image         `json:"images,omitempty"` // for models that can look at them, beside Content
	// Blocks are further contents, as MCP has them. With Blocks an empty Content is left out.
	Blocks  []json.RawMessage `json:"blocks,omitempty"`
	IsError bool              `json:"isError,omitempty"`
	Meta    json.RawMessage   `json:"meta,omitempty"` // an object: `_meta` of the result
	// Error, when it is set, is told in place of all that: an error of the protocol. Its code is that of
	// error_mapping; codeFor says what becomes of it.
	Error *ProtocolError `json:"error,omitempty"`
	// Input, when it is set, is told in place of all that.
	Input *InputRequired `json:"-"`
}

// Image is a picture that a call put out.
type Image struct {
	Type string `json:"type"` // as image/png
	Data []byte `json:"data"`
}

// Level is how much something matters, as syslog has it (RFC 5424).
type Level string

// Two of the levels. Clients may ask for any of levels.
const (
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
)

var levels = []Level{"debug", LevelInfo, "notice", LevelWarning, "error", "critical", "alert", "emergency"}
