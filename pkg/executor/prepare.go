package executor

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// prepare does everything that comes before a decision: find the tool, check the arguments, render
// what would be done, and plan how it will be done on this machine. It has no effect.
func (e *Executor) prepare(call tool.Call) (*act, *tool.Failure) {
	a, failure := e.actOf(call)
	if failure != nil {
		return nil, failure
	}
	if failure := a.planOut(); failure != nil {
		return nil, failure
	}
	return a, nil
}

// planOut plans how the call is carried out.
func (a *act) planOut() (failure *tool.Failure) {
	if a.plan, failure = a.runner.Plan(a.invocation, nil); failure == nil {
		a.request.Digest = a.digest + " " + a.plan.Digest()
	}
	return failure
}

// runnerOf returns the runner of the tool's kind.
func (e *Executor) runnerOf(t *tool.Tool) runner {
	switch {
	case t.A2A != nil:
		return e.remotes
	case t.HTTP != nil:
		return e.requests
	case t.Exec != nil:
		return e.argvs
	}
	return e.scripts
}

// actOf is prepare without the plan, for callers that only want to know what a call would ask for. With a
// Failure it returns the act as far as it got: nil if there is no such tool, without an invocation if the
// arguments do not fit.
func (e *Executor) actOf(call tool.Call) (*act, *tool.Failure) {
	in := e.inForce(call.Workspace)
	entry, failure := resolve(in, call)
	if failure != nil {
		return nil, failure
	}
	a := &act{call: call, in: in, entry: entry, tool: entry.Tool, runner: e.runnerOf(entry.Tool), hidden: e.hidden}
	if a.arguments, failure = entry.Tool.CheckArguments(call.Arguments); failure != nil {
		return a, failure
	}
	if a.invocation, failure = a.runner.Render(entry, call, a.arguments,
		e.spools(in, entry.Tool, call.Workspace) && !entry.Answer.Whole()); failure != nil {
		return a, failure
	}
	a.invocation.Trace = call.Origin.Trace
	if len(a.tool.SecretParameters()) > 0 || a.tool.Audit == tool.AuditMetadata {
		a.invocation.Key = e.fingerprintKey
	}
	a.describe()
	a.goesOn = e.degrades && a.harmless
	return a, nil
}
