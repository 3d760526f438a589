//go:build amd64 || arm64

package sandbox

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	scratchPrefix = "a2a-acp-calls-"
	// startPrefix begins the name of a start directory; the process's own id and a random number follow.
	startPrefix = ".a2a-call-"
	// recordPrefix begins the name of a link to a directory in which there may be start directories of this
	// process.
	recordPrefix = "in-"
)

// scratch is this process's place for the temporary directories of its calls. It is locked as long as the
// process lives, which tells a later one what it may clear away.
type scratch struct {
	path string
	id   string   // the part of the name that no other process has
	dir  *os.File // open and locked

	// What is shown instead of what a call must not see: an empty directory; one of which it cannot even be told what is not
	// in it, since git would commit that what it tracks there was removed; and a file that nobody can open, since git would
	// commit an empty one.
	empty, blind, void string

	mu       sync.Mutex
	recorded map[string]bool
	starts   map[entry]bool // the start directories of calls that run
	spares   []spareDir     // those used last at the end

	device    uint64 // that it is on
	fineTimes bool   // there every change of a directory shows in its change time
}

// openScratch clears away what processes that were killed left below base, and makes a place for this one.
// ended is called with the id of each of them, before their directories are removed.
func openScratch(base string, ended func(id string)) (*scratch, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return nil, err
	}
	sweep(base, ended)
	for {
		path, err := os.MkdirTemp(base, scratchPrefix)
		if err != nil {
			return nil, fmt.Errorf("make a directory for the calls' temporary files: %w; TMPDIR names a place for it", err)
		}
		// Between mkdir and the lock another process may have taken it for an abandoned one.
		if dir, err := lockDir(unix.AT_FDCWD, path); err == nil {
			id := strings.TrimPrefix(filepath.Base(path), scratchPrefix)
			s := &scratch{path: path, id: id, dir: dir, recorded: map[string]bool{}, starts: map[entry]bool{},
				empty: filepath.Join(path, "empty"), blind: filepath.Join(path, "blind"), void: filepath.Join(path, "void")}
			return s, errors.Join(s.furnish(), s.locate())
		} else if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.ENOENT) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// furnish makes what is shown instead of something else, and opens the way to the calls' directories to
// other users: where we are root, a call may be another's.
func (s *scratch) furnish() error {
	if os.Geteuid() == 0 {
		if err := os.Chmod(s.path, 0o711); err != nil { // the names in it are random
			return err
		}
	}
	if err := os.Mkdir(s.empty, 0o555); err != nil {
		return err
	}
	if err := os.Mkdir(s.blind, 0o444); err != nil {
		return err
	}
	return os.WriteFile(s.void, nil, 0)
}

// locate finds out which file system the scratch directory is on, and how well that keeps time.
func (s *scratch) locate() error {
	var is unix.Stat_t
	if err := unix.Fstat(int(s.dir.Fd()), &is); err != nil {
		return fmt.Errorf("look at %s: %w", s.path, err)
	}
	s.device, s.fineTimes = is.Dev, hasFineTimes(int(s.dir.Fd()))
	return nil
}

func (s *scratch) close() error {
	defer s.dir.Close()
	return removeTree(unix.AT_FDCWD, s.path)
}

// sweep removes the places of processes that are gone. What cannot be removed stays: it is not worth
// refusing to start.
func sweep(base string, ended func(id string)) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), scratchPrefix) {
			continue
		}
		path := filepath.Join(base, entry.Name())
		dir, err := lockDir(unix.AT_FDCWD, path)
		if err != nil {
			continue // in use, or somebody else's
		}
		ended(strings.TrimPrefix(entry.Name(), scratchPrefix))
		sweepStarts(dir, path)
		_ = removeTree(unix.AT_FDCWD, path)
		dir.Close()
	}
}

// sweepStarts removes the start directories of an abandoned place, in the directories that it has links to.
// A call could write such a link itself, so nothing is believed but the name that only start directories of
// that process have.
func sweepStarts(dir *os.File, path string) {
	mine := startPrefix + strings.TrimPrefix(filepath.Base(path), scratchPrefix) + "-"
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, name := range names {
		where, err := os.Readlink(filepath.Join(path, name))
		if err != nil || !strings.HasPrefix(name, recordPrefix) {
			continue
		}
		entries, err := os.ReadDir(where)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), mine) {
				_ = removeTree(unix.AT_FDCWD, filepath.Join(where, entry.Name()))
			}
		}
	}
}

// lockDir opens a directory of ours, not through a link, and locks it. EWOULDBLOCK: another process holds
// it. ENOENT: it is not ours, or was removed while we waited.
func lockDir(parent int, name string) (*os.File, error) {
	fd, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), name)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		dir.Close()
		return nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Nlink == 0 || int(stat.Uid) != os.Geteuid() ||
		stat.Mode&0o777 != 0o700 && stat.Mode&0o777 != 0o711 {
		dir.Close()
		return nil, unix.ENOENT
	}
	return dir, nil
}

// entry is a name in a directory.
type entry struct {
	device, inode uint64 // the directory's
	name          string
}

// isStart reports whether a directory is what a running call of this process starts in. It goes with the
// call.
func (s *scratch) isStart(e entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starts[e]
}

// setStart notes that a call's start directory is there, or is no more.
func (s *scratch) setStart(e entry, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if there {
		s.starts[e] = true
	} else {
		delete(s.starts, e)
	}
}

// isAnothers reports whether a path leads through what may be the start directory of another program's call.
func (s *scratch) isAnothers(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if rest, ok := strings.CutPrefix(part, startPrefix); ok && !strings.HasPrefix(rest, s.id+"-") {
			return true
		}
	}
	return false
}

// record notes that start directories are made in dir, so that they are found when this program is killed.
// Once for each dir: on a disk a new name costs a tenth of a whole call.
func (s *scratch) record(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recorded[dir] {
		return nil
	}
	if err := unix.Symlinkat(dir, int(s.dir.Fd()), recordPrefix+randomName()); err != nil {
		return &StartError{Step: "symlink", Path: s.path, Cure: cureScratch, Err: err}
	}
	s.recorded[dir] = true
	return nil
}

const cureScratch = "the directory for the calls' temporary files was removed, or its disk is full; start again"

// directories are a call's own: its private temporary directory, and the one that it starts in.
type directories struct {
	scratch *scratch
	own     spareDir // none where the call's is in memory
	temp    string   // its path here
	home    string   // its path in the call: HOME and TMPDIR
	start   string

	// parent is the directory that start was made in, by the name in at; nil where start was not made for
	// this call. It is held open, since the call may put something else in its place.
	parent *os.File
	at     entry
	below  spareDir
	held   *os.File // start itself: another call may give it another name meanwhile

	// shared is set where somebody may hold them open when the call is over: they are not used again.
	shared bool
}

// makeDirectories makes the directories of a call, or nothing.
func (s *scratch) makeDirectories(p *Plan, base string, id identity) (*directories, error) {
	d := &directories{scratch: s, start: p.profile.Dir, home: "/tmp"}
	if !p.onTmpfs() {
		own, err := s.takeTemp(id)
		if err != nil {
			return nil, err
		}
		d.own, d.temp = own, filepath.Join(s.path, own.name)
	}
	if !p.level.hasNamespaces() {
		d.home = d.temp
	}
	// In a view of its own the call does not see the place for everybody's temporary files, but its own.
	if p.level.hasNamespaces() && (d.start == base || d.start == "/tmp") {
		d.start = "/tmp"
		return d, nil
	}
	if p.profile.TempIsolation {
		if err := d.isolate(p.profile.Dir, id); err != nil {
			return nil, errors.Join(err, d.remove())
		}
	}
	return d, nil
}

// isolate makes the directory that the call starts in.
func (d *directories) isolate(dir string, id identity) error {
	if err := d.scratch.record(dir); err != nil {
		return err
	}
	parent, err := os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return &StartError{Step: "open", Path: dir, Cure: cureDir, Err: unwrapPath(err)}
	}
	var is unix.Stat_t
	if err := unix.Fstat(int(parent.Fd()), &is); err != nil {
		parent.Close()
		return &StartError{Step: "fstat", Path: dir, Err: err}
	}
	d.at = entry{is.Dev, is.Ino, startPrefix + d.scratch.id + "-" + randomName()}
	d.scratch.setStart(d.at, true) // first, so that nobody finds it who does not know it
	d.below, err = d.scratch.takeStart(int(parent.Fd()), d.at.name, id)
	if err != nil {
		d.scratch.setStart(d.at, false)
	}
	switch {
	case err == nil:
		d.parent, d.start = parent, filepath.Join(dir, d.at.name)
		if fd, err := openBeneath(int(parent.Fd()), d.at.name); err == nil {
			d.held = os.NewFile(uintptr(fd), d.start)
		}
		return nil
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.EROFS),
		errors.Is(err, unix.ENOENT):
		// dir is not a place to write in. ENOENT comes from a file system that has no such names, like
		// /proc, and from a directory that was removed when we had opened it.
		parent.Close()
		d.start = d.home
		return nil
	default:
		parent.Close()
		if start := (*StartError)(nil); errors.As(err, &start) {
			start.Path = filepath.Join(dir, d.at.name)
		}
		return err
	}
}

// remove takes the call's directories away with all that is in them.
func (d *directories) remove() error {
	var startErr, tempErr error
	if d.shared {
		d.own.is, d.below.is = unix.Stat_t{}, unix.Stat_t{}
	}
	if d.parent != nil {
		if now, moved := d.moved(); moved {
			startErr = fmt.Errorf("%s, where the call started, has got another name, and stays: %s", d.start, now)
		}
		if err := d.scratch.giveStartBack(d.below, int(d.parent.Fd()), d.at.name); err != nil {
			startErr = errors.Join(startErr, fmt.Errorf("remove %s: %w", d.start, err))
		}
		d.scratch.setStart(d.at, false)
		d.parent.Close()
		if d.held != nil {
			d.held.Close()
		}
	}
	if d.own.name == "" {
		return startErr
	}
	if err := d.scratch.giveBack(d.own); err != nil {
		tempErr = fmt.Errorf("remove %s: %w", d.temp, err)
	}
	return errors.Join(startErr, tempErr)
}

// moved reports whether the directory that the call started in is still there, but not under its name, and
// where.
func (d *directories) moved() (now string, moved bool) {
	var is, there unix.Stat_t
	if d.held == nil || unix.Fstat(int(d.held.Fd()), &is) != nil || is.Nlink == 0 {
		return "", false
	}
	if unix.Fstatat(int(d.parent.Fd()), d.at.name, &there, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		there.Dev == is.Dev && there.Ino == is.Ino {
		return "", false
	}
	now, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", d.held.Fd()))
	if err != nil {
		now = "nobody can tell where"
	}
	return strconv.Quote(now), true
}

func randomName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program when the kernel has no randomness
	return hex.EncodeToString(b[:])
}

// unwrapPath gives the system's error without the operation and the path, which the error around it names.
func unwrapPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

const cureDir = "working_directory has to exist and to be open to this user"
