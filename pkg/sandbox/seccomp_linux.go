//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterRules is what the filter of a call depends on.
type filterRules struct {
	network bool // sockets for the internet
	unix    bool // sockets with a path: some were granted by name
	memfd   bool // files in memory; without them, a program cannot be started from one
	alone   bool // namespaces of its own, where no other process of this user is to be found
	group   bool // others are in its process group, and nothing else keeps it from signalling them
}

// verdict is what becomes of a system call.
type verdict uint32

// The verdicts that need no look at the arguments.
const (
	allow  verdict = unix.SECCOMP_RET_ALLOW
	refuse verdict = unix.SECCOMP_RET_ERRNO | verdict(unix.EPERM)
	// unknown is what a kernel says that does not have a system call. Programs then do without it, which
	// they do not on EPERM.
	unknown verdict = unix.SECCOMP_RET_ERRNO | verdict(unix.ENOSYS)
	// noFamily is what a kernel says that does not have a kind of socket.
	noFamily verdict = unix.SECCOMP_RET_ERRNO | verdict(unix.EAFNOSUPPORT)
	// kill is for a process that changes to another architecture's system calls, whose numbers mean other
	// things.
	kill verdict = unix.SECCOMP_RET_KILL_PROCESS
)

// refused lists the system calls that no tool has a use for, or only to get out.
//
// A user that has no privileges is refused most of them by the kernel itself. They are here because each
// was a way to privileges at some time, and because a call has all privileges inside of a user namespace
// that it makes.
var refused = []uintptr{
	// Other processes: read and write their memory, take their descriptors, join their namespaces.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD,
	unix.SYS_KCMP, unix.SYS_SETNS,
	// Namespaces and mounts of its own: with them come privileges, and CVE-2022-0185, CVE-2023-0386,
	// CVE-2024-1086.
	unix.SYS_UNSHARE, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE,
	unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_LISTNS,
	// Files by a number instead of a path: no mount and no link says where they lie.
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	unix.SYS_QUOTACTL,
	unix.SYS_QUOTACTL_FD,
	// Programs and memory inside of the kernel. io_uring does what other system calls do, past this filter.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER,
	unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_KEXEC_FILE_LOAD,
	// Keys of this user: a keyring is no namespace's.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// The machine itself.
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETHOSTNAME,
	unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_ADJTIMEX,
	unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE,
	// NUMA placement of other processes.
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
}

// lastKnown is the highest system call that this program knows. A later one may do anything, so it does not
// exist.
const lastKnown = unix.SYS_RSEQ_SLICE_YIELD

// newNamespaces are the flags of clone(2) that make namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// filter makes a call's seccomp program.
//
// The kernel runs a filter on each system call, and when it is loaded it runs it once for each number there
// is, to remember those that are always allowed. A list of comparisons makes that slow (88 µs, measured for
// 50 numbers), a tree of them does not (34 µs).
func filter(r filterRules) []unix.SockFilter {
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 4}, // seccomp_data.arch
		jumpIfEqual(auditArch, 1, 0),
		give(kill),
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // seccomp_data.nr
	}
	return append(program, tree(segments(leaves(r)))...)
}

// leaves decides about the system calls that are not simply allowed.
func leaves(r filterRules) map[uintptr][]unix.SockFilter {
	leaves := map[uintptr][]unix.SockFilter{
		// With clone3(2) the flags are in memory, where a filter cannot look. libc falls back to clone(2).
		unix.SYS_CLONE3: {give(unknown)},
		unix.SYS_CLONE:  {loadArgument(0), jumpIfAnyBit(newNamespaces, 0, 1), give(refuse), give(allow)},
		// Typing into the terminal of whoever started us (CVE-2013-6409, CVE-2017-5226), and pasting with
		// the console's mouse. And what stays with a terminal when the call has ended: that nobody else can
		// open it, so that no password can be asked for there, and another line discipline.
		unix.SYS_IOCTL: {loadArgument(1), jumpIfEqual(unix.TIOCSTI, 3, 0), jumpIfEqual(tioclinux, 2, 0),
			jumpIfEqual(unix.TIOCEXCL, 1, 0), jumpIfEqual(unix.TIOCSETD, 0, 1), give(refuse), give(allow)},
		// Who opens a file that is leased waits for the holder, up to 45 seconds each time (fcntl(2)): any
		// process of the machine, and any file of this user's that a call can read.
		unix.SYS_FCNTL: {loadArgument(1), jumpIfEqual(unix.F_SETLEASE, 1, 0), jumpIfEqual(unix.F_SETDELEG, 0, 1),
			give(refuse), give(allow)},
		unix.SYS_SOCKET: socketRules(r),
	}
	for number, rules := range modeRules() {
		leaves[number] = rules
	}
	leaves[unix.SYS_SOCKETPAIR] = pairRules(r)
	if r.group {
		// 0 is all of the group, also those outside of the call's process namespace.
		leaves[unix.SYS_KILL] = []unix.SockFilter{loadArgument(0), jumpIfEqual(0, 0, 1), give(refuse), give(allow)}
	}
	if !r.alone {
		// Limits and priorities of this user's other processes; 0 is the caller.
		for number, argument := range map[uintptr]uint32{
			unix.SYS_PRLIMIT64: 0, unix.SYS_SCHED_SETAFFINITY: 0, unix.SYS_SCHED_SETSCHEDULER: 0,
			unix.SYS_SCHED_SETPARAM: 0, unix.SYS_SCHED_SETATTR: 0,
		} {
			leaves[number] = []unix.SockFilter{loadArgument(argument), jumpIfEqual(0, 0, 1), give(allow),
				give(refuse)}
		}
		// Of these two 0 is also all of the caller's group, or of the user. 1 is IOPRIO_WHO_PROCESS.
		for number, process := range map[uintptr]uint32{unix.SYS_SETPRIORITY: unix.PRIO_PROCESS, unix.SYS_IOPRIO_SET: 1} {
			leaves[number] = []unix.SockFilter{loadArgument(0), jumpIfEqual(process, 0, 3), loadArgument(1),
				jumpIfEqual(0, 0, 1), give(allow), give(refuse)}
		}
		// System V objects have no owner that ends with the call, and are open to all of this user's
		// programs, by numbers that are easily guessed.
		for _, number := range []uintptr{
			unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP,
			unix.SYS_SEMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		} {
			leaves[number] = []unix.SockFilter{give(refuse)}
		}
	}
	for _, number := range refused {
		leaves[number] = []unix.SockFilter{give(refuse)}
	}
	for _, number := range refusedHere {
		leaves[number] = []unix.SockFilter{give(refuse)}
	}
	if !r.memfd {
		leaves[unix.SYS_MEMFD_CREATE] = []unix.SockFilter{give(refuse)}
	}
	return leaves
}

// pairRules decides about socketpair(2), for which the kernel makes two sockets of any family before it
// asks whether that has pairs; those of TIPC reach others. A pair of connected streams of AF_UNIX is always
// allowed: it reaches nobody else. One end of a pair of datagram sockets can send to any other socket with a
// name, and connect to it. AF_UNIX takes SOCK_RAW for SOCK_DGRAM.
func pairRules(r filterRules) []unix.SockFilter {
	if r.unix {
		return []unix.SockFilter{loadArgument(0), jumpIfEqual(unix.AF_UNIX, 0, 1), give(allow), give(noFamily)}
	}
	return []unix.SockFilter{
		loadArgument(0), jumpIfEqual(unix.AF_UNIX, 0, 4),
		loadArgument(1), {Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf},
		jumpIfEqual(unix.SOCK_STREAM, 2, 0), jumpIfEqual(unix.SOCK_SEQPACKET, 1, 0), give(refuse), give(allow),
	}
}

// socketRules decides about socket(2) by its family, and for netlink by its protocol.
func socketRules(r filterRules) []unix.SockFilter {
	if !r.network {
		if !r.unix {
			return []unix.SockFilter{give(refuse)}
		}
		return []unix.SockFilter{loadArgument(0), jumpIfEqual(unix.AF_UNIX, 0, 1), give(allow), give(refuse)}
	}
	rules := []unix.SockFilter{loadArgument(0)}
	if r.unix {
		rules = append(rules, jumpIfEqual(unix.AF_UNIX, 0, 1), give(allow))
	} else {
		rules = append(rules, jumpIfEqual(unix.AF_UNIX, 0, 1), give(refuse))
	}
	return append(rules,
		jumpIfEqual(unix.AF_INET, 0, 1), give(allow),
		jumpIfEqual(unix.AF_INET6, 0, 1), give(allow),
		// getaddrinfo(3) asks which addresses this machine has. Other protocols of netlink speak to other
		// parts of the kernel.
		jumpIfEqual(unix.AF_NETLINK, 0, 3), loadArgument(2), jumpIfEqual(unix.NETLINK_ROUTE, 0, 1), give(allow),
		give(noFamily),
	)
}

// modeRules refuse files that give their user or group to whoever runs them. Such a file means nothing to
// the call itself, but it stays when the call has ended.
func modeRules() map[uintptr][]unix.SockFilter {
	const special = unix.S_ISUID | unix.S_ISGID
	const making = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
	mode := func(argument uint32) []unix.SockFilter {
		return []unix.SockFilter{loadArgument(argument), jumpIfAnyBit(special, 0, 1), give(refuse), give(allow)}
	}
	// The mode counts only when a file is made.
	open := func(flags uint32) []unix.SockFilter {
		return append([]unix.SockFilter{loadArgument(flags), jumpIfAnyBit(making, 1, 0), give(allow)},
			mode(flags+1)...)
	}
	rules := map[uintptr][]unix.SockFilter{
		unix.SYS_FCHMOD: mode(1), unix.SYS_FCHMODAT: mode(2), unix.SYS_FCHMODAT2: mode(2),
		unix.SYS_MKNODAT: mode(2), unix.SYS_OPENAT: open(2),
		// Its flags are in memory, where a filter cannot look. Programs that know it do without it.
		unix.SYS_OPENAT2: {give(unknown)},
	}
	for number, argument := range pathModes {
		rules[number] = mode(argument)
	}
	for number, argument := range pathOpens {
		rules[number] = open(argument)
	}
	return rules
}

// segment is a run of system call numbers that share what is decided about them, up to the next segment.
type segment struct {
	first uintptr
	leaf  []unix.SockFilter
}

// segments cuts all numbers into runs, in their order. What is not in leaves is allowed, up to the last
// known.
func segments(leaves map[uintptr][]unix.SockFilter) []segment {
	numbers := make([]uintptr, 0, len(leaves))
	for number := range leaves {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	allowed := []unix.SockFilter{give(allow)}
	list := []segment{{0, allowed}}
	put := func(s segment) {
		last := &list[len(list)-1]
		if last.first == s.first {
			last.leaf = s.leaf
			return
		}
		if !slices.Equal(last.leaf, s.leaf) {
			list = append(list, s)
		}
	}
	for _, number := range numbers {
		put(segment{number, leaves[number]})
		put(segment{number + 1, allowed})
	}
	// Everything above: also the x32 numbers of amd64, which begin at 1<<30 and reach the same calls.
	put(segment{lastKnown + 1, []unix.SockFilter{give(unknown)}})
	return list
}

// tree makes a binary search over the segments, whose last steps are short lists. Loading a program costs
// by its length (237 instructions 150 µs, 3 instructions 30 µs), so segments that end in the same verdict
// share one instruction.
func tree(list []segment) []unix.SockFilter {
	t := treeMaker{verdicts: map[unix.SockFilter]int{}}
	t.search(list, 1<<32)
	slices.Reverse(t.reversed)
	return t.reversed
}

// treeMaker writes a program from its end to its beginning, since a jump only leads forward, to what it has
// to know. An instruction's place is counted from the end.
type treeMaker struct {
	reversed []unix.SockFilter
	verdicts map[unix.SockFilter]int // the last place of each
}

// farthest is how far a conditional jump is made to lead: it can reach 255 instructions, and one may come
// between.
const farthest = math.MaxUint8 - 1

// search writes the search in a list of segments that reaches up to the number before end, and gives its
// place.
func (t *treeMaker) search(list []segment, end uintptr) int {
	if len(list) == 1 {
		return t.leaf(list[0].leaf)
	}
	if place, ok := t.chain(list, end); ok {
		return place
	}
	middle := len(list) / 2
	above := t.search(list[middle:], end)
	below := t.search(list[:middle], list[middle].first)
	above = t.near(above)
	below = t.near(below)
	return t.put(jumpIfAtLeast(uint32(list[middle].first), t.distance(above), t.distance(below)))
}

// longestChain is how many comparisons follow each other at most. Longer chains make the program no
// shorter, and every other number goes through all of them when the kernel tries it.
const longestChain = 2

// chain writes a few single numbers as comparisons, one after the other, where all that lies between them
// shares a leaf. A search would take twice as many: each number ends one segment and begins another.
func (t *treeMaker) chain(list []segment, end uintptr) (place int, ok bool) {
	for _, between := range list[:2] {
		single, ok := singles(list, end, between.leaf)
		if !ok {
			continue
		}
		place := t.leaf(between.leaf)
		for _, s := range slices.Backward(single) {
			found := t.leaf(s.leaf)
			place = t.near(place)
			found = t.near(found)
			place = t.put(jumpIfEqual(uint32(s.first), t.distance(found), t.distance(place)))
		}
		return place, true
	}
	return 0, false
}

// singles returns the segments that do not have the leaf that lies between, if each is a single number and
// they are few.
func singles(list []segment, end uintptr, between []unix.SockFilter) (single []segment, ok bool) {
	for i, s := range list {
		next := end
		if i+1 < len(list) {
			next = list[i+1].first
		}
		switch {
		case slices.Equal(s.leaf, between):
		case next != s.first+1 || len(single) == longestChain:
			return nil, false
		default:
			single = append(single, s)
		}
	}
	return single, true
}

// leaf writes what is decided, if it is not within reach already.
func (t *treeMaker) leaf(program []unix.SockFilter) int {
	if len(program) == 1 {
		if place, ok := t.verdicts[program[0]]; ok && len(t.reversed)-1-place < farthest {
			return place
		}
		t.verdicts[program[0]] = t.put(program[0])
		return t.verdicts[program[0]]
	}
	for _, instruction := range slices.Backward(program) {
		t.put(instruction)
	}
	return len(t.reversed) - 1
}

// near returns a place from which a jump leads to another that may be too far away.
func (t *treeMaker) near(place int) int {
	if away := len(t.reversed) - 1 - place; away >= farthest {
		return t.put(unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(away)})
	}
	return place
}

func (t *treeMaker) put(instruction unix.SockFilter) int {
	t.reversed = append(t.reversed, instruction)
	return len(t.reversed) - 1
}

// distance is how many instructions lie between the next one that is written and a place.
func (t *treeMaker) distance(place int) uint8 { return uint8(len(t.reversed) - 1 - place) }

// loadArgument loads the lower half of an argument (seccomp_data.args). Flags, families and ioctl requests
// have 32 bits, to the kernel too.
func loadArgument(n uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16 + 8*n}
}

func give(v verdict) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: uint32(v)}
}

func jumpIfEqual(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func jumpIfAnyBit(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func jumpIfAtLeast(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

// tioclinux is the request of the console's own ioctl: ioctl_console(2).
const tioclinux = 0x541C

// filters are the programs for the rules of most calls, made once: a call needs one at once.
type filters map[filterRules][]unix.SockFilter

func makeFilters() filters {
	all := filters{}
	for n := range 16 {
		r := filterRules{network: n&1 != 0, unix: n&2 != 0, memfd: n&4 != 0, alone: n&8 != 0}
		all[r] = filter(r)
	}
	return all
}

// of returns the program for some rules.
func (f filters) of(r filterRules) []unix.SockFilter {
	if program, made := f[r]; made {
		return program
	}
	return filter(r)
}

// tryFilter finds out whether the kernel has filters that can end a process.
func tryFilter() error {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0,
		uintptr(unsafe.Pointer(&action))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
