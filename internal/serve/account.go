package serve

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ratelimit"
)

// accounts say what each principal has under way, and how often it has called. They outlive a reload.
type accounts struct {
	mu  sync.Mutex
	all map[string]*account // by name
	// requests are those under way, of everybody.
	requests  map[*request]bool
	noStreams error // why streams end; nil while they go on
}

// account is one principal's.
type account struct {
	rate     Rate              // that calls is of
	calls    *ratelimit.Window // nil for no bound
	underWay int               // requests, streams not counted
	open     int               // requests and streams
}

// The bounds that hold whatever the configuration says: what a principal may have open, and how many accounts
// are kept of principals that nothing is under way for.
const (
	mostOpen     = 16384
	mostAccounts = 4096
)

// request is one that is under way.
type request struct {
	in        *accounts
	of        *account
	principal *Principal
	scope     Scope
	end       context.CancelCauseFunc
	streams   bool        // guarded by accounts.mu
	expiry    *time.Timer // of a stream whose principal's token ends; else nil
}

type requestKey struct{}

func newAccounts() *accounts {
	return &accounts{all: map[string]*account{}, requests: map[*request]bool{}}
}

// errTooMany says that a principal has as much under way as it may, or calls too often.
type errTooMany struct {
	why  string
	wait time.Duration // until it may try again
}

func (e *errTooMany) Error() string { return e.why }

// begin counts a request of a principal, which has the context that is returned. Once it has ended, over is
// called with it.
func (as *accounts) begin(ctx context.Context, p *Principal, scope Scope, now time.Time) (context.Context, *request, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	a := as.of(p, now)
	switch {
	case a.open >= mostOpen, p.atOnce > 0 && a.underWay >= p.atOnce:
		return nil, nil, &errTooMany{"the principal has as many requests under way as it may", time.Second}
	}
	if wait := a.calls.Take(now); wait > 0 {
		return nil, nil, &errTooMany{"the principal calls more often than it may", wait}
	}
	a.underWay++
	a.open++
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, principalKey{}, p))
	r := &request{in: as, of: a, principal: p, scope: scope, end: cancel}
	as.requests[r] = true
	return context.WithValue(ctx, requestKey{}, r), r, nil
}

// of returns the account of a principal. Called with mu held.
func (as *accounts) of(p *Principal, now time.Time) *account {
	a := as.all[p.Name]
	if a == nil {
		as.forget(now)
		a = &account{}
		as.all[p.Name] = a
	}
	if a.rate != p.rate {
		a.rate, a.calls = p.rate, ratelimit.NewWindow(p.rate.Count, p.rate.Per)
	}
	return a
}

// forget removes accounts that say nothing any more, where there are many: an issuer may have any number of
// subjects.
func (as *accounts) forget(now time.Time) {
	if len(as.all) < mostAccounts {
		return
	}
	for name, a := range as.all {
		if a.open == 0 && a.calls.IsEmpty(now) {
			delete(as.all, name)
		}
	}
}

// over is called once a request has ended.
func (as *accounts) over(r *request) {
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.requests, r)
	r.of.open--
	if !r.streams {
		r.of.underWay--
	}
	if r.expiry != nil {
		r.expiry.Stop()
	}
	r.end(nil)
}

// Why a request is ended from here.
var (
	errEnds    = errors.New("the daemon ends")
	errRevoked = errors.New("the principal, or its scope, was taken away")
	errExpired = errors.New("the token has expired")
)

// Streams tells that the request with this context only tells news from now on; see the package's comment.
// With another context it does nothing.
func Streams(ctx context.Context) {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return
	}
	r.in.mu.Lock()
	defer r.in.mu.Unlock()
	if r.streams {
		return
	}
	r.streams = true
	r.of.underWay--
	if r.in.noStreams != nil {
		r.end(r.in.noStreams)
	}
	if !r.principal.Expires.IsZero() {
		r.expiry = time.AfterFunc(time.Until(r.principal.Expires), func() { r.end(errExpired) })
	}
}

// endStreams ends the streams, and those that begin later.
func (as *accounts) endStreams(why error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.noStreams = why
	for r := range as.requests {
		if r.streams {
			r.end(why)
		}
	}
}

// endAll ends all requests.
func (as *accounts) endAll(why error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	for r := range as.requests {
		r.end(why)
	}
}

// recheck ends what is under way for principals that the identities do not know any more, or without its
// scope. A stream ends, too, where its token is another's or nobody's by now; a call whose principal has got
// a new token ends by itself.
func (as *accounts) recheck(ids *identities) {
	as.mu.Lock()
	under := make([]*request, 0, len(as.requests))
	for r := range as.requests {
		under = append(under, r)
	}
	as.mu.Unlock()
	for _, r := range under {
		mayStay, same := ids.still(r.principal, r.scope)
		as.mu.Lock()
		if !mayStay || r.streams && !same {
			r.end(errRevoked)
		}
		as.mu.Unlock()
	}
}
