package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Caller is who makes a call: the door that it came through, and the person who can be asked there.
type Caller interface {
	approval.Asker
}

// Execute carries a call from request to result. It blocks until the call has ended and nothing of it is
// left; ending ctx ends the call. Every outcome is a Result. Result.Error is set if the reason is ours and
// not the tool's.
func (e *Executor) Execute(ctx context.Context, call tool.Call, caller Caller) tool.Result {
	return e.execute(ctx, call, caller, e.prepare)
}

// execute is Execute for an act that is prepared in this way.
func (e *Executor) execute(ctx context.Context, call tool.Call, caller Caller,
	prepare func(tool.Call) (*act, *tool.Failure)) tool.Result {
	if call.ID == "" {
		call.ID = e.newID()
	}
	call.Origin.Trace = call.Origin.Trace.Child()
	started := e.now()
	ctx, end, ok := e.calls.begin(ctx)
	if !ok {
		return e.refuse(ctx, call, nil, started,
			tool.Failf(tool.FailCancelled, "the call was not begun: %v", ErrDrained))
	}
	defer end()

	act, failure := prepare(call)
	if failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}
	act.listener, _ = caller.(Listener)
	act.watcher, _ = caller.(Watcher)
	act.begun = func(ctx context.Context, job *events.Job) error { return e.recordJob(ctx, act, job) }
	act.asks = e.asksFor(act, caller)
	if failure := e.missing(act); failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}
	decision, failure := e.authorise(ctx, act, caller)
	if failure != nil {
		return e.refuse(ctx, call, &decision, started, failure)
	}

	started = e.now() // how long a person took to answer is not the tool's time
	ran := e.granted(ctx, act, decision)
	defer ran.spools.drop(nil) // what was not kept by then
	took := e.now().Sub(started)
	told := e.screen(ctx, act, decision, &ran, took)
	result := e.mapOutcome(act, ran)
	e.explainRefusals(act, &result)
	if told != nil {
		result.Metadata.Diagnostics[tool.OutputGovernorKey] = told
	}
	summary := decision.Summary()
	result.Metadata.Decision = &summary
	result.ExecutionTimeMS = millis(took)
	e.recordEnd(ctx, act, result, ran)
	return result
}

// resolve finds the tool. To whom it does not let in there is none, but to a person at a command line, whose file it is.
func resolve(in Configuration, call tool.Call) (*Entry, *tool.Failure) {
	entry, ok := in.Tools.LookupIn(call.Workspace, call.Tool)
	lets := ok && entry.Tool.Access.Lets(call.Origin.Claims)
	if ok && !lets && call.Origin.Door == tool.DoorCLI {
		return nil, tool.Failf(tool.FailNotFound, "tool %q is not available here: %s", call.Tool, entry.Tool.Access.Missing())
	}
	if !lets {
		meant := ""
		if near := spelling.Nearest(call.Tool, in.Tools.ids(call.Workspace, call.Origin.Claims)); near != "" {
			meant = fmt.Sprintf(" (did you mean %s?)", near)
		}
		return nil, tool.Failf(tool.FailNotFound,
			"there is no tool %q%s; `a2a-acp tools list` lists them", call.Tool, meant)
	}
	if entry.Tool.Disabled {
		return nil, tool.Failf(tool.FailNotFound, "tool %q is switched off (enabled: false, %s); `a2a-acp tools enable %s` "+
			"switches it on", call.Tool, entry.Tool.Source, entry.Tool.ID)
	}
	if entry.Tool.Unavailable != "" {
		return nil, tool.Failf(tool.FailSandbox, "tool %q is not available: %s (%s)", call.Tool,
			entry.Tool.Unavailable, entry.Tool.Source)
	}
	if failure := entry.intact(); failure != nil {
		return nil, failure
	}
	return entry, nil
}

// intact refuses a tool whose files have changed.
func (e *Entry) intact() *tool.Failure {
	if e.Intact == nil {
		return nil
	}
	if err := e.Intact(); err != nil {
		return tool.Failf(tool.FailDenied, "tool %q is not run: %v", e.Tool.ID, err)
	}
	return nil
}

// granted turns an approval into the permit that every run of the act needs, and performs the act: by a
// kept result, else by running it, repeatedly while it fails in a way that may pass, each time through the
// circuit breakers and in its turn.
func (e *Executor) granted(ctx context.Context, a *act, decision permissions.Decision) runResult {
	if failure := e.fill(ctx, a); failure != nil {
		return notRun(failure)
	}
	permit, err := permissions.Issue(decision, a.invocation.Digest(), a.plan.Digest(), e.now())
	if err != nil {
		return notRun(tool.Failf(tool.FailDenied, "%v", err))
	}
	return e.cached(ctx, a, permit, func() runResult {
		return e.retried(ctx, a, func() runResult {
			return e.guarded(ctx, a, func() runResult {
				return e.withToken(ctx, a, func() runResult {
					return e.stored(ctx, a, permit, func() runResult {
						return e.inTurn(ctx, a, func() runResult {
							return e.run(ctx, a, permit)
						})
					})
				})
			})
		})
	})
}

// holds returns a failure if what was decided no longer holds for what is about to be done.
//
// The rules are asked again, since comparing the hash of those in force would not do: they depend on the
// workspace, and the same rules may reject now what they approved before, for example because a path leads
// elsewhere when a call is repeated. Governors are not asked again, since they count, but those that were
// asked must still be in force.
func (e *Executor) holds(a *act, permit permissions.Permit) *tool.Failure {
	now := e.inForce(a.call.Workspace)
	again := a.maskDecision(now.Rules.Decide(a.request))
	if err := permit.Covers(a.invocation.Digest(), a.plan.Digest(), again.Policy, now.governors(a),
		e.now()); err != nil {
		return tool.Failf(tool.FailDenied, "the permission no longer holds: %v", err)
	}
	if again.Verdict == permissions.Reject {
		return tool.Failf(tool.FailDenied, "the permission no longer holds: %s", denial(a, again))
	}
	// Whoever calls may have shown another token by now, and the files may let in others.
	if entry, ok := now.Tools.LookupIn(a.call.Workspace, a.tool.ID); ok && !entry.Tool.Access.Lets(a.call.Origin.Claims.Now()) {
		return tool.Failf(tool.FailDenied,
			"the permission no longer holds: by what is known of the caller now, there is no tool %q for it", a.tool.ID)
	}
	// The files that its names mean must still be those that were decided about.
	if a.moved() {
		return tool.Failf(tool.FailDenied,
			"the permission no longer holds: a path of the call leads to another file by now than when it was decided")
	}
	return nil
}

// run carries the act out once, if what was decided still holds.
func (e *Executor) run(ctx context.Context, a *act, permit permissions.Permit) runResult {
	if failure := e.holds(a, permit); failure != nil {
		return notRun(failure)
	}
	if failure := a.entry.intact(); failure != nil {
		return notRun(failure)
	}
	if err := e.recordStart(ctx, a); err != nil {
		return notRun(tool.Failf(tool.FailInternal, "the call was not begun, since that could not be recorded: %v", err))
	}
	spools := e.follow(a)
	to, heard := a.listen(spools)
	ended, err := a.runner.Run(ctx, a, to)
	ended = a.clean(ended)
	spools.end(&ended)
	heard.end(ended.Truncated || ended.Signal != "")
	if err != nil {
		spools.drop(nil)
		failure := asFailure(err, tool.FailInternal)
		failure.Message = a.redactor.String(failure.Message)
		return runResult{outcome: ended, failure: failure}
	}
	return runResult{outcome: ended, began: true, spools: spools}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
