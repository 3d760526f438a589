package cli

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// duplicate returns a private copy of a descriptor, which no child inherits.
func duplicate(fd int) (*os.File, error) {
	private, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(private), "standard output"), nil
}

// ClaimStdout takes standard output for the protocol alone: it keeps a private copy of descriptor 1 and
// points 1 at stderr, so that no stray print, of ours or of a library's, can corrupt the stream.
func ClaimStdout(env *Environment) (*os.File, error) {
	private, err := duplicate(1)
	if err != nil {
		return nil, fmt.Errorf("keep standard output for the protocol: %w", err)
	}
	if err := redirect(2, 1); err != nil {
		return nil, fmt.Errorf("keep standard output for the protocol: %w", err)
	}
	env.Stdout = env.Stderr
	return private, nil
}
