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
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// in lists what of it is in a directory that is open: whether it is a directory, a file or neither. One
// reading of the directory is quicker than asking for each name. No link is followed on the way: a call
// could have it lead to somebody else's files.
func (p protected) in(dir *os.File) map[string]fs.FileMode {
	list := map[string]fs.FileMode{}
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		for _, path := range p[name] {
			if mode, ok := lookBeneath(int(dir.Fd()), path); ok {
				list[path] = mode
			}
		}
	}
	return list
}

// lookBeneath tells what a path below a directory is, if no link lies on the way to it.
func lookBeneath(dir int, path string) (fs.FileMode, bool) {
	parent, err := openBeneath(dir, filepath.Dir(path))
	if err != nil {
		return 0, false
	}
	defer unix.Close(parent)
	var stat unix.Stat_t
	if err := unix.Fstatat(parent, filepath.Base(path), &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, false
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return fs.ModeDir, true
	case unix.S_IFREG:
		return 0, true
	}
	return fs.ModeIrregular, true
}

// openBeneath opens a directory below another one, through no link and never above it (openat2(2)).
func openBeneath(dir int, path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	return unix.Openat2(dir, path, &how)
}

// protect keeps what is protected from being changed, in every directory that the call may write to. What
// was granted by name may be.
//
// It can only be mounted over when it is there, and where the call has mounts of its own. The rest is
// watched: see tellNew.
func (f *confinement) protect(p protected, judge Judge, ways []string, l *listings, profile *Profile,
	mounts bool) {
	own := realPaths(profile.Own)
	for _, dir := range slices.Clone(f.grants) {
		if !dir.write || dir.file || judge == nil || slices.Contains(own, dir.path) {
			continue
		}
		if l.isStart(dir.path) {
			continue // it goes with the call
		}
		open, err := openDirectory(dir.path)
		if err != nil {
			continue // it cannot be listed; permit tells when it is gone
		}
		p, own := p.below(dir.path)
		judge := judgeIn(dir.path, judgeAt(dir.path, judge, own), ways)
		w := watched{dir: dir.path, judge: judge, listings: l, before: l.look(int(open.Fd()), dir.path, judge)}
		w.before.settle()
		f.mask(dir.path, w.before.sockets, profile)
		there := p.in(open)
		open.Close()
		for _, path := range slices.Sorted(maps.Keys(there)) {
			is := there[path]
			if !mounts || is&fs.ModeIrregular != 0 {
				continue // a link cannot be mounted over; what it leads to was not granted with it
			}
			whole, holds := filepath.Join(dir.path, path), is.IsDir() && p.holds(path)
			if !holds {
				w.mounted = append(w.mounted, path)
			}
			f.add(grant{path: whole, noRun: dir.noRun, file: !is.IsDir(), write: holds, kept: true})
		}
		for _, path := range f.kept {
			if info, err := os.Lstat(path); mounts && err == nil && path != dir.path && within(path, dir.path) {
				f.add(grant{path: path, noRun: dir.noRun, file: !info.IsDir(), kept: true})
				w.mounted = append(w.mounted, strings.TrimPrefix(path, strings.TrimSuffix(dir.path, "/")+"/"))
			}
		}
		for _, h := range f.own {
			if h.path != dir.path && within(h.path, dir.path) {
				w.mounted = append(w.mounted, strings.TrimPrefix(h.path, strings.TrimSuffix(dir.path, "/")+"/"))
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

// realPaths returns those of some paths that are there, without links.
func realPaths(paths []string) []string {
	var list []string
	for _, path := range paths {
		if real, err := realPath(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// openDirectory opens a directory that was granted, through no link.
func openDirectory(path string) (*os.File, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// watched is a directory that a call may write to, and what in it could mean something to others when the
// call began.
type watched struct {
	dir      string
	judge    Judge
	listings *listings
	before   snapshot
	mounted  []string // what of that the kernel holds
	allowed  []string // what the call may make all the same

	noted  bool    // in pendingLooks
	missed []*note // which were found there
}

// telling is what is told about the files of a directory.
type telling struct {
	dir  string
	told []string
	more int // that are only counted
}

// mostTold is how many files of a directory are told one by one.
const mostTold = 12

func (t *telling) add(line string) {
	if len(t.told) < mostTold {
		t.told = append(t.told, line)
	} else {
		t.more++
	}
}

func (t *telling) lines() []string {
	if t.more == 0 {
		return t.told
	}
	return append(t.told, fmt.Sprintf("protected: and so %d more in %s", t.more, t.dir))
}

// tellNew looks, when the call has ended, for what others run or believe without a further look, at every
// depth, that is not as it was when the call began and is not held by the kernel. While the call ran it was
// there.
//
// A tool's call is over in moments, and what is new is its doing: hold takes it out of the way. A command
// of a person's, or an agent, may run for hours, and the person works in the same directory meanwhile: then
// it is only told. So it is in a directory that everybody works in: what is new there is often another's.
func (w watched) tellNew(hold bool) []string {
	dir, err := openDirectory(w.dir)
	if err != nil {
		return []string{fmt.Sprintf("protected: nobody could look whether the call made what others run or believe "+
			"without a look: %v", err)}
	}
	defer dir.Close()
	root := int(dir.Fd())
	after := w.listings.look(root, w.dir, w.judge)
	told, hold := telling{dir: w.dir}, hold && !isEverybodys(w.dir)
	gone := "/"                                                // the directory that was put aside last
	for _, at := range slices.Sorted(maps.Keys(after.there)) { // a directory before what is in it
		v := after.there[at]
		// The kernel holds a name, not what a link leads to, nor the other names of a file.
		behind, held := w.before.leads(at, v), w.isMounted(at)
		if w.before.has(at, v) || strings.HasPrefix(at, gone) || w.mayBe(at) || held && !behind && !v.named {
			continue
		}
		weight := w.judge.Weigh(at, func(path string) []byte { return readBelow(root, path) })
		hint := "protected: while the command ran, " + w.shown(at) +
			" was made or changed, which others run or believe without a look"
		if weight == Plain && v.kind == unix.S_IFLNK && leadsAsideBelow(root, at, w.judge) {
			weight = v.weighLink()
			hint = "protected: while the command ran, " + w.shown(at) +
				" was made to lead to where nobody looks for what others run or believe"
		}
		if weight == Plain {
			continue
		}
		switch {
		case behind && (held || v.leadsTo == w.before.there[at].leadsTo):
			hint = "protected: while the command ran, what " + w.shown(at) +
				" leads to was made or changed, which others run or believe without a look"
		case held, weight == Told, w.listings.scratch != nil && w.listings.scratch.isAnothers(at):
		case w.before.hadElsewhere(at, after.there[at]):
			hint = "protected: while the command ran, " + w.shown(at) +
				" got there from another directory, and others run or believe it without a look"
		case hold:
			aside, err := w.putAside(root, at)
			if err != nil {
				hint += fmt.Sprintf(", and it could not be taken out of the way: %v", err)
				break
			}
			if strings.HasSuffix(at, "/") {
				gone = at
			}
			hint += "; it is " + w.heldAs(at, aside) + ". allowed_paths with that very path lets a tool make it"
		}
		told.add(hint)
	}
	if gone := w.removed(root, &after); len(gone) > 0 && !isEverybodys(w.dir) {
		told.add(fmt.Sprintf("protected: while the command ran, %s was removed, "+
			"by which others went without a look (files of that kind: %d)", w.shown(gone[0]), len(gone)))
	}
	for _, at := range after.partly {
		told.add(fmt.Sprintf("protected: while the command ran, %s led to more than %d names, "+
			"and nobody looked through all of them for what others run or believe", w.shown(at), mostBehind))
	}
	for _, at := range after.opened(w.before) {
		if isEverybodys(w.dir) {
			break // it may be another's doing
		}
		told.add(fmt.Sprintf("protected: while the command ran, %s was opened to other users, "+
			"who can put there what you run or believe without a look", w.shown(at)))
	}
	hints := told.lines()
	maps.DeleteFunc(after.closed,
		func(at string, is shut) bool { return is.fast && w.before.closed[at] == is })
	if n := len(after.closed); n > 0 {
		hints = append(hints,
			fmt.Sprintf("protected: nobody could look into %s (directories of that kind: %d), "+
				"for what others run or believe without a look", w.shown(slices.Min(slices.Collect(maps.Keys(after.closed)))), n))
	}
	if w.before.unread || after.unread {
		hints = append(hints,
			fmt.Sprintf("protected: nobody read all of the files in %s that others run or believe without a look: "+
				"they hold more than %d MB, and on this file system one can be changed without a trace", w.dir, mostHashed>>20))
	}
	if !w.before.whole || !after.whole {
		hints = append(hints,
			fmt.Sprintf("protected: nobody looked through all of %s, which holds more than %d names, "+
				"or fewer in deep directories: what others run or believe without a look may have changed there", w.dir, mostSeen))
	}
	return hints
}

// removed lists what others ran or believed and is there no more, under any name that counts: a setting may
// have kept something from happening.
func (w watched) removed(root int, after *snapshot) (list []string) {
	type file struct{ device, inode uint64 }
	left := map[file]bool{}
	for _, v := range after.there {
		left[file{v.device, v.inode}] = true
	}
	for _, at := range slices.Sorted(maps.Keys(w.before.there)) {
		v := w.before.there[at]
		var is unix.Stat_t
		if _, there := after.there[at]; there || v.kind != unix.S_IFREG || left[file{v.device, v.inode}] || w.mayBe(at) ||
			unix.Fstatat(root, at, &is, unix.AT_SYMLINK_NOFOLLOW) != unix.ENOENT {
			continue
		}
		if w.judge.Weigh(at, func(string) []byte { return []byte{} }) == Held {
			list = append(list, at)
		}
	}
	return list
}

// everybodys are the directories in which every user and program of a machine makes files (FHS 3.0, 3.18 and
// 5.15; shm_overview(7)). They go by their names: a call could give its own workspace the mode of /tmp.
var everybodys = []string{"/tmp", "/var/tmp", "/dev/shm"}

// isEverybodys reports whether a directory is one of those, or holds one.
func isEverybodys(dir string) bool {
	return slices.ContainsFunc(everybodys, func(shared string) bool { return within(shared, dir) })
}

// shown is the path of what lies below the directory, for people: a call chooses the names, which might have
// a terminal do something, or look like a line of ours.
func (w watched) shown(at string) string {
	path := filepath.Join(w.dir, at)
	if isPlain(path) {
		return path
	}
	return strconv.Quote(path)
}

// isPlain reports whether a text is shown as it is.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// heldAs says where something is that was put aside, and what puts it back.
func (w watched) heldAs(at, held string) string {
	shown := w.shown(held)
	held, at = filepath.Join(w.dir, held), filepath.Join(w.dir, at)
	if !isPlain(at) {
		return shown + " now" // no such command could be copied from what is shown
	}
	return held + " now; this puts it back: mv -T -- " + shellWord(held) + " " + shellWord(at)
}

// shellWord quotes a text for a shell.
func shellWord(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@%", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isMounted reports whether the kernel holds something.
func (w watched) isMounted(at string) bool {
	at = strings.TrimSuffix(at, "/")
	return slices.ContainsFunc(w.mounted, func(path string) bool { return within(at, path) })
}

// mayBe reports whether the call was granted something by its name.
func (w watched) mayBe(at string) bool {
	at = strings.TrimSuffix(at, "/")
	return slices.ContainsFunc(w.allowed, func(path string) bool {
		return at == path || within(at, path) && w.judge.Weigh(path+"/", nil) != Plain
	})
}

// putAside returns what lies below a directory another name, under which nobody runs or believes it,
// outside of every directory that others run or believe as a whole.
func (w watched) putAside(root int, at string) (held string, err error) {
	at = strings.TrimSuffix(at, "/")
	to := filepath.Dir(at)
	for i, c := range at {
		if c == '/' && w.judge.Weigh(at[:i+1], nil) != Plain {
			to = filepath.Dir(at[:i])
			break
		}
	}
	const longestName = 255 // NAME_MAX
	base, mark := filepath.Base(at), ".held-"+randomName()
	held = filepath.Join(to, base[:min(len(base), longestName-len(mark))]+mark)
	from, err := openBeneath(root, filepath.Dir(at))
	if err != nil {
		return "", err
	}
	defer unix.Close(from)
	there, err := openBeneath(root, to)
	if err != nil {
		return "", err
	}
	defer unix.Close(there)
	err = unix.Renameat(from, filepath.Base(at), there, filepath.Base(held))
	if errors.Is(err, unix.EACCES) { // a call can leave a directory to which it could write itself again at any time
		restore := writable(from, there)
		err = unix.Renameat(from, filepath.Base(at), there, filepath.Base(held))
		restore()
	}
	return held, err
}

// writable lets us write to directories of our own, until restore is called.
func writable(dirs ...int) (restore func()) {
	var undo []func()
	for _, dir := range dirs {
		var is unix.Stat_t
		if unix.Fstat(dir, &is) != nil || int(is.Uid) != os.Geteuid() || is.Mode&0o300 == 0o300 {
			continue
		}
		itself := fmt.Sprintf("/proc/self/fd/%d", dir) // a descriptor of O_PATH has no fchmod
		if unix.Chmod(itself, is.Mode&0o7777|0o300) == nil {
			undo = append(undo, func() { _ = unix.Chmod(itself, is.Mode&0o7777) })
		}
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}
