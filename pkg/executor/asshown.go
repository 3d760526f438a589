package executor

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// asShown tells whether the call would still run what the person was shown: nil when it would. A tool may be changed while a
// question about it is open. What began before a change goes on as it began, but nobody waits with a finger on "yes" for what
// its author has just taken back.
func (e *Executor) asShown(a *act) *tool.Failure {
	changed := tool.Failf(tool.FailDenied, "%s was changed while the question was open, so the answer is about something else; call it again", a.tool.ID)
	entry, failure := e.resolve(a.call)
	switch {
	case failure != nil:
		return changed
	case entry == a.entry:
		return nil
	}
	arguments, failure := entry.Tool.CheckArguments(a.call.Arguments)
	if failure != nil {
		return changed
	}
	invocation, failure := e.render(entry, a.call, arguments)
	if failure != nil {
		return changed
	}
	plan, failure := e.plan(invocation)
	if failure != nil || invocation.Digest() != a.invocation.Digest() || plan.Digest() != a.plan.Digest() {
		return changed
	}
	return nil
}
