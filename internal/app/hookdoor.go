package app

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/hook"
	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// hookDoor has Claude ask us before each tool of its own: its hooks, this binary, come back to us over a socket
// of the session's. Nothing is written to the person's files.
type hookDoor struct {
	*Door
	self     string
	boundary *confine.Boundary // the sandbox that the agent is in; nil for none
}

// Open implements acp.HookDoor.
func (d *hookDoor) Open(s *acp.Session) (*acp.Hooks, error) {
	o := hook.DoorOptions{
		Options: unixsocket.Options{RuntimeDir: d.app.o.Getenv("XDG_RUNTIME_DIR")},
		Decide:  func(ctx context.Context, call hook.Call) hook.Answer { return decideOwn(ctx, s, call) },
		Ended: func(call hook.Call) {
			s.Ended(acp.OwnEnd{ToolCall: call.ID, Title: call.Title, Input: call.Input, Failed: call.Failed,
				Exit: call.Exit, Error: call.Error})
		},
		Say: d.app.o.Say,
	}
	if d.boundary != nil {
		o.Options = unixsocket.Options{RuntimeDir: d.boundary.Sockets(), TempDir: d.boundary.Sockets(),
			User: d.boundary.User()}
	}
	door, err := hook.Listen(o)
	if err != nil {
		return nil, err
	}
	settings := hook.ClaudeSettings(d.self, []string{hook.Verb, "claude", door.Socket()})
	meta, err := json.Marshal(map[string]any{"claudeCode": map[string]any{"options": map[string]any{"settings": settings}}})
	if err != nil {
		panic("a2a-acp: bug: " + err.Error())
	}
	return &acp.Hooks{Meta: meta, NotBegun: hook.ClaudeNotBegun, Close: func() {
		if err := door.Close(); err != nil {
			d.app.o.Say(err.Error())
		}
	}}, nil
}

// decideOwn decides about a call of an agent's own tool.
func decideOwn(ctx context.Context, s *acp.Session, call hook.Call) hook.Answer {
	own := acp.OwnAct{ToolCall: call.ID, Tool: call.Tool, Kind: call.Kind, Title: call.Title, Input: call.Input,
		Dir: call.Dir, Places: call.Places, Beside: call.Beside, Harmless: call.Harmless || call.TheirOwn}
	for _, change := range call.Changes {
		own.Changes = append(own.Changes, approval.FileChange{Path: change.Path, NewText: change.NewText,
			OldText: change.OldText})
	}
	d := s.Decide(ctx, own)
	switch {
	case d.Verdict != permissions.Approve:
		return hook.Answer{Verdict: hook.Deny, Reason: s.Why(d)}
	case call.TheirOwn, call.Planning && !own.Harmless && !slices.Contains([]string{"read", "search"}, call.Kind):
		return hook.Answer{Verdict: hook.Undecided} // whatever the agent asks then is known to be decided
	}
	if own.Harmless || d.Source == permissions.SourceTool {
		return hook.Answer{Verdict: hook.Allow, Reason: s.Why(d)}
	}
	return hook.Answer{Verdict: hook.Confirm, Reason: s.Why(d)}
}

// hooklessVariables are those that switch Claude Code's hooks off.
var hooklessVariables = []string{"CLAUDE_CODE_SIMPLE"}

// withoutHookless returns the environment of an agent whose hooks are in force.
func withoutHookless(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(hooklessVariables, name)
	})
}
