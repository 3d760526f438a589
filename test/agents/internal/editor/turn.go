package editor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Turn is what came of a prompt.
type Turn struct {
	Stop  string // the stop reason; "" when the turn ended in an error
	Error *Error

	Text        string
	Thought     string
	Permissions []Permission // in the order in which they were asked
	Calls       []ToolCall   // in the order in which they were first mentioned
	Files       []string     // methods and paths of the agent's file requests, in order
}

// ToolCall is a tool call as the editor would show it.
type ToolCall struct {
	ID      string
	Title   string
	Kind    string
	Status  string // the last one told; "" for a call that was only ever asked about
	Content string // the text in its content, as last told
}

// turn is a Turn that is going on. Its fields are guarded by the editor's mu.
type turn struct {
	Turn
	person   Person
	calls    []*ToolCall
	accepted bool // the prompt was answered
	working  bool // protocol 2: the agent said that it works
	idle     bool // nothing more comes: with the answer in protocol 1, said by the agent in protocol 2
	ended    chan struct{}
}

// Prompt sends a text, lets the person answer what is asked meanwhile, and returns when the turn has ended.
// The error is for turns that did not end: an error that ends a turn is in the Turn.
func (s *Session) Prompt(ctx context.Context, text string, person Person) (Turn, error) {
	t := &turn{person: person, ended: make(chan struct{})}
	s.editor.mu.Lock()
	s.turn = t
	s.editor.mu.Unlock()
	prompt := []any{map[string]any{"type": "text", "text": text}}
	err := s.editor.request("session/prompt", map[string]any{"sessionId": s.ID, "prompt": prompt}, s.answered)
	if err != nil {
		return Turn{}, err
	}
	select {
	case <-t.ended:
	case <-s.editor.done:
		return t.Turn, errors.New("the agent's stream ended in the middle of a turn")
	case <-ctx.Done():
		return Turn{}, fmt.Errorf("the turn does not end: %w", context.Cause(ctx))
	}
	return t.Turn, nil
}

// answered takes the response to session/prompt: the end of the turn in protocol 1, its beginning in
// protocol 2.
func (s *Session) answered(result json.RawMessage, failure *Error) {
	s.editor.mu.Lock()
	defer s.editor.mu.Unlock()
	t := s.turn
	switch {
	case failure != nil:
		t.Error = failure
		t.idle = true
	case s.editor.options.Version == 1:
		var answer struct {
			Stop string `json:"stopReason"`
		}
		_ = json.Unmarshal(result, &answer) // without a stop reason the turn has none, and the test sees it
		t.Stop = answer.Stop
		t.idle = true
	}
	t.accepted = true
	s.endIfOver()
}

// endIfOver ends the turn when nothing more of it can come. The caller holds mu.
func (s *Session) endIfOver() {
	t := s.turn
	if t == nil || !t.accepted || !t.idle {
		return
	}
	for _, call := range t.calls {
		t.Calls = append(t.Calls, *call)
	}
	s.turn = nil
	close(t.ended)
}

// update is the part of a session/update that the editor shows. What is not of the expected type is left
// empty; the schema's verdict is not given here.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"`
	ID      string          `json:"toolCallId"`
	Below   string          `json:"sessionId"` // of a session below
	Title   *string         `json:"title"`
	Tool    string          `json:"kind"`
	Status  string          `json:"status"`
	State   json.RawMessage `json:"state"` // a text, or an object of a session below
	Stop    string          `json:"stopReason"`
	Error   *Error          `json:"error"`
}

// inTurn holds the updates that only make sense while the agent works on a prompt.
var inTurn = map[string]bool{
	"agent_message_chunk": true, "agent_thought_chunk": true, "tool_call": true, "tool_call_update": true,
	"plan": true,
}

func (e *Editor) receiveUpdate(frame Frame) {
	var params struct {
		Session string `json:"sessionId"`
		Update  update `json:"update"`
	}
	if err := json.Unmarshal(frame.Params, &params); err != nil {
		e.violate(frame.Raw, err.Error())
		return
	}
	e.mu.Lock()
	s, below := e.sessions[params.Session], e.below[params.Session]
	if id := params.Update.Below; params.Update.Kind == "subagent_update" && (s != nil || below != nil) && e.below[id] == nil {
		e.below[id] = make(map[string]bool)
	}
	untitled := params.Update.Kind == "tool_call_update" && params.Update.Title == nil && !below[params.Update.ID]
	switch {
	case below != nil:
		below[params.Update.ID] = true
	case s == nil:
		e.early[params.Session] = append(e.early[params.Session], params.Update.Kind)
	}
	e.mu.Unlock()
	switch {
	case below != nil && untitled:
		e.violate(frame.Raw, "the first mention of a tool call has no title")
		return
	case s == nil:
		return
	}
	if violation := s.take(params.Update); violation != "" {
		e.violate(frame.Raw, violation)
	}
}

// take lets an update change what is shown. It returns what is wrong with it.
func (s *Session) take(u update) (violation string) {
	s.editor.mu.Lock()
	defer s.editor.mu.Unlock()
	if s.turn == nil && inTurn[u.Kind] {
		return "an update outside a turn"
	}
	switch u.Kind {
	case "agent_message_chunk":
		s.turn.Text += text(u.Content)
		if on := s.turn.person.CancelOn; on != "" && strings.Contains(s.turn.Text, on) {
			s.turn.person.CancelOn = ""
			s.editor.answers.Add(1)
			go func() { // ends when the notification is written; read waits for it
				defer s.editor.answers.Done()
				_ = s.Cancel()
			}()
		}
	case "agent_thought_chunk":
		s.turn.Thought += text(u.Content)
	case "tool_call":
		if s.editor.options.Version == 2 {
			return "protocol 2 has no tool_call"
		}
		return s.show(u)
	case "tool_call_update":
		if s.calls[u.ID] == nil && s.editor.options.Version == 1 {
			return "an update of a tool call that was never announced"
		}
		return s.show(u)
	case "state_update":
		switch {
		case s.turn == nil:
		case string(u.State) != `"idle"`:
			s.turn.working = true
		case s.turn.working: // idle may be repeated before the work begins
			s.turn.Stop, s.turn.Error, s.turn.idle = u.Stop, u.Error, true
			s.endIfOver()
		}
	}
	return ""
}

// show merges what is told of a tool call into what was told before. The caller holds mu.
func (s *Session) show(u update) (violation string) {
	call := s.calls[u.ID]
	if call == nil {
		call = &ToolCall{ID: u.ID}
		s.calls[u.ID] = call
		if u.ID == "" {
			violation = "a tool call without id"
		} else if u.Title == nil || *u.Title == "" {
			violation = "the first mention of a tool call has no title"
		}
		if s.turn != nil {
			s.turn.calls = append(s.turn.calls, call)
		}
	}
	if u.Title != nil {
		call.Title = *u.Title
	}
	if u.Tool != "" {
		call.Kind = u.Tool
	}
	if u.Status != "" {
		call.Status = u.Status
	}
	if told := texts(u.Content); told != "" {
		call.Content = told
	}
	return violation
}

// text returns the text of a content block.
func text(block json.RawMessage) string {
	var b struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(block, &b) // other kinds of blocks have none
	return b.Text
}

// texts returns the text of a tool call's content.
func texts(content json.RawMessage) string {
	var parts []struct {
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(content, &parts)
	var all []string
	for _, part := range parts {
		if t := text(part.Content); t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n")
}
