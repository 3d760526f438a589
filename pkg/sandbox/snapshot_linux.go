//go:build amd64 || arm64

package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// mostSeen is how many names in a directory that a call may write to are looked at, those of the upper
// directories first. To read so many takes a fifth of a second.
const mostSeen = 200_000

// longPath is how many bytes of the path of a directory, or of a file that can count, are as much work as
// another name. A call can make directories 2,000 deep.
const longPath = 64

// mostHashed is how much of files is read whose change times are not enough, all together. It takes a tenth
// of a second.
const mostHashed = 64 << 20

// snapshot is what of a directory, and of all below it, can mean something to others.
type snapshot struct {
	there  map[string]version
	bases  map[version]string // the other way round, without the way there
	closed map[string]shut    // directories that could not be looked into
	whole  bool               // every other name was looked at

	sockets []string
	open    map[string]bool // whether others can write to a directory or get to, of each that was looked into

	timed  map[place]bool // whether what a file holds adds nothing to its version
	hashed int64          // how much was read of files elsewhere
	unread bool           // some of them were not

	dir    string   // its path
	device uint64   // that it is on
	behind int      // how many names behind links were looked at
	partly []string // links to directories of it in which there is more than is looked at
}

// place is a device, and whether it was come to through a link.
type place struct {
	device uint64
	linked bool
}

// version tells a file from every other, and from what it was before: by its change time, and where that is
// not enough (see timedFiles) by what it holds, too.
type version struct {
	device, inode uint64
	kind, leadsTo uint32 // leadsTo is the kind of what a link leads to; 0 as long as nothing is there
	changed       unix.Timespec
	named         bool     // a file that has other names, too
	content       [16]byte // the beginning of a hash of what it holds, or leads to; zero where nothing was read
}

// settle waits until whatever is done from now on to a file that counts shows in its change time: all changes
// within a tick of the clock of that have the same, or within a second where it has no fractions, and a call
// begins in less.
func (s *snapshot) settle() {
	latest := int64(0)
	for _, v := range s.there {
		at := v.changed.Nano()
		if v.changed.Nsec == 0 {
			at += int64(time.Second)
		}
		if v.kind != unix.S_IFDIR {
			latest = max(latest, at)
		}
	}
	var now unix.Timespec
	for unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) == nil {
		wait := latest - now.Nano()
		if wait < 0 || wait > int64(time.Second) { // or it is of another clock
			return
		}
		pause := unix.NsecToTimespec(wait + int64(time.Millisecond))
		_ = unix.Nanosleep(&pause, nil) // the clock is looked at again
	}
}

// shut is a directory that could not be looked into.
type shut struct {
	version
	fast bool // what is in it stays as it is as long as its version does
}

// shutAt looks at a directory from outside. What is below one that is somebody else's, or that nobody can
// go through before its mode is changed, does not change; one of our own with the way through it open a call
// can use although it cannot be listed.
func shutAt(root int, dir string) shut {
	var is unix.Stat_t
	if err := unix.Fstatat(root, path.Clean(dir), &is, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return shut{}
	}
	return shut{version: version{device: is.Dev, inode: is.Ino, changed: is.Ctim},
		fast: int(is.Uid) != os.Geteuid() || is.Mode&unix.S_IXUSR == 0}
}

// look looks at a directory that is open, and that has a path. No link is followed.
func (l *listings) look(root int, at string, judge Judge) snapshot {
	s := snapshot{dir: at, there: map[string]version{}, bases: map[version]string{}, whole: true,
		closed: map[string]shut{}, timed: map[place]bool{}, open: map[string]bool{}}
	is, _ := versionOf(root, "")
	s.device = is.device
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
			s.closed[dir] = shutAt(root, dir)
		}
		now[dir] = list
		if !list.closed {
			s.open[dir] = list.open
		}
		left -= list.names + (1+len(list.counting))*(len(dir)/longPath)
		s.whole = left >= 0
		for _, name := range list.directories {
			if l.scratch == nil || !l.scratch.isStart(entry{list.is.device, list.is.inode, name}) {
				queue = append(queue, dir+name+"/")
			}
		}
		for _, name := range list.counting {
			s.add(root, dir+name)
		}
		for _, name := range list.sockets {
			s.sockets = append(s.sockets, dir+name)
		}
	}
	l.keep(at, now)
	return s
}

func (s *snapshot) add(root int, at string) {
	v, ok := versionOf(root, strings.TrimSuffix(at, "/"))
	switch {
	case !ok && len(at) >= unix.PathMax:
		s.closed[path.Dir(at)] = shut{} // it may be there
		return
	case !ok:
		return // it is gone
	case v.kind == unix.S_IFREG:
		s.readFile(root, at, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS, &v)
	case v.kind == unix.S_IFLNK:
		s.follow(root, at, &v)
	}
	s.there[at], s.bases[v] = v, path.Base(at)
}

// readFile adds what a file holds to its version, where its change time is not enough. Through a link it may
// be one that is not for reading, as in /proc and /sys: there only what may lie in memory is read, and what
// is on the same device.
func (s *snapshot) readFile(root int, at string, resolve uint64, v *version) {
	from := place{device: v.device, linked: resolve == 0}
	timed, known := s.timed[from]
	if timed {
		return
	}
	fd, err := openNamed(root, at, 0, resolve)
	if err != nil {
		return // nobody but its owner can open it, who would have to change its mode
	}
	defer unix.Close(fd)
	if !known {
		timed = isOn(fd, timedFiles) || from.linked && v.device != s.device && !isOn(fd, memoryFiles)
		s.timed[from] = timed
	}
	if timed {
		return
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(fileReader(fd), mostHashed-s.hashed+1))
	if s.hashed += n; err != nil || s.hashed > mostHashed {
		s.hashed, s.unread = min(s.hashed, mostHashed), true
		return
	}
	copy(v.content[:], sum.Sum(nil))
}

// follow adds what a link leads to to its version: who goes through it finds that under the link's name.
func (s *snapshot) follow(root int, at string, v *version) {
	var is unix.Stat_t
	if unix.Fstatat(root, at, &is, 0) != nil {
		return
	}
	behind := version{device: is.Dev, inode: is.Ino, kind: is.Mode & unix.S_IFMT, changed: is.Ctim}
	v.leadsTo = behind.kind
	sum := sha256.New()
	switch behind.kind {
	case unix.S_IFREG:
		s.readFile(root, at, 0, &behind)
		fmt.Fprintln(sum, behind)
	case unix.S_IFDIR:
		if fd, err := openNamed(root, at, unix.O_DIRECTORY, 0); err == nil {
			real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			if !s.list(fd, sum) && (err != nil || within(real, s.dir)) {
				s.partly = append(s.partly, at)
			}
			unix.Close(fd)
		}
	}
	copy(v.content[:], sum.Sum(nil))
}

// mostBehind is how much of a directory that a link leads to is looked at, and mostBehindAll of all such.
const (
	mostBehind    = 2000
	mostBehindAll = 50_000
)

// list writes what is in a directory, and below it, with the version of each, and of what links there lead
// to: who goes through them finds that. It reports whether that was all. No more than mostBehind is looked
// at, so links that lead in circles have an end, and of all links together no more than mostBehindAll.
func (s *snapshot) list(root int, to io.Writer) (whole bool) {
	left := min(mostBehind, mostBehindAll-s.behind)
	for queue := []string{"."}; len(queue) > 0; queue = queue[1:] {
		fd, err := openNamed(root, queue[0], unix.O_DIRECTORY, 0)
		if err != nil {
			continue
		}
		dir := os.NewFile(uintptr(fd), queue[0])
		names, _ := dir.Readdirnames(left + 1)
		dir.Close()
		slices.Sort(names)
		for _, name := range names {
			if left--; left < 0 {
				return false
			}
			s.behind++
			at := path.Join(queue[0], name)
			v, ok := versionOf(root, at)
			if !ok || strings.HasPrefix(name, startPrefix) {
				continue
			}
			var behind unix.Stat_t
			kind := v.kind
			if kind == unix.S_IFLNK && unix.Fstatat(root, at, &behind, 0) == nil {
				v.leadsTo = behind.Mode & unix.S_IFMT
				kind = v.leadsTo
			}
			switch kind {
			case unix.S_IFDIR:
				queue = append(queue, at)
				if v.kind == unix.S_IFDIR {
					v.changed = unix.Timespec{} // what is in it counts
				}
			case unix.S_IFREG:
				s.readFile(root, at, 0, &v)
			}
			fmt.Fprintf(to, "%q %v %v\n", at, v, behind.Ctim)
		}
	}
	return true
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
	v := version{device: is.Dev, inode: is.Ino, kind: is.Mode & unix.S_IFMT, changed: is.Ctim}
	v.named = v.kind == unix.S_IFREG && is.Nlink > 1
	return v, true
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
	if unread := [16]byte{}; v.content == unread || before.content == unread {
		before.content = v.content
	}
	return ok && before == v
}

// leads reports whether a link was there before, and what it leads to is not as it was.
func (s *snapshot) leads(at string, v version) bool {
	before := s.there[at]
	if v.kind != unix.S_IFLNK || before.content == v.content && before.leadsTo == v.leadsTo {
		return false
	}
	before.content, before.leadsTo = v.content, v.leadsTo
	return before == v
}

// opened lists the directories to which others can write now, and could not before. An access list shows in
// the group's rights (acl(5)).
func (s *snapshot) opened(before snapshot) []string {
	var list []string
	for at, open := range s.open {
		if was, known := before.open[at]; open && known && !was {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// hadElsewhere reports whether something was there before, as it is, in a directory that had another name.
func (s *snapshot) hadElsewhere(at string, v version) bool {
	base, ok := s.bases[v]
	return ok && base == path.Base(at)
}

// openBelow opens a file below a directory for reading, through no link and never above it (openat2(2)). It
// waits for nobody.
func openBelow(root int, at string, flags uint64) (int, error) {
	return openNamed(root, at, flags, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS)
}

func openNamed(root int, at string, flags, resolve uint64) (int, error) {
	if at == "" {
		at = "."
	}
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY | flags,
		Resolve: unix.RESOLVE_NO_MAGICLINKS | resolve,
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
