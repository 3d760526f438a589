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

	exited  chan struct{} // closed when it has ended; it stays a zombie until it is reaped
	givenUp atomic.Bool   // it does not die
}

// await blocks its thread until the root has ended, or was given up, and closes exited in the first case. The root stays a
// zombie: its number, which names the process group too, remains its own until all of the call is gone.
//
// A thread for each running call is what os/exec takes too. Waiting through the runtime's poller would save it, but the
// thread is there already (see onThread), and would have to be woken by another.
func (r *root) await() error {
	poll := []unix.PollFd{{Fd: int32(r.pidfd), Events: unix.POLLIN}}
	for !r.givenUp.Load() {
		// Once a second is soon enough to see that it was given up.
		n, err := unix.Poll(poll, 1000)
		if n > 0 {
			close(r.exited)
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for process %d: %w", r.pid, err)
		}
	}
	return fmt.Errorf("%w: %d", errLostControl, r.pid)
}

// terminate asks the root's process group to end, and insists after the grace, or when over says so.
func (r *root) terminate(grace time.Duration, over <-chan string) {
	_ = unix.Kill(-r.pid, unix.SIGTERM) // ESRCH: the root has left its group, and gets SIGKILL
	_ = unix.Kill(-r.pid, unix.SIGCONT) // or a stopped one would not hear of it
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
	_ = unix.Kill(-r.pid, unix.SIGKILL) // see terminate
	_ = unix.Kill(r.pid, unix.SIGKILL)  // not reaped, so the number is still its own
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for begun := time.Now(); ; {
		select {
		case <-r.exited:
			return
		case <-ticker.C:
		}
		if !hangs(r.pid) {
			begun = time.Now()
		} else if time.Since(begun) > patience {
			r.givenUp.Store(true)
			return
		}
	}
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
