package a2a

import (
	"sync"
	"time"
)

// gathered is how long what grows is gathered once some of it was told. So a flood of tiny pieces is an event each time,
// and neither the log nor a stream has more of them; the first piece, and one after a pause, is told at once.
const gathered = 20 * time.Millisecond

// gather waits for more to tell, where something was told a moment ago, unless it is to be told now. c.L is held, and c
// is told when now may have become true.
func gather(c *sync.Cond, told time.Time, now func() bool) {
	left := gathered - time.Since(told)
	if left <= 0 {
		return
	}
	over := false
	defer time.AfterFunc(left, func() {
		c.L.Lock()
		defer c.L.Unlock()
		over = true
		c.Broadcast()
	}).Stop()
	for !over && !now() {
		c.Wait()
	}
}
