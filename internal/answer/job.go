package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// job says how the answers that a job's URL gives are read.
type job struct {
	from              path // to the URL in the answer that began it; nil for the header Location
	status            path // nil where the status of HTTP says it
	completed, failed []string
}

// Standing is how a job stands.
type Standing int

// How a job can stand.
const (
	Running Standing = iota
	Completed
	Failed
)

// newJob compiles what an author says of a job. result is what is picked of its last answer.
func newJob(spec tool.Job) (j *job, result path, err error) {
	j = &job{completed: spec.Completed, failed: spec.Failed}
	for _, part := range []struct {
		key, text string
		to        *path
	}{{"status_url", spec.From, &j.from}, {"status_field_path", spec.Status, &j.status},
		{"result_field_path", spec.Result, &result}} {
		if *part.to, err = parsePath(part.text); err != nil {
			return nil, nil, &Mistake{At: "poll." + part.key, Message: err.Error()}
		}
	}
	if spec.From != "" && len(j.from) == 0 || spec.Status != "" && len(j.status) == 0 {
		return nil, nil, &Mistake{At: "poll", Message: "want the names of members, such as data.status"}
	}
	return j, result, nil
}

// Begins reports whether the request begins a job.
func (r *Reading) Begins() bool { return r != nil && r.job != nil }

// JobURL returns where an answer says that the job is asked about which it has begun, for an answer from that URL; ""
// where it does not say. The URL is a stranger's word: whoever asks there looks at its origin.
func (r *Reading) JobURL(a Answer, from string) string {
	base, err := url.Parse(from)
	if err != nil {
		return ""
	}
	if r.job.from == nil {
		return resolved(base, a.Header.Get("Location"))
	}
	raw, ok := r.job.from.in(a.Body)
	var at string
	if !ok || json.Unmarshal(raw, &at) != nil {
		return ""
	}
	return resolved(base, at)
}

// Stands returns how a job stands, by what its URL was answered with: a status of 200 to 299. A word that the author
// does not mention, and none at all, say that it goes on.
func (r *Reading) Stands(a Answer) Standing {
	if r.job.status == nil {
		if a.Status == http.StatusAccepted {
			return Running
		}
		return Completed
	}
	raw, ok := r.job.status.in(a.Body)
	if !ok {
		return Running
	}
	word := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		word = text
	}
	switch {
	case slices.Contains(r.job.failed, word):
		return Failed
	case slices.Contains(r.job.completed, word):
		return Completed
	}
	return Running
}

// Data returns an answer's body as data, with its numbers as they are written. It is for templates of further requests.
func Data(a Answer) (any, error) {
	if !utf8.Valid(a.Body) {
		return nil, errors.New("it is no JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return nil, errors.New("it is no JSON")
	}
	return value, nil
}
