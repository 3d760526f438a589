//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// strayAge is how long a process must have been seen as a zombie before it is taken for a stray. Whoever
// waits for a child takes it off the process table in the moment that it ends.
const strayAge = 10 * time.Second

// strayInterval is how often strays are looked for while calls run.
const strayInterval = time.Second

// strayZombies are the zombies of processes that no call has started: a daemon that another child of this
// program left behind, for instance, which became our child because we are a subreaper. Nobody waits for
// such a one, so it would stay on the process table, and in the list that each call's end goes through, as
// long as this program runs.
//
// The kernel does not tell an adopted child from one that this program has started. What tells is that
// whoever waits for a child holds it: os.Process has a process descriptor from before the child runs until
// the child has been reaped, or was released. So a zombie that this program has no process descriptor of is
// nobody's. Where os.Process has none (WithHandle), nothing is reaped. A child that was started without it
// (syscall.ForkExec) and ends is safe for strayAge, and longer than that if its thread is not the main one,
// since it is not in the list then.
type strayZombies struct {
	held   bool                      // os.Process holds descriptors
	zombie map[incarnation]time.Time // since when
	looked time.Time
}

// incarnation is a process that cannot be mistaken for another one that was given its number.
type incarnation struct {
	pid   int
	start string // in ticks of the clock since the machine's start (proc_pid_stat(5))
}

func newStrays() strayZombies {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return strayZombies{}
	}
	defer func() { _ = self.Release() }() // it never fails
	return strayZombies{held: self.WithHandle(func(uintptr) {}) == nil}
}

// reapStrays reaps the zombies that were nobody's for long enough. The census calls it, and nobody else.
func (h *Host) reapStrays(now time.Time) error {
	if !h.strays.held || now.Sub(h.strays.looked) < strayInterval {
		return nil
	}
	h.strays.looked = now
	// What is listed while its members are reaped is not to be believed (childList.read).
	h.orphans.Lock()
	defer h.orphans.Unlock()
	list, err := h.adopted.read()
	if err != nil {
		return err
	}
	before := h.strays.zombie
	h.strays.zombie = map[incarnation]time.Time{}
	var due []incarnation
	for _, pid := range list {
		zombie, ok := zombieOf(pid)
		if !ok || isCallsZombie(h, pid) {
			continue
		}
		since, known := before[zombie]
		if !known {
			since = now
		}
		h.strays.zombie[zombie] = since
		if now.Sub(since) >= strayAge {
			due = append(due, zombie)
		}
	}
	if len(due) == 0 {
		return nil
	}
	held, err := heldProcesses()
	if err != nil {
		return err
	}
	for _, zombie := range due {
		if !held[zombie.pid] {
			zombie.reap()
		}
	}
	return nil
}

// isCallsZombie reports whether a process has ended that was some call's: a call that ends sees to its own.
func isCallsZombie(h *Host, pid int) bool {
	m, err := markOf(pid)
	return err != nil || m < h.own && isCalls(pid)
}

// zombieOf tells which process a number stands for, if that is a zombie.
func zombieOf(pid int) (incarnation, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return incarnation{}, false
	}
	// "4711 (name) Z 1 …": a name can hold anything, and the 22nd field is the start.
	end := bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[end+1:])
	if end < 0 || len(fields) < 20 || string(fields[0]) != "Z" {
		return incarnation{}, false
	}
	return incarnation{pid: pid, start: string(fields[19])}, true
}

// reap takes the zombie off the process table, unless it is gone already.
func (i incarnation) reap() {
	o, err := openOrphan(i.pid)
	if err != nil {
		return
	}
	defer o.close()
	// Looked at again, now that it is held.
	if again, ok := zombieOf(i.pid); ok && again == i {
		_, _, _ = o.reap() // ECHILD: it was somebody's, and has been reaped
	}
}

// heldProcesses finds the processes that this program has descriptors of (pidfd_open(2)): /proc/self/fdinfo
// has a line "Pid:" for each.
func heldProcesses() (map[int]bool, error) {
	dir, err := os.Open("/proc/self/fdinfo")
	if err != nil {
		return nil, fmt.Errorf("look for process descriptors: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("look for process descriptors: %w", err)
	}
	held := map[int]bool{}
	for _, name := range names {
		text, err := os.ReadFile("/proc/self/fdinfo/" + name)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue // closed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("look at descriptor %s: %w", name, err)
		}
		for line := range bytes.Lines(text) {
			if pid, ok := bytes.CutPrefix(line, []byte("Pid:")); ok {
				if n, err := strconv.Atoi(string(bytes.TrimSpace(pid))); err == nil {
					held[n] = true
				}
			}
		}
	}
	return held, nil
}
