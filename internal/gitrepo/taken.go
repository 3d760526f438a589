package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Take says which files below a work tree a command of git's takes along, beside those that it tracks.
type Take struct {
	New     bool // files that it does not track
	Ignored bool // and those of them that it is told to ignore
}

// The questions about files. None has git read what is in a file of the work tree, which could run a filter: so status
// and diff-files are not among them, and whether a file has changed is seen by its times and size.
var (
	askTracked = []string{"ls-files", "--cached", "--debug", "-z"}
	askStaged  = []string{"diff-index", "--cached", "--no-renames", "--ignore-submodules", "--name-only", "-z", "HEAD", "--"}
	askOthers  = []string{"ls-files", "--others", "-z"}
	askNew     = []string{"ls-files", "--others", "--exclude-standard", "-z"}
	askNames   = []string{"ls-files", "--cached", "-z"}
)

// Taken lists the files of the work tree that a command takes which adds, commits or puts away what has changed: the
// tracked ones that differ from the last commit, or may, and those of t. The names are absolute; one that ends in a slash
// is a directory with a repository of its own. top is the work tree, with its links resolved; in the directories avoid, no
// program is looked for. An error says in words for people what cannot be told.
func (a *Asker) Taken(ctx context.Context, top string, t Take, avoid ...string) ([]string, error) {
	ctx, cancel := a.deadline(ctx)
	defer cancel()
	l, err := a.begin(top, avoid)
	if err != nil || l == nil {
		return nil, err
	}
	staged, err := l.names(ctx, top, askStaged)
	var no *refusal
	all := errors.As(err, &no) // there is no commit yet
	if err != nil && !all {
		return nil, err
	}
	changed, err := l.changed(ctx, top, all)
	if err != nil {
		return nil, err
	}
	var others []string
	switch {
	case t.Ignored:
		others, err = l.names(ctx, top, askOthers)
	case t.New:
		others, err = l.names(ctx, top, askNew)
	}
	return slices.Concat(staged, changed, others), err
}

// Tracked lists the names in the index of the repository around a directory, as git ls-files prints them there: those that lie
// in it or below, relative to it. They are as whoever made the index has written them. dir has its links resolved; in the
// directories avoid, no program is looked for. An error says in words for people what cannot be told.
func (a *Asker) Tracked(ctx context.Context, dir string, avoid ...string) (names []string, err error) {
	ctx, cancel := a.deadline(ctx)
	defer cancel()
	l, err := a.begin(dir, avoid)
	if err != nil || l == nil {
		return nil, err
	}
	out, err := l.run(ctx, l.switched, dir, mostListed, askNames...)
	if err != nil {
		return nil, err
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names, nil
}

// names asks for names of files, and makes them absolute.
func (l *look) names(ctx context.Context, top string, question []string) (names []string, err error) {
	out, err := l.run(ctx, l.switched, top, mostListed, question...)
	if err != nil {
		return nil, err
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			path := filepath.Join(top, string(name))
			if name[len(name)-1] == '/' {
				path += "/"
			}
			names = append(names, path)
		}
	}
	return names, nil
}

// changed lists the tracked files that are there, and not as git has seen them last; all of them, where told.
func (l *look) changed(ctx context.Context, top string, all bool) (names []string, err error) {
	out, err := l.run(ctx, l.switched, top, mostListed, askTracked...)
	if err != nil {
		return nil, err
	}
	for len(out) > 0 {
		name, rest, found := bytes.Cut(out, []byte{0})
		var seen entry
		if out, seen = readEntry(rest); !found || out == nil {
			return nil, errAnswer
		}
		path := filepath.Join(top, string(name))
		var is unix.Stat_t
		if err := unix.Lstat(path, &is); err != nil {
			continue // gone
		}
		if is.Mode&unix.S_IFMT == unix.S_IFDIR { // a submodule, or what has taken the place of a file
			if unix.Lstat(filepath.Join(path, ".git"), &is) == nil {
				names = append(names, path+"/")
			}
			continue
		}
		if all || seen != (entry{is.Mtim, is.Ctim, uint32(is.Ino), uint32(is.Size)}) { //nolint:gosec // as the index cuts them
			names = append(names, path)
		}
	}
	return names, nil
}

// entry is what the index knows of a file by which git tells that it has changed (gitformat-index(5)). A git that keeps
// whole seconds only has every file taken for changed.
type entry struct {
	mtime, ctime unix.Timespec
	inode, size  uint32
}

// debugForm is what ls-files --debug prints of an entry.
const debugForm = "  ctime: %d:%d\n  mtime: %d:%d\n  dev: %d\tino: %d\n  uid: %d\tgid: %d\n  size: %d\tflags: %x\n"

// readEntry reads what ls-files --debug prints behind a name. rest is nil where it has another form.
func readEntry(text []byte) (rest []byte, e entry) {
	var device, user, group, flags uint32
	const lines = 5
	end := 0
	for range lines {
		next := bytes.IndexByte(text[end:], '\n')
		if next < 0 {
			return nil, e
		}
		end += next + 1
	}
	_, err := fmt.Sscanf(string(text[:end]), debugForm,
		&e.ctime.Sec, &e.ctime.Nsec, &e.mtime.Sec, &e.mtime.Nsec, &device, &e.inode, &user, &group, &e.size, &flags)
	if err != nil {
		return nil, e
	}
	return text[end:], e
}
