//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// found is what a protected name leads to.
type found struct {
	mode fs.FileMode // of it only whether it is a directory, a file or neither
	file string      // which one it is, or where the link points
}

// in lists what of it is in a directory that is open. One reading of the directory is quicker than asking for each name. No
// link is followed on the way: a call could have it lead to somebody else's files.
func (p protected) in(dir *os.File) map[string]found {
	list := map[string]found{}
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		for _, path := range p[name] {
			if f, ok := lookBeneath(int(dir.Fd()), path); ok {
				list[path] = f
			}
		}
	}
	return list
}

// lookBeneath tells what a path below a directory leads to, if no link lies on the way to it.
func lookBeneath(dir int, path string) (found, bool) {
	parent, err := openBeneath(dir, filepath.Dir(path))
	if err != nil {
		return found{}, false
	}
	defer unix.Close(parent)
	name := filepath.Base(path)
	var stat unix.Stat_t
	if err := unix.Fstatat(parent, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return found{}, false
	}
	f := found{mode: fs.ModeIrregular, file: fmt.Sprint(stat.Dev, stat.Ino)}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		f.mode = fs.ModeDir
	case unix.S_IFREG:
		f.mode = 0
	case unix.S_IFLNK:
		var target [unix.PathMax]byte
		if n, err := unix.Readlinkat(parent, name, target[:]); err == nil {
			f.file += " " + string(target[:n])
		}
	}
	return f, true
}

// openBeneath opens a directory below another one, through no link and never above it (openat2(2)).
func openBeneath(dir int, path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	return unix.Openat2(dir, path, &how)
}

// protect keeps what is protected from being changed, in every directory that the call may write to. What was granted by
// name may be.
//
// It can only be mounted over when it is there, and where the call has mounts of its own. The rest is watched: see tellNew.
func (f *confinement) protect(p protected, profile *Profile, mounts bool) {
	own := realPaths(profile.Own)
	for _, dir := range slices.Clone(f.grants) {
		if !dir.write || dir.file || len(p) == 0 || slices.Contains(own, dir.path) {
			continue
		}
		open, err := openDirectory(dir.path)
		if err != nil {
			continue // it cannot be listed; permit tells when it is gone
		}
		w := watched{dir: dir.path, before: p.in(open)}
		open.Close()
		for _, path := range slices.Sorted(maps.Keys(w.before)) {
			is := w.before[path]
			if !mounts || is.mode&fs.ModeIrregular != 0 {
				continue // a link cannot be mounted over; what it leads to was not granted with it
			}
			w.mounted = append(w.mounted, path)
			whole := filepath.Join(dir.path, path)
			f.add(grant{path: whole, noRun: dir.noRun, file: !is.mode.IsDir(), write: is.mode.IsDir() && p.holds(path)})
			// A directory on the way to it could be moved aside with it, and another put in its place, were it not a mount of its
			// own.
			for above := filepath.Dir(whole); above != dir.path; above = filepath.Dir(above) {
				f.add(grant{path: above, noRun: dir.noRun, write: true})
			}
		}
		for _, a := range profile.AllowedPaths {
			if rel, err := filepath.Rel(dir.path, a.Path); err == nil && !a.ReadOnly {
				w.allowed = append(w.allowed, rel)
			}
		}
		f.watched = append(f.watched, w)
	}
}

// realPaths gives those of some paths that are there, without links.
func realPaths(paths []string) []string {
	var list []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// openDirectory opens a directory that was granted, through no link.
func openDirectory(path string) (*os.File, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// watched is a directory that a call may write to, and what was protected in it when the call began.
type watched struct {
	dir     string
	before  map[string]found
	mounted []string // what of that the kernel holds
	allowed []string // what the call may make all the same
}

// tellNew looks, when the call has ended, for what is protected, was not there when it began or is another file now, and is
// not held by the kernel. While the call ran it was there.
//
// A tool's call is over in moments, and what is new is its doing: hold takes it out of the way. A command of a person's, or an
// agent, may run for hours, and the person works in the same directory meanwhile: then it is only told.
func (w watched) tellNew(p protected, hold bool) []string {
	dir, err := openDirectory(w.dir)
	if err != nil {
		return []string{fmt.Sprintf("protected: nobody could look whether the call made what others run or believe without a look: %v", err)}
	}
	defer dir.Close()
	after := p.in(dir)
	var hints []string
	for _, path := range slices.Sorted(maps.Keys(after)) { // a directory before what is in it
		before, was := w.before[path]
		if was && before.file == after[path].file || slices.Contains(w.mounted, path) || slices.Contains(w.allowed, path) {
			continue
		}
		hint := "protected: while the command ran, " + filepath.Join(w.dir, path) + " was made, which others run or believe without a look"
		if hold {
			held, err := putAside(int(dir.Fd()), path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue // it was in a directory that was put aside just now
			case err != nil:
				hint += fmt.Sprintf(", and it could not be taken out of the way: %v", err)
			default:
				hint += "; it is " + held + " now, and allowed_paths with that very path lets a tool make it"
			}
		}
		hints = append(hints, hint)
	}
	return hints
}

// putAside gives what lies below a directory another name, under which nobody runs or believes it.
func putAside(dir int, path string) (held string, err error) {
	parent, err := openBeneath(dir, filepath.Dir(path))
	if err != nil {
		return "", err
	}
	defer unix.Close(parent)
	held = filepath.Base(path) + ".held-" + randomName()
	return held, unix.Renameat(parent, filepath.Base(path), parent, held)
}
