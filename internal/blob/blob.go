// Package blob keeps what is too long for a result or a record, in files that are named by what is in them.
// They lie in the state directory, which no sandbox shows. The oldest go when there are too many, and each
// when it is a month old.
package blob

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// What is kept, unless a Store says otherwise.
const (
	// Most is how many bytes are kept in all, those that are being written among them.
	Most = 1 << 30
	// Reserve is how many bytes of the disk are left alone, so that the record, which lies on it too, can
	// go on: what cannot be recorded is not done.
	Reserve = 64 << 20
	// Longest is how long a blob is kept after it was last asked to be.
	Longest = 30 * 24 * time.Hour
)

// temporary is how the names of files begin that are being written. Who writes one holds a lock on it: one
// without was left by a process that died.
const temporary = ".new-"

// Store is a directory of blobs. It is safe for concurrent use, by several processes too: a file is
// complete when it has its name, and never changes.
type Store struct {
	Dir  string // made where it is missing, mode 0700
	Most int64  // bytes in all; 0 is Most

	free func(dir string) int64 // in tests: how much of the disk is free
	sync func(*os.File) error   // in tests: in the place of fsync
}

// Blob is one of them.
type Blob struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Path   string `json:"path"`
}

// Keep keeps data. What is kept already is not written again, and counts as new.
func (s *Store) Keep(data []byte) (Blob, error) {
	w, err := s.Begin()
	if err != nil {
		return Blob{}, err
	}
	if _, err := w.Write(data); err != nil {
		return Blob{}, errors.Join(err, w.Abort())
	}
	return w.Commit()
}

// Prune removes what is too old, and what dead processes left behind. Where there is no directory there is
// nothing to do.
func (s *Store) Prune() error {
	if err := s.makeRoom(0, ""); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncPath puts a file, or the names in a directory, on disk.
func (s *Store) syncPath(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.syncFile(f)
}

func (s *Store) syncFile(f *os.File) error {
	if s.sync != nil {
		return s.sync(f)
	}
	return f.Sync()
}

func (s *Store) most() int64 {
	if s.Most == 0 {
		return Most
	}
	return s.Most
}

// makeRoom removes what is too old, and then the oldest blobs until there is room for that many bytes more,
// but neither the latest nor what is being written. It returns ErrFull where that does not make enough of
// it.
func (s *Store) makeRoom(more int64, latest string) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	var blobs []fs.FileInfo
	total := more
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // another process has removed it
		}
		path := filepath.Join(s.Dir, info.Name())
		isTemporary := strings.HasPrefix(info.Name(), temporary)
		if isTemporary && abandoned(path) ||
			!isTemporary && info.Name() != latest && time.Since(info.ModTime()) > Longest {
			if err := remove(path); err != nil {
				return err
			}
			continue
		}
		total += info.Size()
		if !isTemporary && info.Name() != latest {
			blobs = append(blobs, info)
		}
	}
	slices.SortFunc(blobs, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	lacking := total - s.most()
	if more > 0 { // what others fill the disk with is no reason to remove anything
		lacking = max(lacking, more+Reserve-s.freeBytes())
	}
	for ; lacking > 0 && len(blobs) > 0; blobs = blobs[1:] {
		if err := remove(filepath.Join(s.Dir, blobs[0].Name())); err != nil {
			return err
		}
		lacking -= blobs[0].Size()
	}
	if more > 0 && lacking > 0 {
		return ErrFull
	}
	return nil
}

// freeBytes is how much of the disk this user may still fill; a disk that does not tell has room.
func (s *Store) freeBytes() int64 {
	if s.free != nil {
		return s.free(s.Dir)
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(s.Dir, &stat); err != nil {
		return math.MaxInt64
	}
	return int64(stat.Bavail) * int64(stat.Bsize) //nolint:unconvert // their types differ between systems
}

// abandoned reports whether nobody writes a temporary file any more. A lock ends with the process that
// holds it (flock(2)).
func abandoned(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close() // and with it the lock
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
