//go:build amd64 || arm64

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// seals are all that fcntl(2) knows for content: nothing of it can be changed, and no seal taken off.
const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// openInput puts an input into a sealed file in memory and gives a descriptor that reads it from its
// beginning. That it was opened for writing too is of no use to anybody: the seals are the file's.
func openInput(in Input) (fd int, err error) {
	return openSealed(in.Name, in.Data, unix.MFD_NOEXEC_SEAL)
}

// openSealed is openInput for a file that can be executed, or not: mode is MFD_EXEC or MFD_NOEXEC_SEAL.
func openSealed(name string, data []byte, mode int) (fd int, err error) {
	if fd, err = memfd(name, mode); err != nil {
		return -1, fmt.Errorf("make input %q: memfd_create: %w", name, err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
			fd = -1
		}
	}()
	for at := 0; at < len(data); {
		n, err := unix.Pwrite(fd, data[at:], int64(at)) // which leaves it standing at the beginning
		if err != nil {
			return fd, fmt.Errorf("fill input %q: %w", name, err)
		}
		at += n
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return fd, fmt.Errorf("seal input %q: %w", name, err)
	}
	return fd, nil
}

// memfd makes a file in memory. One that is data cannot be executed, which would be a way around noexec
// mounts. Linux knows the modes since 6.3 and earlier kernels refuse them.
func memfd(name string, mode int) (int, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|mode)
	if err == unix.EINVAL {
		return unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	return fd, err
}
