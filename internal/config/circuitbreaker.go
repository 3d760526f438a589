package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// circuitBreakerMapping is what an entry may say about calls of a tool that keeps failing.
func circuitBreakerMapping() yamldoc.Mapping[*tool.CircuitBreaker] {
	const (
		seconds = "seconds, or a duration such as 2m30s"
		longest = 24 * time.Hour
	)
	count := func(field func(*tool.CircuitBreaker) *int) func(*tool.CircuitBreaker, yamldoc.Value) {
		return func(b *tool.CircuitBreaker, v yamldoc.Value) {
			if n, ok := v.Int(1, 1000); ok {
				*field(b) = int(n)
			}
		}
	}
	return yamldoc.Mapping[*tool.CircuitBreaker]{
		Name: "circuit_breaker",
		Synonyms: map[string]string{
			"threshold": "failure_threshold", "failures": "failure_threshold",
			"maxfailures": "failure_threshold", "window": "monitoring_period", "timeout": "recovery_timeout",
			"resettimeout": "recovery_timeout", "cooldown": "recovery_timeout",
		},
		Keys: []yamldoc.Key[*tool.CircuitBreaker]{
			yamldoc.NewKey("failure_threshold", "a whole number", count(func(b *tool.CircuitBreaker) *int {
				return &b.Failures
			})),
			yamldoc.NewKey("monitoring_period", seconds, func(b *tool.CircuitBreaker, v yamldoc.Value) {
				v.SetDuration(&b.Period, longest)
			}),
			yamldoc.NewKey("recovery_timeout", seconds, func(b *tool.CircuitBreaker, v yamldoc.Value) {
				v.SetDuration(&b.Recovery, longest)
			}),
			yamldoc.NewKey("half_open_max_calls", "a whole number", count(func(b *tool.CircuitBreaker) *int {
				return &b.HalfOpenCalls
			})),
		},
	}
}

func (e *toolEntry) readCircuitBreaker(v yamldoc.Value) {
	b := tool.DefaultCircuitBreaker()
	yamldoc.ReadKeys(v, circuitBreakerMapping(), &b)
	e.tool.CircuitBreaker = b
}
