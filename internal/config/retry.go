package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of retry. A grant holds for five minutes (permissions.GrantLife), so no later attempt would be let through.
const (
	mostAttempts    = 10
	longestDelay    = 5 * time.Minute
	largestMultiple = 10
)

// retryNoun is what an entry may say about trying again.
func retryNoun() noun[*tool.Retry] {
	const seconds = "seconds, or a duration such as 500ms"
	multiplier := func(r *tool.Retry, v value) {
		if n, ok := v.number(); ok {
			f, err := n.Float64()
			if err != nil || f < 1 || f > largestMultiple {
				v.fail(ruleValue, "", "want a number from 1 to %d, found %s", largestMultiple, n)
				return
			}
			r.Multiplier = f
		}
	}
	return noun[*tool.Retry]{
		name: "retry",
		called: map[string]string{
			"count": "attempts", "max": "attempts", "maxattempts": "attempts", "maxretries": "attempts", "retries": "attempts", "times": "attempts",
			"delay": "initial_delay", "interval": "initial_delay", "wait": "initial_delay", "maxwait": "max_delay", "factor": "multiplier",
		},
		keys: []key[*tool.Retry]{
			{"attempts", "a whole number", func(r *tool.Retry, v value) {
				if n, ok := v.whole(1, mostAttempts); ok {
					r.Attempts = int(n)
				}
			}},
			{"backoff", "exponential or constant", readBackoff},
			{"backoff_multiplier", "a number", multiplier},
			{"multiplier", "a number", multiplier},
			{"initial_delay", seconds, func(r *tool.Retry, v value) { v.setDuration(&r.Delay, longestDelay) }},
			{"max_delay", seconds, func(r *tool.Retry, v value) { v.setDuration(&r.MaxDelay, longestDelay) }},
		},
	}
}

func readBackoff(r *tool.Retry, v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	switch backoff := tool.Backoff(text); backoff {
	case tool.BackoffExponential, tool.BackoffConstant:
		r.Backoff = backoff
	case "fixed", "linear":
		v.fail(ruleValue, "constant waits the same time before each attempt", "want %s, found %s", v.want, quote(text))
	default:
		v.fail(ruleValue, "", "want %s, found %s", v.want, quote(text))
	}
}

func (e *toolEntry) readRetry(v value) {
	r := tool.DefaultRetry()
	readKeys(v, retryNoun(), &r)
	if second, twice := v.get("multiplier"); twice && v.has("backoff_multiplier") {
		second.fail(ruleTwice, "keep one of them", "backoff_multiplier says the same")
	}
	e.tool.Retry, e.retry = r, v
}

// checkRetry refuses to try a tool again of which its author says that twice is not the same as once. Where he says
// nothing, `retry` itself is his word that it may be.
func (e *toolEntry) checkRetry() {
	if e.retry.node == nil {
		return
	}
	idempotent := e.tool.Annotations.Idempotent
	switch {
	case idempotent != nil && !*idempotent && !e.tool.IsReadOnly():
		e.retry.fail(ruleValue, "keep the one that is true", "annotations say that it is not idempotent, so running it again may do harm")
	case e.tool.IsDestructive() && idempotent == nil:
		e.retry.fail(ruleValue, "say `idempotentHint: true` if twice does no more than once, or take retry out",
			"annotations say that it is destructive, so running it again may do harm")
	}
}
