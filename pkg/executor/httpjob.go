package executor

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Watcher is told while it waits how a call goes on. A Caller that implements it is one. The words are ours, and hold
// nothing that a server has said. Working is called by the goroutine that carries the call out, which waits for it.
type Watcher interface {
	Working(text string)
}

// cancelJobTime is how long the request may take that ends a job whose caller has given up.
const cancelJobTime = 5 * time.Second

// waiting is a job that a request has begun, while it is followed to its end.
type waiting struct {
	requests
	a        *act
	x        httptool.Exchange // with what is asked
	out      *outcome
	job      *events.Job
	deadline time.Time
	looks    int
	before   string // why the last look says nothing; "" where it does
}

// begunJob is the job that an answer says it has begun, and the headers that it is asked about with. Where the answer
// does not say enough, that is a failure: the job is begun all the same.
func (a *act) begunJob(from string, got answer.Answer) (*events.Job, []request.Header, *tool.Failure) {
	spec, entry := a.tool.HTTP.Answer.Job, a.entry
	values := map[string]any{}
	maps.Copy(values, a.arguments)
	if data, err := answer.Data(got); err == nil {
		values[request.Response] = data // no parameter is called so
	}
	look, failure := entry.Look.Render(values, a.call.ID)
	if failure != nil {
		return nil, nil, unfollowed(a, failure.Message)
	}
	job := &events.Job{Source: a.tool.HTTP.API.Name, URL: look.URL}
	if spec.From != "" || spec.Located() {
		if job.URL = entry.Answer.JobURL(got, from); job.URL == "" {
			return nil, nil, unfollowed(a, "the answer does not say where")
		}
		if !httptool.SameOrigin(job.URL, a.tool.HTTP.API.Origin) {
			return nil, nil, unfollowed(a, "the answer names a place at another origin")
		}
	}
	if entry.Cancel != nil {
		cancel, failure := entry.Cancel.Render(values, a.call.ID)
		if failure != nil {
			return nil, nil, unfollowed(a, "it could not be cancelled: "+failure.Message)
		}
		job.Cancel = cancel.Method + " " + cancel.URL
	}
	return job, look.Header, nil
}

func unfollowed(a *act, why string) *tool.Failure {
	return tool.Failf(tool.FailNoJSON, "the request was answered, and the job that it has begun is not asked about: %s (poll, %s)",
		why, a.tool.Source)
}

// follow follows the job that a request has begun to its end. It is on record before it is asked about.
func (r requests) follow(ctx context.Context, a *act, x httptool.Exchange, out *outcome, first answer.Answer) {
	out.HTTP.Job = &tool.JobReport{}
	job, header, failure := a.begunJob(x.Request.URL, first)
	if failure == nil {
		job.Began = now(r.now)
		out.HTTP.Job.URL = a.shownURL(job.URL)
		if err := a.begun(ctx, job); err != nil {
			failure = unfollowed(a, "that could not be recorded: "+err.Error())
		}
	}
	if failure != nil {
		out.Ended = failure
		return
	}
	x.Request, x.To = &request.Request{Method: http.MethodGet, URL: job.URL, Header: header, Origin: x.Request.Origin}, ""
	(&waiting{requests: r, a: a, x: x, out: out, job: job}).wait(ctx)
}

// begunJob reports whether a request has begun a job, whatever became of that.
func (o *outcome) begunJob() bool { return o.HTTP != nil && o.HTTP.Job != nil }

// wait asks about a job until it has ended, its time is over, or its caller gives up. What it was answered with last is
// what became of the act.
func (w *waiting) wait(ctx context.Context) {
	spec := w.a.tool.HTTP.Answer.Job
	w.deadline = now(w.now).Add(spec.Deadline)
	delay, later := spec.Interval, w.out.RetryAfter
	for {
		pause := max(delay, later)
		if w.looks == spec.Most || now(w.now).Add(pause).After(w.deadline) {
			w.timeOut()
			return
		}
		if w.pause(ctx, pause) != nil {
			w.giveUp(ctx)
			return
		}
		w.looks++
		var done bool
		if done, later = w.look(ctx); done {
			return
		}
		if w.a.watcher != nil {
			w.a.watcher.Working(fmt.Sprintf("the job goes on (look %d)", w.looks))
		}
		delay = min(spec.MaxInterval, time.Duration(math.Min(float64(delay)*spec.Factor, float64(spec.MaxInterval))))
	}
}

func (r requests) pause(ctx context.Context, d time.Duration) error {
	if r.sleep == nil {
		return sleepFor(ctx, d)
	}
	return r.sleep(ctx, d)
}

// look asks once, and once more with another token where the source does not take the first. done says that the act has
// ended; later is how long the server wants nobody to come back.
func (w *waiting) look(ctx context.Context) (done bool, later time.Duration) {
	got, body, err := w.ask(ctx)
	if err == nil && got.Status == http.StatusUnauthorized && w.a.renewToken != nil {
		if failure := w.a.renewToken(ctx); failure == nil {
			got, body, err = w.ask(ctx)
		}
	}
	w.out.Elapsed += got.Elapsed
	w.out.HTTP.Job.Looks = w.looks
	if err != nil {
		failure := asFailure(err, tool.FailInternal)
		switch {
		case failure.Code == tool.FailCancelled:
			w.giveUp(ctx)
			return true, 0
		case failure.Retryable:
			w.before = failure.Message
			return false, 0
		}
		w.out.Ended, w.out.Stdout, w.out.OutputBytes = failure, nil, 0
		return true, 0
	}
	if body.Truncated {
		w.out.Ended = tool.Failf(tool.FailOutput, "what the job was asked for has more than %d bytes; %s in the tool's entry (%s) "+
			"sets that limit", w.x.Limits.Bytes, limitKey(false), w.a.tool.Source)
		w.out.LimitsHit, w.out.Stdout, w.out.OutputBytes = []string{"output"}, nil, 0
		return true, 0
	}
	if httptool.MayPass(got.Status) {
		w.before = fmt.Sprintf("status %d", got.Status)
		return false, got.RetryAfter(now(w.now))
	}
	reading := w.a.entry.Answer
	said := answer.Answer{Status: got.Status, Header: got.Header, Body: body.Data}
	standing := answer.Completed
	if httptool.Succeeded(got.Status) {
		standing = reading.Stands(said)
	}
	if w.before = ""; standing == answer.Running {
		return false, got.RetryAfter(now(w.now))
	}
	w.end(got, said, standing)
	return true, 0
}

// ask sends the request that asks about the job.
func (w *waiting) ask(ctx context.Context) (*httptool.Answer, *httptool.Body, error) {
	if failure := w.turns.wait(ctx, w.a); failure != nil {
		return &httptool.Answer{}, nil, failure
	}
	settled, _ := w.a.plan.(requestPlan) // the runner of requests makes no other
	x := w.x
	x.Credentials = w.a.credentials(settled)
	x.Limits.Time = max(time.Millisecond, min(x.Limits.Time, w.deadline.Sub(now(w.now))))
	body := &httptool.Body{Keep: true}
	got, err := w.client.Do(ctx, x, body)
	return got, body, err
}

// end makes the last answer what became of the act.
func (w *waiting) end(got *httptool.Answer, said answer.Answer, standing answer.Standing) {
	out, reading := w.out, w.a.entry.Answer
	out.answered(got, now(w.now))
	out.HTTP.Status, out.Stdout, out.OutputBytes = got.Status, said.Body, int64(len(said.Body))
	switch {
	case out.means(reading.Meaning(said)):
	case out.ExitCode != 0:
		out.Notes = append(out.Notes, "this is what the job was asked for and answered with")
	case standing == answer.Failed:
		out.ExitCode, out.JobFailed = got.Status, true
	default:
		result, err := reading.Result(said)
		if err != nil {
			out.Ended = tool.Failf(tool.FailNoJSON, "the job has ended, and %v (%s)", err, w.a.tool.Source)
			return
		}
		out.Stdout, out.OutputBytes = result, int64(len(result))
	}
}

// timeOut ends the waiting. The job goes on.
func (w *waiting) timeOut() {
	spec := w.a.tool.HTTP.Answer.Job
	why := fmt.Sprintf("had not ended when it was asked for the last time (%d times, within %s: max_poll_attempts "+
		"and deadline under poll)",
		w.looks, spec.Deadline)
	if w.before != "" {
		why += ", and the last time there was no word of it: " + w.before
	}
	failure := tool.Failf(tool.FailPollTimeout, "the job %s of the call %s %s; `a2a-acp tools resume %s` asks on",
		w.a.shownURL(w.job.URL), w.a.call.ID, why, w.a.call.ID)
	failure.Retryable = true
	failure.Details["job"], failure.Details["call"], failure.Details["looks"] = w.a.shownURL(w.job.URL), w.a.call.ID, w.looks
	w.out.Ended, w.out.Stdout, w.out.OutputBytes = failure, nil, 0
}

// giveUp ends the job, where its author says how.
func (w *waiting) giveUp(ctx context.Context) {
	w.out.Ended, w.out.Stdout, w.out.OutputBytes, w.out.LimitsHit = gaveUp(), nil, 0, nil
	method, url, given := strings.Cut(w.job.Cancel, " ")
	if !given {
		w.out.Ended.Message += "; the job goes on: " + w.a.shownURL(w.job.URL)
		return
	}
	settled, _ := w.a.plan.(requestPlan)
	x := w.x
	x.Request, x.To = &request.Request{Method: method, URL: url, Header: x.Request.Header, Origin: x.Request.Origin}, ""
	x.Credentials, x.Limits.Time = w.a.credentials(settled), min(x.Limits.Time, cancelJobTime)
	got, err := w.client.Do(context.WithoutCancel(ctx), x, &httptool.Body{})
	switch {
	case err != nil:
		w.out.Ended.Message += "; the job was told to end, and gave no answer"
	case !httptool.Succeeded(got.Status):
		w.out.Ended.Message += fmt.Sprintf("; the job was told to end, and that was answered with status %d", got.Status)
	default:
		w.out.Ended.Message += "; the job was told to end"
	}
}

// shownURL is a URL that a server named, as it may be shown: without what the act was given.
func (a *act) shownURL(url string) string {
	if a.redactor != nil {
		url = a.redactor.String(url)
	}
	return a.mask(url)
}
