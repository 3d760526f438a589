package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// baking makes a house with a tool that begins a job with a POST to /list, and asks about it at where, a path or "" for
// the header Location.
func baking(t *testing.T, server http.Handler, job tool.Job, where, cancel string) *house {
	t.Helper()
	h, baked := asking(t, server, tool.Answer{})
	origin := baked.HTTP.API.Origin
	if job.Look = tool.LookLocation; where != "" {
		job.Look = "GET " + where
	}
	job.Factor, job.Interval, job.MaxInterval = 2, time.Millisecond, 4*time.Millisecond
	if job.Deadline == 0 {
		job.Deadline = time.Hour
	}
	if job.Most == 0 {
		job.Most = 9
	}
	if cancel != "" {
		job.Cancel = "DELETE " + cancel
	}
	parameters := []tool.Parameter{{Name: "id", Type: tool.TypeString, Required: true}}
	compiled := func(method, path string, answered bool) *request.Template {
		spec := request.Spec{Method: method, Base: origin, Path: path, Answered: answered, Headers: []request.Field{{Name: "X-Version", Value: request.Text("2")}}}
		template, findings := request.Compile(spec, parameters)
		if template == nil {
			t.Fatal(findings)
		}
		return template
	}
	baked.Parameters, baked.HTTP.Method, baked.HTTP.Answer.Job, baked.Retry = parameters, "POST", job, tool.Retry{Attempts: 3}
	reading, wrong := answer.Compile(baked.HTTP.Answer, nil)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	entry := &Entry{Tool: baked, Request: compiled("POST", "/list", false), Answer: reading, Look: compiled("GET", "/", true)}
	if where != "" && job.From == "" {
		entry.Look = compiled("GET", where, true)
	}
	if cancel != "" {
		entry.Cancel = compiled("DELETE", cancel, true)
	}
	h.tools = NewTools([]*Entry{entry})
	client := h.executor.client
	h.executor.requests = requests{client: client, sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }}
	return h
}

// TestJob is a table of jobs that a request begins: how they are asked about, and what ends them. Nothing is asked of
// another origin, and the job is begun once, whatever its end.
func TestJob(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	words := tool.Job{Status: "status", Completed: []string{"done"}, Failed: []string{"broken"}, Result: "result"}
	linked := words
	linked.From = "at"
	plain := tool.Job{}
	run := func(n int) []string { return strings.Split(strings.Repeat(`200 {"status": "running"}|`, n), "|")[:n] }
	done := `200 {"status": "done", "result": {"id": 12345678901234567890}}`
	for name, test := range map[string]struct {
		job         tool.Job
		where       string
		began       string   // what the POST is answered with
		location    string   // its header
		looks       []string // what each look is answered with: status, body
		want, error string   // the output, the code of the error
		asked       int      // looks that arrive
		says        string
	}{
		"at once":            {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{done}, `{"id": 12345678901234567890}`, "", 1, ""},
		"after three":        {words, "/jobs/{{response.id}}", `{"id": 7}`, "", append(run(3), done), `{"id": 12345678901234567890}`, "", 4, ""},
		"failed":             {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{`200 {"status": "broken"}`}, `{"status": "broken"}`, "", 1, "the job has failed"},
		"at its location":    {plain, "", `{}`, "/jobs/7", []string{"202 ", "202 ", "200 baked"}, "baked", "", 3, ""},
		"at a link":          {linked, "{{response.at}}", `{"at": "jobs/7"}`, "", []string{done}, `{"id": 12345678901234567890}`, "", 1, ""},
		"too busy":           {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"429 ", "503 ", "502 ", done}, `{"id": 12345678901234567890}`, "", 4, ""},
		"unauthorised":       {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"401 no", done}, "no", "", 1, "401"},
		"forbidden":          {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"403 no", done}, "no", "", 1, "403"},
		"gone":               {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"410 no", done}, "no", "", 1, "410"},
		"not found":          {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"404 no", done}, "no", "", 1, "None"},
		"broken server":      {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"500 no", done}, "no", "", 1, "500"},
		"led elsewhere":      {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"302 no", done}, "no", "", 1, "302"},
		"never":              {words, "/jobs/{{response.id}}", `{"id": 7}`, "", run(20), "", "poll_timeout", 9, "/jobs/7 of the call"},
		"no status":          {words, "/jobs/{{response.id}}", `{"id": 7}`, "", strings.Split(strings.Repeat("200 {}|", 20), "|"), "", "poll_timeout", 9, "9 times"},
		"no result":          {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{`200 {"status": "done"}`}, "", "invalid_output", 1, "nothing at /result"},
		"no JSON":            {words, "/jobs/{{response.id}}", `begun`, "", []string{done}, "", "invalid_output", 0, "is not asked about"},
		"no id":              {words, "/jobs/{{response.id}}", `{}`, "", []string{done}, "", "invalid_output", 0, "has no value"},
		"null":               {words, "/jobs/{{response.id}}", `{"id": null}`, "", []string{done}, "", "invalid_output", 0, "has no value"},
		"a list":             {words, "/jobs/{{response.id}}", `{"id": [1]}`, "", []string{done}, "", "invalid_output", 0, "has no place"},
		"an argument stays":  {words, "/jobs/{{id}}", `{"id": "8"}`, "", []string{done}, `{"id": 12345678901234567890}`, "", 1, ""},
		"above":              {words, "/jobs/{{response.id}}", `{"id": "../admin"}`, "", []string{done}, "", "invalid_output", 0, "a slash"},
		"above, encoded":     {words, "/jobs/{{response.id}}", `{"id": "..%2fadmin"}`, "", []string{done}, "", "invalid_output", 0, "a slash"},
		"dots":               {words, "/jobs/{{response.id}}", `{"id": ".."}`, "", []string{done}, "", "invalid_output", 0, "leads elsewhere"},
		"another field":      {words, "/jobs/{{response.id}}", `{"id": "7?admin=1#"}`, "", []string{done}, `{"id": 12345678901234567890}`, "", 1, ""},
		"another host":       {plain, "", `{}`, other.URL + "/jobs/7", []string{"200 baked"}, "", "invalid_output", 0, "another origin"},
		"no scheme":          {plain, "", `{}`, "//" + strings.TrimPrefix(other.URL, "http://") + "/x", []string{"200 baked"}, "", "invalid_output", 0, "another origin"},
		"another scheme":     {plain, "", `{}`, "https://127.0.0.1/jobs", []string{"200 baked"}, "", "invalid_output", 0, "another origin"},
		"a file":             {plain, "", `{}`, "file:///etc/passwd", []string{"200 baked"}, "", "invalid_output", 0, "another origin"},
		"a user":             {plain, "", `{}`, "http://me@127.0.0.1/x", []string{"200 baked"}, "", "invalid_output", 0, "another origin"},
		"a linked host":      {linked, "{{response.at}}", `{"at": "` + other.URL + `"}`, "", []string{done}, "", "invalid_output", 0, "another origin"},
		"nowhere":            {plain, "", `{}`, "", []string{"200 baked"}, "", "invalid_output", 0, "does not say where"},
		"too long an answer": {words, "/jobs/{{response.id}}", `{"id": 7}`, "", []string{"200 " + strings.Repeat("a", 2<<20)}, "", "output_limit", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var began, asked atomic.Int32
			var h *house
			h = baking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+shopKey || r.Header.Get("X-Version") != "2" {
					t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
				}
				if r.Method == "POST" {
					began.Add(1)
					if test.location != "" {
						w.Header().Set("Location", test.location)
					}
					w.WriteHeader(http.StatusAccepted)
					io.WriteString(w, test.began)
					return
				}
				if len(h.of(events.JobBegun)) != 1 {
					t.Error("it was asked about before that was on record")
				}
				if at := r.URL.EscapedPath(); at != "/jobs/7" && at != "/jobs/7%3Fadmin%3D1%23" || r.URL.RawQuery != "" {
					t.Errorf("%s %s", r.Method, r.URL)
				}
				status, body, _ := strings.Cut(test.looks[asked.Add(1)-1], " ")
				var n int
				fmt.Sscan(status, &n)
				w.Header().Set("Location", other.URL)
				w.WriteHeader(n)
				io.WriteString(w, body)
			}), test.job, test.where, "")
			result := h.execute(t.Context(), `{"id": "7"}`)
			code := ""
			if result.Error != nil {
				code = string(result.Error.Code)
			}
			told := fmt.Sprintf("%+v %+v %+v", result.Error, result.MCPError, result.Metadata.Sandbox.Hints)
			if (code == "" && result.Stdout != test.want) || code != test.error || int(asked.Load()) != test.asked || began.Load() != 1 || !strings.Contains(told, test.says) {
				t.Errorf("%+v\n%s\nbegun %d times, asked %d; want %q %s, %d", result, told, began.Load(), asked.Load(), test.want, test.error, test.asked)
			}
			if result.Metadata.HTTP == nil || result.Metadata.HTTP.Job == nil || result.Metadata.HTTP.Attempts != 1 {
				t.Errorf("%+v", result.Metadata.HTTP)
			}
			if text, _ := json.Marshal(h.events); strings.Contains(string(text), shopKey) {
				t.Error("the key is on record")
			}
		})
	}
	t.Cleanup(func() {
		if elsewhere.Load() != 0 {
			t.Errorf("%d requests went elsewhere", elsewhere.Load())
		}
	})
}

// TestJobGivenUp checks that a job whose caller gives up is told to end, as its author says, and only then.
func TestJobGivenUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cancel, want, says string
	}{
		"told":          {"/jobs/{{response.id}}", "DELETE /jobs/7", "the job was told to end"},
		"left":          {"", "", "the job goes on"},
		"cannot be":     {"/jobs/{{response.none}}", "", "could not be cancelled"},
		"it is refused": {"/no/{{response.id}}", "DELETE /no/7", "answered with status 403"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			ended := make(chan string, 1)
			h := baking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.Method {
				case "POST":
					io.WriteString(w, `{"id": 7}`)
				case "GET":
					giveUp()
					io.WriteString(w, `{"status": "running"}`)
				default:
					if strings.HasPrefix(r.URL.Path, "/no") {
						w.WriteHeader(403)
					}
					ended <- r.Method + " " + r.URL.Path
				}
			}), tool.Job{Status: "status", Completed: []string{"done"}}, "/jobs/{{response.id}}", test.cancel)
			result := h.execute(ctx, `{"id": "7"}`)
			got := ""
			select {
			case got = <-ended:
			default:
			}
			if result.Error == nil || !strings.Contains(result.Error.Message, test.says) || got != test.want {
				t.Errorf("%+v, %q; want %q", result.Error, got, test.want)
			}
		})
	}
}

// TestJobIsNotAskedUnrecorded checks that nothing is asked where it cannot be put on record that the job was begun.
func TestJobIsNotAskedUnrecorded(t *testing.T) {
	t.Parallel()
	h := baking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		io.WriteString(w, `{"id": 7}`)
	}), tool.Job{Status: "status", Completed: []string{"done"}}, "/jobs/{{response.id}}", "/jobs/{{response.id}}")
	h.refuses[events.JobBegun] = errors.New("the disk is full")
	result := h.execute(t.Context(), `{"id": "7"}`)
	if result.Error == nil || !strings.Contains(result.Error.Message, "could not be recorded") {
		t.Errorf("%+v", result.Error)
	}
}

// TestResume checks that asking on about a job is decided as a call of its own, and goes where the source is.
func TestResume(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		verdict permissions.Verdict
		change  func(*events.Job)
		asked   int32
		code    tool.FailureCode
	}{
		"approved":            {permissions.Approve, func(*events.Job) {}, 1, ""},
		"rejected":            {permissions.Reject, func(*events.Job) {}, 0, tool.FailDenied},
		"elsewhere":           {permissions.Approve, func(j *events.Job) { j.URL = "http://127.0.0.2/jobs/7" }, 0, tool.FailDenied},
		"a user":              {permissions.Approve, func(j *events.Job) { j.URL = strings.Replace(j.URL, "//", "//me@", 1) }, 0, tool.FailDenied},
		"cancelled elsewhere": {permissions.Approve, func(j *events.Job) { j.Cancel = "DELETE http://127.0.0.2/" }, 0, tool.FailDenied},
		"partial":             {permissions.Approve, func(j *events.Job) { j.Partial = true }, 0, tool.FailNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			h := baking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.Method != "GET" || r.URL.Path != "/jobs/7" || r.Header.Get("X-Version") != "2" || r.Header.Get("Authorization") != "Bearer "+shopKey {
					t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
				}
				io.WriteString(w, `{"status": "done"}`)
			}), tool.Job{Status: "status", Completed: []string{"done"}}, "/jobs/{{response.id}}", "/jobs/{{response.id}}")
			h.authority = permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{{
				Version: permissions.Version2, Rules: []permissions.Rule{rule(test.verdict)}}})})
			at := h.tools.List()[0].Tool.HTTP.API.Origin
			job := events.Job{URL: at + "/jobs/7", Cancel: "DELETE " + at + "/jobs/7"}
			test.change(&job)
			result := h.executor.Resume(t.Context(), h.call(``), job, person{h})
			code := tool.FailureCode("")
			if result.Error != nil {
				code = result.Error.Code
			}
			if code != test.code || asked.Load() != test.asked || test.code == "" && (result.Stdout != `{"status": "done"}` || len(h.of(events.JobBegun)) != 1) {
				t.Errorf("%+v, asked %d times; want %s, %d", result, asked.Load(), test.code, test.asked)
			}
		})
	}
}
