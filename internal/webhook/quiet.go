package webhook

import (
	"fmt"
	"time"
)

// Quiet are the hours of each day in which nothing is sent. What happens meanwhile is sent when they are over.
type Quiet struct {
	Start, End Clock // may lie on both sides of midnight
	Zone       *time.Location
}

// Clock is a time of day, in minutes since midnight.
type Clock int

// ParseClock reads HH:MM.
func ParseClock(text string) (Clock, error) {
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf("want a time of day such as 22:30")
	}
	return Clock(at.Hour()*60 + at.Minute()), nil
}

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", c/60, c%60) }

func (q *Quiet) String() string { return fmt.Sprintf("%s to %s (%s)", q.Start, q.End, q.Zone) }

// Now reports whether a moment lies in the hours.
func (q *Quiet) Now(at time.Time) bool { return !q.until(at).IsZero() }

// until returns when the hours are over that a moment lies in; the zero Time when it lies in none. Where the
// clocks are changed, an hour that is missing is passed over, and one that comes twice is quiet twice.
func (q *Quiet) until(now time.Time) time.Time {
	if q == nil {
		return time.Time{}
	}
	local := now.In(q.Zone)
	at := Clock(local.Hour()*60 + local.Minute())
	day := 0
	switch {
	case q.Start < q.End && at >= q.Start && at < q.End, q.Start > q.End && at < q.End:
	case q.Start > q.End && at >= q.Start:
		day = 1
	default:
		return time.Time{}
	}
	end := time.Date(local.Year(), local.Month(), local.Day()+day, int(q.End/60), int(q.End%60), 0, 0, q.Zone)
	if !end.After(now) { // the end has been set back beyond now
		end = now.Add(time.Minute)
	}
	return end
}
