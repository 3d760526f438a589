package executor

import (
	"context"
	"net/url"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Resume asks on about a job that an earlier call of the tool has begun, as it stands on record: a call of its own, which
// is decided and recorded as one. It blocks until the job has ended, as Execute does. What it sends are the requests that
// ask about the job, and the one that ends it where the caller gives up; nothing is begun again. A job that the tool's
// source of now cannot be asked about is refused.
func (e *Executor) Resume(ctx context.Context, call tool.Call, job events.Job, caller Caller) tool.Result {
	return e.execute(ctx, call, caller, func(call tool.Call) (*act, *tool.Failure) { return e.resumed(call, job) })
}

// resumed is prepare for a job that was begun.
func (e *Executor) resumed(call tool.Call, job events.Job) (*act, *tool.Failure) {
	in := e.inForce(call.Workspace)
	entry, failure := resolve(in, call)
	if failure != nil {
		return nil, failure
	}
	if entry.Tool.HTTP == nil || !entry.Answer.Begins() {
		return nil, tool.Failf(tool.FailNotFound, "the tool %s begins no job (%s)", call.Tool, entry.Tool.Source)
	}
	_, cancel, cancels := strings.Cut(job.Cancel, " ")
	origin := entry.Tool.HTTP.API.Origin
	switch {
	case job.Partial:
		return nil, tool.Failf(tool.FailNotFound, "the job's URL is not on record as a whole: a secret stands in it")
	case !httptool.SameOrigin(job.URL, origin), cancels && !httptool.SameOrigin(cancel, origin):
		return nil, tool.Failf(tool.FailDenied, "the job is at another origin than %s is by now: %s", entry.Tool.HTTP.API.Who(), origin)
	}
	at, err := url.Parse(job.URL)
	if err != nil {
		return nil, tool.Failf(tool.FailNotFound, "the job's URL cannot be read")
	}
	look := &request.Request{Method: "GET", URL: job.URL, Origin: origin, Path: at.Path, Header: entry.Look.Fixed()}
	for name, values := range at.Query() {
		for _, value := range values {
			look.Query = append(look.Query, request.Header{Name: name, Value: value})
		}
	}
	a := &act{call: call, in: in, entry: entry, tool: entry.Tool, runner: e.runnerOf(entry.Tool), hidden: e.hidden}
	work := &requestWork{tool: entry.Tool, template: entry.Look, decided: look, sent: look, resumes: &job}
	work.public = &shownRequest{Method: look.Method, URL: look.URL, Header: look.Header}
	a.invocation = &tool.Invocation{Tool: entry.Tool.ID, Dir: call.Dir, Work: work, References: entry.Tool.Sandbox.References,
		Trace: call.Origin.Trace}
	if len(a.tool.SecretParameters()) > 0 || a.tool.Audit == tool.AuditMetadata {
		a.invocation.Key = e.fingerprintKey
	}
	a.describe()
	return a, a.planOut()
}

// resume asks on about a job.
func (r requests) resume(ctx context.Context, a *act, x httptool.Exchange) outcome {
	work := requestOf(a.invocation)
	job := *work.resumes
	out := outcome{HTTP: &tool.HTTPReport{Method: work.sent.Method, URL: work.sent.URL,
		Job: &tool.JobReport{URL: a.shownURL(job.URL)}}}
	if err := a.begun(ctx, &job); err != nil {
		out.Ended = unfollowed(a, "that could not be recorded: "+err.Error())
		return out
	}
	(&waiting{requests: r, a: a, x: x, out: &out, job: &job}).wait(ctx)
	return out
}
