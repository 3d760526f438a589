package audit

import (
	"errors"
	"os"
	"path/filepath"

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

// readLock keeps writers of the record in dir out until the function that it returns is called, so that no line
// is read that its writer takes back. A copy of a record may have no lock, or lie where nobody can take one:
// then nobody writes.
func readLock(dir string) (unlock func()) {
	lock, err := openRead(filepath.Join(dir, lockName))
	if err != nil {
		return func() {}
	}
	if err := lockFile(lock, unix.LOCK_SH); err != nil {
		return func() { lock.Close() }
	}
	return func() {
		unlockFile(lock) //nolint:errcheck // closing lets go as well
		lock.Close()
	}
}
