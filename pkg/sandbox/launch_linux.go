//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"runtime"
	"syscall"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
)

// launch is a new process in the making: the steps that lead from a copy of this program to the tool.
type launch struct {
	steps
	namespaces uintptr // flags of clone(2)

	// Set by start. The new process shares our memory until it runs its program, and has gone no further
	// when we go on: so it says here which step failed, and why.
	failedAt int32 // -1: none
	errno    uint32
	pidfd    int32 // written by the kernel
}

// started is a process that runs the program it was made for.
type started struct {
	pid   int
	pidfd int // close-on-exec; the caller closes it
}

// start makes the process and returns when it runs its program. It must be called on a thread that outlives
// the process, since the kernel kills the process with that thread (PR_SET_PDEATHSIG). On an error nothing
// is left.
func (l *launch) start() (started, error) {
	l.failedAt, l.pidfd = -1, -1
	pid, errno := l.clone()
	runtime.KeepAlive(l)
	if errno != 0 {
		return started{}, &StartError{Step: "clone", Cure: cureClone, Err: errno}
	}
	if l.failedAt < 0 {
		return started{pid: int(pid), pidfd: int(l.pidfd)}, nil
	}
	syscall.Close(int(l.pidfd))
	_, err := reap(int(pid))
	return started{}, errors.Join(l.failure(int(l.failedAt), syscall.Errno(l.errno)), err)
}

const cureClone = "this user or this machine has as many processes, or user namespaces, as it may have"

//go:linkname runtimeBeforeFork syscall.runtime_BeforeFork
func runtimeBeforeFork()

//go:linkname runtimeAfterFork syscall.runtime_AfterFork
func runtimeAfterFork()

// cloneVM is clone(2) for a child that shares our memory and goes on on our stack. See cloneAndExec.
//
//go:noescape
func cloneVM(flags uintptr, pidfd *int32) (pid, errno uintptr)

// clone makes the new process and, in the parent, puts the runtime back in order. It is a function apart
// from cloneAndExec because the child spoils that one's frame.
//
//go:noinline
//go:norace
func (l *launch) clone() (uintptr, syscall.Errno) {
	pid, errno := l.cloneAndExec()
	runtimeAfterFork()
	return pid, errno
}

// cloneAndExec makes the new process, which goes through the steps. The last one is execve.
//
// CLONE_VM|CLONE_VFORK is what posix_spawn(3) and os/exec use: the child borrows our memory, and our thread
// stands still, until it has called execve or exit. That makes a start as quick with a heap of gigabytes as
// with an empty one, where a plain fork copies the page tables (measured: 144 ms at 1.5 GB; os/exec does
// that when it is asked for a user namespace). It also means that the child runs in our memory, beside our
// other threads, with our stack. So from the clone on there is nothing but raw system calls on what launch
// holds:
//
//   - no allocation, no growing of the stack, no lock, no scheduling: another thread may hold what they need, and the
//     runtime would take the child for one of its own threads. The runtime is told by BeforeFork, which also makes growing
//     the stack a crash with a name;
//   - every variable is declared above the clone, and none that the parent reads afterwards is changed: both have this
//     frame. What the child has to say it writes into launch;
//   - nothing is written that the garbage collector looks at: results of steps are numbers, never pointers;
//   - no race detector, pointer checks or other instrumentation, which call into the runtime;
//   - cloneVM is called directly, from this function: a wrapper between us and the system call (such as the linker makes
//     for syscall.rawVforkSyscall when it is borrowed by linkname) would have a frame that the child runs over.
//
// After a change here, run
//
//	go test -race -count=20 -run 'TestLaunch|TestManyCalls' ./pkg/sandbox
//	go test -gcflags=all='-N -l' -run TestLaunch ./pkg/sandbox
//	GOARCH=arm64 go vet ./pkg/sandbox
//
//go:noinline
//go:norace
//go:nocheckptr
func (l *launch) cloneAndExec() (pid uintptr, errno syscall.Errno) {
	var (
		i    int
		s    *step
		r, e uintptr
		err  syscall.Errno
	)

	// Blocks all signals: a handler of Go's that ran in the child would take it for a thread of this program.
	runtimeBeforeFork()
	pid, e = cloneVM(l.namespaces|unix.CLONE_VM|unix.CLONE_VFORK|unix.CLONE_PIDFD|uintptr(unix.SIGCHLD), &l.pidfd)
	if pid != 0 || e != 0 {
		// The parent leaves this frame at once.
		return pid, syscall.Errno(e)
	}

	for i = 0; i < len(l.list); i++ {
		s = &l.list[i]
		if s.from != nil {
			s.args[s.slot] = uintptr(*s.from)
		}
	again:
		r, _, err = syscall.RawSyscall6(s.number, s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], s.args[5])
		if err != 0 && s.result != mayFail {
			break
		}
		if r != 0 && s.result == orEnd {
			goto end
		}
		if s.into != nil {
			*s.into = int32(r)
		}
		if s.args[0] < s.upTo {
			s.args[0]++
			goto again
		}
	}
	// execve does not return: a step has failed. Our thread stands still and reads this when the child is
	// gone.
	l.failedAt, l.errno = int32(i), uint32(err)
end:
	// Not a return: the frames above are the parent's.
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 253, 0, 0, 0, 0, 0)
	}
}
