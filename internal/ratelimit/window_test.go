package ratelimit

import (
	"slices"
	"testing"
	"time"
)

// TestWindow checks when there is room: three times within ten seconds, whenever these begin.
func TestWindow(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := NewWindow(3, 10*time.Second)
	for i, step := range []struct {
		at, wait time.Duration // seconds after start
	}{{0, 0}, {4, 0}, {9, 0}, {9, 1}, {10, 0}, {10, 4}, {13, 1}, {14, 0}, {18, 1}, {19, 0}, {2, 18}, {100, 0}} {
		if got := w.Take(start.Add(step.at * time.Second)); got != step.wait*time.Second {
			t.Errorf("step %d: wait %s, want %s", i, got, step.wait*time.Second)
		}
	}
	if w.IsEmpty(start.Add(109*time.Second)) || !w.IsEmpty(start.Add(110*time.Second)) {
		t.Error("it is empty at another time than 10 s after the last")
	}
	var none *Window
	if wait := NewWindow(0, time.Hour).Take(start); wait != 0 || none.Take(start) != 0 || !none.IsEmpty(start) {
		t.Error("no window is a bound")
	}
}

// TestReserve checks that many who come at once have their turns one after the other, and that who would wait too long
// takes no turn from anybody.
func TestReserve(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := NewWindow(2, time.Second)
	var waits []time.Duration
	for range 8 {
		if wait, ok := w.Reserve(now, 2*time.Second); ok {
			waits = append(waits, wait)
		} else if wait != 3*time.Second {
			t.Errorf("one too many would wait %s", wait)
		}
	}
	if want := []time.Duration{0, 0, 1e9, 1e9, 2e9, 2e9}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
	if wait, ok := w.Reserve(now.Add(1500*time.Millisecond), 2*time.Second); !ok || wait != 1500*time.Millisecond {
		t.Errorf("later: %s, %t", wait, ok)
	}
}
