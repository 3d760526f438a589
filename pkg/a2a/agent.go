package a2a

import (
	"context"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Agent is what stands behind an endpoint and works on its tasks. Its methods are safe for concurrent use.
type Agent interface {
	// Card returns the agent's card as a caller gets it, without its interfaces and signatures: Caller{} is
	// whoever asks without saying who he is. It is not changed afterwards. It must not block.
	Card(Caller) *wire.AgentCard
	// Receive looks at a message that would begin a task. It may answer it with a message of its own, for which
	// there is no task, and refuse it with an *Error. Otherwise there is a task, and Work is called.
	Receive(ctx context.Context, from Caller, message *wire.Message) (reply *wire.Message, err error)
	// Work carries a task on from the message of the turn until the task has ended, or waits for its client. It
	// returns soon after ctx ends. With an error the task fails, for the reason that the error gives, which the
	// client is told. The task is on disk when the first Emit has returned, and may not be before: nothing is to have
	// an effect until then.
	Work(ctx context.Context, t *Turn) error
}

// Resumer is an Agent that goes on with tasks whose process has ended before it began them, or while they waited
// for an answer.
type Resumer interface {
	// Resume is Work for such a task. The message of the turn is the one that began the task.
	Resume(ctx context.Context, t *Turn) error
	// Idle reports whether nothing is under way of a task that is working: it goes on, too.
	Idle(task *wire.Task) bool
}

// Caller is who makes a request.
type Caller struct {
	Name  string // the principal's; "" for one that is not known
	Admin bool   // sees everybody's tasks
	// NoTools is set if the caller may follow tasks and call no tools.
	NoTools bool
	// Workspace is the directory that it works in, absolute; "" for that of the server. It is kept with each of
	// its tasks, and clients are not told.
	Workspace string
	// Token is what it has shown with this request, for tools that have it exchanged. It is kept nowhere.
	Token tool.Credential
	// Claims are what that token says of it. They are kept nowhere.
	Claims tool.Claims
	// Trace is the W3C Trace Context of this request; the zero Trace for none. It is kept nowhere.
	Trace tool.Trace
}
