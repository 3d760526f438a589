package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// circuitBreakerNoun is what an entry may say about calls of a tool that keeps failing.
func circuitBreakerNoun() noun[*tool.CircuitBreaker] {
	const (
		seconds = "seconds, or a duration such as 2m30s"
		longest = 24 * time.Hour
	)
	count := func(field func(*tool.CircuitBreaker) *int) func(*tool.CircuitBreaker, value) {
		return func(b *tool.CircuitBreaker, v value) {
			if n, ok := v.whole(1, 1000); ok {
				*field(b) = int(n)
			}
		}
	}
	return noun[*tool.CircuitBreaker]{
		name: "circuit_breaker",
		called: map[string]string{
			"threshold": "failure_threshold", "failures": "failure_threshold", "maxfailures": "failure_threshold", "window": "monitoring_period",
			"timeout": "recovery_timeout", "resettimeout": "recovery_timeout", "cooldown": "recovery_timeout",
		},
		keys: []key[*tool.CircuitBreaker]{
			{"failure_threshold", "a whole number", count(func(b *tool.CircuitBreaker) *int { return &b.Failures })},
			{"monitoring_period", seconds, func(b *tool.CircuitBreaker, v value) { v.setDuration(&b.Period, longest) }},
			{"recovery_timeout", seconds, func(b *tool.CircuitBreaker, v value) { v.setDuration(&b.Recovery, longest) }},
			{"half_open_max_calls", "a whole number", count(func(b *tool.CircuitBreaker) *int { return &b.HalfOpenCalls })},
		},
	}
}

func (e *toolEntry) readCircuitBreaker(v value) {
	b := tool.DefaultCircuitBreaker()
	readKeys(v, circuitBreakerNoun(), &b)
	e.tool.CircuitBreaker = b
}
