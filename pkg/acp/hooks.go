package acp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// HookDoor has an agent ask us before each act of its own, through hooks that the agent offers.
type HookDoor interface {
	// Open gets ready for the hooks of a session. They ask Session.Decide and tell Session.Ended. It returns nil
	// where the agent is of a version that has none.
	Open(*Session) (*Hooks, error)
}

// Hooks are what an agent is told when a session is opened, so that it asks us.
type Hooks struct {
	// Meta is an object that is added to _meta of session/new, and of what opens a session again. Optional.
	Meta json.RawMessage
	// NoTool reports whether a card is that of no tool of the agent's own that was started, so that no hook was
	// to ask. Required.
	NoTool func(Card) bool
	// Lax is set where nothing is made of an act that no hook asked about.
	Lax bool
	// Proof asks the agent whether its hooks are in force, as soon as it has the session. Optional.
	Proof *Proof
	Close func()
}

// Card is what an agent has told of a call that has ended.
type Card struct {
	Title, Kind, Name string
	Input             json.RawMessage
	Failure           string // in the agent's words; "" of a call that is said to be completed
}

// Proof is a request to the agent, and what its answer has to be.
type Proof struct {
	Method string
	Params any
	Holds  func(result json.RawMessage) error // returns why hooks are not in force
}

// prove asks for a proof. Where there is none the turn stops, and no other begins in the session.
func (b *Bridge) prove(s *Session, proof *Proof) {
	line := append(request(b.ours.nextID(), proof.Method, proof.Params), '\n')
	b.openFromEditor(ndjson.Scan(line), passed{session: s, ours: true, answered: func(answer ndjson.Frame, _ []byte) []byte {
		err := errors.New("the agent does not say")
		if !failed(answer) {
			err = proof.Holds(answer.Result)
		}
		if err != nil {
			b.mu.Lock()
			s.unproved = err
			b.mu.Unlock()
			b.stopTurn(s, s.Dir(), fmt.Errorf("%w: %w", errUnproved, err))
		}
		return nil // the editor has not asked
	}})
	b.toAgent.reserve().put(line)
}

// unasked reports whether an agent whose hooks are to ask has carried out a call that none had asked about. One
// that failed counts, too: a command fails at will. last is the agent's last word of it.
func (s *Session) unasked(call *toolCall, last object) bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	card := Card{Title: call.title, Kind: call.kind, Name: call.name, Input: call.rawInput}
	if call.status == statusFailed {
		card.Failure = last.text("rawOutput")
	}
	return s.mustAsk() && (call.status == statusCompleted || call.status == statusFailed && !s.turn.cancelled) &&
		!s.hooks[len(s.hooks)-1].NoTool(card)
}

// withHooks opens the hooks of a session, and returns the line that tells the agent of them: what the editor
// says in _meta stays, and stands beside ours.
func (b *Bridge) withHooks(s *Session, line []byte) ([]byte, *Hooks, error) {
	if b.o.Hooks == nil {
		return line, nil, nil
	}
	hooks, err := b.o.Hooks.Open(s)
	if err != nil {
		return nil, nil, fmt.Errorf("the agent's own acts could not be decided: %w", err)
	}
	if hooks == nil {
		return line, nil, nil
	}
	frame := ndjson.Scan(line)
	switch meta, there := ndjson.Get(frame.Params, "_meta"); {
	case hooks.Meta == nil:
	case !there:
		line = ndjson.AppendMember(line, frame.Params, "_meta", hooks.Meta)
	default:
		merged, err := merge(meta, hooks.Meta)
		if err != nil {
			hooks.Close()
			return nil, nil, fmt.Errorf("_meta: %w", err)
		}
		line = ndjson.Replace(line, meta, merged)
	}
	b.mu.Lock()
	s.hooks = append(s.hooks, hooks)
	b.mu.Unlock()
	return line, hooks, nil
}

// Is reports whether the agent knows the session by an id.
func (s *Session) Is(id string) bool { return id != "" && s.boundID() == id }

// merge returns a JSON value with another put into it: members of objects one by one, elements of lists at
// the end, anything else in its place. Values of two kinds cannot be merged.
func merge(into, add json.RawMessage) (json.RawMessage, error) {
	kind := func(raw []byte) byte {
		if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
			return raw[0]
		}
		return 0
	}
	switch {
	case string(into) == "null":
		return add, nil
	case kind(into) != kind(add):
		return nil, errors.New("what the editor says there is of another kind than what a2a-acp has to say")
	case kind(add) == 0:
		return add, nil
	case kind(add) == '[':
		var list []json.RawMessage
		for _, from := range [][]byte{into, add} {
			for element := range ndjson.Elements(from) {
				list = append(list, json.RawMessage(element))
			}
		}
		return encode(list), nil
	}
	if err := ndjson.StrictKeys(into); err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	for key, value := range ndjson.Members(into) {
		members[key] = value
	}
	for key, value := range ndjson.Members(add) {
		members[key] = value
		if before, there := ndjson.Get(into, key); there {
			merged, err := merge(before, value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			members[key] = merged
		}
	}
	return encode(members), nil
}
