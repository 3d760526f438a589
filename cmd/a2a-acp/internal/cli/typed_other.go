//go:build !linux

package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// DropTyped drops what was typed at a terminal and is not read yet: it was not for the question that comes.
func DropTyped(terminal *os.File) error {
	const input = 1 // FREAD in sys/fcntl.h
	err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, input)
	if errors.Is(err, unix.ENOTTY) { // nobody types there
		return nil
	}
	return err
}
