//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// leftCount counts the processes that a call left behind.
type leftCount struct {
	reaped, killed, lost int
}

// clearAway ends and reaps everything of a call whose root has ended: its zombie, which the caller still
// has to reap, keeps the number of the process group from being given to another.
//
// What is left of the tree are children of ours, and below them. It is over when none of our children is
// the call's. Nothing can be left then: whoever was below a child of ours has either ended or become one. A
// round that found only zombies is not the last one, since each may have left a child to us after we had
// read the list.
//
// killing says that the call was ended by us, and its processes with it.
func (h *Host) clearAway(c *call, killing bool) (leftCount, error) {
	var t leftCount
	seen, err := h.clearRound(c, &t, killing)
	if err != nil || seen.count > 0 {
		urgently(func() { err = h.clearRest(c, &t, seen, err) })
	}
	return t, err
}

// clearRest goes on, from the first round and its error, until nothing is left. Some may be starting others
// as fast as they are found, so each round signals the whole process group at once, then every process that
// carries the call's mark, at any depth.
//
// There is no time by which it has to be done: on a machine with a thousand things to do a process takes
// long to die. It gives up when for all of its patience nothing has ended, because all that is left hangs
// in the kernel; or when for as long it could not even look, because this program has no descriptors left
// for instance.
func (h *Host) clearRest(c *call, t *leftCount, seen round, err error) error {
	still, ended := newStillness(), map[int]int{}
	for err != nil || seen.count > 0 {
		if still.look(err == nil && seen.moves(ended)) {
			if err != nil {
				return fmt.Errorf("end what is left of the call: %w", err)
			}
			t.lost += len(seen.alive)
			seen.close()
			return fmt.Errorf("%w: %d left of the call, one of them process %d", errLostControl,
				len(seen.alive), seen.alive[0].pid)
		}
		c.root.signalGroup(unix.SIGKILL)
		if killErr := h.killMarked(c.mark); err != nil || killErr != nil {
			<-time.After(lookAgain) // what it is that we lack, others may give back
		}
		seen.waitUntilGone(ended)
		seen.close()
		seen, err = h.clearRound(c, t, true)
	}
	return nil
}

// round is what one look at our children found of a call.
type round struct {
	count int      // all that were found
	alive []orphan // those that had not ended, and have been sent SIGKILL
}

// clearRound reaps those of our children that are left of the call and have ended, and kills those that
// have not. The caller closes what it returns.
func (h *Host) clearRound(c *call, t *leftCount, killing bool) (round, error) {
	// One call at a time: see childList.read for what becomes of a list while its members are reaped.
	h.orphans.Lock()
	defer h.orphans.Unlock()
	// What the root made with CLONE_PARENT has never been below it: it is in the list that the root is in.
	list, err := c.root.siblings()
	if err != nil {
		return round{}, err
	}
	adopted, err := h.adopted.read()
	if err != nil {
		return round{}, err
	}
	// The newest first. What starts others without end is among them, and is reached before it has started
	// the next one; before them in the kernel's order are the zombies that it has left.
	var seen round
	for _, pid := range append(adopted, list...) {
		if c.lost[pid] {
			continue
		}
		o, err := openOrphan(pid)
		if errors.Is(err, unix.ESRCH) {
			continue // gone: of two Hosts of a program the other one reaped it
		}
		if err != nil {
			seen.close()
			return round{}, fmt.Errorf("look at process %d: pidfd_open: %w", pid, err)
		}
		if !h.isLeftOf(pid, c) {
			o.close()
			continue
		}
		seen.count++
		ended, by, err := o.reap()
		switch {
		case err != nil: // gone, as above, or no child of ours: the number is another's by now
		case ended && killing && (by == unix.SIGKILL || by == unix.SIGTERM):
			t.killed++
		case ended:
			t.reaped++
		case errors.Is(o.kill(), unix.EPERM):
			t.lost++
			c.lost[pid] = true
		default:
			seen.alive = append(seen.alive, o)
			continue
		}
		o.close()
	}
	return seen, nil
}

// isLeftOf reports whether a child of ours is left of a call that is ending.
func (h *Host) isLeftOf(pid int, c *call) bool {
	m, err := markOf(pid)
	if err != nil || m >= h.own {
		return false // gone, or started by another part of the program
	}
	if m == c.mark {
		return pid != c.root.pid
	}
	// Another call's, which will see to it, or one that lowered its mark to hide, which is anybody's.
	return !h.isLive(m, pid) && isCalls(pid)
}

// isCalls reports whether a process with a mark that we do not know has the other thing that all processes
// of all calls have and cannot put off. A program that somebody gave a limit on file locks, for whatever
// reason, does not have it.
func isCalls(pid int) bool {
	core, err := HardLimit(pid, unix.RLIMIT_CORE)
	return err == nil && core == coreLimit
}

// killMarked kills every process of the machine that carries a call's mark. It finds them at any depth, in
// one pass, and faster than they can multiply.
func (h *Host) killMarked(m callMark) error {
	if !h.isMark(m) {
		return fmt.Errorf("%d is no call's mark", m)
	}
	return eachMarked(family{first: m, size: 1}, func(o orphan) { _ = o.kill() })
}

// eachMarked calls visit with every process of the machine that carries a mark of a family, held by a
// descriptor.
func eachMarked(marks family, visit func(orphan)) error {
	return eachProcess(func(pid int) { ifMarked(pid, marks, visit) })
}

// ifMarked calls visit with a process if it carries a mark of a family.
func ifMarked(pid int, marks family, visit func(orphan)) {
	if m, err := markOf(pid); err != nil || !marks.has(m) {
		return
	}
	o, err := openOrphan(pid)
	if err != nil {
		return
	}
	defer o.close()
	// Read again, now that the descriptor is open: the number may have been given to another in between.
	if m, err := markOf(pid); err == nil && marks.has(m) {
		visit(o)
	}
}

// count counts the processes of a call beside its command, when we are about to end it.
//
// Where a call has a process namespace this is all that is ever known of them. The kernel ends the rest of
// a namespace on the root's own way out, before anybody can learn that the root has ended, and tells nobody
// what there was.
func (h *Host) count(c *call) leftCount {
	var t leftCount
	command := c.root.command()
	_ = eachProcess(func(pid int) { // where /proc cannot be listed there is nothing to count
		if m, err := markOf(pid); err != nil || m != c.mark || pid == c.root.pid || pid == command {
			return
		}
		if taskState("/proc/"+strconv.Itoa(pid)+"/stat") == 'Z' {
			t.reaped++
		} else {
			t.killed++
		}
	})
	return t
}

// ask sends a signal to the process group that a call's command is in.
//
// A call that a person works in has none of its own unless its command is a shell with job control, which
// makes one: it is in ours, where a signal to the group would reach us and those who have started us. And
// in a process namespace the group's number is no longer the command's when its init has taken that off the
// process table. There each of the call's processes that is in the group gets it.
func (h *Host) ask(c *call, signal unix.Signal) {
	if !c.plan.profile.Terminal && !c.plan.level.hasNamespaces() {
		c.root.signalGroup(signal)
		return
	}
	group, err := unix.Getpgid(c.root.command())
	if err != nil {
		return // it has ended
	}
	// Where /proc cannot be listed the grace passes, and then comes SIGKILL.
	_ = eachMarked(family{first: c.mark, size: 1}, func(o orphan) {
		if its, err := unix.Getpgid(o.pid); err == nil && its == group {
			_ = unix.PidfdSendSignal(o.fd, signal, nil, 0) // ESRCH: it has ended meanwhile
		}
	})
}

// isMark reports whether a call of this Host may carry a mark, which nothing else carries: not the limit
// that everybody has, nor one that an administrator would set.
func (h *Host) isMark(m callMark) bool { return m >= leastMark && m < h.own }
