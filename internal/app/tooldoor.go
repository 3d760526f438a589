package app

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// toolDoor gives the agent of every session a door to the tools that people wrote: an MCP server, this
// binary, that comes back to us over a socket of its own.
type toolDoor struct {
	*Door
	self     string
	boundary *confine.Boundary // the sandbox that the agent is in; nil for none
}

// Open implements acp.ToolDoor.
func (d *toolDoor) Open(s *acp.Session) (*acp.MCPServer, error) {
	if len(d.app.Configuration().Exposed(s.Workspace())) == 0 {
		return nil, nil // an agent may take an empty server for a broken one
	}
	o := mcpserver.ListenOptions{
		Tools: &sessionTools{door: d.Door, session: s},
		Dir:   d.app.o.Getenv("XDG_RUNTIME_DIR"),
		Say:   d.app.o.Say,
	}
	if d.boundary != nil {
		o.Dir, o.TempDir, o.User = d.boundary.Sockets(), d.boundary.Sockets(), d.boundary.User()
	}
	door, err := mcpserver.Listen(o)
	if err != nil {
		return nil, err
	}
	d.offer(door)
	return &acp.MCPServer{
		Command: d.self,
		Args:    []string{"mcp", "--attach", door.Socket()},
		Env:     []acp.Variable{{Name: mcpserver.TokenVariable, Value: door.Token()}},
		Close: func() {
			if err := d.withdraw(door); err != nil {
				d.app.o.Say(err.Error())
			}
		},
	}, nil
}

// Request implements acp.ToolDoor.
func (d *toolDoor) Request(s *acp.Session, name string, arguments json.RawMessage) (permissions.Request, bool) {
	entry, ok := d.app.Configuration().exposedAs(s.Workspace(), name)
	if !ok {
		return permissions.Request{}, false
	}
	return d.Executor.Request(callOf(s, entry.Tool.ID, arguments)), true
}

// ToolID implements acp.ToolDoor.
func (d *toolDoor) ToolID(w tool.Workspace, name string) (string, bool) {
	entry, ok := d.app.Configuration().exposedAs(w, name)
	if !ok {
		return "", false
	}
	return entry.Tool.ID, true
}

// Exposed lists the tools that agents are offered: those that people wrote, for the workspace among them, and
// of the shipped ones those that the settings name, since agents have their own for most of that.
func (c *Configuration) Exposed(w tool.Workspace) []*executor.Entry {
	var list []*executor.Entry
	for _, entry := range c.Tools.ListIn(w) {
		if IsExposed(entry.Tool, c.Set.Settings) {
			list = append(list, entry)
		}
	}
	return list
}

// IsExposed reports whether agents are offered a tool.
func IsExposed(t *tool.Tool, settings config.Settings) bool {
	return t.Unavailable == "" && (!t.Shipped() || slices.Contains(settings.Expose, t.ID))
}

// exposedAs finds the one tool that an agent may know under a name: agents respell names for their models.
func (c *Configuration) exposedAs(w tool.Workspace, name string) (*executor.Entry, bool) {
	var found *executor.Entry
	for _, entry := range c.Exposed(w) {
		if mcpserver.SameName(mcpserver.ToolName(entry.Tool.ID), name) {
			if found != nil {
				return nil, false
			}
			found = entry
		}
	}
	return found, found != nil
}

// sessionTools are the tools of one session, as its MCP server calls them.
type sessionTools struct {
	door    *Door
	session *acp.Session
}

// List implements mcpserver.Tools.
func (t *sessionTools) List(context.Context) ([]mcpserver.Tool, error) {
	var list []mcpserver.Tool
	for _, entry := range t.door.app.Refreshed(t.session.Workspace()).Exposed(t.session.Workspace()) {
		list = append(list, mcpserver.FromTool(entry.Tool))
	}
	return list, nil
}

// Call implements mcpserver.Tools.
func (t *sessionTools) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	var found *executor.Entry
	for _, entry := range t.door.app.Refreshed(t.session.Workspace()).Exposed(t.session.Workspace()) {
		if mcpserver.ToolName(entry.Tool.ID) == call.Name {
			found = entry
		}
	}
	if found == nil {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	ctx, stop := t.session.During(ctx)
	defer stop()
	t.session.ID(ctx) // the agent may call before it has told the editor the session's id
	made := callOf(t.session, found.Tool.ID, call.Arguments)
	made.Origin.ToolCall = t.session.ToolCall(call.ToolCall, found.Tool.ID, call.Arguments)
	result := t.door.Executor.Execute(ctx, made, waitingCaller{t.session, call.Progress})
	return TellAgent(found.Tool, result), nil
}

// TellAgent tells a result of a tool as an agent gets it.
func TellAgent(t *tool.Tool, result tool.Result) mcpserver.CallResult {
	if result.Metadata.Decision != nil {
		decision := *result.Metadata.Decision
		decision.Approver = "" // who sits where is no business of the agent's; the record has it
		result.Metadata.Decision = &decision
	}
	told := mcpserver.FromResult(result)
	if t.Surface.MCPProtocolError {
		told = told.AsProtocolError(result.MCPError)
	}
	return told
}

func callOf(s *acp.Session, id string, arguments json.RawMessage) tool.Call {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // only what is known now
	return tool.Call{
		Tool: id, Arguments: arguments, Workspace: s.Workspace(), Dir: dirOr(s.Dir()),
		Origin: tool.Origin{Door: tool.DoorMCP, Agent: s.Agent(), Principal: s.Principal(),
			Session: s.ID(ctx), Mode: s.Mode()},
	}
}

// dirOr stands in for a session without a directory: the temporary directory, where there is nothing of the
// person's.
func dirOr(dir string) string {
	if dir == "" {
		return os.TempDir()
	}
	return dir
}

// waitingCaller tells the agent that a question is still open, so that it does not give up on a call that
// waits for a person.
type waitingCaller struct {
	session  *acp.Session
	progress func(text string)
}

// stillWaiting is how often the agent is told; agents give up on a silent call after a minute at the
// earliest.
const stillWaiting = 15 * time.Second

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
	answer, err := w.session.Ask(ctx, q)
	close(answered)
	telling.Wait()
	return answer, err
}
