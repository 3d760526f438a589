package cli

import (
	"errors"
	"time"
)

// When is a time that may be given as so long ago (7d, 90m), as a day, or in full (RFC 3339). The zero value is
// none.
type When struct {
	text string
	ago  Days
	at   time.Time
}

// Time returns the time that is meant; the zero time for none.
func (w *When) Time(now time.Time) time.Time {
	if w.ago > 0 {
		return now.Add(-time.Duration(w.ago))
	}
	return w.at
}

// String implements pflag.Value, as do Set and Type.
func (w *When) String() string { return w.text }

// Set implements pflag.Value.
func (w *When) Set(s string) error {
	*w = When{text: s}
	if w.ago.Set(s) == nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			w.at = at
			return nil
		}
	}
	return errors.New("want a period (7d, 12h, 90m), a day (2026-11-24) or a time (2026-11-24T09:00:00Z)")
}

// Type implements pflag.Value.
func (w *When) Type() string { return "time" }
