package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// jitter is how far a growing delay strays to both sides, so that calls which failed together do not come
// back together.
const jitter = 0.2

// retried runs the act, and runs it again while it fails in a way that may pass, as often as its author
// says. What the permit does not cover any more, because it is old or the rules have changed, is not run
// again, and neither is what is not on record, or what its circuit stops: the result is then that of the
// last attempt.
func (e *Executor) retried(ctx context.Context, a *act, run func() runResult) runResult {
	delays := newDelays(a.tool.Retry)
	last := run()
	for last.attempts = max(1, a.attempts); mayPass(a.tool, &last); {
		delay := delays.NextBackOff()
		if delay == backoff.Stop {
			return last
		}
		if wait := last.outcome.RetryAfter; wait > delay {
			if wait > a.tool.Retry.MaxDelay {
				last.notAgain = fmt.Sprintf("the server wants nobody back for %s, which is longer than max_delay", wait)
				return last
			}
			delay = wait
		}
		if failure := e.stopped(a); failure != nil {
			last.notAgain = failure.Message
			return last
		}
		if err := e.recordAttempt(ctx, a, &last); err != nil {
			last.notAgain = fmt.Sprintf("the attempt before could not be recorded: %v", err)
			return last
		}
		if e.sleep(ctx, delay) != nil {
			last.outcome.Ended, last.outcome.LimitsHit = gaveUp(), nil
			return last
		}
		last.spools.drop(nil) // of what any but the last has put out, nothing is kept
		next := run()
		unrecorded := errors.Join(last.unrecorded, next.unrecorded)
		if !next.began {
			last.notAgain, last.unrecorded = next.failure.Message, unrecorded
			return last
		}
		next.attempts, next.unrecorded = a.attempts, unrecorded
		last = next
	}
	return last
}

// newDelays returns the delays between attempts, and then backoff.Stop.
func newDelays(r tool.Retry) backoff.BackOff {
	if r.Attempts < 2 {
		return &backoff.StopBackOff{}
	}
	var delays backoff.BackOff = backoff.NewConstantBackOff(min(r.Delay, r.MaxDelay))
	if r.Backoff == tool.BackoffExponential {
		delays = atMost{r.MaxDelay, backoff.NewExponentialBackOff(
			backoff.WithInitialInterval(r.Delay),
			backoff.WithMultiplier(r.Multiplier),
			backoff.WithMaxInterval(r.MaxDelay),
			backoff.WithRandomizationFactor(jitter),
			backoff.WithMaxElapsedTime(0), // the number of attempts ends it
		)}
	}
	return backoff.WithMaxRetries(delays, uint64(r.Attempts-1))
}

// atMost holds delays to their bound: the library bounds them before it adds the jitter.
type atMost struct {
	bound time.Duration
	backoff.BackOff
}

func (m atMost) NextBackOff() time.Duration { return min(m.bound, m.BackOff.NextBackOff()) }

// mayPass reports whether another run may end better: after a time-out, and after an exit code that the
// author calls retryable, or says nothing about.
func mayPass(t *tool.Tool, r *runResult) bool {
	if !r.began || r.outcome.begunJob() { // another run would begin another job
		return false
	}
	if failure := r.ended(); failure != nil {
		return failure.Retryable
	}
	code := r.outcome.ExitCode
	if mapped, ok := t.ErrorMapping[r.outcome.meant()]; ok {
		return mapped.Retryable
	}
	return code != 0 && !r.outcome.Permanent
}

// sleepFor waits, and gives up with ctx.
func sleepFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// again runs the act a second time, since the server has taken something for stale that was sent: a token, or what was
// said of an answer that is kept. What is not on record is not run again, and the result is then that of the first.
func (e *Executor) again(ctx context.Context, a *act, first runResult, run func() runResult) runResult {
	first.attempts = a.attempts
	if err := e.recordAttempt(ctx, a, &first); err != nil {
		first.notAgain = fmt.Sprintf("the attempt before could not be recorded: %v", err)
		return first
	}
	second := run()
	unrecorded := errors.Join(first.unrecorded, second.unrecorded)
	if !second.began {
		first.notAgain, first.unrecorded = second.failure.Message, unrecorded
		return first
	}
	first.spools.drop(nil)
	second.unrecorded = unrecorded
	return second
}
