package serve

import (
	"errors"
	"math"
	"net"
	"net/http"
	"strconv"
)

// routed is a route of the daemon: what stands before its handler.
type routed struct {
	Route
	server *Server
}

// ServeHTTP implements http.Handler. It is the whole way of a request to its door, once the guard has let it in.
func (rt *routed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := rt.server
	in := s.inForce.Load()
	control := http.NewResponseController(w)
	patient := &patientWriter{ResponseWriter: w, control: control, patience: in.limits.Patience}
	defer patient.last()
	if rt.Scope == Anybody {
		rt.bound(in, w, r, control)
		rt.Handler.ServeHTTP(patient, r)
		return
	}
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "the daemon ends")
		return
	}
	principal, by, err := in.identities.identify(r)
	if err != nil {
		rt.unknown(w, r, by, err)
		return
	}
	if rt.Scope != AnyPrincipal && !principal.May(rt.Scope) {
		why := "the principal lacks the scope " + string(rt.Scope)
		s.tell(r, Visit{Principal: principal.Name, By: by, Why: why})
		rt.challenge(w, s.base, "insufficient_scope", why)
		refuse(w, http.StatusForbidden, why)
		return
	}
	if conn, ok := r.Context().Value(connectionKey{}).(net.Conn); ok && !s.connections.take(conn, principal.Name) {
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "the principal has as many connections as it may")
		return
	}
	if rt.tooLong(in, r) {
		refuse(w, http.StatusRequestEntityTooLarge, "the request is longer than "+strconv.FormatInt(rt.most(in), 10)+" bytes")
		return
	}
	ctx, request, err := s.accounts.begin(r.Context(), principal, rt.Scope, s.o.Now())
	var tooMany *errTooMany
	if errors.As(err, &tooMany) {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(tooMany.wait.Seconds())))))
		refuse(w, http.StatusTooManyRequests, tooMany.why)
		return
	}
	defer s.accounts.over(request)
	if err := s.unchanged(in, request); err != nil {
		rt.unknown(w, r, by, err)
		return
	}
	s.tell(r, Visit{Principal: principal.Name, By: by})
	if rt.Streams {
		Streams(ctx)
	}
	r = r.WithContext(ctx)
	rt.bound(in, w, r, control)
	rt.Handler.ServeHTTP(patient, r)
}

// unchanged says why a principal is none any more that settings in made of a request: others were put in force
// meanwhile, and ended what was under way then. The keys of an issuer can keep a request waiting for seconds.
func (s *Server) unchanged(in *inForce, r *request) error {
	now := s.inForce.Load()
	if now == in {
		return nil
	}
	if may, same := now.identities.still(r.principal, r.scope); !may || !same {
		return errWrongCredential
	}
	return nil
}

// unknown answers a request that nobody is known to have made.
func (rt *routed) unknown(w http.ResponseWriter, r *http.Request, by string, err error) {
	if errors.Is(err, errNoKeys) {
		w.Header().Set("Retry-After", "30")
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	code := "invalid_token"
	if errors.Is(err, errNoCredential) {
		code = ""
	} else {
		rt.server.tell(r, Visit{By: by, Why: err.Error()})
	}
	rt.challenge(w, rt.server.base, code, err.Error())
	refuse(w, http.StatusUnauthorized, err.Error())
}

// most is how long a request's body may be.
func (rt *routed) most(in *inForce) int64 {
	if rt.MaxBody > 0 {
		return min(rt.MaxBody, in.limits.Body)
	}
	return in.limits.Body
}

// tooLong reports whether a request says that it is longer than it may be.
func (rt *routed) tooLong(in *inForce, r *http.Request) bool { return r.ContentLength > rt.most(in) }

// bound bounds a request's body, in bytes and in time.
func (rt *routed) bound(in *inForce, w http.ResponseWriter, r *http.Request, control *http.ResponseController) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	r.Body = http.MaxBytesReader(w, &patientBody{ReadCloser: r.Body, control: control, patience: in.limits.Patience}, rt.most(in))
}
