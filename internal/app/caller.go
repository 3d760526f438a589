package app

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Caller is who calls the tools that a door offers: a session of a bridge, an MCP client, or a task of an
// A2A client. It says where a call comes from, and asks whoever answers there. It is safe for concurrent use.
type Caller interface {
	approval.Asker
	// Workspace is where the caller works, and Dir what "." means to it; "" if it has no directory.
	Workspace() tool.Workspace
	Dir() string
	// Origin says who calls, as far as that is known without waiting.
	Origin() tool.Origin
	// Begin is called as a call begins. The call gets the context, which ends with ctx and with the caller,
	// and comes from the origin. end is called when the call has ended.
	Begin(ctx context.Context, call Begun) (during context.Context, origin tool.Origin, end func())
}

// Begun is a call that begins.
type Begun struct {
	Tool      string            // its id
	Arguments json.RawMessage   // as they came
	Hint      string            // the client's own id of the call; "" where it does not tell
	Listener  executor.Listener // hears what the call prints; nil for nobody
	Trace     tool.Trace        // that the client says it belongs to; the zero Trace for none
}

// offered lists the tools that a caller is offered, in the configuration that is in force now.
func (d *Door) offered(c Caller) []*executor.Entry {
	return d.app.Refreshed(c.Workspace()).Exposed(c.Workspace(), c.Origin().Claims)
}

// call makes a call of a tool for a caller, and returns when it has ended. progress is told, from any
// goroutine, that a person is waited for; it may be nil.
func (d *Door) call(ctx context.Context, c Caller, call Begun, progress func(text string)) tool.Result {
	ctx, origin, end := c.Begin(ctx, call)
	defer end()
	if call.Trace != (tool.Trace{}) {
		origin.Trace = call.Trace
	}
	if progress == nil {
		progress = func(string) {}
	}
	var caller executor.Caller = waitingCaller{c, progress}
	if call.Listener != nil {
		caller = hearing{caller, call.Listener}
	}
	return d.Executor.Execute(ctx, tool.Call{
		Tool: call.Tool, Arguments: call.Arguments, Workspace: c.Workspace(), Dir: dirOr(c.Dir()), Origin: origin,
	}, caller)
}

// dirOr stands in for a caller without a directory: the temporary directory, where there is nothing of the
// person's.
func dirOr(dir string) string {
	if dir == "" {
		return os.TempDir()
	}
	return dir
}

// sessionCaller is a session of a bridge that calls.
type sessionCaller struct{ *acp.Session }

// Origin implements Caller.
func (s sessionCaller) Origin() tool.Origin {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // only what is known now
	task, within := s.Task()
	return tool.Origin{Door: tool.DoorMCP, Agent: s.Agent(), Principal: s.Principal(), Served: s.Served(), Session: s.ID(ctx),
		Task: task, Context: within, Mode: s.Mode(), Trace: s.Trace()}
}

// Begin implements Caller.
func (s sessionCaller) Begin(ctx context.Context, call Begun) (context.Context, tool.Origin, func()) {
	ctx, end := s.During(ctx)
	s.ID(ctx) // the agent may call before it has told the editor the session's id
	origin := s.Origin()
	origin.ToolCall = s.ToolCall(call.Hint, call.Tool, call.Arguments)
	return ctx, origin, end
}

// waitingCaller tells the client that a question is still open, so that it does not give up on a call that
// waits for a person.
type waitingCaller struct {
	caller   approval.Asker
	progress func(text string)
}

// stillWaiting is how often the client is told; agents give up on a silent call after a minute at the
// earliest.
const stillWaiting = 15 * time.Second

// Working implements executor.Watcher.
func (w waitingCaller) Working(text string) { w.progress(text) }

// Ask implements approval.Asker.
func (w waitingCaller) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	answered := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() { // ends with the answer
		tick := time.NewTicker(stillWaiting)
		defer tick.Stop()
		for {
			w.progress("waiting for the person to answer: " + q.Title)
			select {
			case <-answered:
				return
			case <-tick.C:
			}
		}
	})
	answer, err := w.caller.Ask(ctx, q)
	close(answered)
	telling.Wait()
	return answer, err
}
