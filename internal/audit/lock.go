package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits for the lock of all processes that share the record (flock(2)): how is unix.LOCK_EX to
// write, LOCK_SH to read. It goes with the open file, so that two Logs in one process keep each other out
// as two processes do, and the kernel lets go of it when a process dies.
func lockFile(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// unlockFile lets go, and says so explicitly: closing is not enough while a child that is being forked
// still holds the same open file.
func unlockFile(f *os.File) error { return lockFile(f, unix.LOCK_UN) }
