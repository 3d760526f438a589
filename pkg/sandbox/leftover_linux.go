//go:build amd64 || arm64

package sandbox

import "strconv"

// endLeftovers ends what is left of the calls of a program that was killed. Where calls have no process namespace only their roots
// were killed with it, and what those had started went on with nobody to own it, until now.
//
// Some may be starting others as fast as they are found, so it goes on until a look finds none. It gives up on what hangs in the
// kernel, and on what belongs to another user by now. What has lowered its mark is not found.
func endLeftovers(marks family) {
	still, ended := newStillness(), map[int]int{}
	for {
		var left round
		_ = eachMarked(marks, func(o orphan) { // where /proc cannot be listed nothing can be done
			if taskState("/proc/"+strconv.Itoa(o.pid)+"/stat") == 'Z' || !isCalls(o.pid) || o.kill() != nil {
				return
			}
			left.count++
			if again, err := openOrphan(o.pid); err == nil && len(left.alive) < enoughToAwait {
				left.alive = append(left.alive, again)
			} else if err == nil {
				again.close()
			}
		})
		if left.count == 0 || still.look(left.moves(ended)) {
			left.close()
			return
		}
		left.await(ended)
		left.close()
	}
}

// enoughToAwait is how many processes are held at a time until they have ended.
const enoughToAwait = 64
