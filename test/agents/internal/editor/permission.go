package editor

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Person answers what is asked in one turn.
type Person struct {
	// Decide answers a request for permission. nil allows once. It must not call the Editor.
	Decide func(Permission) Decision
	// CancelOn cancels the turn as soon as the agent has said this.
	CancelOn string
}

// Decision is a person's answer to a request for permission.
type Decision string

// The decisions: kinds of options, of which the first that is offered is taken, the last that allows more than once, and to
// cancel the turn.
const (
	AllowOnce   Decision = "allow_once"
	AllowAlways Decision = "allow_always"
	AllowWidest Decision = "the last allow_always"
	RejectOnce  Decision = "reject_once"
	CancelTurn  Decision = "cancel the turn"
)

// Permission is what a person was asked.
type Permission struct {
	Session  string
	Call     string // id of the tool call it is about; "" when it names none
	Title    string // what is shown: the request's own title in protocol 2, the tool call's in protocol 1
	Kind     string // of the tool call
	Known    bool   // the tool call had been announced before
	Text     string // the text in the tool call's content
	Raw      json.RawMessage
	Options  []Option
	Decision Decision // what the person said
}

// Option is one answer that is offered.
type Option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// preparePermission reads a request, and gives the function that answers it.
func (e *Editor) preparePermission(frame Frame) func() (any, *Error) {
	var params struct {
		Session string  `json:"sessionId"`
		Call    *update `json:"toolCall"`
		Title   string  `json:"title"`
		Subject struct {
			Type string  `json:"type"`
			Call *update `json:"toolCall"`
		} `json:"subject"`
		Options []Option `json:"options"`
	}
	if err := json.Unmarshal(frame.Params, &params); err != nil {
		e.violate(frame.Raw, err.Error())
		return func() (any, *Error) { return nil, &Error{Code: -32602, Message: err.Error()} }
	}
	session := e.session(frame, params.Session)
	if session == nil {
		return func() (any, *Error) { return nil, &Error{Code: -32002, Message: "unknown session: " + params.Session} }
	}
	for _, violation := range optionViolations(params.Options) {
		e.violate(frame.Raw, violation)
	}
	permission := Permission{
		Session: params.Session, Title: params.Title, Raw: frame.Params, Options: params.Options,
		Decision: AllowOnce,
	}
	call := params.Call
	if e.options.Version == 2 {
		call = params.Subject.Call
		if params.Title == "" {
			e.violate(frame.Raw, "a request for permission without title")
		}
	} else if call == nil {
		e.violate(frame.Raw, "a request for permission without tool call")
	}
	violation := session.ask(&permission, call)
	if violation != "" {
		e.violate(frame.Raw, violation)
	}
	return func() (any, *Error) { return session.answer(permission) }
}

// ask shows the tool call that a permission is about and lets the person decide.
func (s *Session) ask(p *Permission, call *update) (violation string) {
	s.editor.mu.Lock()
	defer s.editor.mu.Unlock()
	if call != nil {
		p.Call = call.ID
		p.Known = s.calls[call.ID] != nil
		asked := *call
		asked.Status = "" // what is only asked about has none yet
		violation = s.show(asked)
		shown := s.calls[call.ID]
		p.Kind, p.Text = shown.Kind, shown.Content
		if p.Title == "" {
			p.Title = shown.Title
		}
	}
	if s.turn == nil {
		return "a request for permission outside a turn"
	}
	if s.turn.person.Decide != nil {
		p.Decision = s.turn.person.Decide(*p)
	}
	s.turn.Permissions = append(s.turn.Permissions, *p)
	return violation
}

// answer returns the response to a request for permission.
func (s *Session) answer(p Permission) (any, *Error) {
	cancelled := map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
	if p.Decision == CancelTurn {
		// The order that the protocol asks for: cancel, then answer what is open.
		_ = s.Cancel()
		return cancelled, nil
	}
	options := p.Options
	if p.Decision == AllowWidest {
		p.Decision, options = AllowAlways, slices.Clone(options)
		slices.Reverse(options)
	}
	for _, option := range options {
		if option.Kind == string(p.Decision) {
			return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option.ID}}, nil
		}
	}
	s.editor.violate(p.Raw, fmt.Sprintf("no option of the kind %q is offered", p.Decision))
	return cancelled, nil
}

func optionViolations(options []Option) (violations []string) {
	if len(options) == 0 {
		violations = append(violations, "a request for permission without options")
	}
	seen := make(map[string]bool)
	for _, option := range options {
		if option.ID == "" || option.Name == "" {
			violations = append(violations, "an option without id or name")
		}
		if seen[option.ID] {
			violations = append(violations, "two options with one id")
		}
		seen[option.ID] = true
		switch option.Kind {
		case "allow_once", "allow_always", "reject_once", "reject_always":
		default:
			violations = append(violations, fmt.Sprintf("an option of the unknown kind %q", option.Kind))
		}
	}
	return violations
}
