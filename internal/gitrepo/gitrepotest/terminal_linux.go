package gitrepotest

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal makes a pseudo-terminal.
func terminal(t testing.TB) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be made (%v), wanted one for git to page on", err)
	}
	number := 0
	control, err := master.SyscallConn() // Fd would have reads block for ever
	if err == nil {
		_ = control.Control(func(fd uintptr) {
			if number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
				err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
			}
		})
	}
	if err == nil {
		slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}
