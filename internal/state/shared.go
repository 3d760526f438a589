package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// Shared is a small JSON file of the state directory that several programs of one user read and change, one
// at a time.
type Shared struct{ path string }

// SharedFile names one in a directory. It makes nothing.
func SharedFile(dir, name string) Shared { return Shared{filepath.Join(dir, name)} }

// mostShared bounds the file, in bytes.
const mostShared = 8 << 20

// Read reads the file into value, which stays as it is when there is no file yet.
func (s Shared) Read(value any) error {
	data, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read the state: %w", err)
	case len(data) > mostShared:
		return fmt.Errorf("read %s: it has %d bytes, too many to be ours; remove it", s.path, len(data))
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("read %s: %w; remove it", s.path, err)
	}
	return nil
}

// Change reads the file into value, calls change, and writes value when it says so, while nobody else does.
// A program that ends in between leaves the file as it was.
func (s Shared) Change(value any, change func() (write bool, err error)) (err error) {
	lock, err := os.OpenFile(s.path+".lock", os.O_RDWR|os.O_CREATE|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("change the state: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // lets go of the lock
	if err := filelock.Take(context.Background(), lock); err != nil {
		return fmt.Errorf("change the state: %w", err)
	}
	defer func() { err = errors.Join(err, filelock.Release(lock)) }()
	if err := s.Read(value); err != nil {
		return err
	}
	write, err := change()
	if err != nil || !write {
		return err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("change %s: %w", s.path, err)
	}
	if len(data) > mostShared { // nobody would read it again
		return fmt.Errorf("change %s: it would have %d bytes, and may have %d; it is left as it was", s.path, len(data), mostShared)
	}
	if err := atomicfile.Write(s.path, data, 0o600); err != nil {
		return fmt.Errorf("change the state: %w", err)
	}
	return nil
}
