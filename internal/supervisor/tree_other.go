//go:build !linux

package supervisor

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const waitOptions = 0

// tree is the agent's process group. This system has no subreaper, so what left the group is not found, and
// not ended.
type tree struct {
	agent int // its first process, and the number of the group
}

func newTree(mark) (*tree, error) { return &tree{}, nil }

func agentAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func foregroundAttributes() *syscall.SysProcAttr { return nil }

// awaitRest waits until nobody is left in the group: only the first process is a child of ours.
func (t *tree) awaitRest() {
	for !errors.Is(unix.Kill(-t.agent, 0), unix.ESRCH) {
		time.Sleep(longestRound)
	}
}

// signal sends a signal to the group. It tells whether it reached anybody, and whom it may not signal.
func (t *tree) signal(sig syscall.Signal) (hit int, refused []string) {
	switch err := unix.Kill(-t.agent, sig); {
	case err == nil:
		return 1, nil
	case errors.Is(err, unix.EPERM):
		return 0, []string{fmt.Sprintf("somebody in process group %d", t.agent)}
	}
	return 0, nil
}

// Mark marks nothing: there are no marks here.
func Mark() {}

// killMarked kills nobody: there are no marks here.
func killMarked(mark, time.Duration) []string { return nil }

// killBelow kills nobody: see killMarked.
func killBelow(int, mark, time.Duration) []string { return nil }

// closeOnExec has the agent inherit nothing but its standard streams and what was inherited open by the
// bridge.
func closeOnExec() {
	unix.CloseOnExec(controlFD)
	unix.CloseOnExec(reportFD)
}

// redirect makes descriptor to the same as from.
func redirect(from, to int) error { return unix.Dup2(from, to) }
