//go:build amd64 || arm64

package sandbox

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// dismantler takes the mounts of calls apart when the calls are over.
//
// Whoever lets go of a mount namespace last waits until no processor can still be looking at one of its mounts
// (synchronize_rcu_expedited in the kernel's fs/namespace.c): a quarter of a millisecond and more, in which nothing is done. That
// is the root of a call, in its exit, unless somebody else holds the namespace too. So we do, and let go when the call has
// its outcome. Nothing of the call is alive then, and nobody can enter the namespace but by our descriptor.
type dismantler struct {
	pending sync.WaitGroup // what is to be taken apart, or is being so

	mu   sync.Mutex
	list []int
}

const (
	// mostMounts is how many calls' mounts wait to be taken apart, and
	mostMounts = 16
	// longestWait is for how long: to wake another thread for each call takes as long as some of its work.
	longestWait = 5 * time.Millisecond
)

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

// takeApart lets go of what holdMounts gave, soon.
func (d *dismantler) takeApart(fd int) {
	if fd < 0 {
		return
	}
	d.pending.Add(1)
	d.mu.Lock()
	d.list = append(d.list, fd)
	n := len(d.list)
	d.mu.Unlock()
	switch n {
	case 1:
		time.AfterFunc(longestWait, d.flush)
	case mostMounts:
		go d.flush() // close waits for it
	}
}

// flush takes apart what there is.
func (d *dismantler) flush() {
	d.mu.Lock()
	list := d.list
	d.list = nil
	d.mu.Unlock()
	for _, fd := range list {
		unix.Close(fd)
		d.pending.Done()
	}
}

// close returns when all is taken apart.
func (d *dismantler) close() {
	d.flush()
	d.pending.Wait()
}
