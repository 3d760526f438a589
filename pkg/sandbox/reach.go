package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Reach is what a plan lets a call reach, for those who act in its place or explain what it was refused. It
// never changes. The zero Reach reaches nothing.
//
// It speaks of files by their real names (no links on the way, see path_resolution(7)); whoever asks
// resolves the name first.
type Reach struct {
	granted   []reachGrant
	system    []string  // everybody's, to read
	hidden    []string  // this program's own
	kept      []string  // likewise, and may be read
	protected protected // relative to whatever may be written to
	own       []string  // may be written to, with all that is in it
	sockets   []string
	network   bool

	mounts   bool     // what it may not write to is on a read-only file system to it, and the kernel says that
	listed   bool     // no program may start but
	commands []string // these, by their real names
	readable []string // where listed is set: what of the system it can read

	start string // relative names begin there; "" where that is a directory of the call's own
	user  int    // whom the call runs as
	other bool   // and that is not us
}

// reachGrant is a file or directory that was granted.
type reachGrant struct {
	path  string
	write bool
}

// Access is what a call can do with one file.
type Access struct {
	Read, Write bool
	// Protected is set where the call could write but for what the file is: something that others run or
	// believe without a further look (Options.Protected).
	Protected bool
	// Own is set for this program's own files, which no call changes, and sees only where Read is set.
	Own bool
}

// Of tells what the call can do with the file that has that real name. Files in the call's private places,
// its /tmp, /proc and empty home, are not among those that it reaches: what has such a name outside is
// another file.
func (r Reach) Of(path string) Access {
	path = filepath.Clean(path)
	for _, own := range r.hidden {
		if within(path, own) {
			return Access{Own: true}
		}
	}
	best, found := reachGrant{}, false
	for _, g := range r.granted {
		if within(path, g.path) && (!found || len(g.path) > len(best.path)) {
			best, found = g, true
		}
	}
	switch {
	case !found && (!r.isSystems(path) ||
		r.listed && !slices.Contains(r.commands, path) && !isBelow(path, r.readable)):
		return Access{}
	case !found:
		return Access{Read: openToAll(path)}
	case r.other && !mayUse(best.path, path, r.user, best.write):
		return Access{Read: mayUse(best.path, path, r.user, false)}
	case best.write && slices.ContainsFunc(r.kept, func(kept string) bool { return best.path != kept && within(path, kept) }):
		return Access{Read: true, Own: true}
	case best.write && r.isProtected(path, best.path):
		return Access{Read: true, Protected: true}
	}
	return Access{Read: true, Write: best.write}
}

// Network reports whether the call can reach other machines.
func (r Reach) Network() bool { return r.network }

// Start is where the call's relative names begin; "" where that is a directory of its own.
func (r Reach) Start() string { return r.start }

// Socket reports whether the call may connect to a UNIX socket.
func (r Reach) Socket(path string) bool {
	for _, socket := range r.sockets {
		if within(filepath.Clean(path), socket) {
			return true
		}
	}
	return false
}

func (r Reach) isSystems(path string) bool { return isBelow(path, r.system) }

// isBelow reports whether a path is one of some directories, or in one.
func isBelow(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
}

// isProtected reports whether a path below what may be written to is, or lies in, something protected that
// was not granted by its own name. Every directory that may be written to has its own; granted is the
// deepest that holds the path.
func (r Reach) isProtected(path, granted string) bool {
	for _, g := range r.granted {
		if !g.write || !within(path, g.path) || path == g.path || slices.Contains(r.own, g.path) {
			continue
		}
		protected, _ := r.protected.below(g.path)
		name := strings.TrimPrefix(path, strings.TrimSuffix(g.path, "/")+"/")
		for rel := name; rel != "."; rel = filepath.Dir(rel) {
			if rel != name && protected.holds(rel) {
				continue // of what is in it, other names are protected
			}
			if protected.has(rel) && len(filepath.Join(g.path, rel)) > len(granted) {
				return true
			}
		}
	}
	return false
}

// IsPrivate reports whether a path lies where every call has temporary files of its own, and means nothing
// of that name outside.
func IsPrivate(path string) bool {
	for _, dir := range []string{"/tmp/", "/var/tmp/", "/dev/shm/"} {
		if rest, found := strings.CutPrefix(path, dir); found {
			first, _, _ := strings.Cut(rest, "/")
			_, err := os.Lstat(dir + first)
			return os.IsNotExist(err)
		}
	}
	return false
}

// openToAll reports whether everybody may read a file, which is what a call gets of the system. What does
// not exist counts as open: there is nothing to be read.
func openToAll(path string) bool { return mayUse("/", path, -1, false) }

// mayUse reports whether a user may read a file, or write it, who can get to the directory or file from
// that it is below. It goes by modes alone: the owner's, or everybody else's. Groups and access lists are
// left out, so it may say no where the kernel says yes.
func mayUse(from, path string, user int, write bool) bool {
	at := from
	for _, name := range strings.Split(strings.Trim(strings.TrimPrefix(path, from), "/"), "/") {
		if name == "" {
			break // it is from itself
		}
		info, err := os.Lstat(at)
		if err != nil {
			return false
		}
		if !hasMode(info, user, 1) {
			return false
		}
		next := filepath.Join(at, name)
		if _, err := os.Lstat(next); err != nil {
			// It does not exist yet, or an error tells whoever tries. To make it takes the right to change
			// the directory.
			return os.IsNotExist(err) && (!write || hasMode(info, user, 2))
		}
		at = next
	}
	info, err := os.Lstat(at)
	if err != nil {
		return false
	}
	if write {
		return hasMode(info, user, 2)
	}
	return hasMode(info, user, 4)
}

// hasMode reports whether a file grants a user one of the rights r (4), w (2) and x (1).
func hasMode(info fs.FileInfo, user int, right fs.FileMode) bool {
	mode := info.Mode().Perm()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && user >= 0 && int(stat.Uid) == user {
		mode >>= 6
	}
	return mode&right != 0
}

// within reports whether a path is a directory or lies below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
