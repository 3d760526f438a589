//go:build !linux

package approvals

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped drops what was typed and is not read yet.
func dropTyped(terminal *os.File) error {
	const input = 1 // FREAD in sys/fcntl.h
	return unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, input)
}
