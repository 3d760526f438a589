package a2a

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGather: what comes after a pause is told at once, and in a flood it waits its time, or until it must be told.
func TestGather(t *testing.T) {
	for name, test := range map[string]struct{ since, now, waits time.Duration }{
		"the first":           {time.Hour, time.Hour, 0},
		"after a pause":       {gathered, time.Hour, 0},
		"in a flood":          {0, time.Hour, gathered},
		"later in a flood":    {gathered / 4, time.Hour, gathered * 3 / 4},
		"what cannot wait":    {0, 0, 0},
		"what waits no more":  {0, gathered / 2, gathered / 2},
		"what comes too late": {gathered, gathered / 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := sync.NewCond(&sync.Mutex{})
				begin := time.Now()
				now := func() bool { return time.Since(begin) >= test.now }
				time.AfterFunc(test.now, c.Broadcast)
				c.L.Lock()
				gather(c, begin.Add(-test.since), now)
				c.L.Unlock()
				if waited := time.Since(begin); waited != test.waits {
					t.Errorf("it has waited %s, want %s", waited, test.waits)
				}
			})
		})
	}
}
