package serve

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// routed is a route of the daemon: what stands before its handler.
type routed struct {
	Route
	server *Server
}

func (rt *routed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := rt.server
	if rt.Scope == Anybody {
		rt.Handler.ServeHTTP(w, r)
		return
	}
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "the daemon ends")
		return
	}
	principal, err := s.identities.Load().identify(r)
	if err != nil {
		code := "invalid_token"
		if err == errNoCredential { //nolint:errorlint // it is returned as it is
			code = ""
		}
		rt.challenge(w, s.base, code, err.Error())
		refuse(w, http.StatusUnauthorized, err.Error())
		return
	}
	if rt.Scope != AnyPrincipal && !principal.May(rt.Scope) {
		rt.challenge(w, s.base, "insufficient_scope", "the principal lacks the scope "+string(rt.Scope))
		refuse(w, http.StatusForbidden, "the principal lacks the scope "+string(rt.Scope))
		return
	}
	ctx, request := s.requests.begin(context.WithValue(r.Context(), principalKey{}, principal))
	defer s.requests.over(request)
	if rt.Streams {
		Streams(ctx)
	}
	rt.Handler.ServeHTTP(w, r.WithContext(ctx))
}

// request is one that is under way.
type request struct {
	end     context.CancelCauseFunc
	streams bool // guarded by requests.mu
	in      *requests
}

type requestKey struct{}

// Streams tells that the request with this context only tells news from now on; see the package's comment.
// It has no effect on any other context.
func Streams(ctx context.Context) {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		r.in.mu.Lock()
		defer r.in.mu.Unlock()
		r.streams = true
		if r.in.noStreams != nil {
			r.end(r.in.noStreams)
		}
	}
}

// requests are those that are under way.
type requests struct {
	mu        sync.Mutex
	all       map[*request]bool
	noStreams error // why streams end; nil while they go on
}

func (rs *requests) init() { rs.all = map[*request]bool{} }

func (rs *requests) begin(ctx context.Context) (context.Context, *request) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &request{end: cancel, in: rs}
	rs.mu.Lock()
	rs.all[r] = true
	rs.mu.Unlock()
	return context.WithValue(ctx, requestKey{}, r), r
}

func (rs *requests) over(r *request) {
	rs.mu.Lock()
	delete(rs.all, r)
	rs.mu.Unlock()
	r.end(nil)
}

// endStreams ends the streams, and those that come.
func (rs *requests) endStreams(why error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.noStreams = why
	for r := range rs.all {
		if r.streams {
			r.end(why)
		}
	}
}

// end ends all requests.
func (rs *requests) end(why error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for r := range rs.all {
		r.end(why)
	}
}

// sorted goes through a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}
