//go:build amd64 || arm64

package sandbox

import (
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// orphan is a process that may be left of a call, held by a descriptor: what is done to it is never done to
// another that was given its number meanwhile. Whoever opens one looks at the process again (its mark)
// before doing anything to it.
type orphan struct {
	pid, fd int
}

// openOrphan takes hold of a process. One that is gone is ESRCH; anything else is want of descriptors or
// memory.
func openOrphan(pid int) (orphan, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.EINVAL || err == unix.ENOENT {
		err = unix.ESRCH // it has been reaped, and its number still names a group or a session (kernel/pid.c)
	}
	return orphan{pid: pid, fd: fd}, err
}

func (o orphan) close() { unix.Close(o.fd) }

// kill sends SIGKILL.
func (o orphan) kill() error { return unix.PidfdSendSignal(o.fd, unix.SIGKILL, nil, 0) }

// childInfo is the kernel's siginfo_t as far as waitid(2) fills it in, the same on amd64 and arm64.
type childInfo struct {
	_      [2]int32
	code   int32
	_      int32
	pid    int32
	_      uint32
	status int32
	_      [100]byte
}

const (
	childKilled = 2 // CLD_KILLED: status is a signal
	childDumped = 3 // CLD_DUMPED: likewise
)

// reap takes a child of ours off the process table if it has ended, and tells which signal ended it, or 0.
func (o orphan) reap() (ended bool, by unix.Signal, err error) {
	var info childInfo
	const how = unix.WEXITED | unix.WNOHANG | unix.WALL
	if err := unix.Waitid(unix.P_PIDFD, o.fd, (*unix.Siginfo)(unsafe.Pointer(&info)), how, nil); err != nil {
		return false, 0, err
	}
	if info.code == childKilled || info.code == childDumped {
		by = unix.Signal(info.status)
	}
	return info.pid != 0, by, nil
}

// patience is how long processes that hang in the kernel may do so after SIGKILL, one on a network file
// system that has gone away for instance, before we go on without them. Time in which a process only waits
// for its turn does not count.
const patience = 20 * time.Second

// lookAgain is how soon a process that has not ended is looked at again.
const lookAgain = time.Second

// enoughLooks is how often processes must have been found hanging, one look after the other. On a machine
// that hardly lets us have a turn much time can pass between two looks, and processes can get far in it.
const enoughLooks = 10

// stillness is a time in which nothing has moved of what should end.
type stillness struct {
	since time.Time
	looks int
}

func newStillness() *stillness { return &stillness{since: time.Now()} }

// look notes whether something has moved, and tells whether to give up.
func (s *stillness) look(moved bool) bool {
	if moved {
		*s = stillness{since: time.Now()}
		return false
	}
	s.looks++
	return s.looks >= enoughLooks && time.Since(s.since) > patience
}

// moves reports whether all is well: something has ended, or will when it gets its turn. seen counts how
// often a process had ended when this was asked: one that had so before and is here again cannot be reaped,
// because a debugger holds it.
func (r round) moves(seen map[int]int) bool {
	moves := r.count > len(r.alive)
	for _, o := range r.alive {
		if hasEnded(o.fd) {
			seen[o.pid]++
			moves = moves || seen[o.pid] == 1
		} else if !hangs(o.pid) {
			moves = true
		}
	}
	return moves
}

// waitUntilGone waits until one of the processes has ended, at the latest until it is time to look again.
func (r round) waitUntilGone(seen map[int]int) {
	if len(r.alive) == 0 {
		return
	}
	// A few will do: when one has ended, all are looked at again.
	var polls []unix.PollFd
	for _, o := range r.alive[:min(len(r.alive), 64)] {
		if seen[o.pid] <= 1 {
			polls = append(polls, unix.PollFd{Fd: int32(o.fd), Events: unix.POLLIN})
		}
	}
	// EINTR is as good as an answer: the caller looks again.
	_, _ = unix.Poll(polls, int(lookAgain.Milliseconds()))
}

// hasEnded reports whether a process has ended, be it that nobody has reaped it yet.
func hasEnded(pidfd int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 0)
	return err == nil && n == 1
}

func (r round) close() {
	for _, o := range r.alive {
		o.close()
	}
}

// hangs reports whether a process that was sent SIGKILL is held up by something else than a busy machine:
// none of its threads runs or is about to. What is not there does not hang.
func hangs(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, task := range tasks {
		switch taskState(dir + task.Name() + "/stat") {
		case 'D', 'Z', 'X', 't': // in the kernel; ended, and held by a debugger; stopped by one
		default:
			return false
		}
	}
	return len(tasks) > 0
}
