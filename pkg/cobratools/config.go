package cobratools

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Config says which commands become tools, and how calls are made. Its zero value makes a tool of each.
type Config struct {
	// CommandName is what the command is called that Command returns. Optional, default "mcp".
	CommandName string
	// Selectors choose commands and flags. The first that a command matches counts for it; a command that matches none
	// becomes no tool. None at all choose everything.
	Selectors []Selector
	// DefaultEnv are variables that enable writes into an editor's settings, beside the PATH that it is called with;
	// --env goes before them. In the sandbox of a2a-acp the program has these variables, and no others of the person's.
	DefaultEnv map[string]string
	// ToolNamePrefix stands in place of the program's name before the names of tools.
	ToolNamePrefix string
	// SloggerOptions are those of what is logged, to standard error. Optional.
	SloggerOptions *slog.HandlerOptions
	// Timeout is how long a call may take. Optional, default 30 s.
	Timeout time.Duration
	// Grants are what the sandbox gives each call by name, such as "git" (docs/sandbox.md of a2a-acp). A command has the
	// network if its annotation AnnotationOpenWorld is true.
	Grants []string
}

// Selector chooses commands, and what becomes of them.
type Selector struct {
	CmdSelector           CmdSelector  // optional: all commands
	LocalFlagSelector     FlagSelector // optional: all flags of the command's own
	InheritedFlagSelector FlagSelector // optional: all flags of the commands above it

	// Middleware stands around each call. Optional.
	Middleware Middleware
	// PreRun stands before each call, and PostRun behind it, both within Middleware. A call whose context PreRun has
	// cancelled is not made. Optional.
	PreRun  func(context.Context, *Request, ToolInput) (context.Context, *Request, ToolInput)
	PostRun func(context.Context, *Request, ToolInput, *Result, ToolOutput, error) (*Result, ToolOutput, error)
}

// CmdSelector reports whether a command becomes a tool.
type CmdSelector func(*cobra.Command) bool

// FlagSelector reports whether a flag becomes a parameter.
type FlagSelector func(*pflag.Flag) bool

// Handler makes a call.
type Handler func(context.Context, *Request, ToolInput) (*Result, ToolOutput, error)

// Middleware makes a call by next, or does not.
type Middleware func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error)

// Request is the call as the client made it.
type Request struct {
	Name      string          // of the tool
	Arguments json.RawMessage // as the client wrote them
}

// ToolInput is what a call says. Numbers are json.Number.
type ToolInput struct {
	Flags map[string]any `json:"flags,omitempty"`
	Args  []string       `json:"args,omitempty"`
}

// ToolOutput is what the command printed. What a Middleware returns is what the client gets.
type ToolOutput struct {
	StdOut   string `json:"stdout"`
	StdErr   string `json:"stderr"`
	ExitCode int    `json:"exitCode"`
}

// Result is what the client gets beside the output; nil is none.
type Result struct {
	Content string // for the model; "" for what the ToolOutput says
	IsError bool
}

// The annotations of a command (cobra.Command.Annotations) that become those of its tool. All but the title are read
// by strconv.ParseBool.
const (
	AnnotationTitle       = "title"
	AnnotationReadOnly    = "readOnlyHint"
	AnnotationDestructive = "destructiveHint"
	AnnotationIdempotent  = "idempotentHint"
	AnnotationOpenWorld   = "openWorldHint"
)
