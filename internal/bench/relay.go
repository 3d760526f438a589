package main

import (
	"fmt"
	"time"
)

// sizes are those of the frames that are relayed.
var sizes = []frameSize{
	{name: "100 B", bytes: 100, trips: 1000, burst: 20_000},
	{name: "10 KB", bytes: 10_000, trips: 400, burst: 1000},
	{name: "1 MB", bytes: 1_000_000, trips: 40, burst: 30, throughput: 0.6},
	{name: "30 MB", bytes: 30_000_000, trips: 4, burst: 3},
}

type frameSize struct {
	name  string
	bytes int
	trips int // round trips that are timed, by each pair of processes
	burst int // frames that are sent without waiting, for the throughput

	throughput float64 // the goal: the smallest part of the floor's; 0 is none
}

const (
	// Of a bridge and a floor, one after the other: where the kernel puts processes makes a difference that
	// stays.
	pairs  = 5
	bursts = 3 // that are timed, by each pair

	maxTime = 1.5 // of the floor's, for one frame
)

// roundTrips sends a request, waits for its response, and sends the next.
func roundTrips(bridge, floor launcher, size frameSize) row {
	r := comparedRow("relay, round trip, "+size.name, "ms", "byte copy", maxTime)
	id := 100_000_000 // as long as every other that follows
	ours, least, err := alternate(bridge, floor, size.trips, func(p *process) (time.Duration, error) {
		id++
		return p.roundTrip(request(id, size.bytes))
	})
	if err != nil {
		return r.unmeasured(err)
	}
	return r.measured(milliseconds(ours), milliseconds(least), fmt.Sprintf("%d × %d each", pairs, size.trips))
}

// throughput sends notifications without waiting, and takes the time until all of them have come back.
func throughput(bridge, floor launcher, size frameSize) row {
	r := comparedRow("relay, throughput, "+size.name, rate, "byte copy", size.throughput)
	frame := notification(size.bytes)
	ours, least, err := alternate(bridge, floor, bursts, func(p *process) (time.Duration, error) {
		return p.burst(frame, size.burst)
	})
	if err != nil {
		return r.unmeasured(err)
	}
	megabytes := float64(len(frame)*size.burst) / 1e6
	samples := fmt.Sprintf("%d × %d of %d frames each", pairs, bursts, size.burst)
	return r.measured(megabytes/ours.Seconds(), megabytes/least.Seconds(), samples)
}

// alternate lets the bridge and the floor take a round in turn, and gives the median of each.
func alternate(bridge, floor launcher, rounds int, round func(*process) (time.Duration, error)) (ours,
	least time.Duration, err error) {
	var taken, floors []float64
	for range pairs {
		b, f, err := pair(bridge, floor, rounds, round)
		if err != nil {
			return 0, 0, err
		}
		taken, floors = append(taken, b...), append(floors, f...)
	}
	return time.Duration(median(taken)), time.Duration(median(floors)), nil
}

// pair does so with one process of each kind. The first round of each, which finds everything cold, does
// not count.
func pair(bridge, floor launcher, rounds int, round func(*process) (time.Duration, error)) (taken,
	floors []float64, err error) {
	b, err := bridge.start()
	if err != nil {
		return nil, nil, err
	}
	defer b.stop()
	f, err := floor.start()
	if err != nil {
		return nil, nil, err
	}
	defer f.stop()
	for i := range rounds + 1 {
		floorTime, err := round(f)
		if err != nil {
			return nil, nil, fmt.Errorf("the floor: %w", f.because(err))
		}
		ourTime, err := round(b)
		if err != nil {
			return nil, nil, b.because(err)
		}
		if i > 0 {
			taken, floors = append(taken, float64(ourTime)), append(floors, float64(floorTime))
		}
	}
	return taken, floors, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
