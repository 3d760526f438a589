//go:build amd64 || arm64

package sandbox

import (
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// spareTemps is how many temporary directories are kept ready.
	spareTemps = 4
	// settling is how long after its making a directory's change time begins to tell of every change: some file systems keep
	// whole seconds, and all keep ticks of the clock.
	settling = 2500 * time.Millisecond
)

// temp is a call's private temporary directory.
//
// Most calls never touch theirs, and on a disk it takes a quarter of a whole call to make and remove a directory. So a few are kept
// ready, and one that a call has left as it was goes back. The kernel tells: whatever is done to a directory, be it a file
// that was made in it and removed again, a mode, an attribute or an access list, sets its change time, which nobody can set
// back (inode(7), ctime).
type temp struct {
	name    string // in the scratch directory
	inode   uint64
	changed time.Time
	spare   bool // was kept ready
}

// makeTemp makes a new one.
func (s *scratch) makeTemp() (temp, error) {
	t := temp{name: randomName()}
	if err := unix.Mkdirat(int(s.dir.Fd()), t.name, 0o700); err != nil {
		return temp{}, &StartError{Step: "mkdir", Path: filepath.Join(s.path, t.name), Cure: cureScratch, Err: err}
	}
	var err error
	if t.inode, t.changed, err = s.look(t.name); err != nil {
		return temp{}, &StartError{Step: "fstatat", Path: filepath.Join(s.path, t.name), Cure: cureScratch, Err: err}
	}
	return t, nil
}

// takeTemp gives a call its own.
func (s *scratch) takeTemp(now time.Time) (temp, error) {
	if t, ok := s.takeSpare(now); ok {
		return t, nil
	}
	return s.makeTemp()
}

// takeSpare gives one that was kept ready for long enough.
func (s *scratch) takeSpare(now time.Time) (temp, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range s.spares {
		if now.Sub(t.changed) >= settling {
			s.spares = slices.Delete(s.spares, i, i+1)
			return t, true
		}
	}
	return temp{}, false
}

// giveBack takes a call's temporary directory away when the call has ended: to be used again where nothing was done to it.
func (s *scratch) giveBack(t temp) error {
	if inode, changed, err := s.look(t.name); t.spare && err == nil && inode == t.inode && changed.Equal(t.changed) {
		s.keep(t)
		return nil
	}
	err := removeTree(int(s.dir.Fd()), t.name)
	if t.spare || s.wantsSpare() {
		fresh, makeErr := s.makeTemp()
		if makeErr != nil {
			s.mu.Lock()
			s.spareCount--
			s.mu.Unlock()
			return err // the next call fails to make one and tells why
		}
		fresh.spare = true
		s.keep(fresh)
	}
	return err
}

func (s *scratch) keep(t temp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spares = append(s.spares, t)
}

// wantsSpare tells whether there should be one more, and counts it.
func (s *scratch) wantsSpare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spareCount == spareTemps {
		return false
	}
	s.spareCount++
	return true
}

// look tells which directory has a name in the scratch directory, and when it last changed.
func (s *scratch) look(name string) (inode uint64, changed time.Time, err error) {
	var stat unix.Stat_t
	if err := unix.Fstatat(int(s.dir.Fd()), name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, time.Time{}, err
	}
	return stat.Ino, time.Unix(stat.Ctim.Unix()), nil
}
