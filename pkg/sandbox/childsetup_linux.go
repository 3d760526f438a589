//go:build amd64 || arm64

package sandbox

import (
	"math"

	"golang.org/x/sys/unix"
)

// childSetup is what a new process needs on its way from a copy of this program to the tool, made ready.
type childSetup struct {
	argv, env []string
	dir       string // it starts in
	files     []int  // the descriptors that become 0, 1, 2, …
	limits    []limit
	filter    []unix.SockFilter
	rules     *ruleset   // nil below LevelLandlock
	view      *mountView // nil without namespaces
	identity  identity
	self      int // a process descriptor of this program
	init      int // the file of initProgram; -1 where the command is the first process
	report    int // what that reports to

	session  bool // a session of its own
	terminal bool // stays in our process group, whose terminal it uses
	tasks    int  // a file of its control group that takes processes in; -1 without
}

// steps is a new process's way, from top to bottom. The order is what makes it work; each part says why it
// is where it is.
func (b *childSetup) steps(l *launch) {
	b.group(l)
	b.signals(l)
	if b.tasks >= 0 {
		l.do("join the call's control group", unix.SYS_WRITE, uintptr(b.tasks), l.text("0"), 1)
	}
	// Without a user namespace of its own it is root who sets up the mounts, and becomes the user only then.
	if l.namespaces&unix.CLONE_NEWUSER != 0 {
		b.identity.maps(l, nil)
	}
	if b.view != nil {
		b.view.mounts(l, b.rules, b.identity)
	}
	b.identity.become(l, b.view)
	// A change of identity takes the death signal off, so not earlier.
	b.fate(l)
	l.do("chdir", unix.SYS_CHDIR, l.text(b.dir)).about(b.dir, cureDir)
	ruleset, program := b.descriptors(l)
	// After the descriptors, since they may have higher numbers than the limit allows; after the identity,
	// since the number of processes counts for a user in a user namespace.
	b.setLimits(l)
	b.privileges(l)
	// After everything that opens a file.
	if ruleset != nil {
		l.do("landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF, 0, 0).take(0, ruleset)
	}
	// Signals in again: what arrived meanwhile now has its default effect.
	l.do("rt_sigprocmask", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, address(&l.steps, new(uint64)), 0, 8)
	// Last: it refuses most of the above.
	b.guard(l)
	b.exec(l, program)
}

// group puts the process into a group of its own, so that SIGTERM reaches the call and nobody else, and
// Ctrl-C at our terminal does not reach it. With a terminal also into a session of its own: a process that
// shares ours can read from it. Not otherwise, because each session is a scheduling group (sched(7),
// autogroup) and starts slower under load.
func (b *childSetup) group(l *launch) {
	switch {
	case b.terminal:
	case b.session:
		l.do("setsid", unix.SYS_SETSID)
	default:
		l.do("setpgid", unix.SYS_SETPGID, 0, 0)
	}
}

// signals puts every signal back to its default. execve resets handlers by itself, but would keep what is
// ignored (we may have been started under nohup(1)), and no handler of Go's may be there when signals are
// let in again. SIGKILL and SIGSTOP answer EINVAL. The runtime has its own function for this
// (AfterForkInChild); it leaves ignored signals as they are.
func (b *childSetup) signals(l *launch) {
	const first, last = 1, 64
	l.do("rt_sigaction", unix.SYS_RT_SIGACTION, first, address(&l.steps, new(sigaction)), 0,
		8).may(mayFail).repeat(last)
}

// sigaction is as much room as the kernel's struct sigaction takes, the same on amd64 and arm64. Its zero
// is SIG_DFL.
type sigaction [4]uint64

// fate binds the process to us. When this program is killed, the call's root is too, so that a script does
// not go on with nobody to own or to record it: with a process namespace that is the end of the whole call,
// since the root is its init.
func (b *childSetup) fate(l *launch) {
	l.do("prctl(PR_SET_PDEATHSIG)", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	// Should we have been killed before that, nobody is left to tell. Asking for the parent's number would
	// not do: in a process namespace it is 0.
	poll := &unix.PollFd{Fd: int32(b.self), Events: unix.POLLIN}
	l.do("ppoll", unix.SYS_PPOLL, address(&l.steps, poll), 1, address(&l.steps, new(unix.Timespec)), 0,
		0).may(orEnd)
	// What the call starts stays below its root as long as that lives. Survives execve, is not inherited.
	l.do("prctl(PR_SET_CHILD_SUBREAPER)", unix.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1)
}

// descriptors puts the call's files in their places and closes everything else, whatever a library forgot
// to mark. It gives the new places of the ruleset and of initProgram, nil where there is none.
func (b *childSetup) descriptors(l *launch) (ruleset, program *int32) {
	// First all out of the way, above the numbers that they are to get, so that none overwrites another.
	move := func(fd int) *int32 {
		if fd < 0 {
			return nil
		}
		slot := l.slot()
		l.do("fcntl", unix.SYS_FCNTL, uintptr(fd), unix.F_DUPFD_CLOEXEC, initReport+1).about("",
			cureDescriptors).give(slot)
		return slot
	}
	place := func(slot *int32, at int, flags uintptr) *step {
		return l.do("dup3", unix.SYS_DUP3, 0, uintptr(at), flags).about("", cureDescriptors).take(0, slot)
	}
	moved := make([]*int32, len(b.files))
	for i, fd := range b.files {
		moved[i] = move(fd)
	}
	rules := -1
	if b.rules != nil {
		rules = b.rules.fd
	}
	ruleset, program, report := move(rules), move(b.init), move(b.report)
	// Then each to its place, this time to be kept by execve; the ruleset's and the program's are closed by
	// it.
	for i, slot := range moved {
		place(slot, i, 0)
	}
	rest := len(b.files)
	for _, slot := range []*int32{ruleset, program} {
		if slot != nil {
			place(slot, rest, unix.O_CLOEXEC).give(slot)
			rest++
		}
	}
	if report != nil {
		place(report, initReport, 0)
		l.do("close_range", unix.SYS_CLOSE_RANGE, uintptr(rest), initReport-1, 0)
		rest = initReport + 1
	}
	l.do("close_range", unix.SYS_CLOSE_RANGE, uintptr(rest), math.MaxUint32, 0)
	return ruleset, program
}

const cureDescriptors = "raise this program's limit on open files (ulimit -n)"

func (b *childSetup) setLimits(l *launch) {
	// Without CAP_SYS_RESOURCE root cannot raise its limits again, nor take its mark off. Fails for those
	// who have it not.
	l.do("prctl(PR_CAPBSET_DROP)", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, unix.CAP_SYS_RESOURCE).may(mayFail)
	for _, limit := range b.limits {
		rlimit := &unix.Rlimit{Cur: limit.soft, Max: limit.hard}
		l.do("prlimit", unix.SYS_PRLIMIT64, 0, uintptr(limit.resource), address(&l.steps, rlimit),
			0).about(limit.name, "")
	}
}

const (
	secbitNoRoot       = 1 << 0 // capabilities(7)
	secbitNoRootLocked = 1 << 1
)

// privileges takes away what execve could give: no set-user-id program and no file capability lifts the
// call above this user, or out of our reach; and where it confines, root is a user like any other.
func (b *childSetup) privileges(l *launch) {
	if b.rules != nil {
		// Fails for those who have no privileges to lose.
		l.do("prctl(PR_SET_SECUREBITS)", unix.SYS_PRCTL, unix.PR_SET_SECUREBITS,
			secbitNoRoot|secbitNoRootLocked).may(b.identity.rootOnly())
	}
	l.do("prctl(PR_SET_NO_NEW_PRIVS)", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
}

// sockFprog is the kernel's struct sock_fprog.
type sockFprog struct {
	length uint16
	first  *unix.SockFilter
}

func (b *childSetup) guard(l *launch) {
	program := &sockFprog{length: uint16(len(b.filter)), first: &b.filter[0]}
	l.do("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, address(&l.steps, program))
}

// exec starts the command, or the init that does. The kernel finds a file for an empty path by its
// descriptor.
func (b *childSetup) exec(l *launch, program *int32) {
	if program == nil {
		l.do("execve", unix.SYS_EXECVE, l.text(b.argv[0]), l.texts(b.argv), l.texts(b.env)).about(b.argv[0],
			cureProgram)
		return
	}
	argv := append([]string{initName}, b.argv...)
	l.do("execve", unix.SYS_EXECVEAT, 0, l.text(""), l.texts(argv), l.texts(b.env),
		unix.AT_EMPTY_PATH).about(b.argv[0], cureProgram).take(0, program)
}

const cureProgram = "is the program installed there and executable, and are arguments and environment below 2 MiB?"
