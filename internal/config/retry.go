package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of retry. A grant holds for five minutes (permissions.PermitLife), so no later attempt would be
// let through.
const (
	mostAttempts    = 10
	longestDelay    = 5 * time.Minute
	largestMultiple = 10
)

// retryMapping is what an entry may say about trying again.
func retryMapping() yamldoc.Mapping[*tool.Retry] {
	const seconds = "seconds, or a duration such as 500ms"
	multiplier := func(r *tool.Retry, v yamldoc.Value) {
		if n, ok := v.Number(); ok {
			f, err := n.Float64()
			if err != nil || f < 1 || f > largestMultiple {
				v.Fail(yamldoc.RuleValue, "", "want a number from 1 to %d, found %s", largestMultiple, n)
				return
			}
			r.Multiplier = f
		}
	}
	return yamldoc.Mapping[*tool.Retry]{
		Name: "retry",
		Synonyms: map[string]string{
			"count": "attempts", "max": "attempts", "maxattempts": "attempts", "maxretries": "attempts",
			"retries": "attempts", "times": "attempts", "delay": "initial_delay", "interval": "initial_delay",
			"wait": "initial_delay", "maxwait": "max_delay", "factor": "multiplier",
		},
		Keys: []yamldoc.Key[*tool.Retry]{
			yamldoc.NewKey("attempts", "a whole number", func(r *tool.Retry, v yamldoc.Value) {
				if n, ok := v.Int(1, mostAttempts); ok {
					r.Attempts = int(n)
				}
			}),
			yamldoc.NewKey("backoff", "exponential or constant", readBackoff),
			yamldoc.NewKey("backoff_multiplier", "a number", multiplier),
			yamldoc.NewKey("multiplier", "a number", multiplier),
			yamldoc.NewKey("initial_delay", seconds, func(r *tool.Retry, v yamldoc.Value) {
				v.SetDuration(&r.Delay, longestDelay)
			}),
			yamldoc.NewKey("max_delay", seconds, func(r *tool.Retry, v yamldoc.Value) {
				v.SetDuration(&r.MaxDelay, longestDelay)
			}),
		},
	}
}

func readBackoff(r *tool.Retry, v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	switch backoff := tool.Backoff(text); backoff {
	case tool.BackoffExponential, tool.BackoffConstant:
		r.Backoff = backoff
	case "fixed", "linear":
		v.Fail(yamldoc.RuleValue, "constant waits the same time before each attempt", "want %s, found %s",
			v.Want, yamldoc.Quote(text))
	default:
		v.Fail(yamldoc.RuleValue, "", "want %s, found %s", v.Want, yamldoc.Quote(text))
	}
}

func (e *toolEntry) readRetry(v yamldoc.Value) {
	r := tool.DefaultRetry()
	yamldoc.ReadKeys(v, retryMapping(), &r)
	if second, twice := v.Get("multiplier"); twice && v.Has("backoff_multiplier") {
		second.Fail(ruleTwice, "keep one of them", "backoff_multiplier says the same")
	}
	e.tool.Retry, e.retry = r, v
}

// checkRetry refuses to try a tool again of which its author says that twice is not the same as once. Where
// he says nothing, `retry` itself is his word that it may be.
func (e *toolEntry) checkRetry() {
	if e.retry.Node == nil {
		return
	}
	idempotent := e.tool.Annotations.Idempotent
	switch {
	case idempotent != nil && !*idempotent && !e.tool.IsReadOnly():
		e.retry.Fail(yamldoc.RuleValue, "keep the one that is true",
			"annotations say that it is not idempotent, so running it again may do harm")
	case e.tool.IsDestructive() && idempotent == nil:
		e.retry.Fail(yamldoc.RuleValue,
			"say `idempotentHint: true` if twice does no more than once, or take retry out",
			"annotations say that it is destructive, so running it again may do harm")
	}
}
