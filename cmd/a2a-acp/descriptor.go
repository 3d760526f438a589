package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// duplicate gives a private copy of a descriptor, which no child inherits.
func duplicate(fd int) (*os.File, error) {
	private, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(private), "standard output"), nil
}
