// Package filelock has processes take turns at what they share, by a file that is there for nothing else (flock(2)).
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The bounds of waiting.
const (
	Longest = 30 * time.Second // whoever has the lock holds it for a moment
	first   = 50 * time.Microsecond
	every   = 2 * time.Millisecond
)

// How says what a lock keeps out.
type How int

// The locks.
const (
	Alone  How = unix.LOCK_EX // everybody
	Shared How = unix.LOCK_SH // those who want it alone
)

// Take waits for the lock, and no longer than ctx: a process that was stopped while it had the lock, or that holds it on
// purpose, must not keep everybody waiting for ever. After half a minute the error says how to find it. The lock goes with
// the open file, and the kernel lets go of it when the process dies.
func Take(ctx context.Context, f *os.File) error { return TakeWithin(ctx, f, Alone, Longest) }

// TakeWithin is Take for either lock and another longest time.
func TakeWithin(ctx context.Context, f *os.File, how How, longest time.Duration) error {
	wait := first
	for begun := time.Now(); ; {
		err := unix.Flock(int(f.Fd()), int(how)|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		case time.Since(begun) > longest:
			return fmt.Errorf("another process has held %s for %s; `fuser %s` finds it", f.Name(), longest, f.Name())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is locked by another program: %w", f.Name(), context.Cause(ctx))
		case <-time.After(wait):
		}
		wait = min(2*wait, every)
	}
}

// Release lets go. Closing the file is not enough while a child that is being forked still holds it.
func Release(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
