package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// OwnAct is an act that the agent carries out itself, as its hook tells of it right before.
type OwnAct struct {
	ToolCall string          // the agent's id of the call, as in its cards
	Tool     string          // the agent's name for the tool
	Kind     string          // ACP's kind; "" for none that is known
	Title    string          // in one line; of a command the command
	Input    json.RawMessage // an object: what the tool gets
	Dir      string          // absolute: where relative names begin, and commands run
	Changes  []approval.FileChange
	// ChangesAreAll is set where Changes say all that Input says.
	ChangesAreAll bool
	// Within returns the input by which the command runs in the sandbox, under a profile; nil where that cannot
	// be. The agent's tool gets it where the Obligation of the Decision names a profile.
	Within    func(profile string) json.RawMessage
	Locations []string // absolute: what it touches beside what its input names
	Note      string   // what a person is to know of it beside that; one line
	Harmless  bool     // it has no effect outside of the agent: it is allowed, and not on record
	Refused   string   // why it is not to happen, whatever is decided; "" for nothing
	// Final is set where its input is the one that the tool gets: whatever the agent asks about the call is
	// answered by what was decided, though it may tell less of it.
	Final bool
	// CardEnds is set where nobody calls Ended, and the agent's card tells what came of it.
	CardEnds bool
	// Gone is closed when the hook does not wait any more. That alone withdraws no question: a hook that is killed may
	// tell of its agent's end, after which the question stays. Optional.
	Gone <-chan struct{}
	// ServerTools is how the names of an MCP server's tools begin, with * for the server's, and ? for that
	// where - is told as _; "" for mcp__*__.
	ServerTools string
}

// OwnEnd is what came of an OwnAct.
type OwnEnd struct {
	ToolCall string
	Tool     string // the agent's name for the tool
	Kind     string // ACP's kind; "" for none that is known
	Title    string
	Input    json.RawMessage // what the tool got in the end
	Failed   bool
	Exit     *int   // a command's exit code, where it is told
	Error    string // in the agent's words
}

// Decide decides about an act of the agent's own, and waits for a person where that takes one. The agent
// carries the act out exactly when the Decision approves. It is safe for concurrent use.
func (s *Session) Decide(ctx context.Context, own OwnAct) permissions.Decision {
	b := s.b
	ctx, stop := s.During(ctx)
	defer stop()
	session := s.ID(ctx)
	if session == "" || own.ToolCall == "" || b.isOurs(own.ToolCall) {
		return gate.Rejected(permissions.Decision{}, permissions.SourceFault,
			"it cannot be told which call of which session it is about")
	}
	if cause := context.Cause(b.turnContext(s)); cause != nil { // a rule's yes would be given all the same
		return b.notDecided(session, own, cause.Error())
	}
	if own.Refused != "" {
		return b.notDecided(session, own, own.Refused)
	}
	a := &ownAct{final: own.Final, gone: own.Gone, cardEnds: own.CardEnds, changesAreAll: own.ChangesAreAll,
		permissionPrompt: permissionPrompt{b: b, exact: true, act: b.ours.nextActID(),
			session: s, turn: b.turnContext(s), beside: own.Note}}
	a.call, a.fault = own.asToolCall(s.serverName())
	b.mu.Lock()
	call := s.calls.get(own.ToolCall)
	if call.own != nil { // else what was decided about, and what came of it, could be told of another act
		b.mu.Unlock()
		return b.notDecided(session, own, "it was asked about this very call before, and nothing else can be decided of it")
	}
	call.own = a
	if !call.announced { // the agent may tell of it later; a line of ours may come first
		call.title, call.kind = a.call.title, a.call.kind
	}
	b.mu.Unlock()
	if a.fault == "" && (own.Harmless || a.isOurTool()) {
		d := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourceTool}
		if own.Final && !own.Harmless { // the agent may ask by its own rules, before it calls the tool
			b.mu.Lock()
			a.decision, a.ofOurs = &d, true
			b.mu.Unlock()
		}
		return d
	}
	request := b.newRequest(s, session, "", "")
	request.Dir, request.Commands = own.Dir, b.o.Gate.Commands(request.Workspace)
	request.TakesProfile = own.Within != nil
	a.claim = readClaim(s, a.call, request)
	a.claim.touch(own.Locations, false)
	a.claim.resolve()

	passage := b.o.Gate.Begin(a)
	if !passage.Settled() || !passage.Close(ctx) {
		a.waits = true
		passage.Finish(ctx, gate.Person{Asker: a, Patience: b.o.Patience})
	}
	d := passage.Decision
	// While it went on record. That ctx ends with the turn is known a moment later, so the turn itself is asked.
	cause := cmp.Or(context.Cause(a.turn), context.Cause(ctx), a.hookGone())
	if cause != nil && d.Verdict == permissions.Approve {
		b.noteNotDone(a.Event(events.ToolEnded), cause)
		d = gate.Rejected(d, permissions.SourceFault, cause.Error())
	}
	var within []byte
	if profile := d.Obligation.Profile; profile != "" && d.Verdict == permissions.Approve {
		within = own.Within(profile)
	}
	b.mu.Lock()
	a.within = within
	a.decision, a.since = &d, b.o.Now()
	call.rejected = d.Verdict != permissions.Approve
	b.mu.Unlock()
	if d.Source != permissions.SourcePerson && d.Verdict != permissions.Approve {
		a.place = s.toEditor.reserve()
		b.noteAnswer(&a.permissionPrompt, d, cmp.Or(passage.Cause, cause))
		a.place.leave()
	}
	return d
}

// Why is a decision about an act of the agent's own in words for its model.
func (s *Session) Why(d permissions.Decision) string {
	if d.Verdict == permissions.Approve {
		return "a2a-acp: " + gate.Note(d)
	}
	words := "a2a-acp did not allow it: " + gate.Why(d) + ". Do not try another way to the same end; ask the person."
	if d.FollowUp != "" {
		words += "\n" + d.FollowUp
	}
	return words
}

// notDecided rejects a call that cannot be decided about, such as one that was before: each is asked about
// once.
func (b *Bridge) notDecided(session string, own OwnAct, why string) permissions.Decision {
	b.note(events.Event{Type: events.FrameRefused, Session: session, ToolCall: own.ToolCall,
		Detail: "a hook asks about " + display.Line(own.Title) + ": " + why})
	return gate.Rejected(permissions.Decision{}, permissions.SourceFault, why)
}

// Ended puts on record what came of an act that was decided about. Who has told it is the agent, or somebody
// who knows where its hooks ask. Where it is not what was approved, the turn stops.
func (s *Session) Ended(end OwnEnd) {
	s.b.mu.Lock()
	call := s.calls.byID[end.ToolCall]
	if s.b.alone != nil && (call == nil || call.own == nil) { // behind an editor its card tells that
		s.b.mu.Unlock()
		s.endedUnasked(end)
		return
	}
	if call == nil || call.own == nil || call.own.decision == nil || call.own.ended || call.own.ofOurs {
		s.b.mu.Unlock()
		return
	}
	a, told := call.own, call.recorded
	done := a.carriedOut(call, end.Input)
	altered := *call
	altered.title, altered.kind, altered.name, altered.rawInput = end.Title, a.call.kind, a.call.name, end.Input
	altered.status, altered.exit = statusCompleted, end.Exit
	a.ended, call.recorded = true, told || done == nil
	a.call.content, a.call.rawInput = nil, nil // they may be large, and nothing is compared with them any more
	s.b.mu.Unlock()
	if done == nil {
		if !told {
			s.b.seen(s, &altered, s.b.ours.nextActID(), false, errAltered.Error())
		}
		s.b.stopTurn(s, end.Title, errAltered)
		return
	}
	outcome := s.b.outcomeBy(events.ByAgent, a.since)
	if exited(outcome, end.Exit, ""); end.Failed {
		outcome.Status, outcome.Error = statusFailed, events.Text(end.Error)
	}
	a.noteEnd(done, outcome)
}

// endedUnasked puts on record what an agent without an editor has done that no hook asked about, and has
// nothing more happen in the session.
func (s *Session) endedUnasked(end OwnEnd) {
	b := s.b
	call := &toolCall{id: end.ToolCall, title: end.Title, kind: end.Kind, name: end.Tool, rawInput: end.Input,
		status: statusCompleted, exit: end.Exit, began: b.o.Now()}
	b.seen(s, call, b.ours.nextActID(), false, errUnasked.Error())
	b.stopTurn(s, end.Title, errUnasked)
}

// carriedOut returns which of the acts that were approved in the card of a call the agent has carried out, by
// what its tool got; nil for none. Called with Bridge.mu held.
func (a *ownAct) carriedOut(call *toolCall, input json.RawMessage) gate.Act {
	switch {
	case call.rejected:
	case a.instead != nil && sameJSON(a.instead.call.rawInput, input):
		return a.instead
	case a.decision.Verdict == permissions.Approve && sameJSON(a.input(), input):
		return a
	}
	return nil
}

// approved returns the act in a card that was approved last, where nobody has told with what input it was
// done.
func (a *ownAct) approved() gate.Act {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	if a.instead != nil {
		return a.instead
	}
	return a
}

// noteEnd records the outcome of an act that the agent carried out.
func (a *ownAct) noteEnd(done gate.Act, outcome *events.Outcome) {
	event := gate.Later(done.Event(events.ToolEnded))
	event.Outcome = outcome
	a.b.note(event)
}

// asToolCall tells of an act in the form in which an agent's questions are read, so that the same rules hold.
// server is what the agent calls ours. fault says why it cannot be told what the act is.
func (own OwnAct) asToolCall(server string) (call *toolCall, fault string) {
	call = &toolCall{id: own.ToolCall, title: own.Title, kind: own.Kind, name: own.Tool}
	if own.ServerTools != "" && server != "" {
		told := strings.NewReplacer("*", server, "?", strings.ReplaceAll(server, "-", "_")).Replace(own.ServerTools)
		if tool, ours := strings.CutPrefix(own.Tool, told); ours {
			call.name = "mcp__" + server + "__" + tool
		}
	}
	if err := ndjson.Strict(own.Input); err != nil {
		return call, "its input cannot be read in one way only: " + err.Error()
	}
	call.rawInput = slices.Clone(own.Input)
	var content []any
	for _, change := range own.Changes {
		content = append(content, diff{"diff", change.Path, change.OldText, change.NewText})
	}
	if content != nil {
		call.content = encode(content)
	}
	return call, ""
}

// ownAct is an OwnAct at the gate. It is a prompt that came another way: it is decided by the same rules, and
// the agent waits for a word and not for one of its options.
type ownAct struct {
	permissionPrompt
	gone          <-chan struct{} // as in OwnAct
	fault         string          // why it cannot be told what it is; "" when it can
	final         bool            // nobody puts another input in the place of its own
	cardEnds      bool            // its card tells what came of it, and nobody else
	changesAreAll bool            // what it shows as changes is all that its input says
	within        []byte          // what the tool gets in place of what was asked; nil for that. Guarded by Bridge.mu.
	waits         bool            // for governors or a person

	// Guarded by Bridge.mu.
	decision *permissions.Decision // nil until there is one
	ofOurs   bool                  // it calls a tool of ours, which is decided about and on record when it comes in
	ended    bool
	since    time.Time       // when it was approved
	told     *events.Outcome // in the card of the call; the hook after it may know more
	joined   bool            // a question of the agent's about the same was answered by it
	// instead is a question of the agent's in the same card about something else, and the answer was yes:
	// another hook had put another input in the place of this one.
	instead *permissionPrompt
}

// input is what the tool gets. Called with Bridge.mu held.
func (a *ownAct) input() []byte {
	if a.within != nil {
		return a.within
	}
	return a.call.rawInput
}

// isOurTool reports whether it is a call of a tool that we offer: that is decided about when it comes in.
func (a *ownAct) isOurTool() bool {
	server, name, ok := mcpTool(a.call)
	if !ok || a.b.o.Tools == nil || server == "" || server != a.session.serverName() {
		return false
	}
	_, ok = a.b.o.Tools.ToolID(a.session.Workspace(), name) // the agent may know another server by that name
	return ok
}

// AtMost implements gate.Act: what nobody can tell is rejected before anybody is asked.
func (a *ownAct) AtMost() permissions.Decision {
	if a.fault != "" {
		return gate.Rejected(permissions.Decision{}, permissions.SourceFault, a.fault)
	}
	return a.permissionPrompt.AtMost()
}

// Ask implements approval.Asker: the question stands in a card of ours.
func (a *ownAct) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	return a.session.askFor(ctx, q, a.gone)
}

// Event implements gate.Act. What the hook tells is what the tool gets, and not what an agent says of it.
func (a *ownAct) Event(kind events.Type) events.Event {
	event := a.permissionPrompt.Event(kind)
	event.Act.Claimed = false
	return event
}

// Question implements gate.Act. What is shown as a change is not shown as input once more.
func (a *ownAct) Question(asked permissions.Decision) (approval.Question, error) {
	shown := *a.call
	if a.changesAreAll && len(a.claim.request.Doubts) == 0 {
		shown.rawInput = nil
	}
	p := a.permissionPrompt
	p.call = &shown
	return p.Question(asked)
}

// Option implements gate.Act.
func (a *ownAct) Option(permissions.Decision, error) string { return "" }

// Recheck implements gate.Act. The names may lead to other files by now than when this was decided.
func (a *ownAct) Recheck(d permissions.Decision) permissions.Decision {
	if a.claim.moved() {
		return gate.Rejected(d, permissions.SourceFault, errMoved.Error())
	}
	if a.waits {
		return a.b.decidedAgain(d, a.claim.request)
	}
	return d
}

// Unrecorded implements gate.Act: what only reads goes on, and nothing else.
func (a *ownAct) Unrecorded(d permissions.Decision, err error) permissions.Decision {
	if d.Verdict == permissions.Reject || a.claim.request.Action == permissions.ActionRead {
		return d
	}
	return gate.Rejected(d, permissions.SourceFault, fmt.Sprintf("the decision could not be recorded: %v", err))
}

// decidedBefore finds what was decided about the very call when its hook asked: an agent may ask its person
// once more, as Claude does about its own settings. It answers one question, about the same input, or all
// about a final call until its end that name no more; and never what a rule rejects by now.
func (b *Bridge) decidedBefore(p *permissionPrompt) (permissions.Decision, bool) {
	b.mu.Lock()
	call := p.sessionsCall()
	own := call.own
	var earlier *permissions.Decision
	var input []byte
	// A yes of a turn that was cancelled is good for nothing more, also in the next one.
	if own != nil && own.turn.Err() == nil && (!own.joined || own.final) && !own.ended && !call.finished() {
		earlier, input = own.decision, own.call.rawInput
	}
	within := own != nil && own.within != nil && sameJSON(p.call.rawInput, own.within)
	b.mu.Unlock()
	same := p.tellsOf
	switch {
	case within: // it is ours, word by word
		same = func(*ownAct, []byte) bool { return true }
	case own != nil && own.final:
		same = p.tellsNoMoreThan
	}
	if earlier == nil || earlier.Verdict != permissions.Approve || !same(own, input) {
		return permissions.Decision{}, false
	}
	d := b.o.Gate.Decide(own.claim.request)
	if own.final && !within && d.Verdict != permissions.Reject { // it may be about another thing
		d = b.o.Gate.Decide(p.claim.request)
	}
	if d.Verdict == permissions.Reject {
		return d, true
	}
	b.mu.Lock()
	own.joined = true
	b.mu.Unlock()
	p.act, p.joined = own.act, true // it is the same act, and the record tells of it as of one
	d = *earlier
	d.Option, d.First = "", ""
	return d, true
}

// tellsNoMoreThan reports whether a question names nothing for a command that its hook was not told with an
// input, but the directory: Codex asks so whether it may also reach a host, or write elsewhere than its
// sandbox lets it.
func (p *permissionPrompt) tellsNoMoreThan(own *ownAct, input []byte) bool {
	if p.claim.request.Action == permissions.ActionSwitchMode { // nobody who decided about a tool decided about that
		return false
	}
	if own.claim.request.Action != permissions.ActionExecute || p.claim.request.Action != permissions.ActionExecute {
		return true
	}
	for key := range ndjson.Members(p.call.rawInput) {
		if _, told := ndjson.Get(input, key); !told && key != "cwd" && key != "command" {
			return false
		}
	}
	return true
}

// tellsOf reports whether a question is about the very same as an act that a hook told of, with an input. Where
// a command runs the hook alone tells: Claude's shell stays in the directory that a command has changed to.
func (p *permissionPrompt) tellsOf(own *ownAct, input []byte) bool {
	doubted := func(why string) bool { return !slices.Contains(own.claim.request.Doubts, why) }
	if slices.ContainsFunc(p.claim.request.Doubts, doubted) || // of what the hook told, it was decided in spite of them
		p.claim.request.Action != own.claim.request.Action || !sameJSON(p.call.rawInput, input) {
		return false
	}
	for _, path := range p.claim.request.Paths {
		if !slices.ContainsFunc(own.claim.request.Paths, func(known permissions.Path) bool {
			return leadsTo(own.claim.request.Dir, path.Name, own.claim.leads[known.Name])
		}) {
			return false
		}
	}
	return true
}
