package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Some modes of agents skip asking: yolo, bypassPermissions, full access. Who is in one is not asked about
// anything by the agent, so a rule can refuse the switch, whoever makes it, and rules can look at the mode
// that an agent is in.

// switchMode owns session/set_mode and session/set_config_option: the person switches the agent's mode in
// the editor. It is their own act, so it passes unless a rule rejects it.
func (b *Bridge) switchMode(frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseEditor(frame, fmt.Sprintf("%s: %v", frame.MethodName(), err))
	}
	id := params.text("sessionId")
	s := b.session(id)
	request := b.newRequest(s, id, permissions.ActionSwitchMode, "acp.set_mode")
	mode := params.text("modeId")
	request.Arguments = map[string]any{"mode": mode}
	if frame.MethodName() == methodSetConfigOption {
		request.Tools, mode = []string{"acp.set_config_option"}, ""
		option := params.text("configId")
		request.Arguments = map[string]any{"option": option, "value": scalarOf(params["value"])}
		if value, ok := request.Arguments["value"].(string); ok && b.isModeOption(s, option) {
			request.Arguments["mode"], mode = value, value
		}
	}
	if decision := b.o.Gate.Decide(request); decision.Verdict == permissions.Reject {
		event := b.requestEvent(events.ToolDecided, request)
		event.Decision = gate.DecisionEvent(decision, "")
		if err := b.recordDecision(event); err != nil {
			b.sayUnrecorded(err)
		}
		text := fmt.Sprintf("a2a-acp: rule %s (%s) rejects this switch", decision.Rule, decision.At)
		if decision.Reason != "" {
			text += ": " + decision.Reason
		}
		b.o.Say(strings.TrimPrefix(text, "a2a-acp: "))
		if len(frame.ID) > 0 {
			b.toEditor.put(errorResponse(frame.ID, wireError{Code: codeDenied, Message: text}))
		}
		return nil
	}
	b.openFromEditor(frame, passed{session: s, answered: func(answer ndjson.Frame, line []byte) []byte {
		if !failed(answer) && mode != "" {
			b.inMode(s, mode)
		}
		return line
	}})
	return b.toAgent.relay(line)
}

// scalarOf reads a text or a truth value; nil for anything else.
func scalarOf(raw []byte) any {
	if text, err := ndjson.String(raw); err == nil {
		return text
	}
	switch string(raw) {
	case "true":
		return true
	case "false":
		return false
	}
	return nil
}

// isModeOption reports whether an option of the agent's is its mode: it says so by its id or its category.
func (b *Bridge) isModeOption(s *Session, option string) bool {
	if option == "mode" {
		return true
	}
	if s == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.modeOptions[option]
}

// inMode notes the mode that a session is in.
func (b *Bridge) inMode(s *Session, mode string) {
	if s == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.mode = mode
}

// Mode returns the mode that the agent is in, as far as it has told; "" when it has not.
func (s *Session) Mode() string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.mode
}

// learnModes reads the modes that an answer, or an update, of the agent's tells: modes.currentModeId, or
// the value of an option of the category mode.
func (b *Bridge) learnModes(s *Session, told object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id := told.object("modes").text("currentModeId"); id != "" {
		s.mode = id
	}
	options, _ := told.objects("configOptions")
	for _, option := range options {
		id := cmp.Or(option.text("configId"), option.text("id")) // version 2 and 1
		if id == "" || id != "mode" && option.text("category") != "mode" {
			continue
		}
		if s.modeOptions == nil {
			s.modeOptions = map[string]bool{}
		}
		s.modeOptions[id] = true
		if value := option.text("currentValue"); value != "" {
			s.mode = value
		}
	}
}

// modeUpdate learns from current_mode_update and config_option_update.
func (b *Bridge) modeUpdate(s *Session, frame ndjson.Frame) {
	params, err := exactObject(frame.Params)
	if err != nil {
		return
	}
	update := params.object("update")
	if id := update.text("currentModeId"); id != "" {
		b.inMode(s, id)
		return
	}
	b.learnModes(s, update)
}

// tellUnasking says in a card of ours, before the first turn, that the agent is in a mode in which it asks
// nobody.
func (b *Bridge) tellUnasking(s *Session) {
	b.mu.Lock()
	mode := s.mode
	tell := !s.unaskedModes && !s.mustAsk() && slices.Contains(b.o.UnaskedModes, mode)
	s.unaskedModes = s.unaskedModes || tell
	b.mu.Unlock()
	if !tell {
		return
	}
	words := "In its mode `" + mode + "` the agent asks nobody before it edits files or runs commands, so nothing of that is " +
		"decided: it is only seen. Choose another of its modes to be asked, or have a2a-acp confine it (bridge --confine)."
	b.o.Say(words)
	b.showCard(s, "in this mode nobody is asked", text(words))
}
