package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is a state directory that has been looked at: it is ours alone, and could be written when it was
// opened.
type Dir struct{ path string }

// Open makes the directory where it is missing (mode 0700, parents too) and looks at it: it must be a
// directory that we own, that nobody else may enter, and that can be written. A link in its place must be
// ours as well. Every error names the directory and what to do. Nothing is kept open, so there is nothing
// to close.
func Open(path string) (*Dir, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("state directory %q: the path is not absolute", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("state directory %s: %w%s", path, cause(err), cure(err))
	}
	if err := checkLink(path); err != nil {
		return nil, err
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("state directory %s: %w", path, cause(err))
	}
	if err := checkOwner(resolved); err != nil {
		return nil, err
	}
	if err := checkWritable(resolved); err != nil {
		return nil, err
	}
	return &Dir{path: resolved}, nil
}

// Path returns the directory: absolute, with no link in it.
func (d *Dir) Path() string { return d.path }

// Child returns the path of something in the directory. It makes nothing.
func (d *Dir) Child(name string) string { return filepath.Join(d.path, name) }

// checkLink refuses a link that somebody else made: he could let it point elsewhere at any time.
func checkLink(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("state directory %s: %w", path, cause(err))
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	if owner, ours := ownedByUs(info); !ours {
		return fmt.Errorf("state directory %s is a link that user %d made, who could let it point anywhere; "+
			"remove it, or set A2A_STATE_DIR to a directory of yours", path, owner)
	}
	return nil
}

// checkOwner refuses a directory that is not ours alone.
func checkOwner(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("state directory %s: %w; set A2A_STATE_DIR to a directory of yours", path, cause(err))
	}
	if err != nil {
		return fmt.Errorf("state directory %s: %w", path, cause(err))
	}
	defer dir.Close()
	info, err := dir.Stat()
	if err != nil {
		return fmt.Errorf("state directory %s: %w", path, cause(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("state directory %s is no directory; move it away, or set A2A_STATE_DIR to another path",
			path)
	}
	if owner, ours := ownedByUs(info); !ours {
		return fmt.Errorf("state directory %s belongs to user %d, not to us (user %d); "+
			"set A2A_STATE_DIR to a directory of yours", path, owner, os.Geteuid())
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("state directory %s can be entered by others (mode %04o); run: chmod 700 %s", path,
			mode, path)
	}
	return nil
}

// checkWritable writes a page into a file that is gone again: a directory on a full disk can often still
// hold an empty one.
func checkWritable(path string) error {
	file, err := os.CreateTemp(path, ".probe-")
	if err != nil {
		return fmt.Errorf("state directory %s cannot be written: %w%s", path, cause(err), cure(err))
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return fmt.Errorf("state directory %s cannot be written: %w%s", path, cause(err), cure(err))
	}
	if _, err := file.Write(make([]byte, 4096)); err != nil {
		return fmt.Errorf("state directory %s cannot be written: %w%s", path, cause(err), cure(err))
	}
	return nil
}

func ownedByUs(info fs.FileInfo) (owner int, ours bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(stat.Uid), int(stat.Uid) == os.Geteuid()
}

// cause takes the operation and the path off an error: ours name the directory already, and a probe's path
// would mislead.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// cure is what to do about a directory that cannot be made or written.
func cure(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; make room there, or set A2A_STATE_DIR to a directory on another disk"
	case errors.Is(err, syscall.ENOTDIR):
		return "; a file stands where one of its directories should be: move it away, or set A2A_STATE_DIR to another path"
	}
	return "; set A2A_STATE_DIR to a directory that you can write"
}
