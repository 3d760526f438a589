//go:build amd64 || arm64

package sandbox

import (
	"strconv"
	"time"
)

// endLeftovers ends what is left of the calls of a program that was killed. Where calls have no process namespace only their roots
// were killed with it, and what those had started went on with nobody to own it, until now.
//
// Some may be starting others as fast as they are found, so it goes on until a look finds none, for as long as its patience at
// most: nothing that a call has left may keep this program from starting. It leaves what hangs in the kernel, what belongs to
// another user by now, and what has lowered its mark.
func endLeftovers(marks family) {
	for begun := time.Now(); time.Since(begun) < patience; {
		var left round
		look := func() {
			_ = eachMarked(marks, func(o orphan) { // where /proc cannot be listed nothing can be done
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
		}
		urgently(look)
		if left.count == 0 {
			return
		}
		left.await(nil)
		left.close()
	}
}

// enoughToAwait is how many processes are held at a time until they have ended.
const enoughToAwait = 64
