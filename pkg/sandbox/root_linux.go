//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// errLostControl is what Run returns when a process of the call does not die.
var errLostControl = errors.New("a process of the call does not die of SIGKILL")

// root is the first process of a call.
type root struct {
	pid    int
	pidfd  int
	thread int // the one that started it

	report  int    // what initProgram reports to; -1 where it is the command itself
	program string // the command's

	exited  chan struct{} // closed when the call has stopped waiting for it
	givenUp atomic.Bool   // it does not die
}

// command returns the number of the process that was asked for: the root, or the child that this has had
// longest. It is 0 when there is none, not yet or any more.
func (r *root) command() int {
	if r.report < 0 {
		return r.pid
	}
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", r.pid))
	if err != nil {
		return 0
	}
	first, _, _ := bytes.Cut(list, []byte{' '})
	pid, _ := strconv.Atoi(string(first)) // 0 of an empty text
	return pid
}

// terminate asks a call to end, and insists after the grace, or when over says so. ask sends a signal to
// those who are to hear of it.
func (r *root) terminate(grace time.Duration, over <-chan string, ask func(unix.Signal)) {
	ask(unix.SIGTERM) // a root that has left its group does not hear of it, and gets SIGKILL
	ask(unix.SIGCONT) // or a stopped one would not hear of it
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.exited:
		return
	case <-over:
	case <-timer.C:
	}
	r.kill()
}

// kill ends the root and its process group. What has left that is for clearAway.
func (r *root) kill() {
	r.signalGroup(unix.SIGKILL)
	_ = unix.PidfdSendSignal(r.pidfd, unix.SIGKILL, nil, 0) // ESRCH, where somebody else has reaped it, is as good
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	still := newStillness()
	for {
		select {
		case <-r.exited:
			return
		case <-ticker.C:
		}
		// One that has ended waits only until await gets its turn.
		if still.look(hasEnded(r.pidfd) || !hangs(r.pid)) {
			r.givenUp.Store(true)
			return
		}
	}
}

// signalGroup signals the root's process group, and nobody else's.
//
// kill(2) knows groups by their number only. This one is the root's own as long as the root is on the
// process table, ended or not. That is ours to say, unless another part of the program waits for whatever
// child there is, so the descriptor is asked first. Two numbers would reach far more than a group: 0 our
// own, and -1 every process that we may signal.
func (r *root) signalGroup(signal unix.Signal) {
	if r.pid <= 1 {
		return
	}
	if err := unix.PidfdSendSignal(r.pidfd, 0, nil, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return
	}
	_ = unix.Kill(-r.pid, signal) // ESRCH: nobody is in it any more
}

// siblings lists what the root's thread has as children: the root, and what it slipped in beside itself.
func (r *root) siblings() ([]int, error) {
	list, err := openChildList(r.thread)
	if err != nil {
		return nil, err
	}
	defer list.close()
	return list.read()
}

// exit is how a process ended.
type exit struct {
	status unix.WaitStatus
	usage  unix.Rusage
}

// reap takes a child of ours that has ended, or is about to, off the process table.
func reap(pid int) (exit, error) {
	for {
		var e exit
		_, err := unix.Wait4(pid, &e.status, unix.WALL, &e.usage)
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, unix.EINTR) {
			return exit{}, fmt.Errorf("learn how process %d ended: %w", pid, err)
		}
	}
}
