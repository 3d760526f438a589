// Package atomicfile replaces files as a whole.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts data in the place of the file at path, or of none. Whoever reads the path meanwhile, and whoever
// reads it after a crash, finds the old file or the new one, never a part. When Write returns nil, the new one
// is on disk, with the permissions of mode whatever the umask.
//
// A link at path is replaced, not followed. Until it has its name, the file is path's neighbour with a dot
// before its name, so that it is on the same file system, and as private as the directory and 0600 make it.
func Write(path string, data []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}

// syncDir puts the names in a directory on disk, which the sync of a file does not.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
