package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// roomStep is how many bytes are written at the most before room is looked for again.
const roomStep = 8 << 20

// ErrFull says that there is no room, although all that may go is gone: other blobs are being written that
// take it up, or the disk is full but for what is left to the record.
var ErrFull = errors.New("no room is left for whole outputs")

// Writer writes one blob, whose name is known when all of it has been written. Commit or Abort ends it. It
// is not safe for concurrent use.
type Writer struct {
	store *Store
	file  *os.File
	sum   hash.Hash
	bytes int64
	room  int64 // bytes that may be written before room is looked for again
	err   error // the first; it stays
}

// Begin begins a blob. Its file is locked until the end, so that nobody takes it for one that a dead
// process left behind.
func (s *Store) Begin() (*Writer, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.CreateTemp(s.Dir, temporary) // mode 0600
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close(), os.Remove(f.Name()))
		}
		// Before it had the lock somebody may have taken it for abandoned.
		if _, err := os.Lstat(f.Name()); err == nil {
			return &Writer{store: s, file: f, sum: sha256.New()}, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// Write writes p, and makes room for it where that takes removing older blobs. It returns ErrFull where it
// cannot; what was written before can still be aborted only.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.room < int64(len(p)) {
		step := max(min(roomStep, w.store.most()/100), int64(len(p)))
		if w.err = w.store.makeRoom(step, ""); w.err != nil {
			return 0, w.err
		}
		w.room = step
	}
	n, err := w.file.Write(p)
	w.sum.Write(p[:n]) // never fails
	w.bytes, w.room, w.err = w.bytes+int64(n), w.room-int64(n), err
	return n, err
}

// Commit returns the blob its name. One that is kept already counts as new. What Commit returns is on disk, so that
// who names it in the record names something that a power cut leaves there.
func (w *Writer) Commit() (Blob, error) {
	if w.err != nil {
		return Blob{}, errors.Join(w.err, w.Abort())
	}
	defer func() { _ = w.Abort() }() // a name that is gone is no error
	b := Blob{SHA256: hex.EncodeToString(w.sum.Sum(nil)), Bytes: w.bytes}
	b.Path = filepath.Join(w.store.Dir, b.SHA256)
	if info, err := os.Lstat(b.Path); err == nil && info.Mode().IsRegular() && info.Size() == b.Bytes {
		now := time.Now()
		if err := os.Chtimes(b.Path, now, now); err != nil {
			return Blob{}, err
		}
		// Whoever has named it may not have come to that yet.
		return b, errors.Join(w.store.syncPath(b.Path), w.store.syncPath(w.store.Dir))
	}
	if err := w.store.syncFile(w.file); err != nil {
		return Blob{}, err
	}
	if err := os.Rename(w.file.Name(), b.Path); err != nil {
		return Blob{}, err
	}
	return b, errors.Join(w.store.syncPath(w.store.Dir), w.store.makeRoom(0, b.SHA256))
}

// Abort takes away what was written. After Commit, and again, it does nothing.
func (w *Writer) Abort() error {
	if w.file == nil {
		return nil
	}
	err := os.Remove(w.file.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	err = errors.Join(err, w.file.Close())
	w.file = nil
	return err
}
