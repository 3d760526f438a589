package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// DropTyped drops what was typed at a terminal and is not read yet: it was not for the question that comes.
func DropTyped(terminal *os.File) error {
	err := unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	if errors.Is(err, unix.ENOTTY) { // nobody types there
		return nil
	}
	return err
}
