//go:build amd64 || arm64

package sandbox

import (
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// orphan is a process that may be left of a call, held by a descriptor: what is done to it is never done to another that
// was given its number meanwhile. Whoever opens one looks at the process again (its mark) before doing anything to it.
type orphan struct {
	pid, fd int
}

func openOrphan(pid int) (orphan, error) {
	fd, err := unix.PidfdOpen(pid, 0)
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

// patience is how long processes that hang in the kernel may do so after SIGKILL, one on a network file system that has gone
// away for instance, before we go on without them. Time in which a process only waits for its turn does not count.
const patience = 10 * time.Second

// lookAgain is how soon a process that has not ended is looked at again.
const lookAgain = time.Second

// moves tells whether all is well: something has ended, or will when it gets its turn.
func (r round) moves() bool {
	if r.count > len(r.alive) {
		return true
	}
	for _, o := range r.alive {
		if !hangs(o.pid) {
			return true
		}
	}
	return false
}

// await waits until one of the processes has ended, at the latest until it is time to look again.
func (r round) await() {
	// A few will do: when one has ended, all are looked at again.
	var polls []unix.PollFd
	for _, o := range r.alive[:min(len(r.alive), 64)] {
		polls = append(polls, unix.PollFd{Fd: int32(o.fd), Events: unix.POLLIN})
	}
	if len(polls) > 0 {
		// EINTR is as good as an answer: the caller looks again.
		_, _ = unix.Poll(polls, int(lookAgain.Milliseconds()))
	}
}

func (r round) close() {
	for _, o := range r.alive {
		o.close()
	}
}

// hangs tells whether a process that was sent SIGKILL is held up by something else than a busy machine: none of its threads
// runs or is about to. What is not there does not hang.
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
