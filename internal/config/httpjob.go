package config

import (
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// How a job is asked about if its author does not say: seed 002's numbers, and an end.
const (
	defaultLooks    = 60
	defaultFactor   = 1.5
	defaultInterval = time.Second
	defaultLongest  = 30 * time.Second
	defaultDeadline = 30 * time.Minute
	mostLooks       = 100_000
	longestInterval = time.Hour
	longestDeadline = 7 * 24 * time.Hour
)

// pollEntry is what stands under poll of a tool that is being read.
type pollEntry struct {
	at, status yamldoc.Value
	url        string
	cancel     cancelEntry
	job        tool.Job
}

// cancelEntry is the request that ends a job.
type cancelEntry struct {
	at           yamldoc.Value
	method, path string
}

// pollMapping is how a job is asked about until it has ended. The names are seed 002's.
func pollMapping() yamldoc.Mapping[*pollEntry] {
	whole := func(to func(*pollEntry) *time.Duration, most time.Duration) func(*pollEntry, yamldoc.Value) {
		return func(p *pollEntry, v yamldoc.Value) { v.SetDuration(to(p), most) }
	}
	where := func(p *pollEntry, v yamldoc.Value) {
		if p.status.Node != nil {
			v.Fail(ruleHTTP, "take one of them out", "where the job is asked about stands here twice")
			return
		}
		p.status = v
		v.SetText(&p.url)
	}
	return yamldoc.Mapping[*pollEntry]{
		Name: "poll",
		Keys: []yamldoc.Key[*pollEntry]{
			yamldoc.NewKey("status_url", "a path, such as /jobs/{{response.id}}, or {{response.status_url}}", where),
			yamldoc.NewKey("status_url_template", "a URL, such as https://api.example.com/jobs/{{response.id}}", where),
			yamldoc.NewKey("status_field_path", "names with dots, such as job.status",
				func(p *pollEntry, v yamldoc.Value) { v.SetText(&p.job.Status) }),
			yamldoc.NewKey("completed_values", "a list of words", func(p *pollEntry, v yamldoc.Value) { v.SetTexts(&p.job.Completed) }),
			yamldoc.NewKey("failed_values", "a list of words", func(p *pollEntry, v yamldoc.Value) { v.SetTexts(&p.job.Failed) }),
			yamldoc.NewKey("result_field_path", "names with dots, such as job.result",
				func(p *pollEntry, v yamldoc.Value) { v.SetText(&p.job.Result) }),
			yamldoc.NewKey("poll_interval_seconds", "seconds",
				whole(func(p *pollEntry) *time.Duration { return &p.job.Interval }, longestInterval)),
			yamldoc.NewKey("max_interval_seconds", "seconds",
				whole(func(p *pollEntry) *time.Duration { return &p.job.MaxInterval }, longestInterval)),
			yamldoc.NewKey("backoff_multiplier", "a number", func(p *pollEntry, v yamldoc.Value) {
				n, ok := v.Number()
				if !ok {
					return
				}
				f, err := n.Float64()
				if err != nil || f < 1 || f > largestMultiple {
					v.Fail(yamldoc.RuleValue, "", "want a number from 1 to %d, found %s", largestMultiple, n)
					return
				}
				p.job.Factor = f
			}),
			yamldoc.NewKey("max_poll_attempts", "a whole number", func(p *pollEntry, v yamldoc.Value) {
				if n, ok := v.Int(1, mostLooks); ok {
					p.job.Most = int(n)
				}
			}),
			yamldoc.NewKey("deadline", "seconds, or a duration such as 10m",
				whole(func(p *pollEntry) *time.Duration { return &p.job.Deadline }, longestDeadline)),
			yamldoc.NewKey("cancel", "{delete: /jobs/{{response.id}}} or {post: …}", func(p *pollEntry, v yamldoc.Value) {
				p.cancel.at = v
				yamldoc.ReadKeys(v, cancelMapping(), &p.cancel)
			}),
		},
		Synonyms: map[string]string{"url": "status_url", "status": "status_field_path", "completed": "completed_values",
			"failed": "failed_values", "result": "result_field_path", "interval": "poll_interval_seconds",
			"max_interval": "max_interval_seconds", "max_attempts": "max_poll_attempts", "attempts": "max_poll_attempts",
			"backoff": "backoff_multiplier", "timeout": "deadline"},
	}
}

// cancelMapping is what ends a job.
func cancelMapping() yamldoc.Mapping[*cancelEntry] {
	key := func(method string) yamldoc.Key[*cancelEntry] {
		return yamldoc.NewKey(strings.ToLower(method), "a path, such as /jobs/{{response.id}}", func(c *cancelEntry, v yamldoc.Value) {
			if c.method != "" {
				v.Fail(ruleHTTP, "keep one of them", "a job is ended by one request")
				return
			}
			c.method = method
			v.SetText(&c.path)
		})
	}
	return yamldoc.Mapping[*cancelEntry]{Name: "cancel",
		Keys: []yamldoc.Key[*cancelEntry]{key("DELETE"), key("POST"), key("PUT")}}
}

func (e *toolEntry) readPoll(v yamldoc.Value) {
	p := &pollEntry{at: v, job: tool.Job{Interval: defaultInterval, MaxInterval: defaultLongest, Factor: defaultFactor,
		Most: defaultLooks, Deadline: defaultDeadline}}
	e.http.poll = p
	yamldoc.ReadKeys(v, pollMapping(), p)
	switch {
	case v.Has("completed_values") && !v.Has("status_field_path"):
		v.Fail(ruleHTTP, "status_field_path: status", "want where the status stands")
	case v.Has("status_field_path"):
		if !v.Has("completed_values") {
			v.Fail(ruleHTTP, "completed_values: [completed]", "want the words of a job that has ended")
		}
	case v.Has("failed_values"):
		v.Fail(ruleHTTP, "status_field_path: status", "want where the status stands")
	}
	if p.cancel.at.Node != nil && p.cancel.method == "" && !p.cancel.at.IsFaulty() {
		p.cancel.at.Fail(ruleHTTP, "cancel: {delete: /jobs/{{response.id}}}", "want a method and a path")
	}
	if p.job.Interval <= 0 {
		p.job.Interval = defaultInterval // which was said to be wrong
	}
	p.job.MaxInterval = max(p.job.MaxInterval, p.job.Interval)
}

// compileJob compiles the requests that follow the one of the tool.
func (e *toolEntry) compileJob(loaded *Loaded) {
	p, h := e.http.poll, e.http
	if p == nil || loaded.Request == nil || p.at.IsFaulty() {
		return
	}
	if h.spec.Base == "" {
		p.at.Fail(ruleHTTP, "name a source, and write a path", "a URL that the agent chooses begins no job")
		return
	}
	if pages, both := h.at.Get("paginate"); both {
		pages.Fail(ruleHTTP, "take one of them out", "what a job is asked for has no pages")
		return
	}
	if p.job.Result != "" && e.tool.HTTP.Answer.Pick != "" {
		p.at.Fail(ruleHTTP, "take result_field_path out", "which part of the answer is the result is said twice")
		return
	}
	for _, parameter := range e.tool.Parameters {
		if parameter.Name == request.Response {
			p.at.Fail(ruleHTTP, "call the parameter otherwise", "a parameter is called %s, which names the answer here", request.Response)
			return
		}
	}
	if e.tool.Caching.Enabled {
		p.at.Fail(ruleHTTP, "take caching out", "what a job came to is not kept")
		return
	}
	loaded.Look, p.job.Look = e.compileLook(p)
	if p.cancel.method != "" {
		spec := e.jobSpec(p.cancel.method)
		loaded.Cancel = e.compileFurther(spec, p.cancel.path, p.cancel.at)
		p.job.Cancel = p.cancel.method + " " + p.cancel.path
	}
	e.tool.HTTP.Answer.Job = p.job
}

// compileLook compiles what asks about the job, and says what that is.
func (e *toolEntry) compileLook(p *pollEntry) (*request.Template, string) {
	spec := e.jobSpec("GET")
	if p.status.Node == nil {
		return e.compileFurther(spec, "/", p.at), tool.LookLocation
	}
	text := strings.TrimSpace(p.url)
	if inner, ok := strings.CutPrefix(text, "{{"); ok && strings.Index(text, "}}") == len(text)-2 {
		name := strings.TrimSpace(strings.TrimSuffix(inner, "}}"))
		if p.job.From, ok = strings.CutPrefix(name, request.Response+"."); !ok {
			p.status.Fail(ruleTemplate, "write {{response.…}} for a URL that the request was answered with",
				"the URL is the author's to say")
			return nil, ""
		}
		return e.compileFurther(spec, "/", p.at), "GET " + text
	}
	return e.compileFurther(spec, text, p.status), "GET " + text
}

// jobSpec is a further request of the tool: to its source, with those of its headers that hold no value.
func (e *toolEntry) jobSpec(method string) request.Spec {
	spec := request.Spec{Method: method, Base: e.http.spec.Base, Answered: true}
	for _, header := range e.http.spec.Headers {
		text, ok := header.Value.Scalar.(string)
		if ok && !strings.Contains(text, "{{") && !strings.EqualFold(header.Name, "Content-Type") {
			spec.Headers = append(spec.Headers, header)
		}
	}
	return spec
}

// compileFurther compiles a further request. Where is a path, or a URL of the source, either with a query.
func (e *toolEntry) compileFurther(spec request.Spec, where string, at yamldoc.Value) *request.Template {
	base := strings.TrimRight(spec.Base, "/")
	switch {
	case strings.HasPrefix(where, base+"/"):
		where = strings.TrimPrefix(where, base)
	case !strings.HasPrefix(where, "/"):
		at.Fail(ruleHTTP, "write a path, such as /jobs/{{response.id}}", "a job is asked about where it was begun, at %s", spec.Base)
		return nil
	}
	line, query := cutQuery(where)
	spec.Path = line
	fields, ok := queryFields(query)
	if !ok {
		at.Fail(ruleTemplate, "", "the query cannot be read")
		return nil
	}
	spec.Query = append(spec.Query, fields...)
	template, findings := request.Compile(spec, e.tool.Parameters)
	for _, finding := range findings {
		message := finding.Message
		if finding.Tag != "" {
			message = finding.Tag + ": " + message
		}
		at.Fail(ruleTemplate, finding.Fix, "%s", message)
	}
	return template
}
