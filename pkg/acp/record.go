package acp

import (
	"context"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// recordDecision puts a decision on disk. When it returns an error, nothing that was decided may happen.
func (b *Bridge) recordDecision(event events.Event) error {
	event.Time, event.Door = b.o.Now(), "acp"
	return b.o.Record.Record(context.Background(), event)
}

// requestEvent gives an act as the record carries it.
func requestEvent(kind events.Type, r permissions.Request) events.Event {
	mask := r.Mask()
	act := &events.Act{Kind: string(r.Action), Tool: r.Tools[0], Shell: events.Text(mask(r.ShellText)), Arguments: events.Arguments(r.Arguments, r.Secret)}
	if mask(r.ShellText) != r.ShellText {
		// A shell may take the value apart, and nobody knows all the pieces: the record of the call itself will have the rest.
		r.ShellText, r.Shell, r.Argv = "", nil, nil
	}
	if kind == events.ToolDecided {
		tell(act, r, mask)
	}
	for _, path := range r.Paths {
		act.Paths = append(act.Paths, mask(path.Name))
	}
	if r.Shell != nil {
		for _, command := range r.Shell.Commands {
			act.Commands = append(act.Commands, mask(command.Name))
		}
	}
	return events.Event{Type: kind, Session: r.Session, Agent: r.Agent, Act: act}
}

// tell puts what rules look at, beside the arguments, on record: what was decided can then be decided again.
func tell(act *events.Act, r permissions.Request, mask func(string) string) {
	act.Tools = r.Tools[1:]
	act.Dir, act.Workspace, act.Env = mask(r.Dir), r.Workspace.Dirs(), r.Env
	act.Mode, act.Headless, act.Obliging = r.Mode, r.Headless, r.TakesObligations
	for _, doubt := range r.Doubts {
		act.Doubts = append(act.Doubts, mask(doubt))
	}
	act.ReadOnly, act.Destructive, act.Confirm = r.ReadOnly, r.Destructive, r.RequiresConfirmation
	for _, word := range r.Argv {
		act.Argv = append(act.Argv, events.Text(mask(word)))
	}
}

func decisionEvent(d permissions.Decision, option string) *events.Decision {
	out := &events.Decision{DecisionSummary: d.Summary(), Option: option, PolicySHA256: d.Policy}
	for _, reason := range d.Reasons {
		if reason.Matched {
			out.Reasons = append(out.Reasons, reason.Rule+": "+reason.Why)
		}
	}
	if d.Verdict == permissions.Approve && !d.Obligation.None() {
		out.Environment = map[string]string{}
		for _, v := range d.Obligation.Environment {
			out.Environment[v.Name] = v.Value
		}
	}
	return out
}
