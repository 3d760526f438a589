//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mostSpares is how many directories are kept ready: as many as calls run at once where many do.
const mostSpares = 64

// spareDir is an empty directory that is a call's own as long as the call runs.
//
// Most calls never touch theirs. To make and remove a directory on a disk takes a tenth of a whole call,
// and much more where the file system tells the disk of each block that comes free, or looks for a number
// that was not used lately (ext4 without a journal). So one that a call has left as it was is kept for the
// next call of the same user, in the scratch directory, where no call comes. Whatever is done to a
// directory, be it a file that was made in it and removed again, a mode, an attribute or an access list,
// sets its change time, which nobody can set back (inode(7), ctime). Where the clock of that is coarse (see
// hasFineTimes), what is done at once after we have looked does not show; so what would matter to the next
// call is looked at too.
type spareDir struct {
	name string      // in the scratch directory; for a start directory "" while a call has it
	use  spareDirUse // what for
	is   unix.Stat_t
	attr fileAttributes
}

// spareDirUse says which calls can have a spare.
type spareDirUse struct {
	uid, gid int
	// The directory that it was made in, whose access lists, group and quota it has. A call that may write
	// to that one can hold a directory in it open, so it must not meet it anywhere else, not even where a
	// later directory has its number. None for temporary directories.
	major, minor uint32
	inode        uint64
	born         unix.StatxTimestamp
}

// fileAttributes is the kernel's struct fsxattr: what chattr(1) sets, and the project that a quota is about.
type fileAttributes [28]byte

// getAttributes is FS_IOC_FSGETXATTR.
const getAttributes = 0x801c581f

var errTouched = errors.New("something was done to the directory")

// makeSpare makes an empty directory below another one.
func makeSpare(parent int, name string, use spareDirUse, id identity) (spareDir, error) {
	if err := unix.Mkdirat(parent, name, 0o700); err != nil {
		return spareDir{}, &StartError{Step: "mkdir", Path: name, Err: err}
	}
	if id.drop {
		if err := unix.Fchownat(parent, name, id.uid, id.gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return spareDir{}, &StartError{Step: "chown", Path: name,
				Err: errors.Join(err, removeEntry(parent, name))}
		}
	}
	s := spareDir{use: use}
	var err error
	if s.is, s.attr, err = lookEmpty(parent, name); err != nil {
		s.is = unix.Stat_t{} // it is no less good for that, but is never seen to be untouched
	}
	return s, nil
}

// lookEmpty looks at a directory, which must be empty and have no extended attributes, not even an access
// list.
func lookEmpty(parent int, name string) (is unix.Stat_t, attr fileAttributes, err error) {
	// Reading it must not be the change that is found the next time.
	const how = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NOATIME | unix.O_CLOEXEC
	fd, err := unix.Openat(parent, name, how, 0)
	if err != nil {
		return is, attr, err
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &is); err != nil {
		return is, attr, err
	}
	var entries [512]byte
	for {
		n, err := unix.ReadDirent(fd, entries[:])
		if err != nil {
			return is, attr, err
		}
		if n == 0 {
			break
		}
		if _, _, names := unix.ParseDirent(entries[:n], -1, nil); len(names) > 0 { // it leaves out "." and ".."
			return is, attr, errTouched
		}
	}
	if n, err := unix.Flistxattr(fd, nil); n > 0 || err != nil && !errors.Is(err, unix.ENOTSUP) {
		return is, attr, errTouched
	}
	// A file system that does not know it cannot have it changed either.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), getAttributes, uintptr(unsafe.Pointer(&attr)))
	return is, attr, nil
}

// isUntouched reports whether nothing was done to a spare since it was looked at last.
func (s *scratch) isUntouched(one spareDir, parent int, name string) bool {
	if s.fineTimes && one.is.Dev == s.device {
		var is unix.Stat_t
		err := unix.Fstatat(parent, name, &is, unix.AT_SYMLINK_NOFOLLOW)
		return err == nil && is == one.is
	}
	is, attr, err := lookEmpty(parent, name)
	return err == nil && is == one.is && attr == one.attr
}

// hasFineTimes finds out, by trying, whether every change of a directory that was looked at shows in its
// change time: since Linux 6.13, on most file systems (multigrain timestamps). On others all changes within
// a tick of the clock, some milliseconds, have the same.
func hasFineTimes(parent int) bool {
	const tries = 8 // in less than a tick, or two at most: otherwise most of them are the same
	name := "times-" + randomName()
	if err := unix.Mkdirat(parent, name, 0o700); err != nil {
		return false
	}
	defer func() { _ = removeTree(parent, name) }() // it goes with the scratch directory at the latest
	var last unix.Stat_t
	for range tries {
		var is unix.Stat_t
		if err := unix.Fchmodat(parent, name, 0o700, 0); err != nil {
			return false
		}
		if err := unix.Fstatat(parent, name, &is, unix.AT_SYMLINK_NOFOLLOW); err != nil || is.Ctim == last.Ctim {
			return false
		}
		last = is
	}
	return true
}

// move gives a spare another place, which is all that may change about it.
func (s *spareDir) move(from int, name string, to int, newName string) error {
	if err := unix.Renameat(from, name, to, newName); err != nil {
		return err
	}
	var is unix.Stat_t
	if err := unix.Fstatat(to, newName, &is, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	s.is.Ctim = is.Ctim
	if is != s.is {
		return errTouched
	}
	return nil
}

// takeSpare returns one that was kept, if nothing was done to it there.
func (s *scratch) takeSpare(use spareDirUse) (spareDir, bool) {
	for {
		one, ok := s.popSpare(use)
		if !ok {
			return spareDir{}, false
		}
		var is unix.Stat_t
		if err := unix.Fstatat(int(s.dir.Fd()), one.name, &is, unix.AT_SYMLINK_NOFOLLOW); err == nil &&
			is == one.is {
			return one, true
		}
		_ = removeTree(int(s.dir.Fd()), one.name) // it goes with the scratch directory at the latest
	}
}

func (s *scratch) popSpare(use spareDirUse) (spareDir, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range slices.Backward(s.spares) {
		if one.use == use {
			s.spares = slices.Delete(s.spares, i, i+1)
			return one, true
		}
	}
	return spareDir{}, false
}

// keep keeps one for the next call, and removes the one that was not used for longest when there are too
// many.
func (s *scratch) keep(one spareDir) {
	s.mu.Lock()
	s.spares = append(s.spares, one)
	var old []spareDir
	if len(s.spares) > mostSpares {
		old = slices.Clone(s.spares[:1])
		s.spares = slices.Delete(s.spares, 0, 1)
	}
	s.mu.Unlock()
	for _, one := range old {
		_ = removeTree(int(s.dir.Fd()), one.name) // it goes with the scratch directory at the latest
	}
}

// takeTemp returns a call its private temporary directory.
func (s *scratch) takeTemp(id identity) (spareDir, error) {
	use := spareDirUse{uid: id.uid, gid: id.gid}
	if one, ok := s.takeSpare(use); ok {
		return one, nil
	}
	name := randomName()
	one, err := makeSpare(int(s.dir.Fd()), name, use, id)
	if start := (*StartError)(nil); errors.As(err, &start) {
		start.Path, start.Cure = filepath.Join(s.path, name), cureScratch
	}
	one.name = name
	return one, err
}

// giveBack takes a call's temporary directory away when the call has ended: to be used again where nothing
// was done to it.
func (s *scratch) giveBack(temp spareDir) error {
	if s.isUntouched(temp, int(s.dir.Fd()), temp.name) {
		s.keep(temp)
		return nil
	}
	return removeTree(int(s.dir.Fd()), temp.name)
}

// takeStart returns a call the directory that it starts in, under a name in another directory.
func (s *scratch) takeStart(parent int, name string, id identity) (spareDir, error) {
	use := spareDirUse{uid: id.uid, gid: id.gid}
	var is unix.Statx_t
	if err := unix.Statx(parent, "", unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_BTIME, &is); err != nil {
		return spareDir{}, &StartError{Step: "statx", Err: err}
	}
	use.major, use.minor, use.inode, use.born = is.Dev_major, is.Dev_minor, is.Ino, is.Btime
	for {
		one, ok := s.takeSpare(use)
		if !ok {
			return makeSpare(parent, name, use, id)
		}
		kept := one.name
		one.name = ""
		switch err := one.move(int(s.dir.Fd()), kept, parent, name); {
		case err == nil:
			return one, nil
		case errors.Is(err, errTouched):
			_ = removeTree(parent, name) // making one under that name tells
		default:
			_ = removeTree(int(s.dir.Fd()), kept) // it goes with the scratch directory at the latest
		}
	}
}

// giveStartBack takes it away when the call has ended. Where the scratch directory is on another file
// system it is removed.
func (s *scratch) giveStartBack(one spareDir, parent int, name string) error {
	if s.isNear(one) && s.isUntouched(one, parent, name) {
		one.name = randomName()
		if err := one.move(parent, name, int(s.dir.Fd()), one.name); err == nil {
			s.keep(one)
			return nil
		}
		_ = removeTree(int(s.dir.Fd()), one.name) // it goes with the scratch directory at the latest
	}
	return removeTree(parent, name)
}

// isNear reports whether a directory is on the scratch directory's file system.
func (s *scratch) isNear(one spareDir) bool { return one.is.Dev == s.device }
