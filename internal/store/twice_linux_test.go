package store

import (
	"os"
	"testing"

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
