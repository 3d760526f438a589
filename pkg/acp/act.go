package acp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// act is something that the agent wants the editor to do for it.
type act struct {
	id        string       // ours: everything that is put on record about the act bears it
	session   *Session     // nil when the agent names one that does not exist
	frame     ndjson.Frame // with its line, as the agent wrote it
	line      []byte
	request   permissions.Request
	ledger    permissions.Act // how an earlier answer about the same act is found
	what      string          // for people
	locations []string
	change    *permissions.FileChange
	fault     string // why it cannot be told what the agent means; "" when it can
	cause     error  // why nobody answered

	// What goes on, when it does: the members that were read, with the names that they were decided under; of a command, those
	// beside it.
	params   []member
	unknown  []member       // those of them that nobody here knows
	terminal *TerminalOrder // what runs, of a command
}

// carryOut decides an act: it goes on to the editor, or the agent is told why not, or the person is asked first. Asking leaves the
// lane, so that the frames behind go on.
func (b *Bridge) carryOut(a act) error {
	a.id = b.ours.nextActID()
	if len(a.frame.ID) == 0 {
		return b.refuseAgent(a.frame, a.frame.MethodName()+": it has no id, so nobody can answer it")
	}
	if a.session == nil {
		return b.finish(a, permissions.Decision{
			Verdict: permissions.Reject, Source: permissions.SourceNobody, Reason: "there is no such session, so there is nobody to ask",
		})
	}
	most := b.heldTo(a)
	if most.Verdict == permissions.Reject {
		return b.finish(a, most) // a yes could not be carried out either, so nobody is asked
	}
	if a.fault != "" {
		return b.finish(a, permissions.Decision{
			Verdict: permissions.Reject, Source: permissions.SourceFault, Reason: "it cannot be told which file its name means: " + a.fault,
		})
	}
	decision, given := b.decideAct(a)
	decision = within(decision, most)
	switch {
	case b.governs(a.request.Workspace, decision):
		return b.outside(a, func(ctx context.Context, a *act) permissions.Decision {
			return b.governAct(ctx, a, decision, given)
		})
	case decision.Verdict == permissions.Ask:
		return b.hold(a, decision)
	}
	return b.finish(a, decision)
}

// decideAct asks the rules. What was answered a moment ago about the very same act answers what they ask, and given says that there
// was such an answer. One that was given to the agent's own question has been counted.
func (b *Bridge) decideAct(a act) (decision permissions.Decision, given bool) {
	earlier, given := b.o.Acts.Take(a.request.Session, a.ledger)
	if !given {
		return b.o.Authority.Take(a.request), false
	}
	return b.o.Authority.Decide(a.request).After(earlier), true
}

func (a *act) event(kind events.Type) events.Event {
	event := requestEvent(kind, a.request)
	event.CallID = a.id
	return event
}

// finish puts the decision on record and carries it out.
func (b *Bridge) finish(a act, decision permissions.Decision) error {
	var line []byte
	if decision.Verdict == permissions.Approve {
		decision, line = b.settle(a, decision)
	}
	event := a.event(events.ToolDecided)
	event.Decision = decisionEvent(decision, "")
	call := b.callFor(a)
	if call != nil {
		event.ToolCall = call.id
	}
	if err := b.recordDecision(event); err != nil {
		b.sayUnrecorded(err)
		if decision.Verdict == permissions.Approve && a.request.Action != permissions.ActionRead {
			decision = unrecorded(decision, err)
		}
	}
	if call != nil && saidOnCard(decision.Source) {
		if err := b.toEditor.Send(b.decided(a.session, call, sentence(decision), "")); err != nil {
			return err
		}
	}
	if decision.Verdict != permissions.Approve {
		b.backToAgent.put(errorResponse(a.frame.ID, b.refusal(a, decision)))
		return nil
	}
	if !b.openFromAgent(a.frame, passed{session: a.session, answered: func(answer ndjson.Frame, line []byte) []byte {
		b.carriedOut(a, event, answer)
		return line
	}}) {
		return b.refuseAgent(a.frame, idInUse)
	}
	return b.toEditor.Relay(line)
}

// settle gives the line by which an approved act goes to the editor. The agent may have put a link in a file's way since it
// asked, while a person read or governors thought, so that is looked at once more: the yes was to the file that it was then.
func (b *Bridge) settle(a act, decision permissions.Decision) (permissions.Decision, []byte) {
	if a.moved() {
		decision.Verdict, decision.Source, decision.Rule, decision.At = permissions.Reject, permissions.SourceFault, "", ""
		decision.Reason = "its name leads to another file by now than when this was decided"
		return decision, nil
	}
	if decision = within(decision, b.heldTo(a)); decision.Verdict == permissions.Ask {
		decision.Verdict = permissions.Reject // it needs a person by now, and none was asked
	}
	if decision.Verdict != permissions.Approve {
		return decision, nil
	}
	line, err := b.outgoing(a, decision.Obligation)
	if err != nil {
		decision.Verdict, decision.Source, decision.Reason = permissions.Reject, permissions.SourceFault, err.Error()
		decision.Rule, decision.At = "", ""
	}
	return decision, line
}

// moved tells whether a name of the act's leads elsewhere by now: the one that the agent gave, or the one that goes on.
func (a *act) moved() bool {
	for _, path := range a.request.Paths {
		if !leadsTo(a.request.Dir, path.Name, a.ledger.Path) {
			return true
		}
	}
	for _, name := range a.locations {
		if !leadsTo("/", name, a.ledger.Path) {
			return true
		}
	}
	return a.terminal != nil && !leadsTo("/", a.session.editorsName(a.terminal.Dir), a.terminal.Dir)
}

// leadsTo reports whether a name means a file.
func leadsTo(dir, name, real string) bool {
	to, err := permissions.Resolve(dir, name)
	return err == nil && to == real
}

// outgoing writes the request by which the editor carries the act out, as the decision obliges.
func (b *Bridge) outgoing(a act, obligation permissions.Obligation) ([]byte, error) {
	members := a.params
	if a.terminal != nil {
		var err error
		if members, err = b.terminalParams(a, obligation); err != nil {
			return nil, err
		}
	}
	return join(`{"jsonrpc":"2.0","id":`, a.frame.ID, `,"method":`, encode(a.frame.MethodName()), `,"params":`, write(members), "}\n"), nil
}

// saidOnCard tells whether a decision stands on the agent's card: what a person did not decide, and could not foresee.
func saidOnCard(source permissions.Source) bool {
	switch source {
	case permissions.SourcePolicy, permissions.SourceConfinement, permissions.SourceGovernor:
		return true
	}
	return false
}

// unrecorded is the decision about an effect that cannot be put on record.
func unrecorded(d permissions.Decision, err error) permissions.Decision {
	d.Verdict, d.Source = permissions.Reject, permissions.SourceFault
	d.Rule, d.At, d.Option = "", "", ""
	d.Reason = fmt.Sprintf("the decision could not be recorded: %v", err)
	return d
}

// carriedOut records how the editor's part ended.
func (b *Bridge) carriedOut(a act, decided events.Event, answer ndjson.Frame) {
	ended := events.Event{Type: events.ToolEnded, Session: decided.Session, CallID: a.id, ToolCall: decided.ToolCall, Agent: decided.Agent}
	ended.Act = &events.Act{Kind: decided.Act.Kind, Tool: decided.Act.Tool, Paths: decided.Act.Paths}
	ended.Outcome = &events.Outcome{Status: "completed"}
	if len(answer.Error) > 0 {
		ended.Outcome.Status = "failed"
		if e, err := exactObject(answer.Error); err == nil {
			ended.Outcome.Error = events.Text(e.text("message"))
		}
	}
	b.note(ended)
}

// refusal is what the agent, and through it the model, is told.
func (b *Bridge) refusal(a act, d permissions.Decision) wireError {
	code := codeDenied
	if errors.Is(a.cause, errTurnCancelled) || errors.Is(a.cause, errAgentGaveUp) {
		code = codeCancelled
	}
	message := fmt.Sprintf("a2a-acp did not let the agent %s: ", permissions.ShowLine(a.what))
	switch {
	case d.Source == permissions.SourcePerson, d.Source == permissions.SourceAct && (d.Rule == "" || d.First == permissions.SourcePerson):
		message += saidNo
		if d.Reason != "" && d.Reason != saidNo {
			message += ": " + d.Reason
		}
	case d.Rule != "":
		message += fmt.Sprintf("%s %s (%s)", decider(d), d.Rule, d.At)
		if d.Reason != "" {
			message += ": " + d.Reason
		}
	default:
		message += d.Reason
	}
	if code == codeDenied {
		if instead := b.o.Authority.Instead(a.request); instead != "" && d.Source != permissions.SourceFault && decider(d) != "governor" {
			message += " (" + instead + ")"
		}
		message += ". Do not try another way to the same end; ask the person."
	}
	if d.FollowUp != "" {
		message += "\n" + d.FollowUp
	}
	return wireError{Code: code, Message: message}
}

// decider says what kind of thing has the name that a decision bears.
func decider(d permissions.Decision) string {
	if d.Source == permissions.SourceGovernor || d.First == permissions.SourceGovernor {
		return "governor"
	}
	return "rule"
}

// callFor finds the one tool call of the agent's that the act belongs to; nil when that cannot be told.
func (b *Bridge) callFor(a act) *toolCall {
	if a.session == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return a.session.calls.only(func(c *toolCall) bool {
		switch a.request.Action {
		case permissions.ActionExecute:
			return c.kind == "execute"
		default:
			return (c.kind == "edit" || c.kind == "read") && slices.ContainsFunc(namedPaths(c), func(path string) bool {
				return leadsTo(a.request.Dir, path, a.ledger.Path)
			})
		}
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

// hold puts the act to the person. It returns at once; the goroutine that it starts ends with the answer, or when the
// agent withdraws the request, the turn is cancelled, the session is closed or the agent ends.
func (b *Bridge) hold(a act, asked permissions.Decision) error {
	if refused, ok := b.mayAsk(&a, asked); !ok {
		return b.finish(a, refused)
	}
	return b.outside(a, func(ctx context.Context, a *act) (decision permissions.Decision) {
		decision, a.cause = b.answerFor(ctx, *a, asked)
		return decision
	})
}

// mayAsk tells whether the person can be asked about an act, and puts the question on record; otherwise it gives the decision.
func (b *Bridge) mayAsk(a *act, asked permissions.Decision) (permissions.Decision, bool) {
	event := a.event(events.ApprovalAsked)
	event.Decision = decisionEvent(asked, "")
	if err := b.recordDecision(event); err != nil && a.request.Action != permissions.ActionRead {
		return unrecorded(asked, err), false // a yes could not be recorded either, so nobody is bothered
	}
	return asked, true
}

// outside decides an act outside of the lane, so that the frames behind go on, and carries the decision out.
func (b *Bridge) outside(a act, decide func(context.Context, *act) permissions.Decision) error {
	ctx, withdraw := context.WithCancelCause(b.turnContext(a.session))
	key := ndjson.ID(a.frame.ID)
	if !b.keep(key, withdraw) {
		withdraw(nil)
		return b.refuseAgent(a.frame, idInUse)
	}
	a.frame, a.line = clone(a.frame, a.line)
	b.holding.Go(func() {
		defer withdraw(nil)
		decision := decide(ctx, &a)
		b.drop(key)
		if err := b.finish(a, decision); err != nil {
			b.o.Say(fmt.Sprintf("%s: %v", a.what, err)) // the other end is broken; its lane ends the bridge
		}
	})
	return nil
}

// keep notes a request of the agent's that waits outside of the lane, and how it is withdrawn. It is false when the id is that
// of another one that waits, or the agent has ended.
func (b *Bridge) keep(key ndjson.Key, withdraw context.CancelCauseFunc) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idOpen(key) || b.ended {
		return false
	}
	b.held[key] = withdraw
	return true
}

// drop forgets a request that waits no more.
func (b *Bridge) drop(key ndjson.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.held, key)
}

// answerFor asks the person and turns what was asked into what was answered. The error says why nobody answered.
func (b *Bridge) answerFor(ctx context.Context, a act, asked permissions.Decision) (permissions.Decision, error) {
	ctx, release := context.WithTimeoutCause(ctx, b.o.Patience, errNoAnswer)
	defer release()
	answer, err := a.session.Ask(ctx, a.question(b, asked))
	decision := asked
	switch {
	case errors.Is(err, permissions.ErrNobody):
		decision.Verdict, decision.Source, decision.Reason = permissions.Reject, permissions.SourceNobody, err.Error()
	case err != nil:
		decision.Verdict, decision.Source, decision.Reason = permissions.Reject, permissions.SourceFault, err.Error()
	default:
		decision.Verdict, decision.Source, decision.Reason = answer.Verdict, answer.Source, answer.Reason
		decision.Approver = answer.By
		switch {
		case !answer.Always || answer.Verdict != permissions.Approve:
		case asked.Source == permissions.SourceConfinement:
			decision.Reason = "for this time: what the agent's own sandbox does not let it change is asked each time"
		default:
			decision.Reason = b.o.Authority.Remember(a.request.Session, a.request, asIs)
		}
	}
	return decision, err
}

// question is what the person reads.
func (a *act) question(b *Bridge, asked permissions.Decision) permissions.Question {
	q := permissions.Question{
		Session: a.request.Session, Action: a.request.Action, Paths: a.locations,
		Title: permissions.ShowLine(a.title()),
		Text:  "Asked because: " + permissions.ShowLine(asked.Reason),
		Door:  a.request.Door, Agent: a.request.Agent, CallID: a.id, Digest: a.ledger.Digest(),
		Basis: b.basis(a.request, asked),
	}
	q.Basis.Frame = frameDigest(a.frame)
	if call := b.callFor(*a); call != nil {
		q.ToolCall = call.id
	}
	switch {
	case a.terminal != nil:
		q.Text += "\n\n" + permissions.Fence("bash", permissions.Show(a.request.ShellText)) + "\nin " + permissions.ShowLine(a.request.Dir)
		for _, v := range a.terminal.Environment {
			q.Text += "\nwith " + permissions.ShowLine(v.Name+"="+v.Value)
		}
	case a.change != nil:
		a.change.OldText = currentText(a.ledger.Path)
		q.Change = a.change
	}
	for _, m := range a.unknown {
		q.Text += "\nand " + permissions.ShowLine(m.key+": "+string(m.value)) + ", of which nobody here knows what it does"
	}
	return q
}

// basis is what an answer about an act of the editor's or the agent's rests on.
func (b *Bridge) basis(r permissions.Request, asked permissions.Decision) permissions.Basis {
	basis := permissions.Basis{Principal: r.Principal, Workspace: r.Workspace.Dirs(), Policy: asked.Policy}
	if b.o.Governors != nil {
		basis.Governors = b.o.Governors.Hash(r.Workspace)
	}
	if b.o.Confinement != nil {
		basis.Plan = "confined"
	}
	return basis
}

// frameDigest names what a request asks for, whatever its session and its id: the environment of a command, too.
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
	if short, ok := a.request.Workspace.Rel(a.ledger.Path); ok {
		return verbs[a.request.Action] + " " + short
	}
	return a.what
}

// agentCancels owns $/cancel_request: a request that still waits here is withdrawn here. One that was passed on is the
// editor's to end.
func (b *Bridge) agentCancels(frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseAgent(frame, methodCancelRequest+": "+err.Error())
	}
	if id, ok := params["requestId"]; ok {
		b.mu.Lock()
		withdraw := b.held[ndjson.ID(id)]
		if p := b.fromAgentOpen[ndjson.ID(id)]; p != nil && p.standing != nil {
			p.standing.stop(errAgentGaveUp)
		}
		b.mu.Unlock()
		if withdraw != nil {
			withdraw(errAgentGaveUp)
			return nil
		}
	}
	return b.toEditor.Relay(line)
}
