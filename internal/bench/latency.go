package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	latencyRounds = 201 // in each of which every way has its turn

	turns = 3                      // slices of time, that every way gets for its throughput at each concurrency
	slice = 400 * time.Millisecond // one of them
)

// latencies takes the time of one start by every way. The ways take turns in each round, so that what else
// the machine does falls on all of them, in another order each time: what a start leaves for the kernel to
// clear away falls on the next one.
func latencies(ways []way, condition string, rounds int) []row {
	taken := make([][]float64, len(ways))
	shuffle := rand.New(rand.NewPCG(1, 1)) // the same orders in each run
	for round := range rounds + 1 {
		for _, at := range shuffle.Perm(len(ways)) {
			if ways[at].run == nil {
				continue
			}
			ms, err := timed(ways[at].run)
			reapOrphans()
			if err != nil {
				ways[at].run, ways[at].why = nil, err
				continue
			}
			if round > 0 { // the first finds everything cold
				taken[at] = append(taken[at], ms)
			}
		}
	}
	if ways[0].run == nil {
		return []row{comparedRow("start, full"+condition, "ms", bareStart, maxFull).unmeasured(ways[0].why)}
	}
	floor, bubble := taken[0], taken[slices.IndexFunc(ways, func(w way) bool { return w.name == bubblewrap })]
	var rows []row
	for i, w := range ways {
		samples := fmt.Sprintf("%d each", rounds)
		if w.run != nil {
			// Where the machine has much else to do, this is the part of the time that is the start's own.
			samples += fmt.Sprintf(", the least %s ms, %.2f ×", number(slices.Min(taken[i])),
				slices.Min(taken[i])/slices.Min(floor))
		}
		middle := comparedRow("start, "+w.name+condition, "ms", bareStart, w.goal)
		rare := comparedRow("start, "+w.name+condition+", p99", "ms", bareStart, 0)
		if w.run == nil {
			if w.goal > 0 || condition == "" { // that a peer is missing is said once
				rows = append(rows, middle.unmeasured(w.why))
			}
			continue
		}
		rows = append(rows,
			middle.measured(quantile(taken[i], 0.5), quantile(floor, 0.5), samples),
			rare.measured(quantile(taken[i], 0.99), quantile(floor, 0.99), samples))
		if w.bubble == 0 {
			continue
		}
		r := comparedRow("start, "+w.name+condition, "ms", bubblewrap, w.bubble)
		if len(bubble) == 0 {
			rows = append(rows, r.unmeasured(errNoBubble))
			continue
		}
		rows = append(rows, r.measured(quantile(taken[i], 0.5), quantile(bubble, 0.5), samples))
	}
	return rows
}

var errNoBubble = fmt.Errorf("there is no %s to compare it with", bubblewrap)

// throughputs takes how many calls a second come through by every way, so many at a time.
func throughputs(ways []way, concurrency int) []row {
	rates := make([][]float64, len(ways))
	shuffle := rand.New(rand.NewPCG(1, 1))
	for range turns {
		for _, i := range shuffle.Perm(len(ways)) {
			if ways[i].run == nil {
				continue
			}
			r, err := callsPerSecond(ways[i].run, concurrency)
			reapOrphans()
			if err != nil {
				ways[i].run, ways[i].why = nil, err
				continue
			}
			rates[i] = append(rates[i], r)
		}
	}
	if ways[0].run == nil {
		return []row{comparedRow(fmt.Sprintf("%d at a time, full", concurrency), callRate, bareStart,
			minAtEight).unmeasured(ways[0].why)}
	}
	bubble := rates[slices.IndexFunc(ways, func(w way) bool { return w.name == bubblewrap })]
	samples := fmt.Sprintf("%d × %s each", turns, slice)
	var rows []row
	for i, w := range ways {
		name, goal, bubbles := fmt.Sprintf("%d at a time, %s", concurrency, w.name), 0.0, 0.0
		if concurrency == 8 && w.eight > 0 {
			goal, bubbles = w.eight, minBubble
		}
		r := comparedRow(name, callRate, bareStart, goal)
		if w.run == nil {
			if goal > 0 {
				rows = append(rows, r.unmeasured(w.why))
			}
			continue
		}
		rows = append(rows, r.measured(quantile(rates[i], 0.5), quantile(rates[0], 0.5), samples))
		if bubbles == 0 {
			continue
		}
		r = comparedRow(name, callRate, bubblewrap, bubbles)
		if len(bubble) == 0 {
			rows = append(rows, r.unmeasured(errNoBubble))
			continue
		}
		rows = append(rows, r.measured(quantile(rates[i], 0.5), quantile(bubble, 0.5), samples))
	}
	return rows
}

// callsPerSecond lets so many goroutines call for a slice of time.
func callsPerSecond(call func() error, concurrency int) (float64, error) {
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var callers sync.WaitGroup
	begun := time.Now()
	for range concurrency {
		callers.Go(func() {
			for time.Since(begun) < slice && failed.Load() == nil {
				if err := call(); err != nil {
					failed.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	callers.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(begun).Seconds(), nil
}

// reapOrphans takes what other sandboxes leave behind off the process table. An open sandbox.Host makes
// this program the parent of all orphans, and a call below LevelNoProc looks at every one of them. Nothing
// of ours may be running, or its end would be taken from whoever waits for it.
func reapOrphans() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if pid <= 0 || err != nil {
			return
		}
	}
}

// quantile returns the value that so large a part of the values does not exceed. It sorts them.
func quantile(values []float64, part float64) float64 {
	if part == 0.5 {
		return median(values)
	}
	slices.Sort(values)
	return values[min(int(part*float64(len(values))), len(values)-1)]
}
