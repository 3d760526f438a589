package executor

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Caller is who stands behind a call: the door that it came through, and the person behind that door.
type Caller interface {
	approval.Asker
}

// Execute carries a call from request to result. It blocks until the call has ended and nothing of it is left; ending ctx
// ends the call. Every outcome is a Result, ours and the tool's alike: Result.Error is set when we are the reason.
func (e *Executor) Execute(ctx context.Context, call tool.Call, caller Caller) tool.Result {
	if call.ID == "" {
		call.ID = e.newID()
	}
	started := e.now()

	entry, failure := e.resolve(call)
	if failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}
	arguments, failure := entry.Tool.CheckArguments(call.Arguments)
	if failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}
	invocation, failure := e.render(entry, call, arguments)
	if failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}
	plan, failure := e.plan(invocation)
	if failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}

	if failure := e.missing(entry.Tool, invocation); failure != nil {
		return e.refuse(ctx, call, nil, started, failure)
	}

	act := newAct(call, entry, arguments, invocation)
	act.plan = plan
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

// resolve finds the tool.
func (e *Executor) resolve(call tool.Call) (*Entry, *tool.Failure) {
	entry, ok := e.tools.LookupIn(call.Workspace, call.Tool)
	if !ok {
		meant := ""
		if near := tool.Nearest(call.Tool, e.tools.ids(call.Workspace)); near != "" {
			meant = fmt.Sprintf(" (did you mean %s?)", near)
		}
		return nil, tool.Failf(tool.FailNotFound, "there is no tool %q%s; `a2a-acp tools list` shows those there are", call.Tool, meant)
	}
	if entry.Tool.Unavailable != "" {
		return nil, tool.Failf(tool.FailSandbox, "tool %q is not available: %s (%s)", call.Tool, entry.Tool.Unavailable, entry.Tool.Source)
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

// render fills the arguments in. It has no effect on anything.
func (e *Executor) render(entry *Entry, call tool.Call, arguments map[string]any) (*tool.Invocation, *tool.Failure) {
	rendered, err := entry.Template.Render(arguments)
	if err != nil {
		return nil, templateFailure(entry.Tool, asFailure(err, tool.FailTemplate))
	}
	settings := entry.Tool.Sandbox
	dir := realDirectory(call.Dir)
	settings.AllowedPaths = allowedPaths(settings, dir)
	spool := e.spools(entry.Tool, call.Workspace)
	if spool {
		settings.Limits.Output = entry.Tool.Output.MostSpilled()
	}
	interpreter := rendered.Program
	if interpreter == nil {
		interpreter = []string{e.bash, "--noprofile", "--norc", scriptPath}
	}
	environment := settings.Environment
	if len(rendered.Environment) > 0 {
		environment = maps.Clone(rendered.Environment)
		maps.Copy(environment, settings.Environment) // whose names cannot be ours
	}
	return &tool.Invocation{
		Tool:        entry.Tool.ID,
		Interpreter: interpreter,
		Script:      rendered.Script,
		Values:      rendered.Values,
		Parameters:  rendered.Parameters,
		Dir:         startDirectory(settings, dir),
		Environment: environment,
		Sandbox:     settings,
		References:  settings.References,
		Shown:       rendered.Shown,
		Dynamic:     rendered.Dynamic,
		Spool:       spool,
	}, nil
}

// plan settles what this host will enforce.
func (e *Executor) plan(invocation *tool.Invocation) (sandbox.Plan, *tool.Failure) {
	plan, err := e.host.Plan(profile(invocation))
	if err != nil {
		return sandbox.Plan{}, asFailure(err, tool.FailSandbox)
	}
	return plan, nil
}

// granted turns an approval into the grant that every run of the act needs, and performs it.
func (e *Executor) granted(ctx context.Context, a *act, decision permissions.Decision) ran {
	if failure := e.fill(ctx, a); failure != nil {
		return notRun(failure)
	}
	grant, err := permissions.Issue(decision, a.invocation.Digest(), a.plan.Digest(), e.now())
	if err != nil {
		return notRun(tool.Failf(tool.FailDenied, "%v", err))
	}
	return e.perform(ctx, a, grant)
}

// holds tells whether what was decided still holds for what is about to be done: nil when it does.
func (e *Executor) holds(a *act, grant permissions.Grant) *tool.Failure {
	// Which rules are in force depends on the workspace too, so they are asked again rather than for their name. The same rules
	// may reject by now what they approved before: a path may lead elsewhere when a call is tried again. Governors are not asked
	// again, since they count; but those that were asked must be those in force.
	again := a.maskDecision(e.gate.Decide(a.request))
	if err := grant.Covers(a.invocation.Digest(), a.plan.Digest(), again.Policy, e.inForce(a), e.now()); err != nil {
		return tool.Failf(tool.FailDenied, "the permission no longer holds: %v", err)
	}
	if again.Verdict == permissions.Reject {
		return tool.Failf(tool.FailDenied, "the permission no longer holds: %s", denial(a, again))
	}
	return nil
}

// run starts the process.
func (e *Executor) run(ctx context.Context, a *act, grant permissions.Grant) ran {
	if failure := e.holds(a, grant); failure != nil {
		return notRun(failure)
	}
	if failure := a.entry.intact(); failure != nil {
		return notRun(failure)
	}
	p := process(a.invocation)
	spools := e.follow(a, &p)
	outcome, err := e.host.Run(ctx, a.plan, p)
	outcome = a.clean(outcome)
	spools.end(&outcome)
	if err != nil {
		spools.drop(nil)
		failure := asFailure(err, tool.FailInternal)
		failure.Message = a.redactor.String(failure.Message)
		return ran{outcome: outcome, failure: failure}
	}
	return ran{outcome: outcome, began: true, spools: spools}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
