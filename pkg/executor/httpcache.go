package executor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"

	"github.com/a2a-acp/a2a-acp/internal/httpcache"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// stored gives the act what its request was answered with before, while that is fresh (RFC 9111); else it runs the act,
// and has the server asked whether a stale answer still holds. It comes behind the token: what is kept is for those who
// show the very same credential.
//
// Each call has been decided and recorded by itself before it comes here, as for a result that is kept.
func (e *Executor) stored(ctx context.Context, a *act, permit permissions.Permit, run func() runResult) runResult {
	key, holder, ok := e.answerKey(a)
	if !ok {
		r := run()
		e.invalidate(a, &r)
		return r
	}
	found, since := e.answers.Find(key)
	if found != nil && found.Fresh(e.now()) {
		if failure := e.holds(a, permit); failure != nil {
			return notRun(failure)
		}
		return runResult{outcome: a.unchanged(found), kept: &kept{call: found.Call}}
	}
	a.stale = found
	r := run()
	a.stale = nil
	answered := r.outcome.Answered
	if !r.began || answered == nil || answered.Status >= http.StatusInternalServerError {
		return r // which says nothing of what is kept
	}
	inKey := requestOf(a.invocation).decides
	switch {
	case answered.Status == http.StatusUnauthorized:
		e.answers.Refused(holder)
	case answered.Status == http.StatusNotModified && found != nil:
		next, keep, ok := found.Revalidated(*answered, inKey)
		if !ok {
			e.answers.Put(key, nil, since)
			return e.again(ctx, a, r, run)
		}
		if !keep {
			next = nil
		}
		e.answers.Put(key, next, since)
		r.kept = &kept{call: found.Call}
	default:
		e.answers.Put(key, a.entryOf(&r, holder, inKey), since)
	}
	return r
}

// invalidate drops what is kept of a URL where a request has been carried out that is not safe (RFC 9111, 4.4).
func (e *Executor) invalidate(a *act, r *runResult) {
	report := r.outcome.HTTP
	if !r.began || report == nil || report.Status == 0 || report.Status >= http.StatusBadRequest {
		return
	}
	safe := []string{"GET", "HEAD", "OPTIONS", "QUERY"}
	if work := requestOf(a.invocation); work.resumes == nil && !slices.Contains(safe, work.sent.Method) {
		e.answers.Changed(work.sent.URL)
	}
}

// entryOf returns what is kept of a run; nil for nothing.
func (a *act) entryOf(r *runResult, holder httpcache.Key, inKey func(string) bool) *httpcache.Entry {
	o := &r.outcome
	if r.ended() != nil || o.ExitCode != 0 || o.Truncated || r.spools.long() {
		return nil
	}
	entry := httpcache.Keep(*o.Answered, o.Stdout, inKey)
	if entry != nil {
		entry.URL, entry.Holder, entry.Call = requestOf(a.invocation).sent.URL, holder, a.call.ID
	}
	return entry
}

// answerKey names the act's request with all that decides what it is answered with: the invocation (the tool as it is
// written, method, URL, headers, body, and what is filled in), where it goes, what an answer means, whose call it is, and the
// credential that is shown. holder names that credential. ok is false where the answer is not kept.
func (e *Executor) answerKey(a *act) (key, holder httpcache.Key, ok bool) {
	settled, is := a.plan.(requestPlan)
	if !a.tool.Caching.HTTP || !is {
		return key, holder, false
	}
	work := requestOf(a.invocation)
	for name := range a.tool.SecretParameters() {
		if _, given := a.arguments[name]; given {
			return key, holder, false // it would stay in memory with the answer
		}
	}
	if a.invocation.Spool || work.resumes != nil || work.sent.Method != http.MethodGet && work.sent.Method != http.MethodHead ||
		work.sent.URL != work.decided.URL || string(work.sent.Body) != string(work.decided.Body) {
		return key, holder, false
	}
	for _, h := range work.sent.Header {
		if request.IsConditional(h.Name) {
			return key, holder, false
		}
	}
	shown := []string{"a2a-acp credential v1", a.tool.HTTP.API.Origin}
	credentials := a.credentials(settled)
	for _, name := range slices.Sorted(maps.Keys(credentials)) {
		shown = append(shown, name, credentials[name])
	}
	holder = e.keyed(shown...)
	digest := a.invocation.Digest()
	from := a.call.Origin
	return e.keyed("a2a-acp stored answer v1", string(digest[:]), a.plan.Digest(), work.sent.Method, work.sent.URL,
		fmt.Sprintf("%+v", a.tool.ErrorMapping), // whose conditions look at what is kept
		strconv.FormatBool(from.Served), from.Principal, string(holder[:])), holder, true
}

// keyed is a hash of texts, each with its length, that nobody outside of the process can make.
func (e *Executor) keyed(texts ...string) httpcache.Key {
	h := hmac.New(sha256.New, e.fingerprintKey)
	for _, text := range texts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:]) // never fails
		h.Write([]byte(text))
	}
	return httpcache.Key(h.Sum(nil))
}

// decides reports whether a header is the same for every call that is decided about as this one is: one that names the
// one call (an id, a boundary) is in no key. What the program adds is always the same, or the credential.
func (w *requestWork) decides(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(name)
	values := func(of *request.Request) (all []string) {
		for _, h := range of.Header {
			if textproto.CanonicalMIMEHeaderKey(h.Name) == name {
				all = append(all, h.Value)
			}
		}
		return all
	}
	return !request.IsConditional(name) && slices.Equal(values(w.sent), values(w.decided))
}

// isRepeated reports whether an answer repeats what the act was given, which is not kept.
func (a *act) isRepeated(body []byte) bool {
	return a.redactor != nil && a.redactor.String(string(body)) != string(body)
}

// isUnchanged makes the answer that is kept what became of the act, where the server says that this one still holds.
func (o *outcome) isUnchanged(a *act) bool {
	if a.stale == nil || o.Answered == nil || o.Answered.Status != http.StatusNotModified {
		return false
	}
	if _, _, ok := a.stale.Revalidated(*o.Answered, requestOf(a.invocation).decides); !ok {
		return false
	}
	took, answered := o.Elapsed, o.Answered
	*o = a.unchanged(a.stale)
	o.Elapsed, o.Answered = took, answered
	return true
}

// unchanged is an answer that is kept as the request would have brought it.
func (a *act) unchanged(entry *httpcache.Entry) outcome {
	shown := requestOf(a.invocation).shown(a)
	return outcome{Stdout: entry.Body, OutputBytes: int64(len(entry.Body)),
		HTTP: &tool.HTTPReport{Method: shown.Method, URL: shown.URL, Status: http.StatusOK}}
}
