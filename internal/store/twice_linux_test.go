package store

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOpenTwice: a process that opens the database once more, as each conversation with an agent does, keeps its locks
// on it. All of them go with the first descriptor of the file that the process closes, whoever closes it
// (fcntl_locking(2)), and another process would take it for a database that nobody has open
// (https://sqlite.org/howtocorrupt.html, 2.2).
func TestOpenTwice(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	open(t, path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	locked := func() bool {
		would := unix.Flock_t{Type: unix.F_WRLCK} // all of the file; locks of this kind are the descriptor's own
		if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, &would); err != nil {
			t.Fatal(err)
		}
		return would.Type != unix.F_UNLCK
	}
	before := locked()
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if !before || !locked() {
		t.Errorf("before it was opened once more the database was locked: %t; afterwards: %t", before, locked())
	}
}

// TestOpenHeld has somebody keep the lock under which the database is opened, as a process does that was stopped there:
// whoever asks a person meanwhile waits no longer than they are ready to.
func TestOpenHeld(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	opened := make(chan error, 1)
	go func() { // ends with ctx
		s, err := Open(ctx, Options{Path: path})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it was opened: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits still")
	}
}
