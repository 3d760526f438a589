package executor

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrDrained is why a call is not begun, or is ended: the program that makes it ends.
var ErrDrained = errors.New("the program ends")

// Drain has no call begin any more, and returns when none is under way. Those that are when ctx ends are
// ended, which takes as long as ending their processes does. Draining twice is harmless.
func (e *Executor) Drain(ctx context.Context) {
	e.calls.close()
	select {
	case <-e.calls.none:
		return
	case <-ctx.Done():
	}
	e.calls.end(ErrDrained)
	<-e.calls.none
}

// calls are those that are under way.
type calls struct {
	state atomic.Int64  // how many, and closed
	none  chan struct{} // closed when there are none, and none begins any more
	once  sync.Once     // of closing none

	ending context.Context // done when those under way are to end
	end    context.CancelCauseFunc
}

// closedBit says that none begins any more.
const closedBit = 1 << 62

func newCalls() *calls {
	c := &calls{none: make(chan struct{})}
	c.ending, c.end = context.WithCancelCause(context.Background())
	return c
}

// begin counts a call, which ends with its ctx or when it is to. It is false when none begins any more.
func (c *calls) begin(ctx context.Context) (_ context.Context, end func(), ok bool) {
	if c.state.Add(1)&closedBit != 0 {
		c.over()
		return ctx, nil, false
	}
	ctx, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(c.ending, func() { cancel(context.Cause(c.ending)) })
	return ctx, func() {
		unbind()
		cancel(nil)
		c.over()
	}, true
}

func (c *calls) over() {
	if c.state.Add(-1) == closedBit {
		c.once.Do(func() { close(c.none) })
	}
}

func (c *calls) close() {
	if c.state.Or(closedBit)&^closedBit == 0 {
		c.once.Do(func() { close(c.none) })
	}
}
