package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// authorise takes the act through the gate: rules, governors, a person, the record. The Failure is nil if
// and only if the decision approves.
func (e *Executor) authorise(ctx context.Context, a *act, caller Caller) (permissions.Decision, *tool.Failure) {
	g := &gated{act: a, e: e}
	decision, unanswered := e.gate.Under(a.in.InForce).Pass(ctx, g,
		gate.Person{Asker: caller, Patience: e.patience})
	switch {
	case decision.Verdict == permissions.Approve:
		return decision, nil
	case g.failure != nil:
		return decision, g.failure
	case decision.Source == permissions.SourceNobody:
		return decision, tool.Failf(tool.FailApproval, "%s", e.withAlternatives(a, decision, decision.Reason))
	case unanswered != nil && context.Cause(ctx) != nil:
		return decision, tool.Failf(tool.FailCancelled, "the call was withdrawn before anybody answered")
	default:
		return decision, tool.Failf(tool.FailDenied, "%s", e.withAlternatives(a, decision, denial(a, decision)))
	}
}

// gated is a call as the gate sees it, a gate.Act.
type gated struct {
	*act
	e       *Executor
	failure *tool.Failure // why it is not run, where that is not the decision itself
}

func (g *gated) Request() permissions.Request { return g.act.request }

// Effect implements gate.Act. If the author wants a fresh answer every time, no earlier answer counts.
func (g *gated) Effect() gate.Effect {
	if g.act.request.RequiresConfirmation {
		return gate.Effect{}
	}
	return gate.CallOf(g.act.request)
}

// AtMost implements gate.Act: a call is confined by its own sandbox.
func (g *gated) AtMost() permissions.Decision {
	return permissions.Decision{Verdict: permissions.Approve}
}

func (g *gated) Review(d permissions.Decision) permissions.Review { return g.act.review(d) }

func (g *gated) Event(kind events.Type) events.Event { return g.act.event(kind) }

// Question implements gate.Act. Nobody is asked about a call that could not run.
func (g *gated) Question(asked permissions.Decision) (approval.Question, error) {
	if g.failure = g.e.stopped(g.act); g.failure != nil {
		return approval.Question{}, errors.New("nobody was asked: " + g.failure.Message)
	}
	return question(g.act, asked)
}

// Recheck implements gate.Act: what a person has read must be what runs.
func (g *gated) Recheck(d permissions.Decision) permissions.Decision {
	if d.Source != permissions.SourcePerson {
		return d
	}
	if failure := g.e.recheck(g.act); failure != nil {
		return gate.Rejected(d, permissions.SourceFault, failure.Message)
	}
	return d
}

func (g *gated) Option(permissions.Decision, error) string { return "" }

// Unrecorded implements gate.Act: nothing runs without its record, unless it changes nothing and that is wanted.
func (g *gated) Unrecorded(d permissions.Decision, err error) permissions.Decision {
	if d.Verdict == permissions.Reject || g.act.goesOn {
		return d
	}
	g.failure = tool.Failf(tool.FailInternal, "not run, because the decision could not be recorded: %v", err)
	return gate.Rejected(d, permissions.SourceFault, fmt.Sprintf("the decision could not be recorded: %v", err))
}

func (g *gated) Mask(text string) string { return g.act.mask(text) }

// question returns what the person reads: what would be done, and why it is asked.
func question(a *act, asked permissions.Decision) (approval.Question, error) {
	var text strings.Builder
	if a.entry.Confirmation != nil {
		message, err := a.entry.Confirmation.Render(a.publicArguments())
		if err != nil {
			return approval.Question{}, err
		}
		fmt.Fprintf(&text, "%s\n\n", display.Words(message))
	}
	if because := gate.Because(asked); because != "" {
		fmt.Fprintf(&text, "Asked because: %s\n\n", display.Line(because))
	}
	text.WriteString(a.runner.Show(a))
	if n := a.tool.Retry.Attempts; n > 1 {
		fmt.Fprintf(&text, "\nup to %d times, while it fails", n)
	}
	if a.tool.Caching.Enabled {
		fmt.Fprintf(&text, "\nor answered with the result of such a call of the last %s", a.tool.Caching.TTL)
	}
	question := approval.Question{
		Session:  a.call.Origin.Session,
		ToolCall: a.call.Origin.ToolCall,
		Title:    display.Line(a.mask(a.title())),
		Text:     text.String(),
		Action:   permissions.ActionExecute,
		Once:     a.request.RequiresConfirmation,
		Door:     a.call.Origin.Door, Agent: a.call.Origin.Agent, CallID: a.call.ID,
		Principal: a.call.Origin.Recorded(),
		Digest:    a.invocation.Digest().String(), Bound: true,
		Basis: approval.Basis{
			Caller: a.request.Caller(), Workspace: a.call.Workspace.Dirs(), Policy: asked.Policy,
			Governors: asked.Governors, Plan: a.plan.Digest(),
			// How often it may run, and whether it must.
			Frame: frame(a.tool),
		},
	}
	for _, path := range a.request.Paths {
		question.Paths = append(question.Paths, a.mask(path.Name))
	}
	return question, nil
}

// frame is how often an act may run, and whether it must. It stays the same for the same, since questions that are open
// outlive a process.
func frame(t *tool.Tool) string {
	c := t.Caching
	text := fmt.Sprintf("%+v {Enabled:%t TTL:%s Results:%d Bytes:%d Key:%s}", t.Retry, c.Enabled, c.TTL, c.Results, c.Bytes, c.Key)
	if c.HTTP {
		text += " as the server lets it be kept"
	}
	return text
}

func (a *act) title() string {
	name := a.tool.Name
	if name == "" {
		name = a.tool.ID
	}
	if a.tool.Audit == tool.AuditMetadata { // what a question is called stands on record
		return name
	}
	if work, ok := a.invocation.Work.(*requestWork); ok {
		return name + ": " + work.line()
	}
	if a.request.ShellText != "" {
		return name + ": " + a.request.ShellText
	}
	if len(a.request.Paths) == 1 {
		return name + " " + a.request.Paths[0].Name
	}
	return name
}

// values lists the arguments, one to a line, as JSON with hidden characters made visible. Secret values are
// not shown.
func (a *act) values() string {
	public := a.publicArguments()
	names := make([]string, 0, len(public))
	for name := range public {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		if text, ok := public[name].(string); ok {
			fmt.Fprintf(&b, "%s = %s\n", name, display.Full(text))
			continue
		}
		encoded, err := json.Marshal(public[name])
		if err != nil {
			encoded = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s = %s\n", name, display.Full(string(encoded)))
	}
	return b.String()
}

// denial returns the failure that the model gets.
func denial(a *act, d permissions.Decision) string {
	text := fmt.Sprintf("%s was not run: %s", a.tool.ID, gate.Why(d))
	if d.FollowUp != "" {
		text += "\n" + a.mask(d.FollowUp)
	}
	return text
}

// withAlternatives adds to a refusal what would be allowed.
func (e *Executor) withAlternatives(a *act, d permissions.Decision, refusal string) string {
	if instead := e.gate.Under(a.in.InForce).Alternatives(d, a.request); instead != "" {
		refusal += " (" + a.mask(instead) + ")"
	}
	return refusal
}
