package executor

import (
	"net/http"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// requestWork is the Work of a call that sends a request.
type requestWork struct {
	tool     *tool.Tool
	template *request.Template
	further  []*request.Template // those that ask about the job that it begins, and end it
	decided  *request.Request    // as it is decided about: without what names the one call
	sent     *request.Request
	resumes  *events.Job   // that was begun before, and is asked about; nil for a request of its own
	public   *shownRequest // for people, once somebody has looked
}

// requestOf returns the work of a request's invocation.
func requestOf(invocation *tool.Invocation) *requestWork {
	work, _ := invocation.Work.(*requestWork) // the runner of requests is given no other
	return work
}

// Definition implements tool.Work.
func (w *requestWork) Definition() string { return w.template.Definition() }

// Code implements tool.Work.
func (w *requestWork) Code() string { return "" }

// Sum implements tool.Work: the line, the headers and the body. Where it goes, with what, stands in its plan.
func (w *requestWork) Sum(put func(parts ...string), id, dir string) {
	put("a2a-acp request v1", id, dir, w.template.Definition(), w.decided.Method, w.decided.URL)
	for _, h := range w.decided.Header {
		put(h.Name, h.Value)
	}
	put(string(w.decided.Body))
	if w.resumes != nil {
		put("a2a-acp resumed job v1", w.resumes.Cancel)
	}
	for _, t := range w.further {
		put("a2a-acp further request v1", t.Definition())
	}
}

// line is the line of the request with its tags.
func (w *requestWork) line() string {
	if w.resumes != nil {
		return "GET " + w.resumes.URL
	}
	return w.tool.HTTP.Line
}

// shownRequest is a request as people may see it.
type shownRequest struct {
	Method, URL string
	Header      []request.Header
	Body        []byte
}

// shown returns the request as people may see it: filled in again with what stands in the place of secret values, so
// that no encoding of theirs is left. Where that has no place there, the line has its tags.
func (w *requestWork) shown(a *act) *shownRequest {
	if w.public != nil {
		return w.public
	}
	filled := w.sent
	if len(a.tool.SecretParameters()) > 0 {
		var failure *tool.Failure
		if filled, failure = w.template.Render(a.publicArguments(), a.call.ID); failure != nil {
			_, url, _ := strings.Cut(w.line(), " ")
			w.public = &shownRequest{Method: w.sent.Method, URL: url}
			return w.public
		}
	}
	w.public = &shownRequest{Method: filled.Method, URL: a.mask(filled.URL), Body: []byte(a.mask(string(filled.Body)))}
	for _, h := range filled.Header {
		w.public.Header = append(w.public.Header, request.Header{Name: h.Name, Value: a.mask(h.Value)})
	}
	return w.public
}

// text writes a request as it goes on the line, for people.
func (s *shownRequest) text() string {
	var b strings.Builder
	b.WriteString(s.Method + " " + s.URL + "\n")
	for _, h := range s.Header {
		b.WriteString(http.CanonicalHeaderKey(h.Name) + ": " + h.Value + "\n")
	}
	if len(s.Body) > 0 {
		b.WriteString("\n" + string(s.Body) + "\n")
	}
	return b.String()
}
