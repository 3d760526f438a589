package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// guarded runs the act through the circuit breakers of its tool and of the source that its request goes to, as far as
// it has any: while one of them is open, nothing is run.
func (e *Executor) guarded(ctx context.Context, a *act, run func() runResult) runResult {
	for _, c := range e.circuits.of(a, e.now) {
		run = e.through(ctx, a, c, run)
	}
	return run()
}

// through returns a run that goes through a circuit breaker.
func (e *Executor) through(ctx context.Context, a *act, c *circuit, run func() runResult) func() runResult {
	return func() runResult {
		r, err := c.breaker.Execute(func() (runResult, error) {
			r := run()
			return r, c.verdict(a.tool, &r)
		})
		if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
			r = notRun(c.refusal(a.tool, e.now()))
		}
		r.unrecorded = errors.Join(r.unrecorded, e.recordChanges(ctx, a, c))
		return r
	}
}

// stopped tells why a call would not be run now; nil when it would be tried.
func (e *Executor) stopped(a *act) *tool.Failure {
	for _, c := range e.circuits.of(a, e.now) {
		if c.breaker.State() == gobreaker.StateOpen {
			return c.refusal(a.tool, e.now())
		}
	}
	return nil
}

// What a run says about its tool, as the library asks for it.
var (
	errFailed  = errors.New("the tool failed")
	errNothing = errors.New("the run says nothing about the tool")
)

// verdict tells whether a run counts for its tool (nil), against it (errFailed), or not at all
// (errNothing): one that never began, one that its caller gave up, and one that ended with an exit code
// that calls the request itself wrong. A trial that says nothing leaves its place to another.
func verdict(t *tool.Tool, r *runResult) error {
	failure := r.ended()
	mapped, isMapped := t.ErrorMapping[r.outcome.meant()]
	switch {
	case !r.began || failure != nil && failure.Code == tool.FailCancelled:
		return errNothing
	case failure == nil && r.outcome.ExitCode == 0:
		return nil
	case failure == nil && isMapped && isCallersFault(mapped.Code),
		failure == nil && r.outcome.HTTP != nil && r.outcome.HTTP.Status < 500:
		return errNothing
	}
	return errFailed
}

// verdict tells what a run counts for the circuit.
func (c *circuit) verdict(t *tool.Tool, r *runResult) error {
	if c.source == "" {
		return verdict(t, r)
	}
	return verdictOnSource(r)
}

// verdictOnSource is verdict for a source: it fails where it gives no answer, or says that it has failed itself. A
// status below 500 is about the request, and says nothing but for those of success.
func verdictOnSource(r *runResult) error {
	failure := r.ended()
	switch {
	case !r.began || failure != nil && failure.Code == tool.FailCancelled || r.outcome.HTTP == nil:
		return errNothing
	case failure != nil && (failure.Code == tool.FailUpstream || failure.Code == tool.FailUpstreamTimeout) && failure.Retryable,
		r.outcome.HTTP.Status >= http.StatusInternalServerError:
		return errFailed
	case r.outcome.HTTP.Status >= http.StatusOK && r.outcome.HTTP.Status < http.StatusMultipleChoices:
		return nil
	}
	return errNothing
}

// isCallersFault reports whether a JSON-RPC error code says that the request was wrong, or asked for what
// is not there (JSON-RPC 2.0 section 5.1; ACP, Error).
func isCallersFault(code int) bool {
	const invalidRequest, methodNotFound, invalidParams, resourceNotFound = -32600, -32601, -32602, -32002
	return code == invalidRequest || code == methodNotFound || code == invalidParams || code == resourceNotFound
}

// circuits are the circuit breakers of tools and sources. They live as long as the Executor.
type circuits struct {
	reset func(name string) time.Time // nil: nobody resets any

	mu    sync.Mutex
	known map[circuitKey]*circuit
}

// circuitKey names a tool, or a source: two workspaces may each bring one of the same name.
type circuitKey struct {
	id     string
	source bool
	layer  tool.Layer
	file   string
	root   string // of the workspace, for one of its own
}

func circuitKeyOf(a *act) circuitKey {
	key := circuitKey{id: a.tool.ID, layer: a.tool.Source.Layer, file: a.tool.Source.File}
	if key.layer == tool.LayerProject {
		key.root = a.call.Workspace.Root
	}
	return key
}

// ofSource is the key of the source that the requests of the tool go to.
func (k circuitKey) ofSource(t *tool.Tool) circuitKey {
	k.id, k.source = t.HTTP.API.Name, true
	return k
}

// of returns the circuits that an act goes through, the innermost first: that of its source, and of its tool. One that has
// been changed begins anew.
func (cs *circuits) of(a *act, now func() time.Time) []*circuit {
	var list []*circuit
	key := circuitKeyOf(a)
	if t := a.tool; t.HTTP != nil && t.HTTP.API.Breaker != (tool.CircuitBreaker{}) {
		list = append(list, cs.circuit(key.ofSource(t), t.HTTP.API.Origin, t.HTTP.API.Breaker, now))
	}
	if t := a.tool; t.CircuitBreaker != (tool.CircuitBreaker{}) {
		list = append(list, cs.circuit(key, a.invocation.Work.Definition(), t.CircuitBreaker, now))
	}
	return list
}

func (cs *circuits) circuit(key circuitKey, definition string, settings tool.CircuitBreaker, now func() time.Time) *circuit {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.known[key]
	if c != nil && cs.wasReset(key, c) {
		c = c.again(key, now())
		cs.known[key] = c
	}
	if c == nil || c.definition != definition || c.settings != settings {
		c = newCircuit(key, definition, settings, now)
		if cs.known == nil {
			cs.known = map[circuitKey]*circuit{}
		}
		cs.known[key] = c
	}
	return c
}

// wasReset reports whether somebody has reset a circuit since it opened.
func (cs *circuits) wasReset(key circuitKey, c *circuit) bool {
	if cs.reset == nil || c.breaker.State() == gobreaker.StateClosed {
		return false
	}
	at := cs.reset(key.id)
	c.mu.Lock()
	defer c.mu.Unlock()
	return at.After(c.opened)
}

// again returns the circuit as it is when a person has closed it.
func (c *circuit) again(key circuitKey, now time.Time) *circuit {
	closed := newCircuit(key, c.definition, c.settings, c.now)
	told := events.Circuit{Tool: key.id, State: gobreaker.StateClosed.String(), Before: c.breaker.State().String(), Manual: true}
	if key.source {
		told.Tool, told.Source = "", key.id
	}
	closed.changes = append(c.taken(), change{at: now, circuit: told})
	return closed
}

// circuit is the circuit breaker of one tool, or of one source, as it was written.
type circuit struct {
	source     string // its name; "" for that of a tool
	definition string
	settings   tool.CircuitBreaker
	now        func() time.Time
	breaker    *gobreaker.CircuitBreaker[runResult]

	mu       sync.Mutex  // taken after the breaker's own
	failures []time.Time // of the last settings.Period, while the circuit is closed
	opened   time.Time   // the last time
	until    time.Time   // when an open circuit lets a trial through
	changes  []change    // that are not on record yet
}

// change is a change of state.
type change struct {
	at      time.Time
	circuit events.Circuit
}

func newCircuit(key circuitKey, definition string, settings tool.CircuitBreaker, now func() time.Time) *circuit {
	c := &circuit{definition: definition, settings: settings, now: now}
	if key.source {
		c.source = key.id
	}
	c.breaker = gobreaker.NewCircuitBreaker[runResult](gobreaker.Settings{
		Name:          key.id,
		MaxRequests:   uint32(c.settings.HalfOpenCalls),
		Timeout:       c.settings.Recovery,
		ReadyToTrip:   func(gobreaker.Counts) bool { return c.tooMany() },
		OnStateChange: c.changed,
		IsExcluded:    func(err error) bool { return errors.Is(err, errNothing) },
	})
	return c
}

// tooMany notes a failure and tells whether there are too many. The library's own windows count a failure
// at the time when its call began, and so never count a call that takes as long as the window: just the one
// that times out each time.
func (c *circuit) tooMany() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	kept := c.failures[:0]
	for _, at := range c.failures {
		if now.Sub(at) < c.settings.Period {
			kept = append(kept, at)
		}
	}
	c.failures = append(kept, now)
	return len(c.failures) >= c.settings.Failures
}

// changed is called with the breaker's lock held, and so only notes what is to be put on record.
func (c *circuit) changed(id string, from, to gobreaker.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	told := events.Circuit{Tool: id, State: to.String(), Before: from.String()}
	if c.source != "" {
		told.Tool, told.Source = "", id
	}
	switch to {
	case gobreaker.StateOpen:
		told.Failures, told.Threshold, told.LastFailure = max(1, len(c.failures)), c.settings.Failures, now
		told.Until, c.opened = now.Add(c.settings.Recovery), now
	case gobreaker.StateHalfOpen:
		told.Opened, told.Recovery = c.until.Add(-c.settings.Recovery), c.settings.Recovery.Seconds()
	case gobreaker.StateClosed:
	}
	c.failures, c.until = nil, told.Until
	c.changes = append(c.changes, change{at: now, circuit: told})
}

// refusal is what the caller is told while nothing is run.
func (c *circuit) refusal(t *tool.Tool, now time.Time) *tool.Failure {
	c.mu.Lock()
	until := c.until
	c.mu.Unlock()
	who, which := "it", "circuit_breaker"
	if c.source != "" {
		who, which = "the source "+c.source, "circuit_breaker of the source"
	}
	failure := tool.Failf(tool.FailCircuitOpen,
		"%s was not run: %s has failed before, and a trial is under way; try again later (%s, %s)", t.ID, who, which, t.Source)
	wait := 0.0
	if !until.IsZero() {
		wait = math.Ceil(max(0, until.Sub(now).Seconds()))
		failure.Message = fmt.Sprintf("%s was not run: %s failed too often, "+
			"and calls are refused for %.0f s more (%s, %s)", t.ID, who, wait, which, t.Source)
	}
	failure.Retryable = true
	failure.Details["retry_after_seconds"] = wait
	return failure
}

// taken returns the changes that are not on record yet, to whoever puts them there.
func (c *circuit) taken() []change {
	c.mu.Lock()
	defer c.mu.Unlock()
	changes := c.changes
	c.changes = nil
	return changes
}
