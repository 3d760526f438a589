package executor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/httpcache"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Client sends requests. *httptool.Client is one.
type Client interface {
	Do(context.Context, httptool.Exchange, *httptool.Body) (*httptool.Answer, error)
	// Token returns a token that a source wants, which may take a request to its token endpoint.
	Token(context.Context, httptool.TokenRequest) (httptool.Token, error)
	// DropToken has a token used no more, which the source did not take.
	DropToken(w httptool.TokenRequest, value string)
}

// requests is the runner of tools that send a request.
type requests struct {
	client Client           // nil: none is sent
	now    func() time.Time // nil: time.Now
	sleep  func(context.Context, time.Duration) error
	turns  *turns
}

// requestPlan is where a request goes, and with what: everything that a yes is for beside its bytes.
type requestPlan struct {
	digest string
	filled map[string]string // what its references stand for, once that is known
}

func (p requestPlan) Digest() string { return p.digest }

// Render implements runner. What is decided about is the request as any call with these values would send it; what
// names the one call (a boundary, an idempotency key, uuid()) follows from the call's id.
func (requests) Render(entry *Entry, call tool.Call, arguments map[string]any, spool bool) (*tool.Invocation,
	*tool.Failure) {
	work := &requestWork{tool: entry.Tool, template: entry.Request}
	for _, further := range []*request.Template{entry.Look, entry.Cancel} {
		if further != nil {
			work.further = append(work.further, further)
		}
	}
	var failure *tool.Failure
	if work.decided, failure = entry.Request.Render(arguments, ""); failure != nil {
		return nil, failure
	}
	if work.sent = work.decided; work.decided.OfCall {
		if work.sent, failure = entry.Request.Render(arguments, call.ID); failure != nil {
			return nil, failure
		}
	}
	return &tool.Invocation{Tool: entry.Tool.ID, Dir: call.Dir, Work: work,
		References: entry.Tool.Sandbox.References, Spool: spool}, nil
}

// Plan implements runner.
func (r requests) Plan(invocation *tool.Invocation, filled map[string]string) (plan, *tool.Failure) {
	work := requestOf(invocation)
	if r.client == nil {
		return nil, tool.Failf(tool.FailSandbox, "%s: nothing here sends requests", invocation.Tool)
	}
	sends := work.tool.HTTP
	return requestPlan{sumOfPlan(&sends.API, &sends.Answer, limitsOf(work.tool, invocation.Spool)), maps.Clone(filled)}, nil
}

func limitsOf(t *tool.Tool, spool bool) httptool.Limits {
	limits := httptool.Limits{Time: t.Sandbox.Limits.Timeout, Bytes: t.Sandbox.Limits.Output}
	if spool {
		limits.Bytes = t.Output.MostSpilled()
	}
	return limits
}

// Run implements runner.
func (r requests) Run(ctx context.Context, a *act, to streams) (outcome, error) {
	settled, ok := a.plan.(requestPlan)
	if !ok {
		return outcome{ExitCode: -1}, tool.Failf(tool.FailInternal, "a request was given a plan of another kind: %T", a.plan)
	}
	work := requestOf(a.invocation)
	limits := limitsOf(a.tool, a.invocation.Spool)
	reading := a.entry.Answer
	body := &httptool.Body{To: to.stdout, Keep: to.last == 0 || reading.Whole()}
	if reading.Whole() {
		body.To = nil // what is told is not what comes
	}
	x := httptool.Exchange{Request: work.sent, API: a.tool.HTTP.API, Credentials: a.credentials(settled), Limits: limits}
	if work.resumes != nil {
		return r.resume(ctx, a, x), nil
	}
	if reading.Streams() {
		return r.stream(ctx, a, x, body), nil
	}
	if a.stale != nil {
		x.Validators = a.stale.Validators()
	}
	asked := now(r.now)
	answer, err := r.client.Do(ctx, x, body)
	out := outcome{
		ExitCode: -1, Stdout: body.Data, OutputBytes: body.Bytes, Truncated: body.Truncated, Elapsed: answer.Elapsed,
		HTTP: &tool.HTTPReport{Method: work.shown(a).Method, URL: work.shown(a).URL, Status: answer.Status},
	}
	if err != nil {
		out.Ended = asFailure(err, tool.FailInternal)
		return out, nil
	}
	out.answered(answer, now(r.now))
	if a.tool.Caching.HTTP && !a.isRepeated(body.Data) {
		out.Answered = &httpcache.Answer{Status: answer.Status, Header: answer.Header, Asked: asked, Came: now(r.now)}
	}
	if body.Truncated {
		out.tooLong(a, limits.Bytes)
		return out, nil
	}
	if !out.isUnchanged(a) && reading.Whole() {
		r.read(ctx, a, x, &out, answer)
	}
	return out, nil
}

func now(clock func() time.Time) time.Time {
	if clock == nil {
		return time.Now()
	}
	return clock()
}

// answered notes what an answer says beside its body.
func (o *outcome) answered(answer *httptool.Answer, now time.Time) {
	o.ExitCode = answer.Status
	if httptool.Succeeded(answer.Status) {
		o.ExitCode = 0
	}
	o.Permanent = !httptool.MayPass(answer.Status)
	o.RetryAfter = answer.RetryAfter(now)
	if location := answer.Header.Get("Location"); answer.Status >= 300 && answer.Status < 400 && location != "" {
		o.Notes = append(o.Notes, "the answer leads to "+display.Line(location)+
			", and is not followed; redirects under the source lets so many be, to the same origin")
	}
	if answer.Unknown {
		o.Notes = append(o.Notes, "the answer is a text of a charset that is not known here, and told as it came")
	}
}

// tooLong says that the answer has more than the call may have.
func (o *outcome) tooLong(a *act, most int64) {
	o.Truncated = true
	o.Ended = tool.Failf(tool.FailOutput, "the answer has more than %d bytes; what came before is kept, and %s "+
		"in the tool's entry (%s) sets that limit", most, limitKey(a.invocation.Spool), a.tool.Source)
	o.LimitsHit = []string{"output"}
}

func limitKey(spool bool) string {
	if spool {
		return "spill_mb under output"
	}
	return "max_output_mb under resource_limits"
}

// Describe implements runner: the request, for rules.
func (requests) Describe(a *act) {
	sent := requestOf(a.invocation).decided
	query := map[string]any{}
	for _, field := range sent.Query {
		switch before := query[field.Name].(type) {
		case nil:
			query[field.Name] = field.Value
		case []any:
			query[field.Name] = append(before, field.Value)
		default:
			query[field.Name] = []any{before, field.Value}
		}
	}
	var body any = map[string]any{} // so that expressions find no member in it
	switch {
	case sent.Data != nil:
		body = sent.Data
	case utf8.Valid(sent.Body) && sent.Body != nil:
		body = string(sent.Body)
	}
	a.request.Sent = map[string]any{"method": sent.Method, "url": sent.URL, "path": sent.Path, "query": query, "body": body}
	a.request.Credential = len(a.invocation.References) > 0
}

// Show implements runner: the request as it is sent, but for what the program adds.
func (requests) Show(a *act) string {
	var text strings.Builder
	text.WriteString(display.Fence("http", display.Full(requestOf(a.invocation).shown(a).text())))
	if given := a.sourcesOfValues(); given != "" {
		fmt.Fprintf(&text, "\ngiven, and not shown\n%s", display.Fence("", display.Full(given)))
	}
	if pages := a.tool.HTTP.Answer.Pages; pages.Next != "" {
		fmt.Fprintf(&text, "\nand up to %s that the answers name, of the same origin",
			display.Count(pages.Most-1, "further page", "further pages"))
	}
	if job := a.tool.HTTP.Answer.Job; job.IsJob() {
		fmt.Fprintf(&text, "\nand up to %s %s, until the job has ended that it begins, at the longest for %s",
			display.Count(job.Most, "time", "times"), display.FullLine(job.Look), job.Deadline)
		if job.Cancel != "" {
			text.WriteString("\nand " + display.FullLine(job.Cancel) + ", if the call is given up")
		}
	}
	if a.tool.Caching.HTTP {
		text.WriteString("\nor answered with what it was answered before, for as long as the server lets that be kept")
	}
	if n := a.tool.HTTP.API.Redirects; n > 0 {
		text.WriteString("\nand up to " + display.Count(n, "redirect", "redirects") + ", to the same origin")
	}
	return text.String()
}

// Preview implements runner.
func (requests) Preview(a *act, p *Preview) {
	shown := requestOf(a.invocation).shown(a)
	p.Shown = shown.text()
	p.Request = &RequestPreview{Method: shown.Method, URL: shown.URL, Headers: map[string]string{}, Body: string(shown.Body)}
	for _, h := range shown.Header {
		if before, twice := p.Request.Headers[h.Name]; twice {
			h.Value = before + ", " + h.Value
		}
		p.Request.Headers[h.Name] = h.Value
	}
	given := map[string]string{}
	for name, reference := range a.invocation.References {
		given[name] = reference.String()
	}
	if name, words := a.fetchedInWords(); name != "" {
		given[name] = words
	}
	if len(given) > 0 {
		p.Request.Given = given
	}
}

// Tell implements runner.
func (requests) Tell(a *act, o outcome, metadata *tool.Metadata) {
	metadata.Sandbox = tool.SandboxReport{Level: "none", Network: true, Limits: map[string]int64{},
		LimitsHit: append([]string{}, o.LimitsHit...), Hints: append([]tool.Hint{}, tool.Hints(o.Notes...)...)}
	if o.HTTP == nil {
		return
	}
	report := *o.HTTP
	metadata.HTTP = &report
	if report.Status != 0 {
		metadata.Diagnostics["return_code"] = report.Status
	}
}

// Refusals implements runner: a request has no sandbox.
func (requests) Refusals(*act, string, int) []tool.Hint { return nil }

// Cure implements runner.
func (requests) Cure(t *tool.Tool, o outcome) string {
	api := t.HTTP.API
	switch o.ExitCode {
	case http.StatusUnauthorized:
		if api.Auth.Kind == tool.AuthNone && api.Name != "" {
			return "the source " + api.Name + " has no auth; write for example auth: {bearer: {secret: NAME}}"
		}
		if api.Auth.Kind != tool.AuthNone {
			return "the credential of the source " + api.Name + " was not accepted; `a2a-acp secrets set` replaces it"
		}
	case http.StatusTooManyRequests:
		return "the server wants fewer requests"
	}
	return ""
}

// The error codes of protocols that say what a status says (JSON-RPC 2.0 section 5.1; ACP, Error).
const (
	codeInvalid      = -32602
	codeNotFound     = -32002
	codeUnauthorised = -32000
)

// meaningOfStatus is what a status means that error_mapping does not mention.
func meaningOfStatus(o outcome) *tool.MCPError {
	m := &tool.MCPError{Code: codeInternal, Message: "Internal error", ReturnCode: o.ExitCode, Unmapped: true,
		Retryable: !o.Permanent, Detail: strings.TrimSpace(fmt.Sprintf("HTTP status %d %s", o.ExitCode, http.StatusText(o.ExitCode)))}
	if o.JobFailed {
		m.Detail = "the job has failed"
	}
	switch o.ExitCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		m.Code, m.Message = codeUnauthorised, "Authentication required"
	case http.StatusNotFound, http.StatusGone:
		m.Code, m.Message = codeNotFound, "Resource not found"
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		m.Code, m.Message = codeInvalid, "Invalid params"
	}
	return m
}
