package tool

import "time"

// Retry says how often a call that failed is tried again. The zero Retry never does.
type Retry struct {
	Attempts   int // runs in all, the first one included
	Backoff    Backoff
	Delay      time.Duration // before the second attempt
	Multiplier float64       // of BackoffExponential: each delay is so many times the one before; 1 or more
	MaxDelay   time.Duration // no delay is longer
}

// Backoff says how the delays between attempts grow.
type Backoff string

// The kinds of Backoff.
const (
	BackoffExponential Backoff = "exponential"
	BackoffConstant    Backoff = "constant"
)

// DefaultRetry is what an entry means that says `retry:` and no more.
func DefaultRetry() Retry {
	return Retry{Attempts: 3, Backoff: BackoffExponential, Delay: time.Second, Multiplier: 2,
		MaxDelay: 30 * time.Second}
}

// CircuitBreaker says when calls of a tool that keeps failing are refused for a while. The zero
// CircuitBreaker never does.
type CircuitBreaker struct {
	Failures      int           // so many of them within Period open the circuit
	Period        time.Duration //
	Recovery      time.Duration // how long it stays open before calls are let through on trial
	HalfOpenCalls int           // so many trials are let through, and all of them must succeed to close it
}

// RateLimit is how often requests are sent. The zero RateLimit is no bound.
type RateLimit struct {
	Requests int           // so many of them within Per, and no more, whenever that begins
	Per      time.Duration //
	Wait     time.Duration // how long one waits for its turn before it fails
}

// DefaultRateWait is how long a request waits for its turn where nobody says.
const DefaultRateWait = 30 * time.Second

// DefaultCircuitBreaker is what an entry means that says `circuit_breaker:` and no more.
func DefaultCircuitBreaker() CircuitBreaker {
	return CircuitBreaker{Failures: 5, Period: 30 * time.Second, Recovery: time.Minute, HalfOpenCalls: 1}
}

// DefaultSourceBreaker is what a source means that says `circuit_breaker:` and no more: seed 002's numbers.
func DefaultSourceBreaker() CircuitBreaker {
	return CircuitBreaker{Failures: 5, Period: 30 * time.Second, Recovery: 30 * time.Second, HalfOpenCalls: 3}
}

// Caching says whether the result of a call that succeeded is given to later calls of the same kind in
// place of running them. The zero Caching keeps nothing.
type Caching struct {
	Enabled bool
	TTL     time.Duration // how long a result is given out
	Results int           // kept at the most; the one that was not asked for the longest goes first
	Bytes   int64         // of output kept at the most
	// Key is a plain text template that tells calls apart. Empty: calls with the same arguments are the same.
	Key string
	// HTTP says that answers to requests are kept for as long as their servers let a private cache (RFC 9111). It
	// stands alone.
	HTTP bool
}

// DefaultCaching is what an entry means that switches caching on and says no more.
func DefaultCaching() Caching {
	return Caching{Enabled: true, TTL: 5 * time.Minute, Results: 100, Bytes: 32 << 20}
}
