package app

import (
	"context"
	"sync"
)

// startScrub has the record read again, slowly, while the program runs. Where it is damaged nothing is recorded any
// more, and so nothing runs but what audit.on_audit_failure lets go on.
func (a *App) startScrub() {
	if a.log == nil {
		return // it was said at the start why
	}
	ctx, cancel := context.WithCancel(context.Background())
	var scrubbing sync.WaitGroup
	scrubbing.Go(func() { // ends with the program
		if err := a.log.Scrub(ctx); err != nil {
			a.recorder.trouble.Store(&err)
			a.o.Say(err.Error())
		}
	})
	a.onStop(func() error {
		cancel()
		scrubbing.Wait()
		return nil
	})
}
