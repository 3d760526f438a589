package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SearchPath is PATH for every call whose profile names none.
const SearchPath = searchPath

// LookPath finds a program as a call would that has path as its PATH and starts in dir: what has a slash is
// a path and relative to dir; an empty or relative entry of path is passed over, since it would mean
// whatever lies in dir. The result is absolute. It looks at this machine's files, some of which a call may
// not see.
func LookPath(name, path, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, runnable(name)
	}
	reason := fs.ErrNotExist
	for _, entry := range filepath.SplitList(path) {
		if !filepath.IsAbs(entry) {
			continue
		}
		candidate := filepath.Join(entry, name)
		err := runnable(candidate)
		if err == nil {
			return candidate, nil
		}
		if !os.IsNotExist(err) {
			reason = err
		}
	}
	return "", fmt.Errorf("there is no program %q in %s: %w", name, path, reason)
}

// runnable says why a file is no program.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir(), info.Mode()&0o111 == 0:
		return &fs.PathError{Op: "run", Path: path, Err: fs.ErrPermission}
	}
	return nil
}
