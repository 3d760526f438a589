//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// endLeftovers ends what is left of the calls of a program that was killed. Where calls have no process
// namespace only their roots were killed with it, and what those had started went on with nobody to own it,
// until now.
//
// It goes on until a look finds none, for as long as its patience at most: nothing that a call has left may
// keep this program from starting. It leaves what hangs in the kernel, what belongs to another user by now,
// and what has lowered its mark.
func endLeftovers(marks family) {
	for begun := time.Now(); time.Since(begun) < patience; {
		var left round
		var all bool
		urgently(func() {
			all = everyMarked(marks, func(o orphan) {
				if taskState("/proc/"+strconv.Itoa(o.pid)+"/stat") == 'Z' || !isCalls(o.pid) || o.kill() != nil {
					return
				}
				left.count++
				if len(left.alive) == enoughToAwait {
					return
				}
				if again, err := openOrphan(o.pid); err == nil {
					left.alive = append(left.alive, again)
				}
			})
		})
		if left.count == 0 && all {
			return
		}
		left.waitUntilGone(nil)
		left.close()
	}
}

// enoughToAwait is how many processes are held at a time until they have ended.
const enoughToAwait = 64

// everyMarked is eachMarked for processes that start others as fast as they are found, and end. The list of
// processes alone can miss them all: each has ended when its turn comes, and the next one was not there
// when the list was made. But it has a higher number. So the numbers that were given meanwhile are gone
// through too, until there are no more: that takes far less time than to start a process. It is false where
// the numbers began anew, or cannot be told: then some may have been missed.
func everyMarked(marks family, visit func(orphan)) bool {
	next, ok := lastNumber()
	if !ok || eachMarked(marks, visit) != nil {
		return false
	}
	for {
		last, ok := lastNumber()
		if !ok || last < next {
			return false
		}
		if last == next {
			return true
		}
		for next < last {
			next++
			ifMarked(next, marks, visit)
		}
	}
}

// lastNumber returns the number of the process, or thread, that was started last: the end of /proc/loadavg
// (proc_loadavg(5)).
func lastNumber() (int, bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	text = bytes.TrimSpace(text)
	n, err := strconv.Atoi(string(text[bytes.LastIndexByte(text, ' ')+1:]))
	return n, err == nil
}
