//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// listings are what the directories held that calls may write to, when they were read last: most of them
// have not changed at the next call, and to ask for a directory's change time takes a tenth of the time to
// read it.
type listings struct {
	now     func() time.Time // time.Now where it is nil
	scratch *scratch         // whose start directories are passed over; nil: none

	mu    sync.Mutex
	roots map[string]map[string]*listing // by the path of what was granted, then by the path below it
}

// The bounds of what is kept.
const (
	mostRoots       = 4
	mostDirectories = 20_000 // of each
)

// listing is what of a directory matters.
type listing struct {
	is          version
	settled     bool     // whatever is done to the directory later shows in its change time
	closed      bool     // it cannot be read
	open        bool     // others can write to it, or perhaps to what will be made in it
	names       int      // how many there were
	directories []string // to be entered
	counting    []string // names that can mean something; those of directories end with a slash
	sockets     []string
}

func (l *listings) clock() time.Time {
	if l.now == nil {
		return time.Now()
	}
	return l.now()
}

// isStart reports whether a running call starts in a directory.
func (l *listings) isStart(dir string) bool {
	var above unix.Stat_t
	if l.scratch == nil || !strings.HasPrefix(path.Base(dir), startPrefix) ||
		unix.Stat(path.Dir(dir), &above) != nil {
		return false
	}
	return l.scratch.isStart(entry{above.Dev, above.Ino, path.Base(dir)})
}

func (l *listings) of(root string) map[string]*listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.roots[root]
}

func (l *listings) keep(root string, list map[string]*listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.roots == nil || len(l.roots) >= mostRoots && l.roots[root] == nil {
		l.roots = map[string]map[string]*listing{}
	}
	if len(list) > mostDirectories {
		list = nil
	}
	l.roots[root] = list
}

// holds reports whether a directory is what it was when it was read.
func (l *listing) holds(root int, dir string) bool {
	if l == nil || !l.settled {
		return false
	}
	is, ok := versionOf(root, strings.TrimSuffix(dir, "/"))
	return ok && is == l.is
}

// read reads a directory below another one: no more than most names, and one more where there are more.
func (l *listings) read(root int, dir string, buffer []byte, most int, judge Judge) *listing {
	one := &listing{}
	begun := l.clock()
	fd, err := openBelow(root, strings.TrimSuffix(dir, "/"), unix.O_DIRECTORY)
	if err != nil {
		// It is gone.
		one.closed = !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP)
		return one
	}
	defer unix.Close(fd)
	is, ok := versionOf(fd, "")
	if !ok {
		return one
	}
	// The clock of change times may stand still for some ticks (hasFineTimes), and where it has no
	// fractions for two seconds.
	age := begun.Sub(time.Unix(is.changed.Unix()))
	var mode unix.Stat_t
	one.open = unix.Fstat(fd, &mode) == nil && mode.Mode&0o022 != 0 || hasDefaultList(fd)
	one.is, one.settled = is, (age > 3*time.Second || age > 50*time.Millisecond && is.changed.Nsec != 0) &&
		isOn(fd, timedDirectories)
	for {
		n, err := unix.Getdents(fd, buffer)
		if err != nil || n <= 0 {
			one.closed = err != nil
			one.settled = one.settled && err == nil
			return one
		}
		// struct linux_dirent64 (getdents64(2)): 8 bytes each for inode and offset, 2 for the length, 1 for
		// the type, and the name.
		for rest := buffer[:n]; len(rest) > 19; {
			size := int(rest[16]) | int(rest[17])<<8
			if size < 19 || size > len(rest) {
				return one
			}
			name, _, _ := bytes.Cut(rest[19:size], []byte{0})
			if one.take(fd, dir, string(name), rest[18], judge); one.names > most {
				one.settled = false // the next time there may be fewer elsewhere
				return one
			}
			rest = rest[size:]
		}
	}
}

// hasDefaultList reports whether what is made in a directory gets an access list with it (acl(5)), which can
// be anybody's.
func hasDefaultList(fd int) bool {
	n, err := unix.Fgetxattr(fd, "system.posix_acl_default", nil)
	return err == nil && n > 0
}

// take takes a name in.
func (l *listing) take(fd int, dir, name string, kind byte, judge Judge) {
	if name == "." || name == ".." {
		return
	}
	l.names++
	if kind == unix.DT_UNKNOWN { // not every file system says it with the name
		if is, ok := versionOf(fd, name); ok && is.kind == unix.S_IFDIR {
			kind = unix.DT_DIR
		} else if ok && is.kind == unix.S_IFLNK {
			kind = unix.DT_LNK
		} else if ok && is.kind == unix.S_IFSOCK {
			kind = unix.DT_SOCK
		}
	}
	if kind == unix.DT_SOCK {
		l.sockets = append(l.sockets, name)
	}
	counted := name
	if kind == unix.DT_DIR {
		counted += "/"
		if judge.Enter(dir + counted) {
			l.directories = append(l.directories, name)
		}
	}
	if judge.Weigh(dir+counted, nil) != Plain || kind == unix.DT_LNK && leadsAside(fd, dir, name, judge) {
		l.counting = append(l.counting, counted)
	}
}

// leadsAsideBelow is leadsAside for a link below a directory.
func leadsAsideBelow(root int, at string, judge Judge) bool {
	dir, name := path.Split(at)
	fd, err := openBeneath(root, path.Clean(dir))
	if err != nil {
		return false // it is gone
	}
	defer unix.Close(fd)
	return leadsAside(fd, dir, name, judge)
}

// leadsAside reports whether a link leads to where not all is looked at.
func leadsAside(fd int, dir, name string, judge Judge) bool {
	var target [unix.PathMax]byte
	n, err := unix.Readlinkat(fd, name, target[:])
	if err != nil {
		return false
	}
	way := dir + string(target[:n])
	calls := slices.ContainsFunc(strings.Split(way, "/"),
		func(part string) bool { return strings.HasPrefix(part, startPrefix) })
	return calls || judge.Hides(way)
}
