package supervisor

import (
	"syscall"
	"time"
)

// Waits between two rounds of SIGKILL. A round is cheap, and right after one most of what it hit has ended;
// what has not is held by the kernel, and being told more often does not hasten it.
const (
	shortestRound = time.Millisecond
	longestRound  = 100 * time.Millisecond
)

// kill sends SIGKILL to everybody again and again until nobody is left: processes start others while they
// are being looked for. It gives up, and names who is left, when for the time of patience there was nobody
// whom it may signal.
func (t *tree) kill(d *deaths, patience time.Duration) (survivors []string) {
	wait := shortestRound
	hopeless := time.Time{} // since when
	for {
		hit, refused := t.signal(syscall.SIGKILL)
		switch {
		case hit > 0:
			hopeless = time.Time{}
		case hopeless.IsZero():
			hopeless = time.Now()
		case time.Since(hopeless) > patience:
			if len(refused) == 0 {
				refused = []string{"somebody whom this system does not show"}
			}
			return refused
		}
		timer := time.NewTimer(wait)
		select {
		case <-d.all:
			timer.Stop()
			return nil
		case <-d.any:
			timer.Stop()
			wait = shortestRound
		case <-timer.C:
			wait = min(2*wait, longestRound)
		}
	}
}
