package app

import (
	"time"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

// circuitsName is the file in the state directory that says when people have last reset circuits, by the names of
// tools and sources. Who has a circuit that is open looks there before he refuses a call.
const circuitsName = "circuits.json"

// oldestReset is how long a reset is remembered: no circuit is open for longer.
const oldestReset = 25 * time.Hour

// ResetCircuit has the circuits of a tool or a source closed, in every process that has one.
func ResetCircuit(o Options, name string) error {
	dir, err := openState(o)
	if err != nil {
		return err
	}
	resets := map[string]time.Time{}
	return state.SharedFile(dir.Path(), circuitsName).Change(&resets, func() (bool, error) {
		for other, at := range resets {
			if now().Sub(at) > oldestReset {
				delete(resets, other)
			}
		}
		resets[name] = now()
		return true, nil
	})
}

// circuitReset returns when a circuit was last reset; the zero Time for never, and where that cannot be read.
func (a *App) circuitReset(name string) time.Time {
	resets := map[string]time.Time{}
	if a.state == "" || state.SharedFile(a.state, circuitsName).Read(&resets) != nil {
		return time.Time{}
	}
	return resets[name]
}
