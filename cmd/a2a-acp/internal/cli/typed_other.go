//go:build !linux

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// DropTyped drops what was typed at a terminal and is not read yet: it was not for the question that comes.
func DropTyped(terminal *os.File) error {
	const input = 1 // FREAD in sys/fcntl.h
	return unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, input)
}
