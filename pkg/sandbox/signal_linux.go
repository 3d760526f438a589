//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the first process of every running call: what a terminal, or whoever has started this program,
// tells the command that it stands for. SIGSTOP and SIGCONT always have their effect. Any other signal that the process
// neither catches nor ignores has none where it is the first one of a process namespace (pid_namespaces(7)); see
// [Host.Heeds].
func (h *Host) Signal(signal syscall.Signal) {
	h.eachRoot(func(o orphan) {
		_ = unix.PidfdSendSignal(o.fd, signal, nil, 0) // ESRCH: it has ended meanwhile
	})
}

// Heeds tells whether the first process of every running call has said what it does on a signal, be it to ignore it. One
// that has not is spared the signal's default effect by the kernel, so that Ctrl-C would not end it: then it is for the caller to
// end the call. False when no call runs.
func (h *Host) Heeds(signal syscall.Signal) bool {
	some, all := false, true
	h.eachRoot(func(o orphan) {
		some = true
		all = all && heeds(o.pid, signal)
	})
	return some && all
}

// eachRoot calls f with the first process of every running call, held by a descriptor.
func (h *Host) eachRoot(f func(orphan)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pid := range h.roots {
		o, err := openOrphan(pid)
		if err != nil {
			continue
		}
		// Looked at now that it is held: between its end and its call's, the number may have been given to another.
		if m, err := markOf(pid); err == nil && h.live[m] != nil {
			f(o)
		}
		o.close()
	}
}

// heeds tells whether a process has a handler for a signal, or ignores it (proc_pid_status(5), SigCgt and SigIgn).
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
