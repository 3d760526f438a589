package executor

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// keep records an event about an act, as much of it as its tool's author wants on record.
func (e *Executor) keep(ctx context.Context, a *act, event events.Event) error {
	event.Reduce(a.tool.Audit)
	return e.record.Record(context.WithoutCancel(ctx), event)
}

// recordStart says that the act's process is about to start, for each attempt. It is not on disk by then, as the
// decision is: that this was the last thing that happened before the power failed, nobody needs to know.
func (e *Executor) recordStart(ctx context.Context, a *act) error {
	a.attempts++
	event := a.later(events.ToolStarted)
	event.Time, event.Act.Given = e.now(), a.given
	event.Act.Arguments = gate.RecordedArguments(a.request, a.hidden.Mark, a.marked)
	if a.attempts > 1 {
		event.Outcome = &events.Outcome{Status: events.Started, Attempt: a.attempts}
	}
	err := e.keep(ctx, a, event)
	if err != nil && a.goesOn {
		e.later(a, event)
		return nil
	}
	return err
}

// recordJob says which job the act has begun, on disk: whoever comes later can ask about it.
func (e *Executor) recordJob(ctx context.Context, a *act, job *events.Job) error {
	event := a.later(events.JobBegun)
	event.Time = e.now()
	kept := *job
	kept.URL, kept.Cancel = a.marked(a.shownURL(job.URL)), a.marked(a.shownURL(job.Cancel))
	kept.Partial = kept.URL != job.URL || kept.Cancel != job.Cancel
	event.Job = &kept
	return e.keep(ctx, a, event)
}

// later has an event about an act recorded when that can be done again, where somebody sees to that.
func (e *Executor) later(a *act, event events.Event) {
	event.Reduce(a.tool.Audit)
	events.RecordLater(e.record, event)
}

// recordEnd says what the call came to. The effect has happened by now, so a record that cannot be written
// is told in the result and stops the next call, not this one.
func (e *Executor) recordEnd(ctx context.Context, a *act, result tool.Result, r runResult) {
	event := a.later(events.ToolEnded)
	event.Time = e.now()
	event.Outcome = outcomeEvent(result, r)
	event.Outcome.Stdout, event.Outcome.Stderr = a.printed[0], a.printed[1]
	event.Outcome.TokenMillis = millis(a.token.took)
	if r.attempts > 1 {
		event.Outcome.Attempt = r.attempts
	}
	if r.kept != nil {
		event.Outcome.Cached, event.Outcome.SameAs = true, r.kept.call
	}
	if err := e.keep(ctx, a, event); err != nil {
		e.later(a, event)
		result.Metadata.Diagnostics["record"] = err.Error()
	}
}

// recordAttempt says what a run came to that is not the last one of its act. It has an entry of a type of
// its own, so that an act still ends once in the record, whoever counts. What cannot be recorded is not
// tried again. Where something else keeps it from that, the act ends with the number of the attempt that is
// on record already.
//
// Nothing that the run has put out is kept, not even its hash: governors screen the output that is given
// out, which is that of the last run, and what nobody has screened must not stand in a file or in the
// record.
func (e *Executor) recordAttempt(ctx context.Context, a *act, r *runResult) error {
	silent := *r
	silent.outcome.Stdout, silent.outcome.Stderr = nil, nil
	if r.spools != nil {
		silent.spools = new(spoolPair)
	}
	event := a.later(events.ToolAttempted)
	event.Time = e.now()
	event.Outcome = outcomeEvent(e.mapOutcome(a, silent), silent)
	event.Outcome.OutputHash = "" // it would be that of nothing
	event.Outcome.Millis, event.Outcome.Attempt = millis(r.outcome.Elapsed), r.attempts
	err := e.keep(ctx, a, event)
	if err != nil {
		e.later(a, event)
	}
	return err
}

// recordChanges says how the circuit of the act's tool has changed. The change has happened by now, so one
// that cannot be recorded is told in the result.
func (e *Executor) recordChanges(ctx context.Context, a *act, c *circuit) error {
	var errs []error
	for _, change := range c.taken() {
		event := a.event(events.CircuitChanged)
		event.Act = nil // what is recorded happened to the tool
		event.Time, event.Circuit = change.at, &change.circuit
		errs = append(errs, e.keep(ctx, a, event))
	}
	return errors.Join(errs...)
}

// refuse is the result of a call that ran nothing.
func (e *Executor) refuse(ctx context.Context, call tool.Call, decision *permissions.Decision,
	started time.Time, failure *tool.Failure) tool.Result {
	result := tool.Result{
		CallID: call.ID, ToolID: call.Tool, Status: statusOf(failure), ExitCode: -1, Error: failure,
		ExecutionTimeMS: millis(e.now().Sub(started)),
		Metadata: tool.Metadata{
			Diagnostics: map[string]any{},
			Sandbox: tool.SandboxReport{Level: "none", Limits: map[string]int64{}, LimitsHit: []string{},
				Hints: []tool.Hint{}},
		},
	}
	if decision != nil {
		summary := decision.Summary()
		result.Metadata.Decision = &summary
		return result // recorded with its decision
	}
	event := eventOf(events.ToolEnded, call)
	event.Time = e.now()
	event.Act = &events.Act{Kind: string(permissions.ActionCall), Tool: events.Text(call.Tool), Trial: call.Origin.Trial}
	event.Outcome = outcomeEvent(result, runResult{})
	if entry, ok := e.inForce(call.Workspace).Tools.LookupIn(call.Workspace, call.Tool); ok {
		event.Reduce(entry.Tool.Audit)
	}
	if err := e.record.Record(context.WithoutCancel(ctx), event); err != nil {
		result.Metadata.Diagnostics["record"] = err.Error()
	}
	return result
}
