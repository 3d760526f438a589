package acp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
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

// Ask implements approval.Asker.
func (a *act) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	return a.session.ask(ctx, q, a.place, a.queued)
}

// errMoved is the reason if a name no longer means what was decided about.
var errMoved = errors.New("its name leads to another file by now than when this was decided")

// staleness returns why an approved act is not handed on: the turn may have been cancelled, or a link
// changed, while the decision was recorded.
func (a *act) staleness(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if a.session != nil && a.moved() {
		return errMoved
	}
	return nil
}

// ---- an act at the gate: a gate.Act

// Request implements gate.Act.
func (a *act) Request() permissions.Request { return a.request }

// Effect implements gate.Act.
func (a *act) Effect() gate.Effect { return a.effect }

// AtMost implements gate.Act: an agent gets what its sandbox lets it do. What is refused anyway, or cannot
// be understood, is rejected before anybody is asked.
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
	event := a.b.requestEvent(kind, a.request)
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
		Head:  headOf(asked, a.b.reaches(a.request)),
		Door:  a.request.Door, Principal: recorded(a.request), Agent: a.request.Agent, CallID: a.id, Digest: a.effect.Digest(),
		Carrier: "the editor", Basis: a.b.basis(a.request, asked),
	}
	q.Head.Text, q.Head.Key = strings.TrimSpace(q.Head.Text), strings.TrimSpace(q.Head.Key)
	q.Text = q.Head.Text
	if a.b.o.Person != nil {
		q.Carrier = "a2a-acp in an editor's place"
	}
	q.Basis.Frame = frameDigest(a.frame)
	if call := a.b.callFor(a); call != nil {
		q.ToolCall = call.id
	}
	switch {
	case a.terminal != nil:
		q.Command, q.Dir, q.Risk = a.request.ShellText, a.request.Dir, a.b.reaches(a.request)
		q.Text += "\n\n" + display.Fence("bash", display.Full(a.request.ShellText)) + "\nin " +
			display.FullSpan(a.request.Dir)
		for _, v := range a.terminal.Environment {
			q.Text += "\nwith " + display.FullSpan(v.Name+"="+v.Value)
		}
	case a.change != nil:
		a.over = a.session.holds(a.effect.Path)
		a.change.OldText = currentText(a.effect.Path)
		q.Change = a.change
	}
	for _, m := range a.unknown {
		q.Text += "\nand " + display.FullSpan(m.key+": "+string(m.value)) +
			", of which nobody here knows what it does"
	}
	return q, nil
}

// Recheck implements gate.Act. While a person read or governors thought, the agent may have put a link in a
// file's way, so the names are resolved again: the yes was to the file that they meant then. The frame for
// the editor is written here.
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

// Unrecorded implements gate.Act: only what reads goes on.
func (a *act) Unrecorded(d permissions.Decision, err error) permissions.Decision {
	if d.Verdict == permissions.Reject || a.request.Action == permissions.ActionRead {
		return d
	}
	return gate.Rejected(d, permissions.SourceFault, fmt.Sprintf("the decision could not be recorded: %v", err))
}

// Mask implements gate.Act: what an agent asks its editor for holds no declared secrets.
func (a *act) Mask(text string) string { return text }

// moved reports whether a name of the act, the agent's or the one that goes on, now leads elsewhere.
func (a *act) moved() bool {
	for _, name := range a.locations {
		if !leadsTo("/", name, a.effect.Path) {
			return true
		}
	}
	return !slices.Equal(a.effect.Resolved, permissions.ResolvedFiles(a.request)) ||
		a.terminal != nil && !leadsTo("/", a.session.editorsName(a.terminal.Dir), a.terminal.Dir)
}

// decidedAgain returns the current decision about an approval that waited: other rules may be in force, or
// a name or git may lead to another file. What is rejected now is rejected, whoever has said yes.
func (b *Bridge) decidedAgain(d permissions.Decision, r permissions.Request) permissions.Decision {
	again := b.o.Gate.Decide(r)
	if again.Verdict == permissions.Reject {
		return again
	}
	if again.Verdict == permissions.Ask && again.AtTerminal && !d.AtTerminal {
		return gate.Rejected(d, permissions.SourceFault, errAtTerminal.Error())
	}
	switch d.Source {
	case permissions.SourcePolicy, permissions.SourceDefault, permissions.SourceSession:
		// The rule that gave it asks once its limit is reached.
		itsLimit := again.Verdict == permissions.Ask && again.Source == permissions.SourcePolicy &&
			again.Rule == d.Rule && again.At == d.At
		if again.Verdict != permissions.Approve && !itsLimit {
			return gate.Rejected(d, permissions.SourceFault, errNotByNow.Error())
		}
	}
	return d
}

// errNotByNow is the reason if nobody has approved an act as it is now.
var errNotByNow = errors.New("what it is about, or the rules, have changed since this was decided: " +
	"it would be asked about by now")

// errAtTerminal is the reason if a rule has come to want the answer from a terminal, and nobody there was asked.
var errAtTerminal = errors.New("a rule wants the answer from a terminal by now (answer: terminal), and this was " +
	"asked before; ask again")

// leadsTo reports whether a name resolves to a file.
func leadsTo(dir, name, real string) bool {
	to, err := permissions.Resolve(dir, name)
	return err == nil && to == real
}

// callFor returns the one tool call of the agent's that announces the act; nil if that cannot be told.
// Decisions about the act are shown in its card, so it must not be the card of something else.
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

// namedPaths returns the paths that a call names in its locations and diffs.
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

// basis returns what an answer about an act of the editor's or the agent's depends on.
func (b *Bridge) basis(r permissions.Request, asked permissions.Decision) approval.Basis {
	return approval.Basis{Caller: r.Caller(), Workspace: r.Workspace.Dirs(), Policy: asked.Policy,
		Governors: asked.Governors, Plan: b.o.Started}
}

// frameDigest identifies what a request asks for, including the environment of a command, but not its
// session and id.
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

// title returns the act in one line, as short as a person can still understand it.
func (a *act) title() string {
	if a.request.ShellText != "" {
		return a.request.ShellText
	}
	if short, ok := a.request.Workspace.Rel(a.effect.Path); ok {
		return verbs[a.request.Action] + " " + short
	}
	return a.what
}
