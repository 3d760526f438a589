//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// groups are the control groups (cgroups(7)) of this program's calls. They count tasks, whoever runs them,
// where a limit on processes counts per user and never holds root; and with cgroup v2 they bound the memory
// of a call as a whole.
//
// A group is made below one that is ours to divide. With v1 any will do for root. With v2 it has to be
// delegated to us, and we may not be in it ourselves ("no internal processes"): a systemd service with
// Delegate=yes and DelegateSubgroup=…, whose unit is the parent of our own group, is so.
type groups struct {
	base   string // a directory of ours
	v2     bool
	memory bool

	mu     sync.Mutex
	lock   *os.File // base, open and locked as long as this program lives
	spares []*group
}

// group is one call's. It is used again by later calls with the same limits.
type group struct {
	path       string
	tasks      int // pids.max
	memory     int64
	hits, ooms int64 // what its counters said after the last call
}

// spareGroups is how many groups are kept ready: to make and remove one takes longer than some calls.
const spareGroups = 32

// groupPrefix begins the name of a program's directory of groups.
const groupPrefix = "a2a-acp-calls-"

// openGroups finds a place for groups and makes ours there, named after id.
func openGroups(id string) (*groups, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var reasons []error
	for _, place := range groupPlaces(string(own), string(mounts)) {
		g, err := place.open(id)
		if err == nil {
			return g, nil
		}
		reasons = append(reasons, err)
	}
	if reasons == nil {
		return nil, errors.New("no control groups are mounted that count tasks")
	}
	return nil, errors.Join(reasons...)
}

// groupPlace is where groups may be made.
type groupPlace struct {
	dir string
	v2  bool
}

// groupPlaces reads, from /proc/self/cgroup and /proc/self/mountinfo, where groups may be made: the best
// first.
func groupPlaces(own, mounts string) []groupPlace {
	var v1, v2 []groupPlace
	for line := range strings.Lines(mounts) {
		// "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime shared:1 - cgroup cgroup rw,pids"
		// (proc_pid_mountinfo(5))
		left, right, ok := strings.Cut(strings.TrimSpace(line), " - ")
		fields, kind := strings.Fields(left), strings.Fields(right)
		if !ok || len(fields) < 5 || len(kind) < 3 {
			continue
		}
		root, at := fields[3], fields[4]
		switch {
		case kind[0] == "cgroup2":
			if path, ok := ownGroup(own, ""); ok && within(path, root) && path != "/" {
				// Beside ours, not in it.
				v2 = append(v2, groupPlace{filepath.Join(at, strings.TrimPrefix(filepath.Dir(path), root)), true})
			}
		case kind[0] == "cgroup" && slices.Contains(strings.Split(kind[2], ","), "pids"):
			if path, ok := ownGroup(own, "pids"); ok && within(path, root) {
				v1 = append(v1, groupPlace{filepath.Join(at, strings.TrimPrefix(path, root)), false})
			}
		}
	}
	return append(v2, v1...)
}

// ownGroup finds our group in the hierarchy that has a controller, or in that of version 2 ("").
func ownGroup(own, controller string) (string, bool) {
	for line := range strings.Lines(own) {
		// "8:pids:/user.slice", "0::/user.slice" (cgroups(7))
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2], true
		}
	}
	return "", false
}

// open makes our directory, and removes those of programs that were killed.
func (p groupPlace) open(id string) (*groups, error) {
	if p.v2 {
		// Fails where it is done already, or not ours to do; the next line tells.
		_ = os.WriteFile(filepath.Join(p.dir, "cgroup.subtree_control"), []byte("+pids +memory"), 0)
		enabled, err := os.ReadFile(filepath.Join(p.dir, "cgroup.subtree_control"))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(strings.Fields(string(enabled)), "pids") {
			return nil, fmt.Errorf("%s does not count tasks (cgroup.subtree_control: %q)", p.dir,
				bytes.TrimSpace(enabled))
		}
	}
	old, _ := filepath.Glob(filepath.Join(p.dir, groupPrefix+"*"))
	for _, dir := range old {
		if lock, err := lockGroups(dir, unix.LOCK_NB); err == nil {
			removeGroups(dir)
			lock.Close()
		}
	}
	g := &groups{base: filepath.Join(p.dir, groupPrefix+id), v2: p.v2}
	var err error
	if g.memory, err = g.claim(); err != nil {
		return nil, err
	}
	// A group is only worth something if its number can be set.
	probe, err := g.make(1, 0)
	if err != nil {
		g.close()
		return nil, err
	}
	g.spares = append(g.spares, probe)
	return g, nil
}

// claims is how often a program tries to make its directory against others that sweep at the same time.
const claims = 20

// claim makes our directory and locks it. Between the two it looks like one that a dead program has left,
// and somebody who sweeps just then removes it, also after we have opened it: only a locked directory that
// still has the name is ours. They hold the lock for as long as it takes to remove a directory, and nobody
// but our own user can open it. claim tells whether the groups below it can have a limit on memory.
func (g *groups) claim() (memory bool, err error) {
	for range claims {
		if err = os.Mkdir(g.base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return false, err
		}
		var lock *os.File
		if lock, err = lockGroups(g.base, 0); err == nil {
			if g.lock != nil {
				g.lock.Close()
			}
			g.lock = lock
			return g.divide()
		}
	}
	return false, fmt.Errorf("lock %s: %w", g.base, err)
}

// divide lets the groups below our directory have limits of their own. With v1 they have one on tasks, and
// no other.
func (g *groups) divide() (memory bool, err error) {
	if !g.v2 {
		return false, nil
	}
	control := filepath.Join(g.base, "cgroup.subtree_control")
	_ = os.WriteFile(control, []byte("+pids +memory"), 0) // the next line tells
	enabled, err := os.ReadFile(control)
	return slices.Contains(strings.Fields(string(enabled)), "memory"), err
}

// lockGroups locks a directory of groups; with unix.LOCK_NB only if its program does not live. ENOENT: it
// was removed meanwhile.
func lockGroups(dir string, flags int) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|flags); err != nil {
		f.Close()
		return nil, err
	}
	locked, err := f.Stat()
	if err == nil {
		var named os.FileInfo
		if named, err = os.Lstat(dir); err == nil && !os.SameFile(locked, named) {
			err = unix.ENOENT
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// removeGroups removes a directory of groups that nothing runs in. One that something runs in stays: EBUSY.
func removeGroups(dir string) {
	children, _ := filepath.Glob(filepath.Join(dir, "*", "cgroup.procs"))
	for _, child := range children {
		_ = unix.Rmdir(filepath.Dir(child))
	}
	_ = unix.Rmdir(dir)
}

func (g *groups) close() {
	removeGroups(g.base)
	g.lock.Close()
}

// make makes a group. Where somebody has removed our directory, it is claimed again first.
func (g *groups) make(tasks int, memory int64) (*group, error) {
	one := &group{path: filepath.Join(g.base, randomName()), tasks: -1}
	err := os.Mkdir(one.path, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		err = g.remake(one)
	}
	if err != nil {
		return nil, err
	}
	if err := g.set(one, tasks, memory); err != nil {
		_ = unix.Rmdir(one.path)
		return nil, err
	}
	return one, nil
}

// remake makes a group whose directory above is gone, or was, until another call claimed it again.
func (g *groups) remake(one *group) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := os.Mkdir(one.path, 0o755)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := g.claim(); err != nil {
		return err
	}
	return os.Mkdir(one.path, 0o755)
}

// set sets a group's limits. Zero is none.
func (g *groups) set(one *group, tasks int, memory int64) error {
	most := func(n int64) []byte {
		if n == 0 {
			return []byte("max")
		}
		return strconv.AppendInt(nil, n, 10)
	}
	if one.tasks != tasks {
		if err := os.WriteFile(filepath.Join(one.path, "pids.max"), most(int64(tasks)), 0); err != nil {
			return err
		}
		one.tasks = tasks
	}
	if g.memory && one.memory != memory {
		if err := os.WriteFile(filepath.Join(one.path, "memory.max"), most(memory), 0); err != nil {
			return err
		}
		// Or the call would take the machine's swap instead. Not every kernel counts it.
		_ = os.WriteFile(filepath.Join(one.path, "memory.swap.max"), []byte("0"), 0)
		one.memory = memory
	}
	return nil
}

// take returns a call a group, and a descriptor of the file that takes processes in. A group that somebody
// else has removed, who takes care of the machine's groups, is made again.
func (g *groups) take(tasks int, memory int64) (*group, int, error) {
	for {
		one, kept := g.spare(), true
		var err error
		if one == nil {
			kept = false
			one, err = g.make(tasks, memory)
		} else {
			err = g.set(one, tasks, memory)
		}
		fd := -1
		if err == nil {
			fd, err = g.open(one)
		}
		if err == nil {
			return one, fd, nil
		}
		if !kept || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENODEV) {
			return nil, -1, &StartError{Step: "make a control group", Path: g.base, Err: unwrapPath(err)}
		}
	}
}

// open opens the file of a group that takes processes in. With v1 a thread that moves only itself takes no
// lock; moving a whole process waits for all processors, some 15 ms.
func (g *groups) open(one *group) (int, error) {
	name := "tasks"
	if g.v2 {
		name = "cgroup.procs"
	}
	return unix.Open(filepath.Join(one.path, name), unix.O_WRONLY|unix.O_CLOEXEC, 0)
}

func (g *groups) spare() *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.spares) == 0 {
		return nil
	}
	one := g.spares[len(g.spares)-1]
	g.spares = g.spares[:len(g.spares)-1]
	return one
}

// giveBack takes a group back when nothing of its call is left.
func (g *groups) giveBack(one *group) {
	g.mu.Lock()
	keep := len(g.spares) < spareGroups
	if keep {
		g.spares = append(g.spares, one)
	}
	g.mu.Unlock()
	if !keep {
		_ = unix.Rmdir(one.path)
	}
}

// hit names the limits of a group that a call ran into.
func (g *groups) hit(one *group) []string {
	var list []string
	if hits := g.counter(one, "pids.events", "max"); hits > one.hits {
		list = append(list, limitProcesses)
		one.hits = hits
	}
	if !g.memory {
		return list
	}
	if ooms := g.counter(one, "memory.events", "oom_kill"); ooms > one.ooms {
		list = append(list, limitMemory)
		one.ooms = ooms
	}
	return list
}

// counter reads a counter of a group: a line "name number". What is not there has not happened.
func (g *groups) counter(one *group, file, name string) int64 {
	// Not os.ReadFile: it has the runtime wait for news of the file, of which each change wakes a thread.
	fd, err := unix.Open(filepath.Join(one.path, file), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var text [512]byte // it has a few lines
	n, _ := unix.Read(fd, text[:])
	for line := range strings.Lines(string(text[:max(n, 0)])) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}
