package executor

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ratelimit"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// turns say when requests are sent to sources that bound how many they are sent. They live as long as the Executor.
type turns struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu    sync.Mutex
	known map[circuitKey]*sourceRate
}

// sourceRate counts those to one source, as it was written.
type sourceRate struct {
	origin string
	limit  tool.RateLimit
	sent   *ratelimit.Window
}

// inTurn runs the act when its request may be sent. What was decided is checked after that.
func (e *Executor) inTurn(ctx context.Context, a *act, run func() runResult) runResult {
	if failure := e.turns.wait(ctx, a); failure != nil {
		return notRun(failure)
	}
	return run()
}

// wait waits until one more request may be sent to the source that the act's go to. Where that takes longer than its
// rate_limit allows, nothing is to be sent. A caller who gives up has had his turn.
func (ts *turns) wait(ctx context.Context, a *act) *tool.Failure {
	if a.tool.HTTP == nil || a.tool.HTTP.API.Rate == (tool.RateLimit{}) {
		return nil
	}
	limit := a.tool.HTTP.API.Rate
	wait, ok := ts.reserve(a, ts.now())
	switch {
	case !ok:
		failure := tool.Failf(tool.FailRateLimit, "nothing was sent: %s is sent %s within %s, and the next could only be in "+
			"%s, which is longer than one waits (rate_limit of the source, %s)", a.tool.HTTP.API.Who(),
			display.Count(limit.Requests, "request", "requests"), limit.Per, wait.Round(time.Millisecond), a.tool.Source)
		failure.Retryable = true
		failure.Details["retry_after_seconds"] = math.Ceil(wait.Seconds())
		return failure
	case wait == 0:
		return nil
	}
	if a.watcher != nil {
		a.watcher.Working(fmt.Sprintf("waits %s, until %s may be sent another request", wait.Round(time.Second), a.tool.HTTP.API.Who()))
	}
	if ts.sleep(ctx, wait) != nil {
		return gaveUp()
	}
	return nil
}

// reserve counts a request of the act, and returns how long it is until it may be sent; false for too long.
func (ts *turns) reserve(a *act, now time.Time) (wait time.Duration, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	key, api := circuitKeyOf(a).ofSource(a.tool), a.tool.HTTP.API
	s := ts.known[key]
	if s == nil || s.origin != api.Origin || s.limit != api.Rate {
		s = &sourceRate{api.Origin, api.Rate, ratelimit.NewWindow(api.Rate.Requests, api.Rate.Per)}
		if ts.known == nil {
			ts.known = map[circuitKey]*sourceRate{}
		}
		ts.known[key] = s
	}
	return s.sent.Reserve(now, api.Rate.Wait)
}
