//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// waitingTree is the process tree of a call that there is not yet: its namespaces, mounts, limits, control
// group, rules and filter are in force, and its init waits for the command. That takes the larger part of a
// start, and can be done while nobody waits for it.
//
// There is nothing in it of any call: no argument, variable, script, file or descriptor, only what follows
// from the plan. It is used once. A call takes it where its plan is the same but for the environment, and
// everything that the tree shows is still what was opened for it; see fits. What a call is shut into is
// found out anew for that, as if there were no tree.
type waitingTree struct {
	*call
	identity  identity
	shut      *confinement
	channel   int             // to its init, which ends when it is closed
	witnesses []witness       // what its first process found
	mounts    uint64          // Host.mountChanges when it was made
	table     int             // its /proc/PID/mounts, which tells of changes (proc_pid_mounts(5)); -1 without
	way       []unix.Statx_t  // where it is root's that is another's
	limits    [16]unix.Rlimit // ours when it was made (RLIM_NLIMITS of them): it has those that its call is not given
	until     time.Time       // it is ended then
	ended     atomic.Bool
}

// fileID tells a file from all others that are there at the time.
type fileID struct {
	major, minor uint32
	inode        uint64
}

// witness is what a new process found at a path.
type witness struct {
	path string
	is   *unix.Statx_t
}

// identify tells which file a descriptor is of.
func identify(fd int) (fileID, error) {
	var is unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_INO, &is)
	return idOf(&is), err
}

func idOf(is *unix.Statx_t) fileID { return fileID{is.Dev_major, is.Dev_minor, is.Ino} }

// identifyPath tells which file a path leads to. That there is no link on the way who makes the outline sees.
func identifyPath(path string) (fileID, error) {
	var is unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_INO, &is)
	return idOf(&is), err
}

// fits reports whether a call may have the tree that would be shut into what shut says.
//
// A tree keeps what it shows open, so no other file can have got its number meanwhile.
func (w *waitingTree) fits(h *Host, shut *confinement, id identity) bool {
	if w.identity != id || w.shut.kind != shut.kind || !slices.Equal(w.shut.grants, shut.grants) ||
		!w.shut.view.equals(shut.view) || !slices.Equal(w.shut.filter, shut.filter) {
		return false
	}
	return w.sees() && slices.Equal(w.way, w.wayThere()) && w.limits == ourLimits() && w.holds(h)
}

// holds reports whether all is mounted that was, here and in the tree, and its init waits.
func (w *waitingTree) holds(h *Host) bool {
	return w.mounts == h.waiting.mountChanges() && !hasChanged(w.table) && w.stillWaits()
}

// ourLimits reads all limits of this program, which somebody can lower meanwhile (prlimit(1)).
func ourLimits() (all [16]unix.Rlimit) {
	for resource := range all {
		_ = unix.Getrlimit(resource, &all[resource]) // it fails for no resource that there is
	}
	return all
}

// stillWaits reports whether a tree's init can take a command: not where somebody has killed or stopped it.
func (w *waitingTree) stillWaits() bool {
	var is unix.Siginfo
	err := unix.Waitid(unix.P_PIDFD, w.root.pidfd, &is, unix.WEXITED|unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && is.Signo == 0
}

// wayThere tells what decides whether the user of a tree can get to the directory that it starts in, where we are
// root and could in any case: of each directory on the way its owner and mode and, for its access control list
// (acl(5)), when it was changed last. Those in what is covered are made for the call.
func (w *waitingTree) wayThere() (way []unix.Statx_t) {
	if !w.identity.drop {
		return nil
	}
	covered := slices.Concat([]string{"/tmp"}, w.shut.view.covers, w.shut.view.shared)
	for at := w.dirs.start; at != "/"; at = filepath.Dir(at) {
		if slices.ContainsFunc(covered, func(dir string) bool { return within(at, dir) && at != w.dirs.start }) {
			continue
		}
		var all, is unix.Statx_t
		const asked = unix.STATX_MODE | unix.STATX_UID | unix.STATX_GID | unix.STATX_CTIME
		if unix.Statx(unix.AT_FDCWD, at, unix.AT_SYMLINK_NOFOLLOW, asked, &all) == nil {
			is = unix.Statx_t{Mode: all.Mode, Uid: all.Uid, Gid: all.Gid}
			if at != w.dirs.start { // which its user works in, and has
				is.Ctime = all.Ctime
			}
		}
		way = append(way, is)
	}
	return way
}

// holdTable opens the table of a tree's mounts and checks that all is there that was mounted for it.
func (w *waitingTree) holdTable() (err error) {
	if w.table, err = openTable(w.root.pid); err != nil {
		return err
	}
	there, err := readTable(w.table)
	if err != nil {
		return err
	}
	v := w.shut.view
	places := slices.Concat([]string{"/tmp"}, v.covers, v.shared)
	for _, g := range v.placed {
		places = append(places, g.path)
	}
	for _, h := range v.hidden {
		places = append(places, h.path)
	}
	for _, path := range places {
		if !there[path] {
			return fmt.Errorf("%s is not covered, or held, any more", path)
		}
	}
	return nil
}

// sees reports whether the paths that were opened for a tree lead to the same files now.
func (w *waitingTree) sees() bool {
	now := make(map[string]fileID, len(w.shut.ruled))
	for path, was := range w.shut.ruled {
		is, err := identifyPath(path)
		if err != nil || is != was {
			return false
		}
		now[path] = is
	}
	for _, found := range w.witnesses {
		is, known := now[found.path]
		if !known {
			var err error
			if is, err = identifyPath(found.path); errors.Is(err, unix.ENOENT) && found.is.Mask == 0 {
				continue // it was not there either
			} else if err != nil {
				return false
			}
			now[found.path] = is
		}
		if is != idOf(found.is) {
			return false
		}
	}
	return true
}

// release gives a tree its command, with the descriptors that are to be 0, 1, 2 and so on.
func (w *waitingTree) release(argv, env []string, files []int) error {
	message, ok := commandMessage(argv, env)
	if !ok {
		return &StartError{Step: "sendmsg", Err: unix.EMSGSIZE}
	}
	err := unix.Sendmsg(w.channel, message, unix.UnixRights(files...), nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
	if err != nil {
		return &StartError{Step: "sendmsg", Cure: "somebody has ended the process that it was for; call it again",
			Err: err}
	}
	return nil
}

// commandMessage lays out a command for an init that waits for one, as it comes to lie in its memory: where
// the lists of arguments and variables are, the lists, which end with 0, and their texts. It reports false
// where it is too long; such a command is given to a tree of its own.
func commandMessage(argv, env []string) (message []byte, ok bool) {
	const word = int(unsafe.Sizeof(uintptr(0)))
	texts := (2 + len(argv) + 1 + len(env) + 1) * word
	size := texts
	for _, text := range slices.Concat(argv, env) {
		size += len(text) + 1
	}
	if size > initMostMessage {
		return nil, false
	}
	message = make([]byte, 0, size)
	point := func(at int) {
		message = binary.NativeEndian.AppendUint64(message, uint64(initMessage+at))
	}
	point(2 * word)
	point((2 + len(argv) + 1) * word)
	at := texts
	for _, list := range [][]string{argv, env} {
		for _, text := range list {
			point(at)
			at += len(text) + 1
		}
		message = binary.NativeEndian.AppendUint64(message, 0)
	}
	for _, text := range slices.Concat(argv, env) {
		message = append(append(message, text...), 0)
	}
	return message, true
}

// canWait reports whether there can be a tree for a plan before a call: not where the call has a directory of
// its own in somebody else's, or where more depends on it than what fits looks at.
func (h *Host) canWait(p *Plan) bool {
	profile := &p.profile
	files := profile.Limits.OpenFiles
	if files == 0 {
		files = h.capability.openFiles
	}
	return h.waiting.most.Load() > 0 && p.level.hasNamespaces() && h.noInit == nil &&
		(!profile.TempIsolation || profile.Dir == h.temp || profile.Dir == "/tmp") &&
		profile.Commands == nil && len(profile.Sockets) == 0 && !profile.Terminal && !profile.Pty &&
		(files == 0 || files > initReport)
}

// makeWaiting makes a tree for calls of a plan. It must be called on a thread that outlives the call.
func (h *Host) makeWaiting(plan Plan) (*waitingTree, error) {
	w := &waitingTree{call: newCall(plan.bare()), channel: -1, mounts: h.waiting.mountChanges()}
	w.waits = true
	h.mu.Lock()
	err := h.register(w.call)
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}
	err = h.prepare(w)
	if w.shut != nil {
		w.shut.close()
	}
	if err != nil {
		h.endWaiting(w)
		return nil, err
	}
	return w, nil
}

// prepare makes all that a tree is. On an error endWaiting takes away what there is of it.
func (h *Host) prepare(w *waitingTree) (err error) {
	if w.identity, err = h.identityOf(&w.plan); err != nil {
		return err
	}
	if w.dirs, err = h.scratch.makeDirectories(&w.plan, h.temp, w.identity); err != nil {
		return err
	}
	if w.shut, err = h.confine(&w.plan, w.dirs, ""); err != nil {
		return err
	}
	w.shut.view.witnesses, w.way, w.limits = &w.witnesses, w.wayThere(), ourLimits()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[1])
	w.channel = pair[0]
	b := h.setup(w.call, w.shut, w.identity)
	b.channel = pair[1]
	if err := h.launch(w.call, b); err != nil {
		return err
	}
	h.enrol(w.call)
	if err := w.holdTable(); err != nil {
		return err
	}
	if !w.sees() || !slices.Equal(w.way, w.wayThere()) {
		return errors.New("what it was to show has changed meanwhile")
	}
	return nil
}

// endWaiting ends a tree that no call has taken, or what there is of it.
func (h *Host) endWaiting(w *waitingTree) {
	w.ended.Store(true)
	w.letGo()
	if w.table >= 0 {
		unix.Close(w.table)
	}
	_ = h.discard(w.call) // a directory that cannot be removed goes with the Host's
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unregister(w.call)
}

// letGo closes what we have of it beside what a call has.
func (w *waitingTree) letGo() {
	if w.channel >= 0 {
		unix.Close(w.channel)
	}
}

// adopt makes a tree a call's.
func (h *Host) adopt(c *call, w *waitingTree) {
	w.letGo()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.live, c.mark)
	c.mark, c.dirs, c.group, c.table = w.mark, w.dirs, w.group, w.table
	h.live[c.mark], h.roots[w.root.pid] = c, c
	c.root.pid, c.root.pidfd, c.root.report, c.root.exited = w.root.pid, w.root.pidfd, w.root.report, w.root.exited
}
