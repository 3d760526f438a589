//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launch is a new process in the making: the steps that lead from a copy of this program to the tool.
type launch struct {
	steps
	namespaces uintptr // flags of clone(2)

	// Set by start. The new process shares its memory with us.
	report int32 // where the new process says what went wrong
	pidfd  int32 // written by the kernel
}

// started is a process that runs the program it was made for.
type started struct {
	pid   int
	pidfd int // close-on-exec; the caller closes it
}

// start makes the process and returns when it runs its program. It must be called on a thread that outlives the process,
// since the kernel kills the process with that thread (PR_SET_PDEATHSIG). On an error nothing is left.
//
// prepare adds the steps, when it is known where the process reports.
func (l *launch) start(prepare func()) (started, error) {
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		return started{}, &StartError{Step: "pipe2", Err: err}
	}
	l.report, l.pidfd = int32(pipe[1]), -1
	prepare()
	pid, errno := l.clone()
	syscall.Close(pipe[1])
	defer syscall.Close(pipe[0])
	runtime.KeepAlive(l)
	if errno != 0 {
		return started{}, &StartError{Step: "clone", Cure: cureClone, Err: errno}
	}
	failure, ok := l.readFailure(pipe[0])
	if !ok {
		return started{pid: int(pid), pidfd: int(l.pidfd)}, nil
	}
	syscall.Close(int(l.pidfd))
	_, err := reap(int(pid))
	return started{}, errors.Join(failure, err)
}

// readFailure reads what the new process wrote before it gave up. The pipe ends without a word when execve closes it.
func (l *launch) readFailure(fd int) (*StartError, bool) {
	var word [8]byte
	for {
		n, err := syscall.Read(fd, word[:])
		if err == syscall.EINTR {
			continue
		}
		if n != len(word) {
			return nil, false
		}
		at := *(*[2]uint32)(unsafe.Pointer(&word))
		return l.failure(int(at[0]), syscall.Errno(at[1])), true
	}
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

// clone makes the new process and, in the parent, puts the runtime back in order. It is a function apart from cloneAndExec
// because the child spoils that one's frame.
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
// CLONE_VM|CLONE_VFORK is what posix_spawn(3) and os/exec use: the child borrows our memory, and our thread stands still,
// until it has called execve or exit. That makes a start as quick with a heap of gigabytes as with an empty one, where a
// plain fork copies the page tables (measured: 144 ms at 1.5 GB; os/exec does that when it is asked for a user namespace). It
// also means that the child runs in our memory, beside our other threads, with our stack. So from the clone on there is
// nothing but raw system calls on what launch holds:
//
//   - no allocation, no growing of the stack, no lock, no scheduling: another thread may hold what they need, and the
//     runtime would take the child for one of its own threads. The runtime is told by BeforeFork, which also makes growing
//     the stack a crash with a name;
//   - every variable is declared above the clone, and none that the parent reads afterwards is changed: both have this
//     frame;
//   - nothing is written that the garbage collector looks at: results of steps are numbers, never pointers;
//   - no race detector, pointer checks or other instrumentation, which call into the runtime;
//   - cloneVM is called directly, from this function: a wrapper between us and the system call (such as the linker makes
//     for syscall.rawVforkSyscall when it is borrowed by linkname) would have a frame that the child runs over.
//
// After a change here, run
//
//	go test -race -count=20 -run 'TestLaunch|TestManyCalls' ./pkg/sandbox && go test -gcflags=all='-N -l' -run TestLaunch ./pkg/sandbox && GOARCH=arm64 go vet ./pkg/sandbox
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
		word [2]uint32
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
	}
	// execve does not return: a step has failed, and says which. Where its report is by now is a step's result too.
	word[0], word[1] = uint32(i), uint32(err)
	syscall.RawSyscall6(unix.SYS_WRITE, uintptr(l.report), uintptr(unsafe.Pointer(&word)), unsafe.Sizeof(word), 0, 0, 0)
end:
	// Not a return: the frames above are the parent's.
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 253, 0, 0, 0, 0, 0)
	}
}
