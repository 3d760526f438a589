package supervisor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// waitOptions are those of wait4(2) for every child, also one that clone(2) made with a signal of its own.
const waitOptions = unix.WALL

// tree is everything below the supervisor. The kernel keeps it together: a child subreaper gets every
// descendant that loses its parent, before the parent can be reaped. So nobody is left when there are no
// children.
type tree struct {
	agent int // its first process
	mark  mark
}

// newTree makes this process the head of a tree.
func newTree(m mark) (*tree, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become a child subreaper: %w", err)
	}
	m.wear()
	return &tree{mark: m}, nil
}

// agentAttributes has the kernel kill the agent's first process when somebody kills us.
func agentAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitRest waits for what wait4(2) does not see: nobody.
func (t *tree) awaitRest() {}

// signal sends a signal to every descendant that is alive. It tells how many it reached, and whom it may
// not signal.
func (t *tree) signal(sig syscall.Signal) (hit int, refused []string) {
	return signalBelow(os.Getpid(), t.mark, sig)
}

// nobody is the head of no tree. It is no process's number and no process's parent: 0 would be the parent
// of init, and everybody would be below it.
const nobody = -2

// signalBelow sends a signal to every process that is alive and below head, or carries a mark. The head
// itself is left out, and so are we, our parent and init, whatever mark they carry.
func signalBelow(head int, m mark, sig syscall.Signal) (hit int, refused []string) {
	processes := listProcesses()
	below := map[int]bool{head: true}
	// A child can have a lower number than its parent, so one pass does not do.
	for grown := true; grown; {
		grown = false
		for _, p := range processes {
			if !below[p.pid] && below[p.parent] {
				below[p.pid], grown = true, true
			}
		}
	}
	// The youngest first: one that starts another and exits, over and over, is hit only by who is quicker.
	for _, p := range slices.Backward(processes) {
		if p.pid == head || p.pid == os.Getpid() || p.pid == os.Getppid() || p.pid == 1 || p.dead() {
			continue
		}
		if !below[p.pid] && !m.isOn(p.pid) {
			continue
		}
		switch err := signalIf(p.pid, sig, func() bool { return m.isOn(p.pid) || below[parentOf(p.pid)] }); {
		case err == nil:
			hit++
		case errors.Is(err, unix.EPERM):
			refused = append(refused, fmt.Sprintf("%d (%s)", p.pid, p.name))
		}
	}
	return hit, refused
}

// signalIf sends a signal to a process if it still is who we think. The descriptor is opened before that is
// asked, so that the number cannot have been given to another in between (pidfd_open(2)).
func signalIf(pid int, sig syscall.Signal, still func() bool) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) { // before Linux 5.3
		if !still() {
			return unix.ESRCH
		}
		return unix.Kill(pid, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !still() {
		return unix.ESRCH
	}
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
		return err
	}
	if sig != unix.SIGKILL {
		_ = unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0) // one that is stopped would not hear it
	}
	return nil
}

// killMarked kills every process that carries a mark, until there is none that we may kill, or none goes
// for the time of patience. It returns those that we may not kill.
func killMarked(m mark, patience time.Duration) (refused []string) {
	return killBelow(nobody, m, patience)
}

// killBelow is killMarked for a mark and everything below a process as well.
func killBelow(head int, m mark, patience time.Duration) (refused []string) {
	// They are nobody's children of ours, so the kernel does not tell us of their end.
	round := time.NewTicker(shortestRound)
	defer round.Stop()
	for deadline := time.Now().Add(patience); ; <-round.C {
		hit, refused := signalBelow(head, m, unix.SIGKILL)
		if hit == 0 || time.Now().After(deadline) {
			return refused
		}
	}
}

// wear puts the mark on this process and all that it will start. Where the limit is lower already, and we
// may not raise it, there is no mark, and the tree is all that we know the agent's processes by.
func (m mark) wear() {
	if m == unmarked {
		return
	}
	_ = unix.Setrlimit(unix.RLIMIT_RSS, &unix.Rlimit{Cur: uint64(m), Max: uint64(m)})
}

// isOn reports whether a process carries the mark.
func (m mark) isOn(pid int) bool {
	found, err := markOf(pid)
	return err == nil && m != unmarked && found == m
}

// foregroundAttributes has an agent in a person's terminal be ended when we are killed, and leave the terminal
// as it was.
func foregroundAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}

// Mark has this process and all that it will start from now on be known as an agent's, where the agent is not
// below a supervisor of ours.
func Mark() { newMark().wear() }

// TraceOf tells what the mark of a process tells, or our own when pid is 0.
func TraceOf(pid int) (Trace, error) {
	m, err := markOf(pid)
	switch {
	case err != nil:
		return NoTrace, err
	case m.isAgents():
		return TraceAgent, nil
	case uint64(m) != unix.RLIM_INFINITY&(1<<64-1):
		return TraceLowered, nil
	}
	return NoTrace, nil
}

// markOf reads the mark of a process, also of one that has become somebody else's by a setuid file.
func markOf(pid int) (mark, error) {
	limit, err := sandbox.HardLimit(pid, unix.RLIMIT_RSS)
	return mark(limit), err
}

// closeOnExec has the agent inherit nothing but its standard streams: not our pipes, and not what an editor
// forgot to close when it started the bridge.
func closeOnExec() {
	if unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil { // Linux 5.11
		return
	}
	open, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// redirect makes descriptor to the same as from. arm64 has no dup2(2).
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }
