//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// await keeps what a call writes until its root has ended, or was given up, which is an error; and sees to
// its end when that has to be. It tells why the call ended. The root stays a zombie: its number, which
// names the process group too, remains its own until all of the call is gone.
//
// It does all that on the thread that started the root, which is there already and has nothing else to do:
// waking others takes as long as reading what they would read. A thread for each running call is what
// os/exec takes too.
func (h *Host) waitForEnd(ctx context.Context, c *call) (callEnd, error) {
	c.begin(func(why callEnd) {
		if why.limit == limitTimeout || why.cancelled {
			h.terminate(c)
		} else {
			h.kill(c)
		}
	})
	calm := context.AfterFunc(ctx, func() { c.stop(callEnd{cancelled: true}) })
	defer calm()
	if limit := c.plan.profile.Limits.Timeout; limit > 0 {
		timer := time.AfterFunc(limit, func() { c.stop(callEnd{limit: limitTimeout}) })
		defer timer.Stop()
	}
	err := c.serve()
	close(c.root.exited)
	return c.stopped(), err
}

// serve blocks its thread until the root has ended or was given up, and reads what the call writes meanwhile.
func (c *call) serve() error {
	polls := make([]unix.PollFd, 1, 1+len(c.streams))
	polls[0] = unix.PollFd{Fd: int32(c.root.pidfd), Events: unix.POLLIN}
	for _, s := range c.streams {
		if s != nil {
			polls = append(polls, unix.PollFd{Fd: int32(s.from), Events: unix.POLLIN})
		}
	}
	for !c.root.givenUp.Load() {
		// Once a second is soon enough to see that it was given up.
		n, err := unix.Poll(polls, 1000)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for process %d: %w", c.root.pid, err)
		}
		if n <= 0 {
			continue
		}
		for i := range polls[1:] {
			if polls[1+i].Revents == 0 {
				continue
			}
			if !c.streams[i].take() {
				polls[1+i].Fd = -1 // poll(2) passes over it
			}
			if c.streams[i].truncated {
				c.end(limitOutput)
			}
		}
		if polls[0].Revents != 0 {
			return nil
		}
	}
	return fmt.Errorf("%w: %d", errLostControl, c.root.pid)
}

// callEnd is why a call ended. The zero ending is its own.
type callEnd struct {
	limit     string // of ours
	cancelled bool
}

// stopping is how a call is ended from outside: its time is up, its context has ended, or it ran into a
// limit of ours. The first reason counts, and is seen to in a goroutine of its own, which ends when the
// call has stopped waiting for its root.
type stopping struct {
	over    chan string // the limit that it ran into; has room for one. Read by whoever gives it a grace
	overOne sync.Once

	carryOut func(callEnd)
	running  atomic.Bool // there is something to end
	one      sync.Once
	why      callEnd
	busy     sync.WaitGroup
}

// begin lets a call be ended, now that it has a root.
func (s *stopping) begin(carryOut func(callEnd)) {
	s.carryOut = carryOut
	s.running.Store(true)
	select {
	case limit := <-s.over: // it was quick
		s.stop(callEnd{limit: limit})
	default:
	}
}

// end says which limit ends the call. The first one counts.
func (s *stopping) end(limit string) {
	s.overOne.Do(func() { s.over <- limit })
	if s.running.Load() {
		s.stop(callEnd{limit: limit})
	}
}

func (s *stopping) stop(why callEnd) {
	s.one.Do(func() {
		s.why = why
		s.busy.Go(func() { s.carryOut(why) })
	})
}

// stopped returns when nobody is ending the call any more, nor will be, and tells why it was.
func (s *stopping) stopped() callEnd {
	s.one.Do(func() {})
	s.busy.Wait()
	return s.why
}
