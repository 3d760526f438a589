//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the command of every running call: what a terminal, or whoever has started this
// program, tells the command that it stands for.
func (h *Host) Signal(signal syscall.Signal) {
	h.eachCommand(func(o orphan) {
		_ = unix.PidfdSendSignal(o.fd, signal, nil, 0) // ESRCH: it has ended meanwhile
	})
}

// Heeds reports whether the command of every running call has said what it does on a signal, be it to
// ignore it. One that has not would end of it, and leave the rest of its call to be ended: that is for the
// caller. False when no call runs.
func (h *Host) Heeds(signal syscall.Signal) bool {
	some, all := false, true
	h.eachCommand(func(o orphan) {
		some = true
		all = all && heeds(o.pid, signal)
	})
	return some && all
}

// eachCommand calls f with the command of every running call, held by a descriptor.
func (h *Host) eachCommand(f func(orphan)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.roots {
		pid := c.root.command()
		o, err := openOrphan(pid)
		if err != nil {
			continue
		}
		// Looked at now that it is held: between its end and its call's, the number may have been given to
		// another.
		if m, err := markOf(pid); err == nil && h.live[m] != nil {
			f(o)
		}
		o.close()
	}
}

// heeds reports whether a process has a handler for a signal, or ignores it (proc_pid_status(5), SigCgt and
// SigIgn).
func heeds(pid int, signal syscall.Signal) bool {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	var set uint64
	for line := range bytes.Lines(status) {
		for _, name := range []string{"SigCgt:", "SigIgn:"} {
			if mask, ok := bytes.CutPrefix(line, []byte(name)); ok {
				signals, _ := strconv.ParseUint(string(bytes.TrimSpace(mask)), 16, 64)
				set |= signals
			}
		}
	}
	return set&(1<<(signal-1)) != 0
}
