package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// What became of acts, for the record. What the editor carries out, its answer tells of, and of a command
// what is said of its terminal. What the agent carries out itself is known from its words alone: those in the
// card of the call.

// carrier is who carries out what an agent asks its editor for, as the record calls it: "" where that is this
// program.
func (b *Bridge) carrier() string {
	if b.o.Person != nil {
		return ""
	}
	return events.ByEditor
}

// outcomeBy begins the outcome of an act that somebody else than this program carried out.
func (b *Bridge) outcomeBy(who string, since time.Time) *events.Outcome {
	o := &events.Outcome{Status: statusCompleted, By: who}
	if !since.IsZero() {
		o.Millis = float64(b.o.Now().Sub(since).Microseconds()) / 1000
	}
	return o
}

// exited notes how a command ended: one that failed did not complete, whatever else is said of it.
func exited(o *events.Outcome, code *int, signal string) {
	o.ExitCode, o.Signal = code, signal
	if signal != "" || code != nil && *code != 0 {
		o.Status = statusFailed
	}
}

// The statuses of outcomes that other files do not spell.
const (
	statusCompleted = "completed"
	statusFailed    = "failed"
)

// carriedOut records how the editor's part ended. Of a command in a terminal it has only begun.
func (b *Bridge) carriedOut(a *act, call *toolCall, answer ndjson.Frame) {
	if call != nil && !failed(answer) {
		b.mu.Lock()
		if a.effect.Path != "" {
			call.carried = append(call.carried, a.effect.Path)
		} else {
			call.elsewhere = true
		}
		b.mu.Unlock()
	}
	if !failed(answer) && a.runs(call, answer) {
		return
	}
	outcome := b.outcomeBy(b.carrier(), a.since)
	if failed(answer) {
		outcome.Status = statusFailed
		if e, err := exactObject(answer.Error); err == nil {
			outcome.Error = events.Text(e.text("message"))
		}
	}
	a.noteEnd(call, outcome)
}

// noteEnd records the outcome of an act that the editor carried out.
func (a *act) noteEnd(call *toolCall, outcome *events.Outcome) {
	ended := a.b.requestEvent(events.ToolEnded, a.request)
	ended.CallID = a.id
	if call != nil {
		ended.ToolCall = call.id
	}
	ended.Act = &events.Act{Kind: ended.Act.Kind, Tool: ended.Act.Tool, Paths: ended.Act.Paths}
	ended.Outcome = outcome
	a.b.note(ended)
}

// terminal is a terminal that the editor has made for the agent.
type terminal struct {
	act  *act // whose command runs in it; nil once it is on record how that ended
	call *toolCall
}

// runs notes a terminal that the editor has made, and reports whether there is one.
func (a *act) runs(call *toolCall, answer ndjson.Frame) bool {
	result, err := exactObject(answer.Result)
	id := result.text("terminalId")
	if a.terminal == nil || err != nil || id == "" {
		return false
	}
	a.b.mu.Lock()
	before := a.b.running[id]
	a.b.running[id] = &terminal{act: a, call: call}
	a.b.mu.Unlock()
	a.b.terminalEnded(before, nil, "")
	return true
}

// hearTerminal takes what the editor says about a terminal: it may say how the command ended.
func (b *Bridge) hearTerminal(request ndjson.Frame) func(answer ndjson.Frame) {
	method := request.MethodName()
	if !slices.Contains(aboutTerminals, method) { // of others nothing is read: they may be many megabytes
		return nil
	}
	params, err := exactObject(request.Params)
	if err != nil {
		return nil
	}
	b.mu.Lock()
	t := b.running[params.text("terminalId")]
	b.mu.Unlock()
	if t == nil {
		return nil
	}
	return func(answer ndjson.Frame) {
		result, err := exactObject(answer.Result)
		if err != nil || failed(answer) {
			return
		}
		switch method {
		case "terminal/output":
			if result = result.object("exitStatus"); result == nil {
				return // it runs
			}
		case "terminal/wait_for_exit":
		case "terminal/release":
			b.terminalEnded(t, nil, "")
			return
		default:
			return
		}
		b.terminalEnded(t, wholeNumber(result["exitCode"]), display.Line(result.text("signal")))
	}
}

// terminalEnded records how the command of a terminal ended, once. Without a code and a signal nobody knows.
func (b *Bridge) terminalEnded(t *terminal, code *int, signal string) {
	if t == nil {
		return
	}
	b.mu.Lock()
	a := t.act
	t.act = nil
	b.mu.Unlock()
	if a == nil {
		return
	}
	outcome := b.outcomeBy(b.carrier(), a.since)
	if exited(outcome, code, signal); code == nil && signal == "" {
		outcome.Status, outcome.Millis = events.EndUnknown, 0
	}
	a.noteEnd(t.call, outcome)
}

// terminalsLeft records of the commands of a session that nobody has asked how they ended.
func (b *Bridge) terminalsLeft(s *Session) {
	b.mu.Lock()
	var left []*terminal
	for _, t := range b.running {
		if t.act != nil && t.act.session == s {
			left = append(left, t)
		}
	}
	b.mu.Unlock()
	slices.SortFunc(left, func(t, u *terminal) int { return strings.Compare(t.act.id, u.act.id) })
	for _, t := range left {
		b.terminalEnded(t, nil, "")
	}
}

// hearExit notes the exit code that an update tells of a command, as agents of today write it: Claude and
// Codex in _meta.terminal_exit, Zed's Codex in the raw output, opencode in metadata there.
func (c *toolCall) hearExit(update object) {
	output := update.object("rawOutput")
	for _, raw := range [][]byte{update.object("_meta").object("terminal_exit")["exit_code"], output["exit_code"],
		output["exitCode"], output.object("metadata")["exit"]} {
		if code := wholeNumber(raw); code != nil {
			c.exit = code
		}
	}
}

// wholeNumber reads an integer; nil for anything else.
func wholeNumber(raw []byte) *int {
	var n *int
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || json.Unmarshal(raw, &n) != nil {
		return nil
	}
	return n
}

// toldEnd is the outcome of a call in the agent's words.
func (b *Bridge) toldEnd(call *toolCall, since time.Time) *events.Outcome {
	outcome := b.outcomeBy(events.ByAgent, since)
	outcome.Status = call.status
	exited(outcome, call.exit, "")
	return outcome
}

// callEnded records what the agent says became of a call of its own. It reports whether it was an act that
// nobody had decided about. history says that the agent tells of what was before.
func (b *Bridge) callEnded(s *Session, call *toolCall, last object, history bool) (undecided bool) {
	done := call.status == statusCompleted
	switch {
	case call.rejected && done:
		b.seen(s, call, "", history, "it was not allowed")
		return true
	case call.elsewhere, call.rejected, b.isCallOfOurs(s, call):
	case call.carried != nil && call.own == nil && call.approved == nil:
		if rest := call.without(s.Dir(), call.carried); rest != nil {
			b.seen(s, rest, b.ours.nextActID(), history, "")
			return done
		}
	case call.own != nil:
		b.mu.Lock()
		call.own.told = b.toldEnd(call, call.own.since)
		over := call.own.cardEnds && call.own.endsByCard()
		b.mu.Unlock()
		if over {
			call.own.noteEnd(call.own.approved(), call.own.told)
		}
	case call.approved != nil && call.carried != nil && call.without(s.Dir(), call.carried) == nil:
	case call.approved != nil:
		ended := gate.Later(call.approved.Event(events.ToolEnded))
		ended.Outcome = b.toldEnd(call, call.approved.since)
		b.note(ended)
	default:
		id := ""
		if call.again { // it is no part of what stands on record under that id of the agent's
			id = b.ours.nextActID()
		}
		b.seen(s, call, id, history, "")
		return s.unasked(call, last)
	}
	return false
}

// without returns a call as it is about the files that nobody else has carried out; nil where there are none.
func (c *toolCall) without(dir string, carried []string) *toolCall {
	rest := *c
	var locations []any
	for _, path := range namedPaths(c) {
		if !slices.ContainsFunc(carried, func(real string) bool { return leadsTo(dir, path, real) }) {
			locations = append(locations, map[string]string{"path": path})
		}
	}
	if locations == nil {
		return nil
	}
	rest.locations, rest.content, rest.rawInput = encode(locations), nil, nil
	return &rest
}

// seen records an act that the agent has carried out without a word of ours. Where a rule rejects it, or it
// was refused before, that is a violation, and the person is told. refused says that it was refused; "" if
// not. id is one of ours where it is none of the acts that were decided about in its card; else "".
func (b *Bridge) seen(s *Session, call *toolCall, id string, history bool, refused string) {
	request := b.newRequest(s, s.boundID(), "", "")
	request.Commands = b.o.Gate.Commands(request.Workspace)
	r := readClaim(s, call, request).request
	event := events.Event{Type: events.ToolSeen, Session: s.id, CallID: id, ToolCall: call.id, Act: b.seenAct(call, r),
		Outcome: b.toldEnd(call, call.began)}
	switch {
	case history:
		event.Act.History = true
		event.Detail = "it was told while the session was opened again, so it may be of its history"
	case call.status != statusCompleted:
	default:
		d := b.o.Gate.Decide(r)
		byRule := d.Verdict == permissions.Reject && d.Source == permissions.SourcePolicy
		if byRule {
			event.Decision = gate.DecisionEvent(d, "")
		}
		if byRule || refused != "" {
			event.Type, event.Detail = events.ToolViolated, refused
			b.sayViolation(s, call, event, d, byRule)
		} else if s.unasked(call, nil) {
			event.Detail = errUnasked.Error()
		}
	}
	b.note(event)
}

// sayViolation tells the person, on stderr and in the card, that the agent has done what it must not.
func (b *Bridge) sayViolation(s *Session, call *toolCall, event events.Event, d permissions.Decision, byRule bool) {
	against := "though it was not allowed"
	if byRule {
		against = fmt.Sprintf("against rule %s (%s)", d.Rule, d.At)
		if d.Reason != "" {
			against += ": " + display.Line(d.Reason)
		}
	}
	what := strings.Join(append([]string{event.Act.Kind}, event.Act.Paths...), " ")
	if event.Act.Shell != "" {
		what = event.Act.Kind + " " + event.Act.Shell
	} else if len(event.Act.Paths) == 0 {
		what += " " + event.Act.Title
	}
	b.o.Say("VIOLATION: the agent did it by itself, " + against + ": " + display.Line(what))
	b.mu.Lock()
	live := s.calls.get(call.id)
	live.notes = append(live.notes, "a2a-acp: VIOLATION: the agent did this by itself, "+against)
	frame := updateFrame(s.cardsOf(live), cardUpdate{SessionUpdate: kindToolCallUpdate, ToolCallID: call.id,
		Content: contentWith(call.content, live.notes)})
	b.mu.Unlock()
	s.toEditor.put(frame)
}

// hooked reports whether the agent's hooks ask us in the session.
func (s *Session) hooked() bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.mustAsk()
}

// mustAsk is hooked. Called with Bridge.mu held.
func (s *Session) mustAsk() bool { return len(s.hooks) > 0 && !s.hooks[len(s.hooks)-1].Lax }

// seenAct is an act that we know only from the agent's words, after it.
func (b *Bridge) seenAct(call *toolCall, r permissions.Request) *events.Act {
	act := b.requestEvent(events.ToolSeen, r).Act
	return &events.Act{Kind: act.Kind, Title: display.Line(call.title), Paths: act.Paths, Shell: act.Shell,
		Dir: r.Dir, Workspace: r.Workspace.Dirs(), Claimed: true}
}

// isCallOfOurs reports whether a card is that of a call of one of our tools that came in, of which the record
// tells already: each stands for one card.
func (b *Bridge) isCallOfOurs(s *Session, call *toolCall) bool {
	server := s.serverName()
	if server == "" || len(namedPaths(call)) > 0 {
		return false
	}
	workspace := s.Workspace()
	for _, name := range toolNames(call, server) {
		id, known := b.o.Tools.ToolID(workspace, name)
		b.mu.Lock()
		waits := known && s.uncarded[id] > 0
		if waits {
			s.uncarded[id]--
		}
		b.mu.Unlock()
		if waits {
			return true
		}
	}
	return false
}

// toolNames are the names by which a card may mean a tool of a server: what names tools for rules, Codex' raw
// input, and a title or a name that begins with the server's, or with a word for tools. A card with a command
// is that of the agent's own shell, and its model writes the title.
func toolNames(call *toolCall, server string) (names []string) {
	if claimed, name, ok := mcpTool(call); ok && claimed == server {
		names = append(names, name)
	}
	if len(readRawInput(call.rawInput).commands) > 0 {
		return names
	}
	input := object{"i": call.rawInput}.object("i")
	for _, from := range []object{input, input.object("invocation")} {
		if from.text("server") == server {
			names = append(names, from.text("tool"))
		}
	}
	for _, text := range []string{call.name, call.title} {
		before, rest, found := strings.Cut(text, server)
		if found && slices.Contains([]string{"", "mcp", "tool"}, spelling(before)) {
			names = append(names, strings.TrimLeft(rest, "_./:- "))
		}
	}
	return names
}

// endsByCard has an act end with what its card says, unless it has ended already, or did not happen. Called
// with Bridge.mu held.
func (a *ownAct) endsByCard() bool {
	if a.told == nil || a.decision == nil || a.ended || a.ofOurs || a.decision.Verdict != permissions.Approve {
		return false
	}
	a.ended = true
	return true
}

// ownEnded records of the acts of a session that their hooks told of, and no more after them, what their
// cards said.
func (b *Bridge) ownEnded(s *Session) {
	var left []*ownAct
	b.mu.Lock()
	for _, id := range s.calls.order {
		if a := s.calls.byID[id].own; a != nil && a.endsByCard() {
			left = append(left, a)
		}
	}
	b.mu.Unlock()
	for _, a := range left {
		a.noteEnd(a.approved(), a.told)
	}
}
