package audit

import (
	"testing"
	"time"
)

// In a narrow terminal the acts of one day leave the day to the head of the list.
func TestClockOf(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	for _, test := range []struct {
		last  time.Time
		width int
		want  string
	}{
		{noon.Add(time.Hour), 80, time.TimeOnly}, {noon.Add(time.Hour), 120, time.DateTime}, {noon.Add(time.Hour), 0, time.DateTime},
		{noon.Add(24 * time.Hour), 80, time.DateTime},
	} {
		if got := clockOf(noon, test.last, test.width); got != test.want {
			t.Errorf("to %v in %d columns: %q, want %q", test.last, test.width, got, test.want)
		}
	}
}
