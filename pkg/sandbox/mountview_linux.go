//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemPaths are what every call can read and run programs from: the system, and nothing of anybody's own.
// What of them does not exist is left out; what is a link counts as what it leads to.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store",
	"/proc", "/sys", "/var/lib/dpkg", "/var/lib/rpm", "/var/cache/fontconfig",
}

// devices are what every call can use of /dev. A terminal is there when the call has one.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// grant is a file or directory that a call may use.
type grant struct {
	path   string // without links; also where the call finds it
	write  bool
	noRun  bool // no program can be started from it, whatever its mode
	file   bool // not a directory
	kept   bool // nothing else may come into its place
	socket bool
}

// rights are those of Landlock.
func (g grant) rights() uint64 {
	rights := uint64(landlockRead)
	if !g.noRun {
		rights |= landlockRun
	}
	if g.write {
		rights |= landlockChange
	}
	if g.file {
		rights &= landlockOnFile
	}
	return rights
}

// mountView is what a call with a mount namespace sees of the file system: everything is read-only, some
// directories are empty, and what was granted is in its place.
type mountView struct {
	ownProc  bool     // a /proc of its own
	covers   []string // directories that are shown empty, none of them in another
	bare     []string // directories in those that are there all the same
	placed   []grant  // parents before what is in them
	start    string   // the call starts here, in an empty directory where it was not granted
	hidden   []hiding
	masked   []hiding // likewise, as long as it is there
	private  []hiding // what of the system only root can read
	temp     string   // a directory of the call's own to be its /tmp; "" means one in memory, of
	size     int64    // so many bytes
	shared   []string // further places of /tmp
	withheld []hiding // those of hidden
	empty    string   // a directory that is shown instead of what is covered or hidden,
	blind    string   // one instead of what is withheld, and
	void     string   // a file instead of any that is hidden
	noRun    bool     // no program can be started from /tmp
	pty      bool     // pseudo-terminals of its own

	proc *int32 // the machine's /proc, kept for become
}

// hiding is something that is there and must not be seen.
type hiding struct {
	path string
	file bool
}

const (
	mountRecursive = unix.AT_RECURSIVE
	here           = ^uintptr(99) // AT_FDCWD, -100
)

// openHow is how a granted path is opened: it has no links in it, so none that was put there since is
// followed (openat2(2)).
func openHow() *unix.OpenHow {
	return &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
}

// mounts adds the steps that make the view. rules gets the rights to the directories that only exist then.
//
// Mounts cannot be taken from another namespace, and covering a directory hides what is below. So
// everything that is granted is opened here first, in the new process, then the directories are covered,
// then everything is made read-only at once, and only then is what was opened put in its place.
func (v *mountView) mounts(l *launch, rules *ruleset, id identity) {
	// Private, or what is mounted here would be mounted on the machine too, where no user namespace keeps the
	// two apart; and a disk that is mounted there meanwhile would appear in the call, and could be written to.
	// Before anything is opened, which would stay tied to the machine's all the same.
	v.set(l, here, "/", unix.AT_RECURSIVE, unix.MountAttr{Propagation: unix.MS_PRIVATE})
	type opened struct {
		grant
		tree *int32
	}
	var trees []opened
	for _, g := range v.placed {
		trees = append(trees, opened{g, v.open(l, g)})
	}
	hidden := make([]*int32, len(v.hidden))
	for i, h := range v.hidden {
		hidden[i] = v.open(l, grant{path: v.instead(h), noRun: true})
	}
	masked := make([]*int32, len(v.masked))
	for i, h := range v.masked {
		masked[i] = v.open(l, grant{path: v.instead(h), noRun: true})
	}
	var temp *int32
	if v.temp != "" {
		temp = v.open(l, grant{path: v.temp, write: true, noRun: v.noRun})
	}
	if id.drop {
		v.proc = l.slot()
		l.do("open_tree", unix.SYS_OPEN_TREE, here, l.text("/proc"),
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|mountRecursive).about("/proc", "").give(v.proc)
	}
	if v.ownProc {
		l.do("mount", unix.SYS_MOUNT, l.text("proc"), l.text("/proc"), l.text("proc"),
			unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, 0).about("/proc",
			"a container that hides parts of its /proc allows no other one")
		v.permit(l, rules, grant{path: "/proc", noRun: v.noRun})
	}
	for _, h := range v.private {
		l.do("mount(MS_BIND)", unix.SYS_MOUNT, l.text(v.instead(h)), l.text(h.path), 0, unix.MS_BIND, 0).about(h.path,
			"").may(mayFail)
	}
	for _, dir := range v.covers {
		v.cover(l, dir)
	}
	const temporary = "/tmp"
	for _, g := range trees {
		if !within(g.path, temporary) {
			v.place(l, g.grant)
		}
	}
	for _, path := range slices.Concat([]string{v.start}, v.bare, v.shared) {
		if !within(path, temporary) {
			v.place(l, grant{path: path})
		}
	}
	v.set(l, here, "/", unix.AT_RECURSIVE,
		unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
	if temp != nil {
		v.attach(l, temp, temporary)
	} else {
		// As many files as pages, since each takes some of the kernel's memory too; 0 would be no limit.
		v.memory(l, temporary, fmt.Sprintf("mode=0700,uid=%d,gid=%d,size=%d,nr_inodes=%d", id.uid, id.gid,
			v.size, max(v.size>>12, 16)))
		if v.noRun {
			v.set(l, here, temporary, 0, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOEXEC})
		}
		v.permit(l, rules, grant{path: temporary, write: true, noRun: v.noRun})
	}
	if v.pty {
		v.terminals(l, rules)
	}
	if within(v.start, temporary) {
		v.place(l, grant{path: v.start})
	}
	for _, path := range v.shared {
		l.do("mount(MS_BIND)", unix.SYS_MOUNT, l.text(temporary), l.text(path), 0, unix.MS_BIND, 0).about(path, "")
	}
	for _, g := range trees {
		if within(g.path, temporary) ||
			slices.ContainsFunc(v.shared, func(dir string) bool { return within(g.path, dir) }) {
			v.place(l, g.grant)
		}
		v.attach(l, g.tree, g.path)
	}
	for i, h := range v.hidden {
		v.attach(l, hidden[i], h.path)
	}
	for i, h := range v.masked {
		v.attach(l, masked[i], h.path).may(mayFail)
	}
}

// cover shows a directory empty: as one in memory where something has to have its place in it, which takes
// twice as long to make and to take away, else as the empty directory.
func (v *mountView) cover(l *launch, dir string) {
	inside := func(path string) bool { return within(path, dir) }
	holds := inside(v.start) || slices.ContainsFunc(v.placed, func(g grant) bool { return inside(g.path) }) ||
		slices.ContainsFunc(v.bare, inside) || slices.ContainsFunc(v.shared, inside) ||
		slices.ContainsFunc(v.hidden, func(h hiding) bool { return inside(h.path) }) ||
		// The empty directory is itself below one that is covered.
		slices.ContainsFunc(v.covers, func(other string) bool { return within(v.empty, other) })
	if holds {
		v.memory(l, dir, "mode=0755,size=1m,nr_inodes=1k")
		return
	}
	l.do("mount(MS_BIND)", unix.SYS_MOUNT, l.text(v.empty), l.text(dir), 0, unix.MS_BIND, 0).about(dir, "")
}

// instead returns what is shown instead of what is hidden.
func (v *mountView) instead(h hiding) string {
	if h.file {
		return v.void
	}
	if slices.Contains(v.withheld, h) {
		return v.blind
	}
	return v.empty
}

// open adds the steps that take hold of what is granted, with all that is mounted below it, to be put in
// its place.
func (v *mountView) open(l *launch, g grant) *int32 {
	const cure = "it has to exist, and to lead there without links"
	fd, tree := l.slot(), l.slot()
	how := address(&l.steps, openHow())
	l.do("openat2", unix.SYS_OPENAT2, here, l.text(g.path), how, unsafe.Sizeof(unix.OpenHow{})).about(g.path,
		cure).give(fd)
	l.do("open_tree", unix.SYS_OPEN_TREE, 0, l.text(""),
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|mountRecursive).about(g.path,
		"").take(0, fd).give(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if !g.write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if g.noRun {
		attr.Attr_set |= unix.MOUNT_ATTR_NOEXEC
	}
	v.set(l, 0, "", unix.AT_EMPTY_PATH|mountRecursive, attr).take(0, tree).about(g.path, "")
	return tree
}

// set adds a mount_setattr(2).
func (v *mountView) set(l *launch, dir uintptr, path string, flags uintptr, attr unix.MountAttr) *step {
	return l.do("mount_setattr", unix.SYS_MOUNT_SETATTR, dir, l.text(path), flags, address(&l.steps, &attr),
		unsafe.Sizeof(attr)).about(path, "")
}

// memory mounts a file system in memory.
func (v *mountView) memory(l *launch, path, options string) {
	l.do("mount(tmpfs)", unix.SYS_MOUNT, l.text("tmpfs"), l.text(path), l.text("tmpfs"),
		unix.MS_NOSUID|unix.MS_NODEV, l.text(options)).about(path, "")
}

// attach puts a tree in its place.
func (v *mountView) attach(l *launch, tree *int32, path string) *step {
	return l.do("move_mount", unix.SYS_MOVE_MOUNT, 0, l.text(""), here, l.text(path),
		unix.MOVE_MOUNT_F_EMPTY_PATH).take(0, tree).about(path, "")
}

// place makes the place for what is granted, where a directory that is shown empty covers it.
func (v *mountView) place(l *launch, g grant) {
	cover := ""
	for _, dir := range slices.Concat([]string{"/tmp"}, v.covers, v.shared) {
		if within(g.path, dir) && g.path != dir && len(dir) > len(cover) {
			cover = dir
		}
	}
	if cover == "" {
		return
	}
	rest := strings.Split(strings.TrimPrefix(g.path, cover+"/"), "/")
	at := cover
	for i, name := range rest {
		at += "/" + name
		if g.file && i == len(rest)-1 {
			l.do("mknod", unix.SYS_MKNODAT, here, l.text(at), unix.S_IFREG|0o600, 0).about(at, "").may(mayFail)
			continue
		}
		// Another grant may have made it, or lie above.
		l.do("mkdir", unix.SYS_MKDIRAT, here, l.text(at), 0o755).about(at, "").may(mayFail)
	}
}

// terminals gives the call pseudo-terminals of its own: an instance of devpts in which nobody else's are.
// In the machine's, a call could read what this user types elsewhere.
func (v *mountView) terminals(l *launch, rules *ruleset) {
	const dir, ptmx = "/dev/pts", "/dev/ptmx"
	l.do("mount(devpts)", unix.SYS_MOUNT, l.text("devpts"), l.text(dir), l.text("devpts"),
		unix.MS_NOSUID|unix.MS_NOEXEC, l.text("newinstance,ptmxmode=0666,mode=0620")).about(dir, "")
	l.do("mount(MS_BIND)", unix.SYS_MOUNT, l.text(dir+"/ptmx"), l.text(ptmx), 0, unix.MS_BIND, 0).about(ptmx, "")
	v.allow(l, rules, dir, landlockDevice|unix.LANDLOCK_ACCESS_FS_READ_DIR)
	v.allow(l, rules, ptmx, landlockDevice)
}

// permit adds the rights to a directory that only exists in the new process.
func (v *mountView) permit(l *launch, rules *ruleset, g grant) { v.allow(l, rules, g.path, g.rights()) }

func (v *mountView) allow(l *launch, rules *ruleset, path string, rights uint64) {
	b := new(beneath)
	b.set(rights&rules.rights, -1)
	l.do("open", unix.SYS_OPENAT, here, l.text(path), unix.O_PATH|unix.O_CLOEXEC, 0).about(path, "").give(b.fd())
	l.do("landlock_add_rule", unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		address(&l.steps, b), 0).about(path, "")
}

// openPath opens a path without following a link.
func openPath(path string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, openHow())
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	return fd, nil
}

// held is a path of the system, open for good: opening it for each call takes longer than granting it.
type held struct {
	path string
	fd   int
	file bool
}

// hold opens those of some paths that are there.
func hold(paths []string, file bool) []held {
	var list []held
	for _, path := range paths {
		if fd, err := openPath(path); err == nil {
			list = append(list, held{path: path, fd: fd, file: file})
		}
	}
	return list
}

// holdPublic opens what of a directory everybody can read, which is what a call of root's gets of it: with
// the keys and passwords there a call has no business. Directories that hold something private are opened
// one by one.
func holdPublic(dir string) []held {
	var list []held
	entries, _ := listPublic(dir, 0)
	for _, entry := range entries {
		list = append(list, hold([]string{entry.path}, entry.file)...)
	}
	return list
}

// listPublic lists what of a directory everybody can read, and reports whether that is all that there is in
// it. What lies too deep counts as private.
func listPublic(dir string, depth int) (list []grant, all bool) {
	const deepest = 6
	open, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	defer open.Close()
	names, err := open.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	all = depth <= deepest
	for _, name := range names {
		var is unix.Stat_t
		err := unix.Fstatat(int(open.Fd()), name, &is, unix.AT_SYMLINK_NOFOLLOW)
		kind := is.Mode & unix.S_IFMT
		switch {
		case err != nil, kind == unix.S_IFLNK:
		case is.Mode&0o004 == 0:
			all = false
		case kind != unix.S_IFDIR:
			list = append(list, grant{path: filepath.Join(dir, name), file: true})
		default:
			path := filepath.Join(dir, name)
			if within, whole := listPublic(path, depth+1); whole {
				list = append(list, grant{path: path})
			} else {
				list, all = append(list, within...), false
			}
		}
	}
	return list, all
}

// private lists what in the upper directories of /proc and /sys, and of those for programs that are no
// package of the system's (FHS 3.0, 3.13 and 4.9), only root can read: what the kernel tells of its memory,
// its timers and other processes, and keys and passwords of services.
func private() []hiding {
	return slices.Concat(privateIn("/proc", 0), privateIn("/proc/tty", 0), privateIn("/sys", 1), privateIn("/opt", 2),
		privateIn("/usr/local", 2))
}

// mostPrivate is how much of a directory is hidden from each call, a mount for each.
const mostPrivate = 32

// privateIn lists what only root can read in a directory and, so many levels deep, in those below it.
func privateIn(dir string, deeper int) (list []hiding) {
	open, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer open.Close()
	names, _ := open.Readdirnames(-1)
	for _, name := range names {
		var is unix.Stat_t
		if process := dir == "/proc" && name[0] <= '9'; process ||
			unix.Fstatat(int(open.Fd()), name, &is, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		path := filepath.Join(dir, name)
		switch kind := is.Mode & unix.S_IFMT; {
		case kind == unix.S_IFREG && is.Mode&0o004 == 0 && is.Mode&0o400 != 0:
			list = append(list, hiding{path: path, file: true})
		case kind == unix.S_IFDIR && is.Mode&0o005 == 0:
			list = append(list, hiding{path: path})
		case kind == unix.S_IFDIR && deeper > 0:
			list = append(list, privateIn(path, deeper-1)...)
		}
	}
	return list[:min(len(list), mostPrivate)]
}

// homes lists the directories that people's own files are in, but for those in places of which every call
// has its own.
func homes() []string {
	var list []string
	for _, dir := range append([]string{"/home", "/root"}, ownHomes()...) {
		real, err := filepath.EvalSymlinks(dir)
		private := slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/dev/shm", "/run"},
			func(dir string) bool { return within(real, dir) })
		if err != nil || private || slices.ContainsFunc(list,
			func(other string) bool { return within(real, other) }) {
			continue
		}
		// A service's home can be anywhere, also above what every call needs.
		if slices.ContainsFunc(append([]string{"/tmp", "/dev"}, systemPaths...),
			func(needed string) bool { return within(needed, real) }) {
			continue
		}
		list = append(list, real)
	}
	return list
}

// ownHomes are our home directories: $HOME, which may be of somebody else's choice, and our account's.
func ownHomes() []string {
	var list []string
	if dir, err := os.UserHomeDir(); err == nil {
		list = append(list, dir)
	}
	if account, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil && filepath.IsAbs(account.HomeDir) {
		list = append(list, account.HomeDir)
	}
	return list
}

// nameServers is where /etc/resolv.conf leads, when that is below /run; else "".
func nameServers() string {
	real, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil || !within(real, "/run") {
		return ""
	}
	return real
}

// existing returns those of some directories that are there, and are directories.
func existing(paths ...string) []string {
	var list []string
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			list = append(list, path)
		}
	}
	return list
}

// hidings returns those of some paths that are there, without links.
func hidings(paths []string) []hiding {
	var list []hiding
	for _, path := range paths {
		is, err := lookLinkless(path)
		if err == nil {
			list = append(list, hiding{path: path, file: is.Mode&unix.S_IFMT != unix.S_IFDIR})
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if info, err := os.Lstat(real); err == nil {
			list = append(list, hiding{path: real, file: !info.IsDir()})
		}
	}
	return list
}
