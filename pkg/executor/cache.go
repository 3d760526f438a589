package executor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// cached returns the act its result: one that was kept, if its author wants that, or else by running it. Of
// several calls of the same kind at the same time one runs, and the others wait for it.
//
// Each of them has been decided and recorded by itself before it comes here. What is kept is given out only
// to a caller whom the rules would let make the very call that it came from.
func (e *Executor) cached(ctx context.Context, a *act, permit permissions.Permit, run func() runResult) runResult {
	key, ok := cacheKey(a)
	if !ok {
		return run()
	}
	shelf := e.cache.shelf(a.tool, a.in.Tools)
	found, flight, mine := shelf.find(key, e.now())
	if mine {
		var fresh *kept
		defer func() { shelf.land(key, flight, fresh) }() // whatever happens, nobody waits for ever
		r := run()
		fresh = a.keep(&r, e.now())
		return r
	}
	if flight != nil {
		select {
		case <-ctx.Done():
			return notRun(tool.Failf(tool.FailCancelled, "the caller gave up while the same call was running"))
		case <-flight.landed:
			found = flight.result
		}
	}
	if found == nil || !e.mayHave(a, found) {
		// The call that this one waited for failed, or was another one. Waiting for a third would only take
		// longer.
		return run()
	}
	if err := context.Cause(ctx); err != nil {
		return notRun(tool.Failf(tool.FailCancelled, "the caller gave up"))
	}
	if failure := e.holds(a, permit); failure != nil {
		return notRun(failure)
	}
	return runResult{outcome: found.outcome(), kept: found}
}

// mayHave reports whether the caller may have a result. One of the same invocation he may: that is what was
// decided. Where the author's key takes several invocations for the same, the rules are asked about the one
// that ran, as if this caller had made it; anything but a yes, and he gets a run of his own.
func (e *Executor) mayHave(a *act, k *kept) bool {
	if k.invocation == a.invocation.Digest() {
		return slices.Equal(k.resolved, a.resolved) // or a link resolved elsewhere by now
	}
	if a.governed() {
		return false // the governors were asked about this call, and not about the other
	}
	if !slices.Equal(k.resolved, permissions.ResolvedFiles(k.request)) {
		return false // the rules would be asked about other files than those that it is of
	}
	asked := k.request
	asked.Door, asked.Agent, asked.Session, asked.Workspace = a.request.Door, a.request.Agent,
		a.request.Session, a.request.Workspace
	asked.Principal, asked.Served = a.request.Principal, a.request.Served
	asked.Mode, asked.Headless = a.request.Mode, a.request.Headless
	return a.in.Rules.Decide(asked).Verdict == permissions.Approve
}

// kept is the output of a call that succeeded. It never changes.
type kept struct {
	call       string // the id of the call that ran
	invocation tool.Digest
	request    permissions.Request // what was decided about it
	resolved   []string            // the files that it was about
	stdout     []byte
	stderr     []byte
	http       *tool.HTTPReport // of a request
	at         time.Time        // when it ended
	size       int64            // bytes, near enough
}

// keep returns what is kept of a run; nil when it did not succeed in full.
func (a *act) keep(r *runResult, now time.Time) *kept {
	o := &r.outcome
	if !r.began || r.ended() != nil || o.ExitCode != 0 || o.Truncated || o.StillRuns || r.spools.long() {
		return nil
	}
	return &kept{
		call: a.call.ID, invocation: a.invocation.Digest(), request: a.request, resolved: a.resolved,
		stdout: o.Stdout, stderr: o.Stderr, http: o.HTTP, at: now,
		size: int64(len(o.Stdout) + len(o.Stderr) + len(a.call.Arguments)),
	}
}

// outcome is the result as a run would have brought it.
func (k *kept) outcome() outcome {
	return outcome{Stdout: k.stdout, Stderr: k.stderr, OutputBytes: int64(len(k.stdout) + len(k.stderr)), HTTP: k.http}
}

// cache holds the results of tools that want it, by tool id. The zero cache is empty; it is safe for
// concurrent use.
type cache struct {
	mu      sync.Mutex
	shelves map[string]*shelf
}

// shelf returns the place for a tool's results. Whoever changes how they are kept begins with an empty one.
// The results of tools that are gone go with them.
func (c *cache) shelf(t *tool.Tool, tools *Tools) *shelf {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.shelves[t.ID]; s != nil && s.caching == t.Caching {
		return s
	}
	for id := range c.shelves {
		if entry, ok := tools.Lookup(id); !ok || !entry.Tool.Caching.Enabled {
			delete(c.shelves, id)
		}
	}
	if c.shelves == nil {
		c.shelves = map[string]*shelf{}
	}
	s := newShelf(t.Caching)
	c.shelves[t.ID] = s
	return s
}

// shelf holds the results of one tool.
type shelf struct {
	caching tool.Caching

	mu      sync.Mutex
	results *simplelru.LRU[callKey, *kept]
	bytes   int64 // of all results
	flights map[callKey]*flight
}

// flight is a run that others may wait for.
type flight struct {
	landed chan struct{} // closed at its end
	result *kept         // set before landed is closed; nil when there is nothing to share
}

func newShelf(caching tool.Caching) *shelf {
	s := &shelf{caching: caching, flights: map[callKey]*flight{}}
	// The error is about a size below 1.
	s.results, _ = simplelru.NewLRU(max(1, caching.Results), func(_ callKey, k *kept) { s.bytes -= k.size })
	return s
}

// find returns the result that is kept, or else the flight that will bring it; mine says that the caller is
// to fly it, and then to land it.
func (s *shelf) find(key callKey, now time.Time) (found *kept, f *flight, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, ok := s.results.Get(key); ok {
		if age := now.Sub(k.at); age >= 0 && age < s.caching.TTL {
			return k, nil, false
		}
		s.results.Remove(key)
	}
	if f := s.flights[key]; f != nil {
		return nil, f, false
	}
	f = &flight{landed: make(chan struct{})}
	s.flights[key] = f
	return nil, f, true
}

// land ends a flight and keeps what it brought, as far as there is room.
func (s *shelf) land(key callKey, f *flight, result *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, key)
	f.result = result
	close(f.landed)
	if result == nil || result.size > s.caching.Bytes {
		return
	}
	s.results.Add(key, result) // in the place of none: find has taken out what was there
	for s.bytes += result.size; s.bytes > s.caching.Bytes; {
		s.results.RemoveOldest()
	}
}
