package webhook

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// Retry says when a delivery that failed is tried again. The zero Retry is the default: over a day.
type Retry struct {
	Attempts   int           // in all; 0 for the default
	First      time.Duration // behind the first failure
	Longest    time.Duration
	Multiplier float64
	// Jitter is how far a delay strays to both sides, as a part of it, so that what failed together does
	// not come back together.
	Jitter float64
}

// The bounds of what a Retry may say.
const (
	MostAttempts = 100
	LongestDelay = 7 * 24 * time.Hour
)

// Jitter is that of the default.
const Jitter = 0.2

// aDay are the default's delays, some 27 hours in all. A receiver that is deployed anew is back within
// seconds, one that somebody has to look after within hours, one that is looked after by nobody is not
// worth more requests than these. Services that send webhooks do likewise (docs.svix.com/retries).
var aDay = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 10 * time.Hour}

// attempts is how often a delivery is tried.
func (r Retry) attempts() int {
	if r.Attempts == 0 {
		return len(aDay) + 1
	}
	return r.Attempts
}

// delay returns how long to wait behind a number of failures, from 1. random is from 0 to 1.
func (r Retry) delay(failures int, random float64) time.Duration {
	delay, jitter := aDay[min(failures, len(aDay))-1], Jitter
	if r.Attempts > 0 {
		grown := float64(r.First) * math.Pow(r.Multiplier, float64(failures-1))
		delay, jitter = r.Longest, r.Jitter
		if grown < float64(r.Longest) {
			delay = time.Duration(grown)
		}
	}
	return time.Duration(float64(delay) * (1 + jitter*(2*random-1)))
}

// The bounds of what a receiver may say about when to come again, and of how long such answers are no failed
// attempts: a receiver that is busy is there.
const (
	shortestAfter = time.Second
	longestAfter  = 24 * time.Hour
	busyFor       = 3 * 24 * time.Hour
)

// retryAfter returns how long a receiver asks to be left alone (RFC 9110, 10.2.3); 0 where it does not say.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if text == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(text, 10, 32)
	after := time.Duration(seconds) * time.Second
	if err != nil {
		at, err := http.ParseTime(text)
		if err != nil {
			return 0
		}
		after = at.Sub(now)
	}
	return min(max(after, shortestAfter), longestAfter)
}
