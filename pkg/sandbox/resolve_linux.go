//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/pathwalk"
)

// linkError says that a path leads through a link that a call may have made.
type linkError struct {
	path, link, real string
}

func (e *linkError) Error() string {
	return fmt.Sprintf("%s leads through the link %s, which a call could have put there; "+
		"name %s itself if that is meant", e.path, e.link, e.real)
}

// resolve follows the links of a path that is to be granted. Only links that no call can have made are
// followed: those of the system, in its own directories. A call that may write to a directory can replace
// what is in it by a link to somebody's keys, and the next call would be granted those.
func resolve(path string, writable []string) (string, error) {
	clean := filepath.Clean(path)
	if _, err := lookLinkless(clean); err == nil {
		return clean, nil
	}
	real, err := filepath.EvalSymlinks(clean)
	if err != nil || real == clean {
		return real, err
	}
	// Some part of it is a link. Look at each, and at what it leads to in the same way.
	return pathwalk.Walk(clean, func(name string) (string, error) {
		info, err := os.Lstat(name)
		switch {
		case err != nil:
			return "", err
		case info.Mode()&os.ModeSymlink == 0:
			return "", nil
		case !isSystems(filepath.Dir(name), info),
			slices.ContainsFunc(writable, func(dir string) bool { return within(name, dir) }):
			return "", &linkError{path: path, link: name, real: real}
		}
		return os.Readlink(name)
	})
}

// realPath returns a path without links.
func realPath(path string) (string, error) {
	if _, err := lookLinkless(path); err == nil {
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}

// lookLinkless looks at what has a path that is clean and has no link in it, as most have. The kernel is
// asked once, where EvalSymlinks asks for every part of the path. fs.ErrNotExist: nothing is there, nor a
// link on the way.
func lookLinkless(path string) (is unix.Stat_t, err error) {
	if filepath.Clean(path) != path {
		return is, fmt.Errorf("%s is no clean path", path)
	}
	fd, err := openPath(path)
	if err != nil {
		return is, err
	}
	defer unix.Close(fd)
	return is, unix.Fstat(fd, &is)
}

// isSystems reports whether a link is root's, in a directory that only root can write to.
func isSystems(parent string, link os.FileInfo) bool {
	dir, err := os.Stat(parent)
	if err != nil || dir.Mode()&0o022 != 0 {
		return false
	}
	owner := func(info os.FileInfo) uint32 {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			return stat.Uid
		}
		return ^uint32(0)
	}
	return owner(dir) == 0 && owner(link) == 0
}

// writableBy lists the directories that a call of a profile may write to, and its working directory, which
// another tool's calls may.
func writableBy(profile *Profile) []string {
	list := []string{profile.Dir}
	for _, allowed := range profile.AllowedPaths {
		if !allowed.ReadOnly {
			list = append(list, filepath.Clean(allowed.Path))
		}
	}
	return slices.DeleteFunc(list, func(dir string) bool { return dir == "/" })
}
