package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

// ErrStopped is returned for what would begin after Stop.
var ErrStopped = errors.New("the program ends")

// life is the state of an App's life.
type life struct {
	ending context.Context // done when doors are to close
	end    context.CancelCauseFunc

	stopping sync.Once
	stopErr  error
	open     sync.WaitGroup // of doors

	mu       sync.Mutex // guards what follows
	started  bool
	over     bool           // nothing begins any more
	doors    map[*Door]bool // those that are open, but for the App's own
	drivers  []*agentclient.Driver
	teardown []func() error // run in reverse
	unwound  bool
}

// begin is about Start.
func (l *life) begin(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return ErrStopped
	case l.started:
		return errors.New("start the program: it was started before")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	l.started = true
	return nil
}

// enter registers a door that opens.
func (l *life) enter(d *Door) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ErrStopped
	}
	l.doors[d] = true
	l.open.Add(1)
	return nil
}

// enterDriver registers what drives agents: it is closed before doors are told to.
func (l *life) enterDriver(d *agentclient.Driver) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ErrStopped
	}
	l.drivers = append(l.drivers, d)
	return nil
}

// closeDrivers ends the agents that are driven here.
func (l *life) closeDrivers() {
	l.mu.Lock()
	drivers := l.drivers
	l.mu.Unlock()
	for _, d := range drivers {
		d.Close()
	}
}

// leave removes a door that has closed.
func (l *life) leave(d *Door) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doors[d] {
		delete(l.doors, d)
		l.open.Done()
	}
}

// openDoors returns the doors that are open.
func (l *life) openDoors() []*Door {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.doors))
}

// stopped prevents everything from beginning, and returns the doors that are open.
func (l *life) stopped() []*Door {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	return l.openDoors()
}

func (l *life) isStarted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.started
}

func (l *life) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// onStop registers f to be called when the App ends, before what was opened earlier is closed. If the App
// has ended, f is called at once.
func (l *life) onStop(f func() error) {
	l.mu.Lock()
	if !l.unwound {
		l.teardown = append(l.teardown, f)
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	_ = f() // nobody is left to be told
}

// unwind closes what was opened, the last first.
func (l *life) unwind() error {
	l.mu.Lock()
	teardown := l.teardown
	l.teardown, l.unwound = nil, true
	l.mu.Unlock()
	var errs []error
	for _, f := range slices.Backward(teardown) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
