package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// lockFile waits for the lock of all processes that share the record: to write it has to be alone. It goes with
// the open file, so that two Logs in one process keep each other out as two processes do. One that was stopped while
// it had the lock, or that holds it on purpose, keeps nobody waiting for ever, nor without a word.
func lockFile(f *os.File, how filelock.How, patience time.Duration) error {
	return filelock.TakeWithin(context.Background(), f, how, patience)
}

// unlockFile lets go, and says so explicitly: closing is not enough while a child that is being forked
// still holds the same open file.
func unlockFile(f *os.File) error { return filelock.Release(f) }

// readLock keeps writers of the record in dir out until the function that it returns is called, so that no line
// is read that its writer takes back. A copy of a record may have no lock, or lie where nobody can take one:
// then nobody writes.
func readLock(dir string, patience time.Duration) (unlock func(), err error) {
	lock, err := openRead(filepath.Join(dir, lockName))
	if err != nil {
		return func() {}, nil //nolint:nilerr // there is none
	}
	if err := lockFile(lock, filelock.Shared, patience); err != nil {
		lock.Close()
		if errors.As(err, new(syscall.Errno)) { // it cannot be locked
			return func() {}, nil
		}
		return nil, fmt.Errorf("record: %w", err)
	}
	return func() {
		unlockFile(lock) //nolint:errcheck // closing lets go as well
		lock.Close()
	}, nil
}
