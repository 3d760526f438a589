//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// seals are all that fcntl(2) knows for content: nothing of it can be changed, and no seal taken off.
const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// openInput puts an input into a sealed file in memory and gives a descriptor that reads it from its beginning.
func openInput(in Input) (int, error) {
	fd, err := memfd(in.Name)
	if err != nil {
		return -1, fmt.Errorf("make input %q: memfd_create: %w", in.Name, err)
	}
	defer unix.Close(fd)
	for data := in.Data; len(data) > 0; {
		n, err := unix.Write(fd, data)
		if err != nil {
			return -1, fmt.Errorf("fill input %q: %w", in.Name, err)
		}
		data = data[n:]
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return -1, fmt.Errorf("seal input %q: %w", in.Name, err)
	}
	// A description of its own, so that it can only be read and stands at the beginning.
	readOnly, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open input %q: %w", in.Name, err)
	}
	return readOnly, nil
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
