package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// guarded runs the act through its tool's circuit breaker, if it has one: while the circuit is open,
// nothing is run.
func (e *Executor) guarded(ctx context.Context, a *act, run func() runResult) runResult {
	c := e.circuits.of(a, e.now)
	if c == nil {
		return run()
	}
	r, err := c.breaker.Execute(func() (runResult, error) {
		r := run()
		return r, verdict(a.tool, &r)
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		r = notRun(c.refusal(a.tool, e.now()))
	}
	r.unrecorded = e.recordChanges(ctx, a, c)
	return r
}

// stopped tells why a call would not be run now; nil when it would be tried.
func (e *Executor) stopped(a *act) *tool.Failure {
	c := e.circuits.of(a, e.now)
	if c == nil || c.breaker.State() != gobreaker.StateOpen {
		return nil
	}
	return c.refusal(a.tool, e.now())
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

// isCallersFault reports whether a JSON-RPC error code says that the request was wrong, or asked for what
// is not there (JSON-RPC 2.0 section 5.1; ACP, Error).
func isCallersFault(code int) bool {
	const invalidRequest, methodNotFound, invalidParams, resourceNotFound = -32600, -32601, -32602, -32002
	return code == invalidRequest || code == methodNotFound || code == invalidParams || code == resourceNotFound
}

// circuits are the circuit breakers of tools. They live as long as the Executor.
type circuits struct {
	mu     sync.Mutex
	byTool map[circuitKey]*circuit
}

// circuitKey names a tool: two workspaces may each bring one of the same id.
type circuitKey struct {
	id    string
	layer tool.Layer
	file  string
	root  string // of the workspace, for a tool of its own
}

func circuitKeyOf(a *act) circuitKey {
	key := circuitKey{id: a.tool.ID, layer: a.tool.Source.Layer, file: a.tool.Source.File}
	if key.layer == tool.LayerProject {
		key.root = a.call.Workspace.Root
	}
	return key
}

// of returns the circuit of an act's tool; nil when it has none. A tool that has been changed begins anew.
func (cs *circuits) of(a *act, now func() time.Time) *circuit {
	t := a.tool
	if t.CircuitBreaker == (tool.CircuitBreaker{}) {
		return nil
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	key, definition := circuitKeyOf(a), a.invocation.Work.Definition()
	c := cs.byTool[key]
	if c == nil || c.definition != definition || c.settings != t.CircuitBreaker {
		c = newCircuit(t, definition, now)
		if cs.byTool == nil {
			cs.byTool = map[circuitKey]*circuit{}
		}
		cs.byTool[key] = c
	}
	return c
}

// circuit is the circuit breaker of one tool, as it was written.
type circuit struct {
	definition string
	settings   tool.CircuitBreaker
	now        func() time.Time
	breaker    *gobreaker.CircuitBreaker[runResult]

	mu       sync.Mutex  // taken after the breaker's own
	failures []time.Time // of the last settings.Period, while the circuit is closed
	until    time.Time   // when an open circuit lets a trial through
	changes  []change    // that are not on record yet
}

// change is a change of state.
type change struct {
	at      time.Time
	circuit events.Circuit
}

func newCircuit(t *tool.Tool, definition string, now func() time.Time) *circuit {
	c := &circuit{definition: definition, settings: t.CircuitBreaker, now: now}
	c.breaker = gobreaker.NewCircuitBreaker[runResult](gobreaker.Settings{
		Name:          t.ID,
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
	switch to {
	case gobreaker.StateOpen:
		told.Failures, told.Threshold, told.LastFailure = max(1, len(c.failures)), c.settings.Failures, now
		told.Until = now.Add(c.settings.Recovery)
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
	failure := tool.Failf(tool.FailCircuitOpen,
		"%s was not run: it has failed before, and a trial is under way; try again later (circuit_breaker, %s)",
		t.ID, t.Source)
	wait := 0.0
	if !until.IsZero() {
		wait = math.Ceil(max(0, until.Sub(now).Seconds()))
		failure.Message = fmt.Sprintf("%s was not run: it failed too often, "+
			"and calls are refused for %.0f s more (circuit_breaker, %s)", t.ID, wait, t.Source)
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
