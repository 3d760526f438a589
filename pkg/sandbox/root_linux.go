//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
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

	exited  chan struct{} // closed when await returns
	givenUp atomic.Bool   // it does not die
}

// await blocks its thread until the root has ended, or was given up, which is an error. The root stays a zombie: its number,
// which names the process group too, remains its own until all of the call is gone.
//
// A thread for each running call is what os/exec takes too. Waiting through the runtime's poller would save it, but the
// thread is there already (see onThread), and would have to be woken by another.
func (r *root) await() error {
	defer close(r.exited)
	poll := []unix.PollFd{{Fd: int32(r.pidfd), Events: unix.POLLIN}}
	for !r.givenUp.Load() {
		// Once a second is soon enough to see that it was given up.
		n, err := unix.Poll(poll, 1000)
		if n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for process %d: %w", r.pid, err)
		}
	}
	return fmt.Errorf("%w: %d", errLostControl, r.pid)
}

// terminate asks a call to end, and insists after the grace, or when over says so. ask sends a signal to those who are to hear
// of it.
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
// kill(2) knows groups by their number only. This one is the root's own as long as the root is on the process table, ended or
// not. That is ours to say, unless another part of the program waits for whatever child there is, so the descriptor is asked
// first. Two numbers would reach far more than a group: 0 our own, and -1 every process that we may signal.
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
