package acp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// act is something that the agent wants the editor to do for it.
type act struct {
	b         *Bridge
	id        string       // ours: everything that is put on record about the act bears it
	session   *Session     // nil when the agent names one that does not exist
	frame     ndjson.Frame // with its line, as the agent wrote it
	line      []byte
	request   permissions.Request
	effect    gate.Effect
	what      string // for people
	locations []string
	change    *approval.FileChange
	over      string // what the file held that the change was shown of
	fault     string // why it cannot be told what the agent means; "" when it can

	// What goes on, when it does: the members that were read, with the names that they were decided under;
	// of a command, those beside it.
	params   []member
	unknown  []member       // those of them that nobody here knows
	terminal *TerminalOrder // what runs, of a command
	outgoing []byte         // the line that carries the act out; set by Recheck

	waits bool   // it has left the lane, for governors or a person
	place *place // in what the session sends to the editor

	answer *place // in what the agent is told

	since time.Time // when it was handed on

	queued *queuedQuestion // once it waits
}

// carryOut takes an act through the gate: it goes on to the editor, or the agent is told why not, or
// somebody is asked first. Asking leaves the lane, so that the frames behind go on.
func (b *Bridge) carryOut(a *act) error {
	a.b, a.id = b, b.ours.nextActID()
	a.effect.Resolved = permissions.ResolvedFiles(a.request)
	if len(a.frame.ID) == 0 {
		return b.refuseAgent(a.frame, a.frame.MethodName()+": it has no id, so nobody can answer it")
	}
	turn := b.turnUnderWay(a.session)
	passage := b.o.Gate.Begin(a)
	a.place = b.queueOf(a.session).reserve()
	if passage.Settled() && passage.Close(context.Background()) {
		a.answer = b.toAgent.reserve()
		defer a.answer.leave()
		return b.finish(turn, a, passage)
	}
	a.frame, a.line = clone(a.frame, a.line)
	a.waits = true
	return b.outside(a.frame, a.session, a.place, func(ctx context.Context, turn *queuedQuestion) error {
		a.queued = turn
		passage.Finish(ctx, gate.Person{Asker: a, Patience: b.o.Patience})
		a.answer = b.drop(agentsID(a.frame.ID))
		defer a.answer.leave()
		return b.finish(ctx, a, passage)
	})
}

// outside goes on with a request outside of the lane. ctx ends when the turn is cancelled, the session
// closed, the request withdrawn, or when the agent ends; what goes on drops the request's id when it waits
// no more. The frame is kept. What comes behind its place, and other questions of the session, go out at the
// latest when that is over.
func (b *Bridge) outside(frame ndjson.Frame, s *Session, at *place,
	goOn func(ctx context.Context, turn *queuedQuestion) error) error {
	ctx, withdraw := context.WithCancelCause(b.turnContext(s))
	if !b.keep(agentsID(frame.ID), &held{session: s, withdraw: withdraw}) {
		withdraw(nil)
		at.leave()
		return b.refuseAgent(frame, idInUse)
	}
	turn := s.queueQuestion()
	b.holding.Go(func() { // ends with an answer, or with ctx
		defer withdraw(nil)
		defer turn.end()
		defer at.leave()
		if err := goOn(ctx, turn); err != nil {
			// The other end is broken; its lane ends the bridge.
			b.o.Say(fmt.Sprintf("%s: %v", frame.MethodName(), err))
		}
	})
	return nil
}

// keep notes a request of the agent's that waits outside of the lane. It is false when the id is that of
// another one that waits, or the agent has ended.
func (b *Bridge) keep(key ndjson.Key, h *held) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idOpen(key) || b.ended {
		return false
	}
	b.held[key] = h
	return true
}

// drop forgets a request that waits no more, and returns the place of its answer.
func (b *Bridge) drop(key ndjson.Key) *place {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.held[key]
	delete(b.held, key)
	if h != nil && h.answer != nil {
		return h.answer
	}
	return b.toAgent.reserve()
}

// answersBehind keeps the places of the answers to all that waits in a session, which are about to be
// withdrawn: they come before whatever the editor says next.
func (b *Bridge) answersBehind(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.held {
		if h.session == s && h.answer == nil {
			h.answer = b.toAgent.reserve()
		}
	}
}

// finish carries a decision out. It is on record, or the person is told why not.
func (b *Bridge) finish(ctx context.Context, a *act, passage *gate.Passage) error {
	if why := a.staleness(ctx); why != nil && passage.Decision.Verdict == permissions.Approve {
		b.noteNotDone(a.Event(events.ToolEnded), why)
		passage.Decision, passage.Cause = gate.Rejected(passage.Decision, permissions.SourceFault, why.Error()), why
	}
	defer a.place.leave()
	decision := passage.Decision
	if passage.Unrecorded != nil {
		b.sayUnrecorded(passage.Unrecorded)
	}
	call := b.callFor(a)
	if call != nil && notedOnCard(decision.Source) {
		a.place.add(b.decided(a.session, call, gate.Note(decision), "")...)
	}
	if decision.Verdict != permissions.Approve {
		if call != nil {
			b.mu.Lock()
			call.rejected = true
			b.mu.Unlock()
		}
		a.answer.put(errorResponse(a.frame.ID, b.refusal(a, passage)))
		return nil
	}
	if !b.openFromAgent(a.frame, passed{session: a.session,
		answered: func(answer ndjson.Frame, line []byte) []byte {
			b.carriedOut(a, call, answer)
			a.noteText(answer)
			return line
		}}) {
		return b.refuseAgent(a.frame, idInUse)
	}
	a.since = b.o.Now()
	a.frame = ndjson.Frame{ID: slices.Clone(a.frame.ID)} // the line may be overwritten before it is taken back
	b.mu.Lock()
	why := context.Cause(ctx)
	if why == nil { // whoever cancels the turn holds mu, and then takes back what has not gone out
		a.place.putAct(a)
	}
	b.mu.Unlock()
	if why != nil {
		b.takenBack(a, why)
	}
	return nil
}

// takeBack has nothing come of the acts of a session that have not gone out yet, since others were to go
// before them.
func (b *Bridge) takeBack(s *Session, why error) {
	for _, a := range s.toEditor.takeBack() {
		b.takenBack(a, why)
	}
}

func (b *Bridge) takenBack(a *act, why error) {
	b.mu.Lock()
	delete(b.fromAgentOpen, agentsID(a.frame.ID))
	b.mu.Unlock()
	b.noteNotDone(a.Event(events.ToolEnded), why)
	a.answer.put(errorResponse(a.frame.ID, wireError{Code: codeCancelled,
		Message: "a2a-acp did not let the agent " + display.Line(a.what) + ": " + why.Error()}))
}

// Ask implements approval.Asker.
func (a *act) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	return a.session.ask(ctx, q, a.place, a.queued)
}

// errMoved says that what was decided about is no longer what the name means.
var errMoved = errors.New("its name leads to another file by now than when this was decided")

// staleness says why an act is not handed on that was approved: the turn may have been cancelled, and a
// link been changed, while the decision was put on record.
func (a *act) staleness(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if a.session != nil && a.moved() {
		return errMoved
	}
	return nil
}

// noteNotDone puts on record that nothing came of what was approved.
func (b *Bridge) noteNotDone(ended events.Event, why error) {
	ended = gate.Later(ended)
	ended.Outcome = &events.Outcome{Status: events.NotDone, Error: "it came to nothing: " + why.Error()}
	b.note(ended)
}

// ---- an act at the gate: a gate.Act

// Request implements gate.Act.
func (a *act) Request() permissions.Request { return a.request }

// Effect implements gate.Act.
func (a *act) Effect() gate.Effect { return a.effect }

// AtMost implements gate.Act: an agent is held to what its sandbox lets it do. What goes nowhere, and what
// nobody can tell, is rejected before anybody is asked.
func (a *act) AtMost() permissions.Decision {
	if a.session == nil {
		return gate.Rejected(permissions.Decision{}, permissions.SourceNobody,
			"there is no such session, so there is nobody to ask")
	}
	if most := a.b.mostAllowed(a); most.Verdict == permissions.Reject || a.fault == "" {
		return most
	}
	return gate.Rejected(permissions.Decision{}, permissions.SourceFault,
		"it cannot be told which file its name means: "+a.fault)
}

// Review implements gate.Act.
func (a *act) Review(d permissions.Decision) permissions.Review {
	review := permissions.NewReview(a.request, d, a.request.Arguments, a.Mask)
	review.CallID, review.Title = a.id, a.title()
	if call := a.b.callFor(a); call != nil {
		review.ToolCall = call.id
	}
	return review
}

// Event implements gate.Act.
func (a *act) Event(kind events.Type) events.Event {
	event := requestEvent(kind, a.request)
	event.CallID = a.id
	if kind == events.ApprovalAsked {
		return event
	}
	if call := a.b.callFor(a); call != nil {
		event.ToolCall = call.id
	}
	return event
}

// Question implements gate.Act.
func (a *act) Question(asked permissions.Decision) (approval.Question, error) {
	q := approval.Question{
		Session: a.request.Session, Action: a.request.Action, Paths: a.locations,
		Title: display.Line(a.title()),
		Text:  "Asked because: " + display.Line(asked.Reason),
		Door:  a.request.Door, Agent: a.request.Agent, CallID: a.id, Digest: a.effect.Digest(),
		Basis: a.b.basis(a.request, asked),
	}
	q.Basis.Frame = frameDigest(a.frame)
	if call := a.b.callFor(a); call != nil {
		q.ToolCall = call.id
	}
	switch {
	case a.terminal != nil:
		q.Text += "\n\n" + display.Fence("bash", display.Text(a.request.ShellText)) + "\nin " +
			display.Span(a.request.Dir)
		for _, v := range a.terminal.Environment {
			q.Text += "\nwith " + display.Span(v.Name+"="+v.Value)
		}
	case a.change != nil:
		a.over = a.session.holds(a.effect.Path)
		a.change.OldText = currentText(a.effect.Path)
		q.Change = a.change
	}
	for _, m := range a.unknown {
		q.Text += "\nand " + display.Span(m.key+": "+string(m.value)) +
			", of which nobody here knows what it does"
	}
	return q, nil
}

// Recheck implements gate.Act. The agent may have put a link in a file's way since it asked, while a person
// read or governors thought, so that is looked at once more: the yes was to the file that it was then. What
// goes to the editor is written here.
func (a *act) Recheck(d permissions.Decision) permissions.Decision {
	if a.moved() {
		return gate.Rejected(d, permissions.SourceFault, errMoved.Error())
	}
	if a.waits {
		if d = a.b.decidedAgain(d, a.request); d.Verdict != permissions.Approve {
			return d
		}
	}
	if d.Source == permissions.SourcePerson && a.change != nil && a.over != a.session.holds(a.effect.Path) {
		return gate.Rejected(d, permissions.SourceFault,
			"the file has changed since this was asked; ask about it as it is")
	}
	if d = gate.Within(d, a.b.mostAllowed(a)); d.Verdict == permissions.Ask {
		d.Verdict = permissions.Reject // it needs a person by now, and none was asked
	}
	if d.Verdict != permissions.Approve {
		return d
	}
	var err error
	if a.outgoing, err = a.b.outgoing(a, d.Obligation); err != nil {
		return gate.Rejected(d, permissions.SourceFault, err.Error())
	}
	return d
}

// Option implements gate.Act.
func (a *act) Option(permissions.Decision, error) string { return "" }

// Unrecorded implements gate.Act: what only reads goes on, and nothing else.
func (a *act) Unrecorded(d permissions.Decision, err error) permissions.Decision {
	if d.Verdict == permissions.Reject || a.request.Action == permissions.ActionRead {
		return d
	}
	return gate.Rejected(d, permissions.SourceFault, fmt.Sprintf("the decision could not be recorded: %v", err))
}

// Mask implements gate.Act: what an agent asks its editor for holds no values that were declared secret.
func (a *act) Mask(text string) string { return text }

// moved reports whether a name of the act's leads elsewhere by now: one that the agent gave, or the one
// that goes on.
func (a *act) moved() bool {
	for _, name := range a.locations {
		if !leadsTo("/", name, a.effect.Path) {
			return true
		}
	}
	return !slices.Equal(a.effect.Resolved, permissions.ResolvedFiles(a.request)) ||
		a.terminal != nil && !leadsTo("/", a.session.editorsName(a.terminal.Dir), a.terminal.Dir)
}

// decidedAgain returns what holds of an approval that waited: other rules may be in force by now, and a file
// be another that it names, or that git reads. What they reject by now is rejected, whoever has said yes.
func (b *Bridge) decidedAgain(d permissions.Decision, r permissions.Request) permissions.Decision {
	again := b.o.Gate.Decide(r)
	if again.Verdict == permissions.Reject {
		return again
	}
	switch d.Source {
	case permissions.SourcePolicy, permissions.SourceDefault, permissions.SourceSession:
		// The very rule asks that gave it where it has reached its limit with it.
		itsLimit := again.Verdict == permissions.Ask && again.Source == permissions.SourcePolicy &&
			again.Rule == d.Rule && again.At == d.At
		if again.Verdict != permissions.Approve && !itsLimit {
			return gate.Rejected(d, permissions.SourceFault, errNotByNow.Error())
		}
	}
	return d
}

// errNotByNow says that nobody has approved an act as it is by now.
var errNotByNow = errors.New("what it is about, or the rules, have changed since this was decided: " +
	"it would be asked about by now")

// leadsTo reports whether a name means a file.
func leadsTo(dir, name, real string) bool {
	to, err := permissions.Resolve(dir, name)
	return err == nil && to == real
}

// outgoing writes the request by which the editor carries the act out, as the decision obliges.
func (b *Bridge) outgoing(a *act, obligation permissions.Obligation) ([]byte, error) {
	members := a.params
	if a.terminal != nil {
		var err error
		if members, err = b.terminalParams(a, obligation); err != nil {
			return nil, err
		}
	}
	return join(`{"jsonrpc":"2.0","id":`, a.frame.ID, `,"method":`, encode(a.frame.MethodName()),
		`,"params":`, write(members), "}\n"), nil
}

// notedOnCard reports whether a decision stands on the agent's card: what a person did not decide, and could
// not foresee.
func notedOnCard(source permissions.Source) bool {
	switch source {
	case permissions.SourcePolicy, permissions.SourceConfinement, permissions.SourceGovernor:
		return true
	}
	return false
}

// refusal is what the agent, and through it the model, is told.
func (b *Bridge) refusal(a *act, passage *gate.Passage) wireError {
	d, cause := passage.Decision, passage.Cause
	code := codeDenied
	if errors.Is(cause, errTurnCancelled) || errors.Is(cause, errStopped) || errors.Is(cause, errAgentGaveUp) {
		code = codeCancelled
	}
	message := fmt.Sprintf("a2a-acp did not let the agent %s: %s", display.Line(a.what), gate.Why(d))
	if code == codeDenied {
		if instead := b.o.Gate.Alternatives(d, a.request); instead != "" {
			message += " (" + instead + ")"
		}
		message += ". Do not try another way to the same end; ask the person."
	}
	if d.FollowUp != "" {
		message += "\n" + d.FollowUp
	}
	return wireError{Code: code, Message: message}
}

// callFor finds the one tool call of the agent's that tells of the act; nil when that cannot be told. What is
// decided about the act stands in its card, where nobody may take it for a decision about something else.
func (b *Bridge) callFor(a *act) *toolCall {
	if a.session == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return a.session.calls.only(func(c *toolCall) bool {
		if actions[c.kind] != a.request.Action {
			return false
		}
		if a.terminal != nil {
			command := claimedCommand{argv: a.terminal.Command, text: a.terminal.Shell}
			return command.reads(commandTitle(c)) || slices.ContainsFunc(readRawInput(c.rawInput).commands, command.is)
		}
		return slices.ContainsFunc(namedPaths(c), func(path string) bool {
			return leadsTo(a.request.Dir, path, a.effect.Path)
		})
	})
}

// namedPaths are the paths that a call names in its locations and diffs.
func namedPaths(c *toolCall) []string {
	var paths []string
	locations, _ := (object{"l": c.locations}).objects("l")
	for _, location := range locations {
		paths = append(paths, location.text("path"))
	}
	content, _ := (object{"c": c.content}).objects("c")
	for _, item := range content {
		if path := item.text("path"); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// basis is what an answer about an act of the editor's or the agent's rests on.
func (b *Bridge) basis(r permissions.Request, asked permissions.Decision) approval.Basis {
	basis := approval.Basis{Principal: r.Principal, Workspace: r.Workspace.Dirs(), Policy: asked.Policy,
		Governors: asked.Governors}
	if b.o.Confinement != nil {
		basis.Plan = "confined"
	}
	return basis
}

// frameDigest names what a request asks for, whatever its session and its id: the environment of a command,
// too.
func frameDigest(frame ndjson.Frame) string {
	params, err := exactObject(frame.Params)
	if err != nil {
		return ""
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name != "sessionId" {
			fmt.Fprintf(h, "%d %s %d %s\n", len(name), name, len(params[name]), params[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// title is the act in one line, as short as the person can still tell what it is.
func (a *act) title() string {
	if a.request.ShellText != "" {
		return a.request.ShellText
	}
	if short, ok := a.request.Workspace.Rel(a.effect.Path); ok {
		return verbs[a.request.Action] + " " + short
	}
	return a.what
}

// agentCancels owns $/cancel_request: a request that still waits here is withdrawn here. One that was
// passed on is the editor's to end.
func (b *Bridge) agentCancels(frame ndjson.Frame, line []byte) error {
	p := readParams(frame.Params)
	id := p.raw("requestId")
	p.others()
	if b.ours.has(id) {
		p.fail("that request is not the agent's")
	}
	if p.err() != nil {
		return b.refuseAgent(frame, methodCancelRequest+": "+p.err().Error())
	}
	to := b.toEditor
	b.mu.Lock()
	waits, open := b.held[agentsID(id)], b.fromAgentOpen[agentsID(id)]
	b.mu.Unlock()
	if waits != nil {
		waits.withdraw(errAgentGaveUp)
		return nil
	}
	if open != nil {
		to = b.queueOf(open.session)
		if open.clickable {
			b.clicked()
		}
	}
	return to.relay(line)
}
