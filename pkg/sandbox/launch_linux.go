//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launch is all that a new process needs between clone and execve, made ready before. Nothing can be allocated then.
type launch struct {
	argv, env []*byte
	dir       *byte
	files     []int         // the descriptors that become 0, 1, 2, …
	limits    []unix.Rlimit // what is set for each of resources
	resources []int
	session   bool // setsid instead of setpgid

	// Set by start, which the new process shares its memory with.
	parent   int   // the process id of this program
	report   int   // where the new process says what went wrong
	floor    int   // the first descriptor above those that it is to have
	pidfd    int32 // written by the kernel
	nothing  sigaction
	unmasked uint64
}

// sigaction is the kernel's struct sigaction, the same on amd64 and arm64. Its zero is SIG_DFL.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// newLaunch turns Go's strings into the kernel's. The caller has checked that none holds a NUL.
func newLaunch(argv, env []string, dir string) (*launch, error) {
	l := &launch{}
	var err error
	if l.argv, err = syscall.SlicePtrFromStrings(argv); err != nil {
		return nil, err
	}
	if l.env, err = syscall.SlicePtrFromStrings(env); err != nil {
		return nil, err
	}
	l.dir, err = syscall.BytePtrFromString(dir)
	return l, err
}

// started is a process that runs the program it was made for.
type started struct {
	pid   int
	pidfd int // close-on-exec; the caller closes it
}

// start makes the process and returns when it runs its program. It must be called on a thread that outlives the process,
// since the kernel kills the process with that thread (PR_SET_PDEATHSIG). On an error nothing is left.
func (l *launch) start() (started, error) {
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		return started{}, &StartError{Step: "pipe2", Err: err}
	}
	l.parent, l.report, l.floor, l.pidfd = os.Getpid(), pipe[1], len(l.files), -1
	pid, errno := l.clone()
	syscall.Close(pipe[1])
	defer syscall.Close(pipe[0])
	runtime.KeepAlive(l)
	if errno != 0 {
		return started{}, &StartError{Step: "clone", Cure: cures[stepClone], Err: errno}
	}
	failure, ok := readFailure(pipe[0])
	if !ok {
		return started{pid: int(pid), pidfd: int(l.pidfd)}, nil
	}
	syscall.Close(int(l.pidfd))
	_, err := reap(int(pid))
	return started{}, errors.Join(failure, err)
}

// readFailure reads what the new process wrote before it gave up. The pipe ends without a word when execve closes it.
func readFailure(fd int) (*StartError, bool) {
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
		step := step(at[0])
		return &StartError{Step: step.String(), Cure: cures[step], Err: syscall.Errno(at[1])}, true
	}
}

// step is a system call between clone and execve.
type step uint32

const (
	stepClone step = iota
	stepGroup
	stepDeath
	stepReaper
	stepDir
	stepFiles
	stepClose
	stepLimit
	stepPrivileges
	stepExec
)

func (s step) String() string {
	names := [...]string{"clone", "setpgid", "prctl(PR_SET_PDEATHSIG)", "prctl(PR_SET_CHILD_SUBREAPER)", "chdir", "dup3", "close_range", "prlimit", "prctl(PR_SET_NO_NEW_PRIVS)", "execve"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("step %d", s)
}

// cures tells the reader what to do about a step that failed.
var cures = map[step]string{
	stepClone: "this user or this machine has as many processes as it may have",
	stepDir:   "working_directory has to exist and to be open to this user",
	stepFiles: "raise this program's limit on open files (ulimit -n)",
	stepExec:  "is the program installed there and executable, and are arguments and environment below 2 MiB?",
}

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

// cloneAndExec makes the new process and turns it into the program.
//
// CLONE_VM|CLONE_VFORK is what posix_spawn(3) and os/exec use: the child borrows our memory, and our thread stands still,
// until it has called execve or exit. That makes a start as quick with a heap of gigabytes as with an empty one, where a
// plain fork copies the page tables (measured: 144 ms at 1.5 GB). It also means that the child runs in our memory, beside our other
// threads, with our stack. So from the clone on there is nothing but raw system calls on what launch holds:
//
//   - no allocation, no growing of the stack, no lock, no scheduling: another thread may hold what they need, and the
//     runtime would take the child for one of its own threads. The runtime is told by BeforeFork, which also makes growing
//     the stack a crash with a name;
//   - every variable is declared above the clone, and none that the parent reads afterwards is changed: both have this
//     frame;
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
		r, e uintptr
		err  syscall.Errno
		at   step
		word [2]uint32
	)

	// Blocks all signals: a handler of Go's that ran in the child would take it for a thread of this program.
	runtimeBeforeFork()
	pid, e = cloneVM(unix.CLONE_VM|unix.CLONE_VFORK|unix.CLONE_PIDFD|uintptr(unix.SIGCHLD), &l.pidfd)
	if pid != 0 || e != 0 {
		// The parent leaves this frame at once.
		return pid, syscall.Errno(e)
	}

	// A process group of its own, so that SIGTERM reaches the call and nobody else, and Ctrl-C at our terminal does not
	// reach it. With a terminal also a session of its own: a process that shares ours can type into it (TIOCSTI). Not
	// otherwise, because each session is a scheduling group (sched(7), autogroup) and starts slower under load.
	at = stepGroup
	if l.session {
		_, _, err = syscall.RawSyscall6(unix.SYS_SETSID, 0, 0, 0, 0, 0, 0)
	} else {
		_, _, err = syscall.RawSyscall6(unix.SYS_SETPGID, 0, 0, 0, 0, 0, 0)
	}
	if err != 0 {
		goto failed
	}

	// Every signal back to its default. execve resets handlers by itself, but would keep what is ignored (we may have been
	// started under nohup(1)), and no handler of Go's may be there when signals are let in again below. SIGKILL and SIGSTOP
	// answer EINVAL. The runtime has its own function for this (AfterForkInChild); it leaves ignored signals as they are.
	for i = 1; i <= 64; i++ {
		syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(i), uintptr(unsafe.Pointer(&l.nothing)), 0, 8, 0, 0)
	}

	// When this program is killed, the call's root is too, so that a script does not go on with nobody to own or to record
	// it. Its children are not reached by this (a further level's pid namespace will do that), but no further line of the
	// script runs.
	at = stepDeath
	_, _, err = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	if err != 0 {
		goto failed
	}
	// Should it have been killed before that line, nobody is left to tell.
	r, _, _ = syscall.RawSyscall6(unix.SYS_GETPPID, 0, 0, 0, 0, 0, 0)
	if r != uintptr(l.parent) {
		goto end
	}

	// What the call starts stays below its root as long as that lives. Survives execve, is not inherited.
	at = stepReaper
	_, _, err = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0, 0)
	if err != 0 {
		goto failed
	}

	at = stepDir
	_, _, err = syscall.RawSyscall6(unix.SYS_CHDIR, uintptr(unsafe.Pointer(l.dir)), 0, 0, 0, 0, 0)
	if err != 0 {
		goto failed
	}

	// First all descriptors out of the way, above the numbers that they are to get, so that none overwrites another.
	at = stepFiles
	for i = 0; i < len(l.files); i++ {
		r, _, err = syscall.RawSyscall6(unix.SYS_FCNTL, uintptr(l.files[i]), unix.F_DUPFD_CLOEXEC, uintptr(l.floor+1), 0, 0, 0)
		if err != 0 {
			goto failed
		}
		l.files[i] = int(r)
	}
	r, _, err = syscall.RawSyscall6(unix.SYS_FCNTL, uintptr(l.report), unix.F_DUPFD_CLOEXEC, uintptr(l.floor+1), 0, 0, 0)
	if err != 0 {
		goto failed
	}
	l.report = int(r)
	// Then each to its place, this time to be kept by execve; the report's is closed by it.
	for i = 0; i < len(l.files); i++ {
		_, _, err = syscall.RawSyscall6(unix.SYS_DUP3, uintptr(l.files[i]), uintptr(i), 0, 0, 0, 0)
		if err != 0 {
			goto failed
		}
	}
	_, _, err = syscall.RawSyscall6(unix.SYS_DUP3, uintptr(l.report), uintptr(l.floor), unix.O_CLOEXEC, 0, 0, 0)
	if err != 0 {
		goto failed
	}
	l.report = l.floor
	// Nothing else of ours comes along, whatever a library forgot to mark.
	at = stepClose
	_, _, err = syscall.RawSyscall6(unix.SYS_CLOSE_RANGE, uintptr(l.floor+1), math.MaxUint32, 0, 0, 0, 0)
	if err != 0 {
		goto failed
	}

	// Without CAP_SYS_RESOURCE root cannot raise its limits again, nor take its mark off. Fails for those who have it not.
	syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, unix.CAP_SYS_RESOURCE, 0, 0, 0, 0)

	// After the descriptors, since they may have higher numbers than the limit allows.
	at = stepLimit
	for i = 0; i < len(l.limits); i++ {
		_, _, err = syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(l.resources[i]), uintptr(unsafe.Pointer(&l.limits[i])), 0, 0, 0)
		if err != 0 {
			goto failed
		}
	}

	// No set-user-id program and no file capability lifts the call above this user, or out of our reach.
	at = stepPrivileges
	_, _, err = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if err != 0 {
		goto failed
	}

	// Signals in again, the last thing before execve: what arrived meanwhile now has its default effect.
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&l.unmasked)), 0, 8, 0, 0)

	at = stepExec
	_, _, err = syscall.RawSyscall6(unix.SYS_EXECVE, uintptr(unsafe.Pointer(l.argv[0])), uintptr(unsafe.Pointer(&l.argv[0])), uintptr(unsafe.Pointer(&l.env[0])), 0, 0, 0)

failed:
	word[0], word[1] = uint32(at), uint32(err)
	syscall.RawSyscall6(unix.SYS_WRITE, uintptr(l.report), uintptr(unsafe.Pointer(&word)), unsafe.Sizeof(word), 0, 0, 0)
end:
	// Not a return: the frames above are the parent's.
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 253, 0, 0, 0, 0, 0)
	}
}
