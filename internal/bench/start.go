package main

import (
	"fmt"
	"time"
)

const (
	starts  = 21 // that are timed
	maxWait = 50 // milliseconds from the start to the first frame
)

// firstFrame takes the time from the start of the bridge to the answer to the first frame, the agent's own
// start included.
func firstFrame(bridge launcher) row {
	r := within("start to first relayed frame", "ms", maxWait)
	frame := request(100_000_000, 100)
	var taken []float64
	for i := range starts + 1 {
		begun := time.Now()
		p, err := bridge.start()
		if err != nil {
			return r.unmeasured(err)
		}
		if _, err := p.roundTrip(frame); err != nil {
			return r.unmeasured(p.because(err))
		}
		if i > 0 { // the first one finds the file not in memory
			taken = append(taken, milliseconds(time.Since(begun)))
		}
		p.stop()
	}
	return r.measured(median(taken), 0, fmt.Sprintf("%d starts", starts))
}
