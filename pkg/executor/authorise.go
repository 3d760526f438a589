package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// authorise decides whether the act may happen: the rules first, then the governors, and a person where these say so. The Failure is nil exactly when
// the decision approves.
func (e *Executor) authorise(ctx context.Context, a *act, caller Caller) (permissions.Decision, *tool.Failure) {
	decision := e.governed(ctx, a, a.maskDecision(e.authority.Take(a.request)))
	if decision.Verdict == permissions.Ask {
		if failure := e.stopped(a); failure != nil { // nobody is asked about what would not run
			return answered(decision, permissions.Reject, permissions.SourceFault, "nobody was asked: "+failure.Message), failure
		}
		decision = e.ask(ctx, a, caller, decision)
	}
	switch {
	case decision.Verdict == permissions.Approve:
		return decision, nil
	case decision.Source == permissions.SourceNobody:
		return decision, tool.Failf(tool.FailApproval, "%s", e.withInstead(a, decision, decision.Reason))
	case context.Cause(ctx) != nil:
		return decision, tool.Failf(tool.FailCancelled, "the call was withdrawn before anybody answered")
	default:
		return decision, tool.Failf(tool.FailDenied, "%s", e.withInstead(a, decision, denial(a, decision)))
	}
}

// ask puts the question to a person. It turns the decision that asked into one that answers.
func (e *Executor) ask(ctx context.Context, a *act, caller Caller, asked permissions.Decision) permissions.Decision {
	question, err := question(a, asked)
	if err != nil {
		return answered(asked, permissions.Reject, permissions.SourceFault, err.Error())
	}
	event := a.event(events.ApprovalAsked)
	event.Time, event.Decision = e.now(), &events.Decision{DecisionSummary: asked.Summary(), PolicySHA256: asked.Policy}
	if err := e.record.Record(ctx, event); err != nil {
		return answered(asked, permissions.Reject, permissions.SourceFault, err.Error())
	}

	within, cancel := context.WithTimeoutCause(ctx, e.patience, errNoAnswer)
	defer cancel()
	answer, err := caller.Ask(within, question)
	switch {
	case err != nil && errors.Is(context.Cause(within), errNoAnswer):
		return answered(asked, permissions.Reject, permissions.SourceNobody, fmt.Sprintf("%s: nobody answered within %s, which counts as no", asked.Reason, e.patience))
	case errors.Is(err, permissions.ErrNobody):
		return answered(asked, permissions.Reject, permissions.SourceNobody, fmt.Sprintf("%s: %v", asked.Reason, err))
	case err != nil:
		return answered(asked, permissions.Reject, permissions.SourceFault, fmt.Sprintf("asked, but not answered: %v", err))
	}
	decision := answered(asked, answer.Verdict, answer.Source, answer.Reason)
	decision.Approver = answer.By
	if decision.Verdict == permissions.Approve && answer.Source == permissions.SourcePerson {
		if failure := e.asShown(a); failure != nil {
			return answered(decision, permissions.Reject, permissions.SourceFault, failure.Message)
		}
	}
	if answer.Always && answer.Verdict == permissions.Approve && !question.Once {
		decision.Reason = strings.TrimSpace(decision.Reason + " " + e.authority.Remember(a.call.Origin.Session, a.request, a.mask))
	}
	return decision
}

// errNoAnswer ends a question that nobody has answered. The person reads it where the question stood.
var errNoAnswer = errors.New("nobody has answered in time, which counts as no")

// answered keeps what was asked and why, and puts the answer on top.
func answered(asked permissions.Decision, verdict permissions.Verdict, source permissions.Source, reason string) permissions.Decision {
	if verdict == permissions.Ask {
		verdict = permissions.Reject
	}
	asked.Verdict, asked.Source, asked.Reason = verdict, source, reason
	return asked
}

// question is what the person reads: the script as its author wrote it, the values beside it, and why it is asked.
func question(a *act, asked permissions.Decision) (permissions.Question, error) {
	var text strings.Builder
	if a.entry.Confirmation != nil {
		message, err := a.entry.Confirmation.Render(a.publicArguments())
		if err != nil {
			return permissions.Question{}, err
		}
		fmt.Fprintf(&text, "%s\n\n", permissions.Show(message))
	}
	if asked.Reason != "" {
		because := asked.Reason
		if asked.Source == permissions.SourceGovernor {
			because = "governor " + asked.Rule + ": " + because
		}
		fmt.Fprintf(&text, "Asked because: %s\n\n", permissions.ShowLine(because))
	}
	text.WriteString(permissions.Fence("bash", permissions.Show(a.invocation.Shown)))
	if values := a.values(); values != "" {
		fmt.Fprintf(&text, "\nwith\n%s", permissions.Fence("", values))
	}
	if given := a.given(); given != "" {
		fmt.Fprintf(&text, "\ngiven, and not shown\n%s", permissions.Fence("", permissions.Show(given)))
	}
	fmt.Fprintf(&text, "\nin %s", permissions.ShowLine(a.invocation.Dir))
	if n := a.tool.Retry.Attempts; n > 1 {
		fmt.Fprintf(&text, "\nup to %d times, while it fails", n)
	}
	if a.tool.Caching.Enabled {
		fmt.Fprintf(&text, "\nor answered with the result of such a call of the last %s", a.tool.Caching.TTL)
	}
	question := permissions.Question{
		Session:  a.call.Origin.Session,
		ToolCall: a.call.Origin.ToolCall,
		Title:    permissions.ShowLine(a.mask(a.title())),
		Text:     text.String(),
		Action:   permissions.ActionExecute,
		Once:     a.request.RequiresConfirmation,
		Door:     a.call.Origin.Door, Agent: a.call.Origin.Agent, CallID: a.call.ID,
		Digest: a.invocation.Digest().String(), Bound: true,
		Basis: permissions.Basis{
			Principal: a.request.Principal, Workspace: a.call.Workspace.Dirs(), Policy: asked.Policy, Governors: asked.Governors, Plan: a.plan.Digest(),
			Frame: fmt.Sprintf("%+v %+v", a.tool.Retry, a.tool.Caching), // how often it may run, and whether it must
		},
	}
	for _, path := range a.request.Paths {
		question.Paths = append(question.Paths, a.mask(path.Name))
	}
	if !a.request.RequiresConfirmation {
		question.Call = &permissions.Act{Kind: permissions.ActionCall, Tool: a.tool.ID, Arguments: a.arguments}
	}
	return question, nil
}

func (a *act) title() string {
	name := a.tool.Name
	if name == "" {
		name = a.tool.ID
	}
	if a.request.ShellText != "" {
		return name + ": " + a.request.ShellText
	}
	if len(a.request.Paths) == 1 {
		return name + " " + a.request.Paths[0].Name
	}
	return name
}

// values lists the arguments, one to a line, each as JSON that shows what it hides. Secret ones are not shown.
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
			fmt.Fprintf(&b, "%s = %s\n", name, permissions.Show(text))
			continue
		}
		encoded, err := json.Marshal(public[name])
		if err != nil {
			encoded = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s = %s\n", name, permissions.Show(string(encoded)))
	}
	return b.String()
}

// denial is what the model is told.
func denial(a *act, d permissions.Decision) string {
	text := fmt.Sprintf("%s was not run: ", a.tool.ID)
	switch d.Source {
	case permissions.SourcePerson, permissions.SourceAct:
		text += saidNo
	case permissions.SourcePolicy:
		text += fmt.Sprintf("rule %s (%s) rejects it", d.Rule, d.At)
	case permissions.SourceGovernor:
		text += fmt.Sprintf("governor %s (%s) rejects it", d.Rule, d.At)
	default:
		text += "it was not approved"
	}
	if d.Reason != "" && d.Reason != saidNo {
		text += ": " + d.Reason
	}
	if d.FollowUp != "" {
		text += "\n" + a.mask(d.FollowUp)
	}
	return text
}

// saidNo is a refusal without a reason.
const saidNo = "the person said no"

// withInstead tells the model beside a refusal what would be allowed.
func (e *Executor) withInstead(a *act, d permissions.Decision, refusal string) string {
	if d.Source == permissions.SourceFault || d.Source == permissions.SourceGovernor {
		return refusal // it is not the act that was wrong, or no rule that was in its way
	}
	if instead := e.authority.Instead(a.request); instead != "" {
		refusal += " (" + a.mask(instead) + ")"
	}
	return refusal
}
