package audit

import (
	"os"

	"golang.org/x/sys/unix"
)

// An fsync puts on disk what is new in the inodes of other files as well (ext4 has one journal), so the files that are
// looked at before each line are looked at without a trace.

// identify returns which file has a name, and how long it is. The name is one of the directory that is open as dir, or
// a path (unix.AT_FDCWD), links are not followed, and "" is the open file itself. It does not ask for times: since
// Linux 6.13 a file whose times were asked for gets new ones with each write (multigrain timestamps).
func identify(dir int, name string) (id identity, size int64, err error) {
	var is unix.Statx_t
	err = unix.Statx(dir, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_SIZE, &is)
	return identity{unix.Mkdev(is.Dev_major, is.Dev_minor), is.Ino}, int64(is.Size), err
}

// leaveAccessTime has reads of a file not written down in it, where that is allowed (open(2), O_NOATIME): a file that
// is read after each write would get a new access time each time.
func leaveAccessTime(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETFL, unix.O_NOATIME)
}
