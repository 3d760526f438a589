package serve

import "time"

// Window counts how often something happens, so that it is never more often than a rate says within any time of
// that length. A bucket that is filled again meanwhile would let nearly twice as much happen. A nil Window is no
// bound. It is not safe for concurrent use.
type Window struct {
	rate Rate
	at   []time.Time // when it has happened, within the time
}

// NewWindow returns a Window of a rate; nil for none.
func NewWindow(r Rate) *Window {
	if r.Count <= 0 {
		return nil
	}
	return &Window{rate: r}
}

// Take counts once more, unless it is too often; then it returns how long it is until there is room. A time that
// is yet to come counts: a clock that was set back must not make a limit forget.
func (w *Window) Take(now time.Time) (wait time.Duration) {
	if w == nil {
		return 0
	}
	w.forget(now)
	if len(w.at) >= w.rate.Count {
		return max(w.rate.Per-now.Sub(w.at[0]), 1)
	}
	w.at = append(w.at, now)
	return 0
}

// isEmpty reports whether nothing has happened within the time.
func (w *Window) isEmpty(now time.Time) bool {
	if w == nil {
		return true
	}
	w.forget(now)
	return len(w.at) == 0
}

func (w *Window) forget(now time.Time) {
	n := 0
	for n < len(w.at) && now.Sub(w.at[n]) >= w.rate.Per {
		n++
	}
	if w.at = w.at[n:]; len(w.at) == 0 {
		w.at = nil // the room of a burst is not kept
	}
}
