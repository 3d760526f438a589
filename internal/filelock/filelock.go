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
	longest = 30 * time.Second // whoever has the lock holds it for a moment
	every   = 2 * time.Millisecond
)

// Take waits for the lock, and no longer than ctx: a process that was stopped while it had the lock, or that holds it on
// purpose, must not keep everybody waiting for ever. After half a minute the error says how to find it. The lock goes with
// the open file, and the kernel lets go of it when the process dies.
func Take(ctx context.Context, f *os.File) error {
	return take(ctx, f, longest)
}

func take(ctx context.Context, f *os.File, longest time.Duration) error {
	for begun := time.Now(); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
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
		case <-time.After(every):
		}
	}
}

// Release lets go. Closing the file is not enough while a child that is being forked still holds it.
func Release(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
