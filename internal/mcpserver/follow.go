package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/jsonrpc2"
)

// offer makes the list of tools that the agent is offered: new ones are added, changed ones replaced, those
// that are gone removed. Of every change the SDK tells the agent, once for all that happen together (MCP
// 2025-11-25, notifications/tools/list_changed). A tool that cannot be shown is left out, and the error
// says so.
func (a *attachment) offer(server *mcp.Server, tools []Tool) error {
	var wrong []error
	now := make(map[string]string, len(tools))
	for _, t := range tools {
		text, err := json.Marshal(t)
		if err == nil && a.offered[t.Name] != string(text) {
			err = a.add(server, t)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("tool %q: %w", t.Name, err))
			continue
		}
		now[t.Name] = string(text)
	}
	var gone []string
	for name := range a.offered {
		if _, still := now[name]; !still {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		server.RemoveTools(gone...)
	}
	a.offered = now
	return errors.Join(wrong...)
}

// follow keeps the list fresh while the bridge tells of changes. A list that cannot be had now is had at
// the next change; what the agent calls by an old one the bridge answers.
func (a *attachment) follow(ctx context.Context, server *mcp.Server) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.changed:
		}
		asking, stop := context.WithTimeout(ctx, attachTime)
		var tools []Tool
		err := a.bridge.Call(asking, methodList, nil, &tools, jsonrpc2.PickID(a.nextID()))
		stop()
		if err == nil {
			a.offer(server, tools) //nolint:errcheck // a tool that cannot be shown is not offered
		}
	}
}
