//go:build amd64 || arm64

package sandbox

import (
	"sync"

	"golang.org/x/sys/unix"
)

// dismantler takes the mounts of calls apart when the calls are over.
//
// Whoever lets go of a mount namespace last waits until no processor can still be looking at one of its mounts
// (synchronize_rcu_expedited in the kernel's fs/namespace.c): a quarter of a millisecond and more, in which nothing is done. That
// is the root of a call, in its exit, unless somebody else holds the namespace too. So we do, and let go when the call has
// its outcome. Nothing of the call is alive then, and nobody can enter the namespace but by our descriptor.
type dismantler struct {
	queue   chan int
	pending sync.WaitGroup // what is in the queue, or is being taken apart
}

const (
	// mostMounts is how many calls' mounts wait to be taken apart before calls do it themselves.
	mostMounts = 32
	// dismantlers is how many are taken apart at once: the kernel lets all who wait for the same thing go on together.
	dismantlers = 4
)

func newDismantler() *dismantler {
	d := &dismantler{queue: make(chan int, mostMounts)}
	for range dismantlers {
		go func() { // until close
			for fd := range d.queue {
				unix.Close(fd)
				d.pending.Done()
			}
		}()
	}
	return d
}

// holdMounts takes hold of the mount namespace of a process. It gives -1 where it cannot: on kernels before Linux 6.11, and
// where the process has ended already.
func holdMounts(pidfd int) int {
	const getMountNamespace = 0xff03 // PIDFD_GET_MNT_NAMESPACE (linux/pidfd.h)
	fd, err := unix.IoctlRetInt(pidfd, getMountNamespace)
	if err != nil {
		return -1
	}
	return fd
}

// takeApart lets go of what holdMounts gave.
func (d *dismantler) takeApart(fd int) {
	if fd < 0 {
		return
	}
	d.pending.Add(1)
	select {
	case d.queue <- fd:
	default:
		unix.Close(fd)
		d.pending.Done()
	}
}

// close returns when all is taken apart.
func (d *dismantler) close() {
	d.pending.Wait()
	close(d.queue)
}
