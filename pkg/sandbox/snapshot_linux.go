//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// mostSeen is how many names in a directory that a call may write to are looked at, those of the upper
// directories first. To read so many takes a fifth of a second.
const mostSeen = 200_000

// snapshot is what of a directory, and of all below it, can mean something to others.
type snapshot struct {
	there  map[string]version
	bases  map[version]string // the other way round, without the way there
	closed []string           // directories that could not be looked into
	whole  bool               // every other name was looked at
}

// version tells a file from every other, and from what it was before: nobody can set the change time
// (inode(7)).
type version struct {
	device, inode uint64
	kind, leadsTo uint32 // leadsTo is the kind of what a link leads to; 0 as long as nothing is there
	changed       unix.Timespec
}

// look looks at a directory that is open, and that has a path. No link is followed.
func (l *listings) look(root int, at string, judge Judge) snapshot {
	s := snapshot{there: map[string]version{}, bases: map[version]string{}, whole: true}
	before, now := l.of(at), map[string]*listing{}
	left := mostSeen
	buffer := make([]byte, 32<<10)
	for queue := []string{""}; len(queue) > 0 && s.whole; queue = queue[1:] {
		dir := queue[0]
		list := before[dir]
		if !list.holds(root, dir) {
			list = l.read(root, dir, buffer, left, judge)
		}
		if list.closed {
			s.closed = append(s.closed, dir)
		}
		now[dir] = list
		left -= list.names
		s.whole = left >= 0
		for _, name := range list.directories {
			if l.scratch == nil || !l.scratch.isStart(entry{list.is.device, list.is.inode, name}) {
				queue = append(queue, dir+name+"/")
			}
		}
		for _, name := range list.counting {
			s.add(root, dir+name)
		}
	}
	l.keep(at, now)
	return s
}

func (s *snapshot) add(root int, at string) {
	if v, ok := versionOf(root, strings.TrimSuffix(at, "/")); ok {
		var is unix.Stat_t
		if v.kind == unix.S_IFLNK && unix.Fstatat(root, at, &is, 0) == nil {
			v.leadsTo = is.Mode & unix.S_IFMT
		}
		s.there[at], s.bases[v] = v, path.Base(at)
	}
}

// versionOf looks at a file below a directory. Where a link was put on the way to it since the way was
// read, it tells of another file.
func versionOf(root int, at string) (version, bool) {
	var is unix.Stat_t
	if at == "" {
		at = "."
	}
	if err := unix.Fstatat(root, at, &is, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return version{}, false
	}
	return version{device: is.Dev, inode: is.Ino, kind: is.Mode & unix.S_IFMT, changed: is.Ctim}, true
}

// weighLink says what it means that a link leads to where not all is looked at. A file has the link's name
// there, and is judged by that.
func (v version) weighLink() Weight {
	switch v.leadsTo {
	case unix.S_IFDIR:
		return Held
	case 0:
		return Told // it may become one
	}
	return Plain
}

// has reports whether something was there before, as it is. Of a directory it does not count what was made
// in it.
func (s *snapshot) has(at string, v version) bool {
	before, ok := s.there[at]
	if v.kind == unix.S_IFDIR {
		before.changed = v.changed
	}
	return ok && before == v
}

// hadElsewhere reports whether something was there before, as it is, in a directory that had another name.
func (s *snapshot) hadElsewhere(at string, v version) bool {
	base, ok := s.bases[v]
	return ok && base == path.Base(at)
}

// openBelow opens a file below a directory for reading, through no link and never above it (openat2(2)). It
// waits for nobody.
func openBelow(root int, at string, flags uint64) (int, error) {
	if at == "" {
		at = "."
	}
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY | flags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	return unix.Openat2(root, at, &how)
}

// readBelow reads the beginning of a file below a directory; nil where it is no file.
func readBelow(root int, at string) []byte {
	fd, err := openBelow(root, at, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var is unix.Stat_t
	if err := unix.Fstat(fd, &is); err != nil || is.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil
	}
	text := make([]byte, MostRead)
	n, err := io.ReadFull(fileReader(fd), text)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil
	}
	return text[:n]
}

// fileReader reads a descriptor.
type fileReader int

func (fd fileReader) Read(b []byte) (int, error) {
	n, err := unix.Read(int(fd), b)
	if n <= 0 && err == nil {
		return 0, io.EOF
	}
	return max(n, 0), err
}
