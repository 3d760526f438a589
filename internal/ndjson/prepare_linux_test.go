package ndjson

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPrepare(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close(); write.Close() })
	raw, err := write.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	state := func() (flags, size int) {
		t.Helper()
		err := raw.Control(func(fd uintptr) {
			flags, _ = unix.FcntlInt(fd, unix.F_GETFL, 0)
			size, _ = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		})
		if err != nil {
			t.Fatal(err)
		}
		return flags, size
	}
	if flags, _ := state(); flags&unix.O_NONBLOCK == 0 {
		t.Fatal("a new pipe blocks already: this test proves nothing")
	}
	Prepare(write)
	flags, size := state()
	if flags&unix.O_NONBLOCK != 0 {
		t.Error("the stream does not block")
	}
	if size != pipeSize {
		if other, err := unix.FcntlInt(read.Fd(), unix.F_SETPIPE_SZ, pipeSize); err != nil {
			t.Skipf("the kernel grants no pipe of %d bytes: %v", pipeSize, err)
		} else {
			t.Errorf("the pipe holds %d bytes, and the kernel would have granted %d", size, other)
		}
	}
	if _, err := write.WriteString("{}\n"); err != nil {
		t.Errorf("the stream does not work any more: %v", err)
	}
}

// What is no pipe works as it did.
func TestPrepareFile(t *testing.T) {
	t.Parallel()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	Prepare(f)
	if err := NewWriter(f).Send([]byte("{}")); err != nil {
		t.Error(err)
	}
}
