package acp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// serverNames are the names under which our MCP server is offered: the first that the client's own servers
// leave free.
var serverNames = []string{"a2a-acp", "a2a-acp-tools", "a2a-acp-guard"}

// serverEntry is an element of mcpServers: ACP 1 has no type for a stdio server, version 2 wants one.
type serverEntry struct {
	Type    string     `json:"type,omitempty"`
	Name    string     `json:"name"`
	Command string     `json:"command"`
	Args    []string   `json:"args"`
	Env     []Variable `json:"env"`
}

// withServer returns the line with our server at the end of mcpServers, every other byte as it was.
func (b *Bridge) withServer(frame ndjson.Frame, line []byte, server *MCPServer) ([]byte, error) {
	params, err := exactObject(frame.Params)
	if err != nil {
		return nil, err
	}
	entry := serverEntry{Command: server.Command, Args: server.Args, Env: server.Env}
	if b.protocol() >= 2 {
		entry.Type = "stdio"
	}
	theirs, _ := params.objects("mcpServers")
	taken := map[string]bool{}
	for _, s := range theirs {
		taken[s.text("name")] = true
	}
	for _, name := range serverNames {
		if !taken[name] {
			entry.Name = name
			break
		}
	}
	if entry.Name == "" {
		return nil, fmt.Errorf("mcpServers: every name that ours could have is taken")
	}
	b.mu.Lock()
	server.Name = entry.Name
	b.mu.Unlock()
	list, there := params["mcpServers"]
	switch {
	case !there:
		return ndjson.AppendMember(line, frame.Params, "mcpServers", join("[", encode(entry), "]")), nil
	case bytes.Equal(list, []byte("null")):
		return ndjson.Replace(line, list, join("[", encode(entry), "]")), nil
	case len(list) > 0 && list[0] == '[':
		return ndjson.AppendElement(line, list, encode(entry)), nil
	}
	return nil, fmt.Errorf("mcpServers is not a list")
}

// serverName returns the name under which the session's agent knows our server; "" when it does not.
func (s *Session) serverName() string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if len(s.servers) == 0 {
		return ""
	}
	return s.servers[len(s.servers)-1].Name
}

// ToolCall finds the id under which the agent told the editor of a call of one of our tools that has just
// come in. The agent may say so itself (hint); else it is the one unfinished call that is about that tool
// and does not say that its arguments are others. Empty when there is none, or more than one, so that a
// question can never stand in the card of another call.
func (s *Session) ToolCall(hint, id string, arguments json.RawMessage) string {
	server := s.serverName()
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	about := func(c *toolCall) bool {
		claimed, name, ok := mcpTool(c)
		if !ok || claimed != server {
			return false
		}
		if told, ok := s.b.o.Tools.ToolID(s.workspace, name); !ok || told != id {
			return false
		}
		theirs := claimedArguments(c)
		return theirs == nil || sameJSON(theirs, arguments)
	}
	call := s.calls.byID[hint]
	if call == nil || !call.announced || call.finished() || !about(call) {
		call = s.calls.only(about)
	}
	if call == nil {
		if s.uncarded == nil {
			s.uncarded = map[string]int{}
		}
		s.uncarded[id]++
		return ""
	}
	call.elsewhere = true
	return call.id
}

// sameJSON compares two JSON values without regard to the order of keys.
func sameJSON(a, b json.RawMessage) bool {
	canonical := func(raw json.RawMessage) ([]byte, bool) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil {
			return nil, false
		}
		return encode(v), true
	}
	x, okX := canonical(a)
	y, okY := canonical(b)
	return okX && okY && bytes.Equal(x, y)
}
