// Package ratelimit counts how often something happens, and bounds it.
package ratelimit

import "time"

// Window counts how often something happens, so that it is never more often than a number of times within any time of
// a length. A bucket that is filled again meanwhile would let nearly twice as much happen. A nil Window is no bound. It
// is not safe for concurrent use.
type Window struct {
	count int
	per   time.Duration
	at    []time.Time // when it has happened, within per, or is going to
}

// NewWindow returns a Window of so many times within so long; nil for a count of 0, which is no bound.
func NewWindow(count int, per time.Duration) *Window {
	if count <= 0 {
		return nil
	}
	return &Window{count: count, per: per}
}

// Take counts once more, unless it is too often; then it returns how long it is until there is room. A time that
// is yet to come counts: a clock that was set back must not make a limit forget.
func (w *Window) Take(now time.Time) (wait time.Duration) {
	wait, _ = w.Reserve(now, 0)
	return wait
}

// Reserve counts once more at the first time when that is not too often, and returns how long it is until then: who
// came first has his turn first. Where it is longer than most, it counts nothing and returns false.
func (w *Window) Reserve(now time.Time, most time.Duration) (wait time.Duration, ok bool) {
	if w == nil {
		return 0, true
	}
	w.forget(now)
	if n := len(w.at) - w.count; n >= 0 {
		wait = max(w.per-now.Sub(w.at[n]), 0)
	}
	if wait > most {
		return wait, false
	}
	w.at = append(w.at, now.Add(wait))
	return wait, true
}

// IsEmpty reports whether nothing has happened within the time.
func (w *Window) IsEmpty(now time.Time) bool {
	if w == nil {
		return true
	}
	w.forget(now)
	return len(w.at) == 0
}

func (w *Window) forget(now time.Time) {
	n := 0
	for n < len(w.at) && now.Sub(w.at[n]) >= w.per {
		n++
	}
	if w.at = w.at[n:]; len(w.at) == 0 {
		w.at = nil // the room of a burst is not kept
	}
}
