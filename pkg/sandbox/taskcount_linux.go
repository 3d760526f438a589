//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// censusInterval is how often the tasks of running calls are counted. A count takes a fraction of a
// millisecond on an ordinary desktop.
const censusInterval = 100 * time.Millisecond

// takeCensus ends calls that have more tasks than they may. This level cannot have the kernel hold a call
// to its number (see brake), but a fork bomb must not take the machine down. It counts while there are
// calls, and ends with the Host: when quit is closed. On the way it reaps strays.
func (h *Host) takeCensus(quit <-chan struct{}) {
	tasks := taskCount{family: h.family}
	for {
		select {
		case <-quit:
			return
		case <-h.busy:
		}
		timer := time.NewTimer(censusInterval)
		select {
		case <-quit:
			timer.Stop()
			return
		case <-timer.C:
		}
		_ = h.reapStrays(time.Now()) // what keeps it from looking now does not for ever
		limited := h.limitedCalls()
		if len(limited) == 0 {
			continue // until the next call starts
		}
		for m, n := range tasks.count(limited, time.Now()) {
			c := limited[m]
			c.peak.Store(max(c.peak.Load(), int64(n)))
			if n > c.plan.tasks() {
				c.end(limitProcesses)
				// Not left to the one who waits for the call, which is a moment later: there are more each
				// millisecond.
				urgently(func() { _ = h.killMarked(m) })
			}
		}
		h.wakeCensus()
	}
}

// wakeCensus has the tasks counted after the next interval.
func (h *Host) wakeCensus() {
	select {
	case h.busy <- struct{}{}:
	default: // it is awake
	}
}

// foreignFor is how long a process that was found to be no call's is not looked at again. It bounds how
// long one is missed that was looked at in the moment before it became a call's, as its first process.
const foreignFor = time.Second

// taskCount counts the tasks of calls, time after time. The first look at a process costs up to four system
// calls, and there may be hundreds of other people's, so it remembers for a while which are no call's: the
// mark of a running process does not change.
//
// It knows them by the inode of their /proc directory, which comes with the listing. The kernel gives each
// a number of its own (fs/proc/base.c, proc_pid_make_inode) and may give a process another one later, which
// is then looked at again.
type taskCount struct {
	family  family         // of calls that may begin at any time: its processes are never taken for others
	foreign map[int]uint64 // by number
	since   time.Time
}

// noInode is what the kernel lists where it could not make an inode (fs/proc/base.c, proc_fill_cache).
const noInode = 1

// count counts the tasks of calls: the kernel makes no difference between processes and threads.
func (t *taskCount) count(calls map[callMark]*call, now time.Time) map[callMark]int {
	if t.foreign == nil || now.Sub(t.since) >= foreignFor {
		t.foreign, t.since = map[int]uint64{}, now
	}
	counts := map[callMark]int{}
	_ = eachListed(func(pid int, inode uint64) { // where /proc cannot be listed there is nothing to count
		if inode > noInode && t.foreign[pid] == inode {
			return
		}
		m, err := markOf(pid)
		if err != nil {
			return
		}
		if calls[m] == nil {
			if !t.family.has(m) {
				t.foreign[pid] = inode
			}
			return
		}
		// A directory has a link from itself, one from its parent, and one from each directory in it.
		if info, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/task"); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				counts[m] += int(stat.Nlink) - 2
			}
		}
	})
	return counts
}

// brakeSlack is how many tasks the user's other programs may start while a call runs, before either feels
// the brake.
const brakeSlack = 1024

// brake returns a limit for RLIMIT_NPROC that a fork bomb runs into before the machine does. The kernel
// counts all tasks of the user with it, so it starts from those that the whole machine has now, which is
// more but can be had in a microsecond. It is 0, none, where that cannot be read. The kernel does not hold
// root to it.
func (h *Host) brake(processes int) uint64 {
	if processes == 0 {
		return 0
	}
	// "0.71 0.60 0.51 3/812 4711": running and all scheduling entities (proc_loadavg(5)).
	var text [128]byte
	n, err := unix.Pread(int(h.load.Fd()), text[:], 0)
	if err != nil {
		return 0
	}
	var ignored float64
	var running, all uint64
	if _, err := fmt.Sscanf(string(text[:n]), "%f %f %f %d/%d", &ignored, &ignored, &ignored, &running,
		&all); err != nil {
		return 0
	}
	return all + uint64(processes) + brakeSlack
}

// urgently runs f before all that has no real-time priority, where we may: root may, and only root is not
// held by the brake. Each session that a bomb makes is a scheduling group of its own (sched(7), autogroup)
// with a share as large as ours, so that we would have a thousandth of the machine to end a thousand of
// them.
func urgently(f func()) {
	// A locked thread starts no threads, which would inherit this.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if before, err := unix.SchedGetAttr(0, 0); err == nil {
		realTime := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
		if unix.SchedSetAttr(0, &realTime, 0) == nil {
			defer func() { _ = unix.SchedSetAttr(0, before, 0) }() // lowering is always allowed
		}
	}
	f()
}
