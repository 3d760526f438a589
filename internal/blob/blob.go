// Package blob keeps what is too long for a result or a record, in files that are named by what is in them. They lie in the state
// directory, which no sandbox shows, and the oldest go when there are too many.
package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Most is how many bytes are kept in all, unless a Store says otherwise.
const Most = 1 << 30

// temporary is how the names of files begin that are being written. One that is an hour old was left by a process that died.
const temporary = ".new-"

// Store is a directory of blobs. It is safe for concurrent use, by several processes too: a file is complete when it has its
// name, and never changes.
type Store struct {
	Dir  string // made where it is missing, mode 0700
	Most int64  // bytes in all; 0 is Most
}

// Blob is one of them.
type Blob struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Path   string `json:"path"`
}

// Keep keeps data. What is kept already is not written again, and counts as new.
func (s *Store) Keep(data []byte) (Blob, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return Blob{}, err
	}
	sum := sha256.Sum256(data)
	b := Blob{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
	b.Path = filepath.Join(s.Dir, b.SHA256)
	if info, err := os.Lstat(b.Path); err == nil && info.Mode().IsRegular() && info.Size() == b.Bytes {
		now := time.Now()
		return b, os.Chtimes(b.Path, now, now)
	}
	f, err := os.CreateTemp(s.Dir, temporary) // mode 0600
	if err != nil {
		return Blob{}, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return Blob{}, err
	}
	if err := os.Rename(f.Name(), b.Path); err != nil {
		return Blob{}, err
	}
	return b, s.prune(b.SHA256)
}

// prune removes the oldest blobs until there is room, but not the one that has just been kept.
func (s *Store) prune(latest string) error {
	most := s.Most
	if most == 0 {
		most = Most
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil { // else another process has pruned it
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		if total <= most {
			return nil
		}
		if info.Name() == latest || strings.HasPrefix(info.Name(), temporary) && time.Since(info.ModTime()) < time.Hour {
			continue
		}
		if err := os.Remove(filepath.Join(s.Dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= info.Size()
	}
	return nil
}
