//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// dismantler takes the mounts of calls apart when the calls are over.
//
// Whoever lets go of a mount namespace last waits until no processor can still be looking at one of its
// mounts (synchronize_rcu_expedited in the kernel's fs/namespace.c): a quarter of a millisecond and more,
// in which nothing is done. That is the root of a call, in its exit, unless somebody else holds the
// namespace too. So we do, and let go when the call has its outcome. Nothing of the call is alive then, and
// nobody can enter the namespace but by our descriptor.
//
// Every new process has a copy of our descriptors until it closes them, and may then be the last itself. So
// a namespace waits in the queue of a socket, where no process has it (unix(7), SCM_RIGHTS), until those
// are on their way that had a copy.
type dismantler struct {
	in, out int
	pending sync.WaitGroup // what is in the queue

	mu         sync.Mutex
	fresh, old int  // that came since the last turn, and before
	turning    bool // there will be a turn
}

// turnTime is how long what is in the queue is left there, up to twice. A turn for each call would wake a
// thread for each.
const turnTime = 5 * time.Millisecond

func newDismantler() (*dismantler, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a queue for mounts: socketpair: %w", err)
	}
	return &dismantler{in: pair[0], out: pair[1]}, nil
}

// holdMounts takes hold of the mount namespace of a process. It gives -1 where it cannot: on kernels before
// Linux 6.11, and where the process has ended already.
func holdMounts(pidfd int) int {
	const getMountNamespace = 0xff03 // PIDFD_GET_MNT_NAMESPACE (linux/pidfd.h)
	fd, err := unix.IoctlRetInt(pidfd, getMountNamespace)
	if err != nil {
		return -1
	}
	return fd
}

// takeApart lets go of what holdMounts gave, soon.
func (d *dismantler) takeApart(fd int) {
	if fd < 0 {
		return
	}
	err := unix.Sendmsg(d.in, []byte{0}, unix.UnixRights(fd), nil, unix.MSG_DONTWAIT)
	unix.Close(fd)
	if err != nil {
		return // the queue is full, and that was the end of it
	}
	d.pending.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fresh++
	if !d.turning {
		d.turning = true
		time.AfterFunc(turnTime, d.turn)
	}
}

// turn takes apart what came before the last turn.
func (d *dismantler) turn() {
	d.mu.Lock()
	ripe := d.old
	d.old, d.fresh = d.fresh, 0
	if d.turning = d.old > 0; d.turning {
		time.AfterFunc(turnTime, d.turn)
	}
	d.mu.Unlock()
	d.takeOut(ripe)
}

// takeOut takes so many out of the queue. Read without room for descriptors, the kernel closes them.
func (d *dismantler) takeOut(n int) {
	var room [1]byte
	for n > 0 {
		if _, err := unix.Read(d.out, room[:]); errors.Is(err, unix.EINTR) {
			continue
		}
		d.pending.Done()
		n--
	}
}

// close returns when all is taken apart.
func (d *dismantler) close() {
	d.mu.Lock()
	rest := d.old + d.fresh
	d.old, d.fresh = 0, 0
	d.mu.Unlock()
	d.takeOut(rest)
	d.pending.Wait()
	unix.Close(d.in)
	unix.Close(d.out)
}
