//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// playAttack makes the system call that its first argument names, which bash cannot make, and says "done",
// or the error's name. What each does is read best where it is used, in testdata/attacks.
func playAttack(args []string) error {
	if len(args) == 0 {
		return errors.New("probe what?")
	}
	attempt, ok := probes[args[0]]
	if !ok {
		return fmt.Errorf("no such probe: %s", args[0])
	}
	// Much of what follows is a thread's own.
	runtime.LockOSThread()
	if err := attempt(words(args[1:])); err != nil {
		var errno unix.Errno
		if errors.As(err, &errno) {
			return fmt.Errorf("%s: %s", args[0], unix.ErrnoName(errno))
		}
		return fmt.Errorf("%s: %w", args[0], err)
	}
	fmt.Println("done")
	return nil
}

// words are the arguments of a probe.
type words []string

func (w words) text(i int) string {
	if i < len(w) {
		return w[i]
	}
	return ""
}

// number returns an argument as a number, or 0.
func (w words) number(i int) int {
	n, _ := strconv.ParseInt(w.text(i), 0, 64)
	return int(n)
}

// call6 makes a system call.
func call6(number uintptr, args ...uintptr) error {
	args = append(args, make([]uintptr, 6)...)
	_, _, errno := unix.Syscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
	if errno != 0 {
		return errno
	}
	return nil
}

func cString(text string) uintptr {
	b := append([]byte(text), 0)
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

// kept holds on to what only the kernel has a pointer to.
var kept [][]byte

func room(n int) uintptr {
	b := make([]byte, n)
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

// bare are the system calls that need no more than numbers, or room that nothing is read from: what the
// kernel says to them tells whether they are there at all. A row names what is left, its arguments.
var bare = map[string]uintptr{
	"add_key": unix.SYS_ADD_KEY, "keyctl": unix.SYS_KEYCTL, "request_key": unix.SYS_REQUEST_KEY, "bpf": unix.SYS_BPF,
	"fanotify_init": unix.SYS_FANOTIFY_INIT, "quotactl": unix.SYS_QUOTACTL,
	"kexec_load": unix.SYS_KEXEC_LOAD, "init_module": unix.SYS_INIT_MODULE, "swapoff": unix.SYS_SWAPOFF, "acct": unix.SYS_ACCT,
	"syslog": unix.SYS_SYSLOG, "vhangup": unix.SYS_VHANGUP, "unshare": unix.SYS_UNSHARE, "userfaultfd": unix.SYS_USERFAULTFD,
	"setns": unix.SYS_SETNS, "kcmp": unix.SYS_KCMP, "open_tree": unix.SYS_OPEN_TREE, "move_mount": unix.SYS_MOVE_MOUNT,
	"fsopen": unix.SYS_FSOPEN, "process_madvise": unix.SYS_PROCESS_MADVISE, "move_pages": unix.SYS_MOVE_PAGES,
	"setpriority": unix.SYS_SETPRIORITY, "ioprio_set": unix.SYS_IOPRIO_SET, "chroot": unix.SYS_CHROOT,
	"pivot_root": unix.SYS_PIVOT_ROOT, "umount2": unix.SYS_UMOUNT2, "mount": unix.SYS_MOUNT, "sethostname": unix.SYS_SETHOSTNAME,
	"setdomainname": unix.SYS_SETDOMAINNAME, "kill": unix.SYS_KILL, "tkill": unix.SYS_TKILL, "tgkill": unix.SYS_TGKILL,
	"pidfd_getfd": unix.SYS_PIDFD_GETFD, "memfd_secret": unix.SYS_MEMFD_SECRET, "landlock_create_ruleset": unix.SYS_LANDLOCK_CREATE_RULESET,
	"statmount": unix.SYS_STATMOUNT, "fspick": unix.SYS_FSPICK, "mknodat": unix.SYS_MKNODAT, "truncate": unix.SYS_TRUNCATE,
	"setxattr": unix.SYS_SETXATTR, "swapon": unix.SYS_SWAPON, "sched_setaffinity": unix.SYS_SCHED_SETAFFINITY,
	"fcntl": unix.SYS_FCNTL, "ptrace": unix.SYS_PTRACE, "msgctl": unix.SYS_MSGCTL, "shmctl": unix.SYS_SHMCTL, "semctl": unix.SYS_SEMCTL,
}

// probes are all that the probe can try.
var probes map[string]func(words) error

func init() {
	probes = map[string]func(words) error{
		"call":     probeCall,
		"ptrace":   probePtrace,
		"vm-read":  probeReadMemory,
		"vm-write": probeWriteMemory,
		"take-fd":  probeTakeDescriptor,
		"pidfd-kill": func(w words) error {
			return withPidfd(w.number(0), func(fd int) error { return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) })
		},
		"queue-kill":   probeQueueKill,
		"owner-kill":   probeOwnerKill,
		"limit-other":  probeLimitOther,
		"sched-other":  probeScheduleOther,
		"socket":       func(w words) error { _, err := unix.Socket(w.number(0), w.number(1), w.number(2)); return err },
		"pair":         func(w words) error { _, err := unix.Socketpair(w.number(0), w.number(1), 0); return err },
		"connect":      probeConnect,
		"send":         probeSend,
		"pair-send":    probePairSend,
		"pair-connect": probePairConnect,
		"tcp":          probeTCP,
		"fast-open":    probeFastOpen,
		"udp":          probeUDP,
		"io_uring":     func(words) error { return call6(unix.SYS_IO_URING_SETUP, 4, room(200)) },
		"perf":         probePerf,
		"handle":       probeHandle,
		"clone3":       probeClone3,
		"clone":        probeClone,
		"remount":      func(w words) error { return unix.Mount("", w.text(0), "", unix.MS_REMOUNT|unix.MS_BIND, "") },
		"bind":         func(w words) error { return unix.Mount(w.text(0), w.text(1), "", unix.MS_BIND, "") },
		"mount-tmpfs":  func(w words) error { return unix.Mount("tmpfs", w.text(0), "tmpfs", 0, "") },
		"umount":       func(w words) error { return unix.Unmount(w.text(0), unix.MNT_DETACH) },
		"pivot":        func(w words) error { return unix.PivotRoot(w.text(0), w.text(0)) },
		"writable": func(w words) error {
			return unix.MountSetattr(-100, w.text(0), 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
		},
		"tree":          probeTree,
		"join":          probeJoin,
		"tiocsti":       func(words) error { return probeType(unix.TIOCSTI) },
		"tiocsti-upper": func(words) error { return probeType(1<<32 | unix.TIOCSTI) },
		"console-paste": func(words) error {
			b := []byte{2, 0}
			return call6(unix.SYS_IOCTL, 0, 0x541C, uintptr(unsafe.Pointer(&b[0])))
		},
		"shm-make":        probeMakeShared,
		"shm-read":        probeReadShared,
		"msg-make":        func(w words) error { return call6(unix.SYS_MSGGET, uintptr(w.number(0)), 0o1600) },
		"msg-take":        probeTakeMessage,
		"sem-make":        func(w words) error { return call6(unix.SYS_SEMGET, uintptr(w.number(0)), 1, 0o1600) },
		"mq-make":         probeMakeQueue,
		"mq-read":         probeReadQueue,
		"memfd-exec":      probeExecMemory,
		"memfd-run":       probeExecMemoryByPath,
		"tmpfile-exec":    probeExecUnnamed,
		"descriptor-exec": probeExecDescriptor,
		"map-code":        probeMapCode,
		"fill-memfd":      probeFillMemory,
		"i386":            probeOtherNumbers,
		"capabilities":    probeCapabilities,
		"watch":           probeWatch,
		"accept":          probeAccept,
		"flood-inodes":    probeInodes,
		"allocate":        probeAllocate,
		"setuid":          func(w words) error { return unix.Setresuid(w.number(0), w.number(0), w.number(0)) },
		"nice":            func(w words) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, w.number(0)) },
		"realtime":        probeRealtime,
		"unseal":          probeUnseal,
	}
}

// probeCall makes a bare system call: numbers are themselves, @TEXT is a string's address and %N that of N
// bytes of room.
func probeCall(w words) error {
	number, ok := bare[w.text(0)]
	if !ok {
		return fmt.Errorf("no such system call here: %s", w.text(0))
	}
	var args []uintptr
	for i, word := range w[1:] {
		switch {
		case strings.HasPrefix(word, "@"):
			args = append(args, cString(word[1:]))
		case word == "%one": // a mask with the lowest bit set
			one := []uint64{1}
			args = append(args, uintptr(unsafe.Pointer(&one[0])))
		case strings.HasPrefix(word, "%"):
			args = append(args, room(words{word[1:]}.number(0)))
		default:
			args = append(args, uintptr(w.number(i+1)))
		}
	}
	return call6(number, args...)
}
