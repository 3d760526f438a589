package executor

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// recheck tells whether the call would still run what the person was shown: nil when it would. A tool may
// be changed while a question about it is open. What began before a change goes on as it began, but nobody
// waits with a finger on "yes" for what its author has just taken back.
func (e *Executor) recheck(a *act) *tool.Failure {
	changed := tool.Failf(tool.FailDenied,
		"%s was changed while the question was open, so the answer is about something else; call it again",
		a.tool.ID)
	if a.moved() {
		return tool.Failf(tool.FailDenied,
			"a path of the call has come to lead to another file while the question was open; call it again")
	}
	entry, failure := resolve(e.inForce(a.call.Workspace), a.call)
	switch {
	case failure != nil:
		return changed
	case entry == a.entry:
		return nil
	}
	now, failure := e.prepare(a.call)
	if failure != nil || now.invocation.Digest() != a.invocation.Digest() || now.plan.Digest() != a.plan.Digest() {
		return changed
	}
	return nil
}
