package app

import (
	"context"
	"errors"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/telemetry"
)

// tendRecord has the record read again, slowly, while the program runs. Where it is damaged nothing is recorded any
// more, and so nothing runs but what audit.on_audit_failure lets go on, until somebody has accepted the damage.
func (a *App) tendRecord() {
	if a.log == nil {
		return // it was said at the start why
	}
	ctx, cancel := context.WithCancel(context.Background())
	var tending sync.WaitGroup
	tending.Go(func() { a.log.Tend(ctx, a.recordNews) }) // ends with the program
	a.onStop(func() error {
		cancel()
		tending.Wait()
		return nil
	})
}

// recordNews is told that nothing can be recorded any more, and that it can be again.
func (a *App) recordNews(trouble error) {
	if trouble != nil {
		a.recorder.trouble.Store(&trouble)
		a.o.Say(trouble.Error())
		return
	}
	a.recorder.trouble.Store(nil)
	a.o.Say("the record is written again: what was wrong with it was accepted")
	if a.recorder.begun.Load() { // else they stand in front of what comes first
		a.recordFiles(a.Set().Files)
	}
}

// recordStopped says whether nothing can be recorded, and whether that is since the record is damaged.
func (a *App) recordStopped() []telemetry.Sample {
	why := a.Unrecorded
	if a.log != nil {
		why = a.log.Alive()
		if trouble := a.recorder.trouble.Load(); why == nil && trouble != nil {
			why = *trouble
		}
	}
	damaged := telemetry.Sample{Labels: [][2]string{{"why", "damaged"}}}
	other := telemetry.Sample{Labels: [][2]string{{"why", "other"}}}
	switch {
	case errors.Is(why, audit.ErrDamaged), a.state != "" && audit.Marked(recordIn(a.state)) != nil:
		damaged.Value = 1
	case why != nil:
		other.Value = 1
	}
	return []telemetry.Sample{damaged, other}
}
