package toolsocket

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// fetch takes the list of tools anew and reports whether it is another than before. A tool that cannot be
// shown is left out.
func (a *attachment) fetch(ctx context.Context) (another bool, err error) {
	var tools []mcpserver.Tool
	if err := a.bridge.Call(ctx, methodList, nil, &tools, jsonrpc2.PickID(a.nextID())); err != nil {
		return false, err
	}
	shown := make([]mcpserver.Tool, 0, len(tools))
	for _, t := range tools {
		if isShown(t) {
			shown = append(shown, t)
		}
	}
	next := mcpserver.NewCatalogue(shown)
	text, err := next.JSON()
	if err != nil {
		return false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.catalogue != nil {
		before, err := a.catalogue.JSON()
		if err == nil && bytes.Equal(before, text) {
			return false, nil
		}
	}
	a.catalogue = next
	return true, nil
}

// isShown reports whether clients can take a tool: some refuse a whole list for one whose schema is not that
// of an object.
func isShown(t mcpserver.Tool) bool {
	var schema struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(t.InputSchema, &schema) == nil && schema.Type == "object" &&
		(len(t.OutputSchema) == 0 || json.Valid(t.OutputSchema))
}

// follow keeps the list fresh while the bridge tells of changes. A list that cannot be had now is had at
// the next change; what the agent calls by an old one the bridge answers.
func (a *attachment) follow(ctx context.Context, server *mcpserver.Server) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.changed:
		}
		asking, stop := context.WithTimeout(ctx, attachTime)
		another, err := a.fetch(asking)
		stop()
		if err == nil && another {
			server.Changed()
		}
	}
}
