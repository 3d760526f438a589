//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// removeTree removes what has a name in a directory, with all that is below it. What is there was made by a
// tool and may be meant to get in our way: links are removed and not followed, directories that nobody may
// write to or read are opened up, and a tree of any depth takes three descriptors and no stack, since a
// directory that is not empty is moved to the top and emptied there. os.RemoveAll fails on the second and
// third.
func removeTree(parent int, name string) error {
	if err := removeEntry(parent, name); err == nil {
		return nil
	}
	top, err := openUp(parent, name)
	if err != nil {
		return err
	}
	defer top.Close()
	moved := &mover{top: int(top.Fd()), prefix: randomName()}
	for {
		progress := false
		var failed error
		err := eachEntry(top, func(entry string) {
			if err := moved.empty(entry); err != nil {
				failed = err
				return
			}
			progress = true
		})
		switch {
		case err != nil:
			return err
		case progress:
		case failed != nil:
			return failed
		default:
			return removeEntry(parent, name)
		}
	}
}

// removeEntry removes a file, a link or an empty directory.
func removeEntry(parent int, name string) error {
	err := unix.Unlinkat(parent, name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		err = unix.Unlinkat(parent, name, unix.AT_REMOVEDIR)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// mover moves directories to the top of the tree that is being removed, under names that are not there.
type mover struct {
	top    int
	prefix string
	count  int
}

// empty removes an entry of the top, after moving the directories in it that are not empty up beside it.
func (m *mover) empty(entry string) error {
	if err := removeEntry(m.top, entry); err == nil {
		return nil
	}
	dir, err := openUp(m.top, entry)
	if err != nil {
		return err
	}
	defer dir.Close()
	var failed error
	for {
		progress := false
		err := eachEntry(dir, func(name string) {
			err := removeEntry(int(dir.Fd()), name)
			if err != nil {
				err = m.move(int(dir.Fd()), name)
			}
			if err != nil {
				failed = err
				return
			}
			progress = true
		})
		if err != nil {
			return err
		}
		if !progress {
			break
		}
	}
	if failed != nil {
		return failed
	}
	return removeEntry(m.top, entry)
}

// move moves a directory to the top. The kernel asks for the right to write to it, since its ".." changes.
func (m *mover) move(parent int, name string) error {
	dir, err := openUp(parent, name)
	if err != nil {
		return err
	}
	dir.Close()
	m.count++
	return unix.Renameat(parent, name, m.top, m.prefix+strconv.Itoa(m.count))
}

// openUp opens a directory, never through a link, after giving ourselves all rights to it. What is not ours
// may be open to us even so.
func openUp(parent int, name string) (*os.File, error) {
	// O_PATH opens what we have no right to read, and the link in /proc leads to the very thing that was
	// opened.
	handle, err := unix.Openat(parent, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(handle)
	_ = unix.Chmod("/proc/self/fd/"+strconv.Itoa(handle), 0o700)
	fd, err := unix.Openat(handle, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// eachEntry calls visit for the entries that a directory holds now. Those that come or go meanwhile may be
// left out.
func eachEntry(dir *os.File, visit func(name string)) error {
	if _, err := dir.Seek(0, 0); err != nil {
		return err
	}
	names, err := dir.Readdirnames(4096)
	for _, name := range names {
		visit(name)
	}
	if errors.Is(err, io.EOF) {
		return nil // there are none
	}
	return err
}
