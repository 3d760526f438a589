package app

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/toolsocket"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
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
	if len(d.app.Configuration().Exposed(s.Workspace(), tool.Claims{})) == 0 {
		return nil, nil // an agent may take an empty server for a broken one
	}
	o := toolsocket.ListenOptions{
		Tools: &callerTools{d.Door, sessionCaller{s}},
		Dir:   d.app.o.Getenv("XDG_RUNTIME_DIR"),
		Say:   d.app.o.Say,
	}
	if d.boundary != nil {
		o.Dir, o.TempDir, o.User = d.boundary.Sockets(), d.boundary.Sockets(), d.boundary.User()
	}
	door, err := toolsocket.Listen(o)
	if err != nil {
		return nil, err
	}
	d.offer(door)
	return &acp.MCPServer{
		Command: d.self,
		Args:    []string{"mcp", "--attach", door.Socket()},
		Env:     []acp.Variable{{Name: toolsocket.TokenVariable, Value: door.Token()}},
		Close: func() {
			d.withdraw(door)
			if err := door.Close(); err != nil {
				d.app.o.Say(err.Error())
			}
		},
	}, nil
}

// Request implements acp.ToolDoor.
func (d *toolDoor) Request(s *acp.Session, name string, arguments json.RawMessage) (permissions.Request, bool) {
	if d.searches(s.Workspace()) && mcpserver.SameName(callTool, name) {
		if meant, ok := called(mcpserver.Call{Arguments: arguments}); ok {
			name, arguments = meant.Name, meant.Arguments
		}
	}
	entry, ok := d.app.Configuration().exposedAs(s.Workspace(), name)
	if !ok {
		return permissions.Request{}, false
	}
	caller := sessionCaller{s}
	return d.Executor.Request(tool.Call{
		Tool: entry.Tool.ID, Arguments: arguments, Workspace: s.Workspace(), Dir: dirOr(s.Dir()), Origin: caller.Origin(),
	}), true
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
// of the shipped ones those that the settings name, since agents have their own for most of that. Those are left out that
// let in nobody with these claims.
func (c *Configuration) Exposed(w tool.Workspace, claims tool.Claims) []*executor.Entry {
	var list []*executor.Entry
	for _, entry := range c.Tools.ListIn(w) {
		if IsExposed(entry.Tool, c.Set.Settings, claims) {
			list = append(list, entry)
		}
	}
	return list
}

// IsExposed reports whether a caller with these claims is offered a tool.
func IsExposed(t *tool.Tool, settings config.Settings, claims tool.Claims) bool {
	return t.Unavailable == "" && t.Access.Lets(claims) && (!t.Shipped() || slices.Contains(settings.Expose, t.ID))
}

// exposedAs finds the one tool that an agent may know under a name: agents respell names for their models.
func (c *Configuration) exposedAs(w tool.Workspace, name string) (*executor.Entry, bool) {
	var found *executor.Entry
	for _, entry := range c.Exposed(w, tool.Claims{}) {
		if mcpserver.SameName(mcpserver.ToolName(entry.Tool.ID), name) {
			if found != nil {
				return nil, false
			}
			found = entry
		}
	}
	return found, found != nil
}

// callerTools are the tools of one caller, as its MCP server calls them.
type callerTools struct {
	door   *Door
	caller Caller
}

// List implements mcpserver.Tools.
func (t *callerTools) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	var list []mcpserver.Tool
	for _, entry := range t.door.offered(t.caller) {
		list = append(list, t.door.app.shown(entry.Tool))
	}
	if t.door.searches(t.caller.Workspace()) {
		list = SearchTools("", len(list))
	}
	return mcpserver.NewCatalogue(list), nil
}

// shown is a tool as MCP shows it, with what the kernel of this machine holds its calls to.
func (a *App) shown(t *tool.Tool) mcpserver.Tool {
	shown := mcpserver.FromTool(t)
	switch host, err := a.host.wait(); {
	case err != nil: // nothing runs
	case host.Level().AtLeast(sandbox.LevelFull):
		shown = shown.Enforced(t)
	case !host.Level().AtLeast(sandbox.LevelNoProc):
		shown = shown.Unheld(t)
	}
	return shown
}

// searches reports whether agents find tools and call them by two tools, in place of being offered all of them.
func (d *Door) searches(w tool.Workspace) bool { return d.app.Refreshed(w).Set.Settings.Search }

// Call implements mcpserver.Tools.
func (t *callerTools) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	offered := t.door.offered(t.caller)
	if t.door.searches(t.caller.Workspace()) {
		tools := make([]mcpserver.Tool, len(offered))
		for i, entry := range offered {
			tools[i] = t.door.app.shown(entry.Tool)
		}
		meant, told, err := searched("", tools, call)
		switch {
		case err != nil:
			return mcpserver.CallResult{}, err
		case told != nil:
			return *told, nil
		}
		call = meant
	}
	var found *executor.Entry
	for _, entry := range offered {
		if mcpserver.ToolName(entry.Tool.ID) == call.Name {
			found = entry
		}
	}
	if found == nil {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	result := t.door.call(ctx, t.caller,
		Begun{Tool: found.Tool.ID, Arguments: call.Arguments, Hint: call.ToolCall, Trace: call.Trace},
		func(text string) { call.Progress(mcpserver.Progress{Text: text}) })
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
	if t.Output.JSON { // without it where the call has failed: what there is then does not fit the schema
		told.Structured = result.Structured
	}
	if t.Surface.MCPProtocolError {
		told = told.AsProtocolError(result.MCPError)
	}
	return told
}
