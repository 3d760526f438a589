package database

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// identityOf names a file as no copy of it is named: by its number, and when it was made where the file
// system knows that (statx(2)).
func identityOf(path string) (string, error) {
	var is unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME,
		&is); err != nil {
		return "", &os.PathError{Op: "statx", Path: path, Err: err}
	}
	if is.Mask&unix.STATX_BTIME == 0 {
		is.Btime = unix.StatxTimestamp{}
	}
	return fmt.Sprintf("%d %d.%09d", is.Ino, is.Btime.Sec, is.Btime.Nsec), nil
}
