package gate

import (
	"context"
	"maps"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// record writes the decision to disk before anything happens, and reports whether the act is finished. An
// act whose decision cannot be recorded does not happen, unless it wants a person to be asked instead.
func (p *Passage) record(ctx context.Context) (settled bool) {
	event := p.act.Event(events.ToolDecided)
	event.Time, event.Decision = p.gate.o.Now(), DecisionEvent(p.Decision, p.act.Option(p.Decision, p.Cause))
	// The asker may have given up, but the record is about what was decided and must not be lost.
	p.Unrecorded = p.put(ctx, event)
	if p.Unrecorded == nil {
		return true
	}
	p.Decision = p.act.Unrecorded(p.Decision, p.Unrecorded)
	if p.Decision.Verdict == permissions.Ask {
		return false
	}
	event.Decision = DecisionEvent(p.Decision, p.act.Option(p.Decision, p.Cause))
	event.Reduce(p.act.Request().Audit)
	events.RecordLater(p.gate.o.Record, event)
	return true
}

// put records an event about the act, as much of it as is to stand on record.
func (p *Passage) put(ctx context.Context, event events.Event) error {
	event.Reduce(p.act.Request().Audit)
	return p.gate.o.Record.Record(context.WithoutCancel(ctx), event)
}

// DecisionEvent returns a decision as it is recorded. option is the one that answers an agent's question.
func DecisionEvent(d permissions.Decision, option string) *events.Decision {
	out := &events.Decision{DecisionSummary: d.Summary(), Option: option, PolicySHA256: d.Policy, Waits: d.Waits}
	for _, reason := range d.Reasons {
		if reason.Matched {
			out.Reasons = append(out.Reasons, reason.Rule+": "+reason.Why)
		}
	}
	if d.Verdict == permissions.Approve {
		out.Sandbox = d.Obligation.Profile
	}
	if d.Verdict == permissions.Approve && len(d.Obligation.Environment) > 0 {
		out.Environment = map[string]string{}
		for _, v := range d.Obligation.Environment {
			out.Environment[v.Name] = v.Value
		}
	}
	return out
}

// ActEvent returns a request as it is recorded. mark returns what stands in the place of a secret argument, nil for
// what says nothing of it, and mask puts that in their place in other texts. What rules consider besides the
// arguments is part of the decision's record only, so that the decision can be repeated.
func ActEvent(kind events.Type, r permissions.Request, mark, mask func(string) string) *events.Act {
	act := LaterAct(r, mask)
	act.Shell, act.Arguments = events.Text(mask(r.ShellText)), RecordedArguments(r, mark, mask)
	if kind == events.ToolDecided {
		act.Request = events.Arguments(r.SentAsTold(), nil, nil)
		act.Tools = r.Tools[1:]
		act.Dir, act.Workspace, act.Env = mask(r.Dir), r.Workspace.Dirs(), r.Env
		act.Mode, act.Headless, act.Confined, act.Obliging = r.Mode, r.Headless, r.Confined, r.TakesObligations
		act.Sandboxing = r.TakesProfile
		for _, doubt := range r.Doubts {
			act.Doubts = append(act.Doubts, mask(doubt))
		}
		act.ReadOnly, act.Destructive, act.Confirm = r.ReadOnly, r.Destructive, r.RequiresConfirmation
		act.OwnProgram = r.OwnProgram
		for _, word := range r.Argv {
			act.Argv = append(act.Argv, events.Text(mask(word)))
		}
	}
	return act
}

// LaterAct returns of a request what events say whose arguments stand in the record of its decision; see Later.
func LaterAct(r permissions.Request, mask func(string) string) *events.Act {
	act := &events.Act{Kind: string(r.Action), Tool: r.Tools[0]}
	for _, path := range r.Paths {
		act.Paths = append(act.Paths, mask(path.Name))
	}
	if r.Shell != nil {
		for _, command := range r.Shell.Commands {
			act.Commands = append(act.Commands, mask(command.Name))
		}
	}
	return act
}

// RecordedArguments are the arguments as they are recorded. Another argument may hold the value of a secret one.
func RecordedArguments(r permissions.Request, mark, mask func(string) string) map[string]any {
	arguments := r.Arguments
	if len(r.Secret) > 0 {
		arguments = maps.Clone(arguments)
		for name, value := range arguments {
			if !r.Secret[name] {
				arguments[name] = tool.MapLeaves(value, func(leaf any) any {
					if text, ok := leaf.(string); ok {
						return mask(text)
					}
					return leaf
				})
			}
		}
	}
	return events.Arguments(arguments, r.Secret, mark)
}
