//go:build amd64 || arm64

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// seals are all that fcntl(2) knows for content: nothing of it can be changed, and no seal taken off.
const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// openInput puts an input into a sealed file in memory and gives a descriptor that reads it from its beginning. That it was
// opened for writing too is of no use to anybody: the seals are the file's.
func openInput(in Input) (fd int, err error) {
	if fd, err = memfd(in.Name); err != nil {
		return -1, fmt.Errorf("make input %q: memfd_create: %w", in.Name, err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
			fd = -1
		}
	}()
	for at := 0; at < len(in.Data); {
		n, err := unix.Pwrite(fd, in.Data[at:], int64(at)) // which leaves it standing at the beginning
		if err != nil {
			return fd, fmt.Errorf("fill input %q: %w", in.Name, err)
		}
		at += n
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return fd, fmt.Errorf("seal input %q: %w", in.Name, err)
	}
	return fd, nil
}

// memfd makes a file in memory that cannot be executed, which is a way around noexec mounts. Linux knows that flag since
// 6.3 and earlier kernels refuse it.
func memfd(name string) (int, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL {
		return unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	return fd, err
}
