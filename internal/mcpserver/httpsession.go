package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// httpSession is a session of a client of a time before 2026-07-28.
type httpSession struct {
	session
	front     *HTTP
	principal string
	kept      atomic.Int64 // bytes of what streams can say once more
	ctx       context.Context
	cancel    context.CancelCauseFunc

	// Guarded by mu.
	mu      sync.Mutex
	used    time.Time
	under   map[ndjson.Key]*underWay
	streams map[string]*replay
	order   []string // of streams, the oldest first
	last    int      // number of the last stream
	general *events  // the client's stream for what belongs to no request; nil for none
}

// The bounds of one session.
const (
	mostReplay  = 1 << 20 // bytes of events that can be told once more
	mostStreams = 64
)

// initialize begins a session.
func (h *HTTP) initialize(w http.ResponseWriter, r *http.Request, m message) {
	if m.id == nil {
		h.refuse(w, http.StatusBadRequest, nil, failf(codeRequest, "initialize is a request"))
		return
	}
	var b [16]byte
	rand.Read(b[:]) // never fails
	x := &httpSession{front: h, principal: h.o.Principal(r), under: map[ndjson.Key]*underWay{}, streams: map[string]*replay{}}
	x.name = hex.EncodeToString(b[:])
	result, failed := h.server.initialize(&x.session, x.principal, m.params)
	if failed != nil {
		h.json(w, http.StatusOK, failure(m.id, failed))
		return
	}
	x.ctx, x.cancel = context.WithCancelCause(h.ctx)
	x.used = h.server.o.Now()
	if !h.enter(x) {
		x.cancel(ErrGone)
		w.Header().Set("Retry-After", "60")
		h.refuse(w, http.StatusServiceUnavailable, m.id, failf(codeInternal, "there are too many sessions"))
		return
	}
	w.Header().Set(headerSession, x.name)
	h.json(w, http.StatusOK, response(m.id, result))
}

// enter notes a session. Where there are too many, or its principal has three fourths of all that there may be, the one
// goes that nobody has used the longest, if it does nothing: no principal takes the place of all others.
func (h *HTTP) enter(x *httpSession) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	own := 0
	for _, other := range h.sessions {
		if other.principal == x.principal {
			own++
		}
	}
	full := len(h.sessions) >= h.o.MostSessions || own >= max(1, h.o.MostSessions*3/4)
	if full && !h.dropIdlest(x.principal) {
		return false
	}
	h.sessions[x.name] = x
	if h.sweeper == nil {
		h.sweeper = time.AfterFunc(h.o.Idle/4, h.sweep)
	}
	return true
}

// dropIdlest ends a session of the same principal that does nothing: nobody pushes another's out. Called with
// mu held.
func (h *HTTP) dropIdlest(principal string) bool {
	var found *httpSession
	var since time.Time
	for _, x := range h.sessions {
		if used, busy := x.lastUsed(); x.principal == principal && !busy && (found == nil || used.Before(since)) {
			found, since = x, used
		}
	}
	if found == nil {
		return false
	}
	delete(h.sessions, found.name)
	found.end(ErrGone)
	return true
}

// sweep ends sessions that nobody has used for long.
func (h *HTTP) sweep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return
	}
	for name, x := range h.sessions {
		if used, busy := x.lastUsed(); !busy && h.server.o.Now().Sub(used) > h.o.Idle {
			delete(h.sessions, name)
			x.end(ErrGone)
		}
	}
	h.sweeper.Reset(h.o.Idle / 4)
}

// lastUsed returns when the session was used the last time, and whether it is being used.
func (x *httpSession) lastUsed() (used time.Time, busy bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.used, len(x.under) > 0 || x.general != nil
}

// end ends a session with all that it has under way.
func (x *httpSession) end(why error) {
	x.cancel(why)
	x.asks.close()
}

// find returns the session of a request, and answers the client where there is none. That of another is
// none.
func (h *HTTP) find(w http.ResponseWriter, r *http.Request, id []byte) *httpSession {
	name, ok := one(r, headerSession)
	h.mu.Lock()
	x := h.sessions[name]
	h.mu.Unlock()
	if !ok || x == nil || x.principal != h.o.Principal(r) {
		h.refuse(w, http.StatusNotFound, id, failf(codeRequest, "there is no such session; begin one with initialize"))
		return nil
	}
	if said := r.Header.Get(headerRevision); said != "" && !slices.Contains(statefulRevisions, said) {
		h.refuse(w, http.StatusBadRequest, id, failf(codeRequest, "no revision of MCP that has sessions is called %q", claim(said)))
		return nil
	}
	x.mu.Lock()
	x.used = h.server.o.Now()
	x.mu.Unlock()
	return x
}

// inSession takes a message of a session.
func (h *HTTP) inSession(w http.ResponseWriter, r *http.Request, m message) {
	x := h.find(w, r, m.id)
	switch {
	case x == nil:
	case m.method == "":
		x.asks.answered(m)
		w.WriteHeader(http.StatusAccepted)
	case m.id == nil:
		x.notified(m)
		w.WriteHeader(http.StatusAccepted)
	case m.method == "initialize":
		h.refuse(w, http.StatusBadRequest, m.id, failf(codeRequest, "the session has begun"))
	default:
		x.request(w, r, m)
	}
}

// notified takes a notification.
func (x *httpSession) notified(m message) {
	if m.method != "notifications/cancelled" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if u := x.under[ndjson.ID(param(m.params, "requestId"))]; u != nil {
		u.cancelled = true
		u.cancel(ErrCancelled)
	}
}

// request answers a request. It goes on when the client hangs up, who may come back for the response.
func (x *httpSession) request(w http.ResponseWriter, r *http.Request, m message) {
	over, ok := x.front.admit(w, r, m)
	if !ok {
		return
	}
	out := newReply(w, r)
	defer out.close()
	ctx, cancel := context.WithCancelCause(x.front.o.Carry(x.ctx, r))
	u, key := &underWay{cancel: cancel}, ndjson.ID(m.id)
	s, failed := x.enter(key, u, out.events)
	if failed != nil {
		over()
		cancel(nil)
		out.respond(http.StatusOK, failure(m.id, failed))
		return
	}
	e := &exchange{begun: true, id: m.id, method: m.method, params: m.params, peer: s, session: &x.session}
	e.client, _ = x.who()
	go func() { // ends with the request; the front waits for it
		defer x.front.working.Done()
		defer over()
		result, failed := x.front.server.answer(ctx, e)
		e.end()
		text := response(m.id, result)
		if failed != nil {
			text = failure(m.id, failed)
		}
		x.leave(key, s, text)
		cancel(nil)
	}()
	select {
	case <-s.over:
	case <-s.let:
	case <-r.Context().Done():
	}
}

// enter notes a request that is under way, if it may be.
func (x *httpSession) enter(key ndjson.Key, u *underWay, out *events) (*replay, *ProtocolError) {
	x.front.mu.Lock()
	defer x.front.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.front.closing || x.ctx.Err() != nil:
		return nil, failf(codeInternal, "the session has ended")
	case x.under[key] != nil:
		return nil, failf(codeRequest, "the id is in use")
	case len(x.under) >= MostCalls:
		return nil, failf(codeInternal, "%d calls are under way; wait until one of them has ended", MostCalls)
	}
	x.under[key] = u
	x.front.working.Add(1)
	x.last++
	s := &replay{session: x, name: strconv.Itoa(x.last), out: out, over: make(chan struct{}), let: make(chan struct{})}
	x.streams[s.name] = s
	x.order = append(x.order, s.name)
	return s, nil
}

// leave ends a request with its response.
func (x *httpSession) leave(key ndjson.Key, s *replay, text []byte) {
	x.mu.Lock()
	cancelled := x.under[key].cancelled
	delete(x.under, key)
	x.used = x.front.server.o.Now()
	x.mu.Unlock()
	if cancelled {
		text = nil
	}
	s.end(text)
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.isWhole() { // nobody can come back for it
		delete(x.streams, s.name)
		x.order = slices.DeleteFunc(x.order, func(name string) bool { return name == s.name })
	}
	x.forget()
}

// forget drops what can be told once more, the oldest first, until it is little enough. Called with mu held.
func (x *httpSession) forget() {
	for len(x.order) > 0 && (x.kept.Load() > mostReplay || len(x.streams) > mostStreams) {
		dropped := false
		for i, name := range x.order {
			s := x.streams[name]
			if s.isOver() {
				x.kept.Add(-int64(s.drop()))
				delete(x.streams, name)
				x.order = slices.Delete(x.order, i, i+1)
				dropped = true
				break
			}
		}
		if !dropped {
			return
		}
	}
}

// delete ends a session.
func (h *HTTP) delete(w http.ResponseWriter, r *http.Request) {
	x := h.find(w, r, nil)
	if x == nil {
		return
	}
	h.mu.Lock()
	delete(h.sessions, x.name)
	h.mu.Unlock()
	x.end(ErrGone)
	w.WriteHeader(http.StatusNoContent)
}

// get is a client that listens: for what belongs to no request, or for the rest of a request that it has asked
// for with another connection.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(headerSession) == "" {
		w.Header().Set("Allow", "POST")
		h.refuse(w, http.StatusMethodNotAllowed, nil, failf(codeRequest, "GET needs a session"))
		return
	}
	x := h.find(w, r, nil)
	if x == nil {
		return
	}
	if !accepts(r, "text/event-stream") {
		h.refuse(w, http.StatusNotAcceptable, nil, failf(codeRequest, "the client has to accept text/event-stream"))
		return
	}
	h.o.Streams(r.Context())
	out := newEvents(w, true)
	defer out.close()
	if at := r.Header.Get(headerLast); at != "" {
		h.resume(w, r, x, at, out)
		return
	}
	x.follow(r.Context(), out)
}

// resume tells the rest of a request's stream.
func (h *HTTP) resume(w http.ResponseWriter, r *http.Request, x *httpSession, at string, out *events) {
	name, number, ok := strings.Cut(at, "-")
	seen, err := strconv.Atoi(number)
	x.mu.Lock()
	s := x.streams[name]
	x.mu.Unlock()
	if !ok || err != nil || s == nil || !s.attach(seen, out) {
		h.refuse(w, http.StatusNotFound, nil, failf(codeRequest, "what came after that event is not known any more"))
		return
	}
	stop := keepAlive(out)
	defer stop()
	select {
	case <-s.over:
	case <-r.Context().Done():
	case <-x.ctx.Done():
	}
}

// follow tells a client of changes until it hangs up, or listens with another connection.
func (x *httpSession) follow(ctx context.Context, out *events) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x.mu.Lock()
	x.general = out
	if x.watch == nil {
		x.watch = newWatch(x.wants)
		x.front.server.watching(x.watch)
		context.AfterFunc(x.ctx, func() { x.front.server.unwatch(x.watch) })
	}
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		if x.general == out {
			x.general = nil
		}
		x.used = x.front.server.o.Now()
		x.mu.Unlock()
	}()
	out.open()
	stop := keepAlive(out)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.ctx.Done():
			return
		case <-x.watch.wake:
		}
		x.mu.Lock()
		replaced := x.general != out
		x.mu.Unlock()
		if replaced {
			select {
			case x.watch.wake <- struct{}{}:
			default:
			}
			return
		}
		for _, n := range x.watch.take() {
			if text, err := notification(n.method, n.about(nil)); err == nil && !out.event("", text) {
				return
			}
		}
	}
}

// keepAlive tells now and then that the server is still there, until stop is called.
func keepAlive(out *events) (stop func()) {
	var timer *time.Timer
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(quiet, func() {
		if out.comment() {
			mu.Lock()
			timer.Reset(quiet)
			mu.Unlock()
		}
	})
	return func() {
		out.close()
		timer.Stop()
	}
}
