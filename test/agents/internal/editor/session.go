package editor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Server is an MCP server of the editor's own that it asks an agent to start.
type Server struct {
	Name        string
	Command     string
	Args        []string
	Environment map[string]string
}

// Session is a conversation.
type Session struct {
	ID     string
	editor *Editor

	// Guarded by the editor's mu.
	calls map[string]*ToolCall
	turn  *turn // nil between turns
}

// NewSession opens a session in a directory.
func (e *Editor) NewSession(ctx context.Context, dir string, servers ...Server) (*Session, error) {
	list := make([]map[string]any, 0, len(servers)) // an empty list is not null
	for _, server := range servers {
		environment := make([]map[string]string, 0, len(server.Environment))
		for name, value := range server.Environment {
			environment = append(environment, map[string]string{"name": name, "value": value})
		}
		entry := map[string]any{"name": server.Name, "command": server.Command, "args": server.Args,
			"env": environment}
		if server.Args == nil {
			entry["args"] = []string{}
		}
		if e.options.Version == 2 {
			entry["type"] = "stdio"
		}
		list = append(list, entry)
	}
	var session *Session
	var failure error
	ready := make(chan struct{})
	// The reader registers the session before it reads on: an update may be the very next line.
	err := e.request("session/new", map[string]any{"cwd": dir, "mcpServers": list},
		func(result json.RawMessage, err *Error) {
			defer close(ready)
			if err != nil {
				failure = fmt.Errorf("session/new: %w", err)
				return
			}
			var answer struct {
				ID string `json:"sessionId"`
			}
			if err := json.Unmarshal(result, &answer); err != nil || answer.ID == "" {
				failure = fmt.Errorf("session/new: no session in %s", result)
				return
			}
			session = &Session{ID: answer.ID, editor: e, calls: make(map[string]*ToolCall)}
			e.register(session)
		})
	if err != nil {
		return nil, err
	}
	select {
	case <-ready:
		return session, failure
	case <-e.done:
		return nil, errors.New("session/new: the agent's stream ended without a response")
	case <-ctx.Done():
		return nil, fmt.Errorf("session/new: no response: %w", context.Cause(ctx))
	}
}

func (e *Editor) register(session *Session) {
	e.mu.Lock()
	early := e.early[session.ID]
	delete(e.early, session.ID)
	e.sessions[session.ID] = session
	e.mu.Unlock()
	if len(early) > 0 {
		e.violate(nil, fmt.Sprintf("updates of session %s before the answer that names it: %v", session.ID, early))
	}
}

// session returns the session that a frame speaks of; nil, and a violation, when there is none.
func (e *Editor) session(frame Frame, id string) *Session {
	e.mu.Lock()
	session := e.sessions[id]
	e.mu.Unlock()
	if session == nil {
		e.violate(frame.Raw, "of a session that the editor does not know")
	}
	return session
}

// Cancel asks the agent to stop what it does.
func (s *Session) Cancel() error {
	return s.editor.notify("session/cancel", map[string]any{"sessionId": s.ID})
}
