package acp

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// intercept owns the frames of one method. It passes the line on, changed or not, now or later, or answers
// it. The line is only valid during the call, and the frame's parts are parts of the line. An error means
// that the other end is broken.
type intercept func(b *Bridge, frame ndjson.Frame, line []byte) error

// agentIntercepts owns what comes from the agent. Other methods are passed on unread, except unknown ones
// of fs/ and terminal/ (isUnknownAct), which are refused.
var agentIntercepts = map[string]intercept{
	methodPermission:     (*Bridge).permission,     // decided by policy, or put to the person
	methodReadFile:       (*Bridge).readFile,       // decided, then the editor reads
	methodWriteFile:      (*Bridge).writeFile,      // decided, then the editor writes
	methodTerminalCreate: (*Bridge).createTerminal, // decided, then the editor runs it
	methodUpdate:         (*Bridge).update,         // watched: what the agent says it does
	methodCancelRequest:  (*Bridge).agentCancels,   // withdraws what still waits here
}

// editorIntercepts owns what comes from the editor.
var editorIntercepts = map[string]intercept{
	methodInitialize:    (*Bridge).initialize, // capabilities may be hidden; the version is never touched
	methodSessionNew:    (*Bridge).openSession,
	methodSessionLoad:   (*Bridge).openSession,
	methodSessionResume: (*Bridge).openSession,
	methodSessionFork:   (*Bridge).openSession,
	methodSessionClose:  (*Bridge).leaveSession,
	methodSessionDelete: (*Bridge).leaveSession,
	methodPrompt:        (*Bridge).beginTurn,
	methodCancel:        (*Bridge).cancelTurn,
	methodCancelRequest: (*Bridge).editorCancels, // watched: a prompt may be cancelled so

	methodSetMode:         (*Bridge).switchMode, // passes, unless a rule rejects it
	methodSetConfigOption: (*Bridge).switchMode,
}

func isAgentIntercept(method string) bool { return owns(agentIntercepts, agentSpellings(), method) }

func isEditorIntercept(method string) bool { return owns(editorIntercepts, editorSpellings(), method) }

// owns reports whether a method is one of ours or another spelling of one: in another case, width or form,
// or with blanks or invisible characters. For a strict reader that would be an unknown method, which nobody
// has an honest use for.
func owns(intercepts map[string]intercept, spellings map[string]bool, method string) bool {
	_, ours := intercepts[method]
	return ours || spellings[methodSpelling(method)]
}

var (
	agentSpellings  = sync.OnceValue(func() map[string]bool { return methodSpellings(agentIntercepts) })
	editorSpellings = sync.OnceValue(func() map[string]bool { return methodSpellings(editorIntercepts) })
)

func methodSpellings(intercepts map[string]intercept) map[string]bool {
	all := map[string]bool{}
	for method := range intercepts {
		all[methodSpelling(method)] = true
	}
	return all
}

// aboutTerminals are the methods about a terminal that was let through. They pass.
var aboutTerminals = []string{"terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"}

// isUnknownAct reports whether a method would make the editor do something with files or terminals that
// nobody here can decide about: an editor may have more such methods than the protocol.
func isUnknownAct(method string) bool {
	name := methodSpelling(method)
	return (strings.HasPrefix(name, "fs/") || strings.HasPrefix(name, "terminal/")) &&
		!slices.Contains(aboutTerminals, method)
}

// methodSpelling returns what the spellings of a method have in common.
func methodSpelling(method string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || display.Hidden(r) {
			return -1
		}
		return r
	}, folded(method))
}

// ----

const idInUse = "its id is that of a request that is not answered yet"

// openFromEditor registers a request of the editor's that is being passed on, so that its answer is
// recognised and it gets an answer if the agent dies. Notifications are not registered.
func (b *Bridge) openFromEditor(frame ndjson.Frame, p passed) {
	if len(frame.ID) == 0 {
		return
	}
	p.id, p.method = slices.Clone(frame.ID), frame.MethodName()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.passedOn++
	p.number = b.passedOn
	b.fromEditorOpen[ndjson.ID(frame.ID)] = &p
}

// openFromAgent registers a request of the agent's that is being passed on. It returns false if the id is
// that of an open request: the answers could not be told apart, and an agent could get one act approved by
// the answer to another. Notifications are not registered.
func (b *Bridge) openFromAgent(frame ndjson.Frame, p passed) bool {
	if len(frame.ID) == 0 {
		return true
	}
	p.id, p.method = slices.Clone(frame.ID), frame.MethodName()
	key := agentsID(frame.ID)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idOpen(key) {
		return false
	}
	b.fromAgentOpen[key] = &p
	return true
}

// agentsID returns the key of an agent's id. A text that looks like a number has the key of that number:
// some editors treat the two as one id, so an answer to one question would count for another.
func agentsID(raw []byte) ndjson.Key {
	if text, err := ndjson.String(raw); err == nil {
		if number := ndjson.ID([]byte(text)); strings.HasPrefix(string(number), "number ") {
			return number
		}
	}
	return ndjson.ID(raw)
}

// isOpen reports whether a request of the agent's with that id waits for an answer.
func (b *Bridge) isOpen(key ndjson.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.idOpen(key)
}

// idOpen is isOpen with mu held.
func (b *Bridge) idOpen(key ndjson.Key) bool {
	_, open := b.fromAgentOpen[key]
	_, held := b.held[key]
	return open || held
}

// editorAnswered passes on the editor's answer to a request of the agent's, or takes the answer to one of
// ours. An answer to no open request is not passed on: the agent may be less exact about ids and take it
// for the answer to another.
func (b *Bridge) editorAnswered(frame ndjson.Frame, line []byte) error {
	if b.ours.answered(frame) {
		return nil
	}
	p := b.takeOpen(&b.fromAgentOpen, agentsID(frame.ID), frame)
	if p != nil && p.over {
		return nil // the agent has its answer
	}
	if p != nil && p.clickable {
		b.clicked()
	}
	if p == nil && (answersSomething(frame) || frame.Ambiguous) {
		b.o.Say("an answer of the editor's is to no request that is open: " + display.Line(string(frame.ID)))
		return nil
	}
	if p != nil && p.answered != nil {
		if problem := unclear(frame); problem != "" {
			b.o.Say(fmt.Sprintf("the editor's answer to %s cannot be read: %s", p.method, problem))
			line = errorResponse(p.id,
				wireError{Code: codeInternal, Message: "a2a-acp: the editor's answer cannot be read: " + problem})
			frame = ndjson.Scan(line)
		}
		line = p.answered(frame, line)
	}
	if line == nil {
		return nil
	}
	if p != nil && p.heard != nil {
		p.heard(frame)
	}
	return b.toAgent.relay(line)
}

// agentAnswered passes on the agent's answer to a request of the editor's. An answer that the editor could
// take for another than the one that is read here is not passed on: a session could begin, or a turn end,
// without this bridge knowing.
func (b *Bridge) agentAnswered(frame ndjson.Frame, line []byte) error {
	p := b.takeOpen(&b.fromEditorOpen, ndjson.ID(frame.ID), frame)
	if p == nil && answersSomething(frame) {
		why := "an answer of the agent's is to no request that is open: " + display.Line(string(frame.ID))
		b.o.Say(why)
		b.note(events.Event{Type: events.FrameRefused, Detail: why})
		return nil
	}
	read := p != nil && p.answered != nil
	envelope := frame
	envelope.LossyID = frame.LossyID && p == nil // else it is the very id that the editor has chosen
	envelope.InvalidUTF8, envelope.RawControl = frame.InvalidUTF8 && read, frame.RawControl && read
	problem := unclear(envelope)
	if problem == "" && read && len(frame.Result) > 0 { // what nobody here reads may be 30 MB
		if _, err := exactObject(frame.Result); err != nil {
			problem = err.Error()
		}
	}
	if problem != "" {
		why := "an answer of the agent's cannot be read: " + problem
		b.o.Say(why)
		b.note(events.Event{Type: events.FrameRefused, Detail: why})
		if p == nil {
			return nil
		}
		line = append(errorResponse(p.id,
			wireError{Code: codeInternal, Message: "a2a-acp: the agent's answer cannot be read: " + problem}), '\n')
		frame = ndjson.Scan(line)
	}
	if p != nil && p.heard != nil {
		p.heard(frame)
	}
	switch {
	case p == nil:
		return b.toEditor.relay(line)
	case !read:
		return b.queueOf(p.session).relay(line)
	}
	at := b.queueOf(p.session).reserve() // a session that is known by this answer may have something to say at once
	if told := p.answered(frame, line); told != nil {
		at.put(bytes.Clone(told))
	} else { // we had asked
		at.leave()
	}
	return nil
}

// answersSomething reports whether a response names its request. One with a null id is about a line that
// could not be read.
func answersSomething(frame ndjson.Frame) bool {
	return len(frame.ID) > 0 && string(frame.ID) != "null"
}

// takeOpen removes the request that a response answers from one of the connection's maps, if its id has a
// key, and returns it as it was, since the asker may still end its question.
func (b *Bridge) takeOpen(open *map[ndjson.Key]*passed, key ndjson.Key, frame ndjson.Frame) *passed {
	if len(frame.ID) == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := (*open)[key]
	if p == nil || ndjson.ID(p.id) != ndjson.ID(frame.ID) {
		return nil
	}
	delete(*open, key)
	taken := *p
	return &taken
}

// refuseAgent answers a frame of the agent's that is not passed on, tells the person and records it.
func (b *Bridge) refuseAgent(frame ndjson.Frame, why string) error {
	return b.refuse(frame, codeInvalidRequest, why)
}

func (b *Bridge) refuse(frame ndjson.Frame, code int, why string) error {
	b.o.Say("refused a frame of the agent's: " + why)
	b.note(events.Event{Type: events.FrameRefused, Detail: why})
	if frame.HasMethod() && len(frame.ID) == 0 && frame.Kind == ndjson.Object {
		return nil // a notification has no answer
	}
	b.toAgent.put(errorResponse(frame.ID, wireError{Code: code, Message: "a2a-acp: refused: " + why}))
	return nil
}

// refuseEditor answers a frame of the editor's that is not passed on.
func (b *Bridge) refuseEditor(frame ndjson.Frame, why string) error {
	b.o.Say("refused a frame of the editor's: " + why)
	if len(frame.ID) > 0 || frame.Kind == ndjson.Array {
		b.toEditor.put(errorResponse(frame.ID,
			wireError{Code: codeInvalidRequest, Message: "a2a-acp: refused: " + why}))
	}
	return nil
}

// note records an event that nothing waits for.
func (b *Bridge) note(event events.Event) {
	event.Time = b.o.Now()
	event.Door = "acp"
	if b.o.Served {
		event.Principal = b.o.Principal
	}
	if event.Agent == "" {
		event.Agent = b.agentName()
	}
	if err := b.o.Record.Record(context.Background(), event); err != nil {
		events.RecordLater(b.o.Record, event)
		b.sayUnrecorded(err)
	}
}

// sayUnrecorded tells the person that something is not on record, once for each cause.
func (b *Bridge) sayUnrecorded(err error) {
	b.mu.Lock()
	said := b.unrecorded == err.Error()
	b.unrecorded = err.Error()
	b.mu.Unlock()
	if !said {
		b.o.Say(fmt.Sprintf("not recorded: %v", err))
	}
}

func (b *Bridge) agentName() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.agent
}
