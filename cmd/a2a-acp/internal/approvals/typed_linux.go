package approvals

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped drops what was typed and is not read yet.
func dropTyped(terminal *os.File) error {
	return unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
