package unasked

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNothingElseIsOpened: a repository names what it likes, and opening a device can have an effect. A FIFO stands for it.
func TestNothingElseIsOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "CLAUDE.md")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(opened) //nolint:errcheck // it only watches
	if _, err := unix.InotifyAddWatch(opened, fifo, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	if data, cannot := text(dir, "CLAUDE.md"); data != nil || cannot == "" {
		t.Errorf("it is read as %q, %q", data, cannot)
	}
	if n, err := unix.Read(opened, make([]byte, 4096)); !errors.Is(err, unix.EAGAIN) {
		t.Errorf("it was opened (%d bytes of events, %v)", n, err)
	}
}
