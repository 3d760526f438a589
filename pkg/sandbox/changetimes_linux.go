//go:build amd64 || arm64

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// On most file systems of disks every change of a file sets its change time, and nobody can set that to
// another time (inode(7), ctime). Elsewhere this may not hold:
//
//   - In memory, a file that was mapped to be read and written can be written without a trace: the kernel maps its
//     pages writable at once, since there is no disk to write them to later (mm/mmap.c, vma_wants_writenotify).
//     An overlay may lie in memory.
//   - FAT has one time for a change of a file and of what it holds, which utimensat(2) sets (fs/fat/misc.c), and so
//     have file systems in user space that know no more than that (sshfs).
//
// So only file systems that are known are believed.
var (
	memoryFiles      = []int64{unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC}
	timedFiles       = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC}
	timedDirectories = slices.Concat(memoryFiles, timedFiles)
)

// isOn reports whether an open file is on one of some file systems (statfs(2), f_type).
func isOn(fd int, systems []int64) bool {
	var is unix.Statfs_t
	return unix.Fstatfs(fd, &is) == nil && slices.Contains(systems, int64(is.Type))
}
