//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func socketKind(name string) int {
	return map[string]int{"stream": unix.SOCK_STREAM, "dgram": unix.SOCK_DGRAM, "seqpacket": unix.SOCK_SEQPACKET}[name]
}

// probeConnect connects to a UNIX socket: KIND and a path, or @ and an abstract name.
func probeConnect(w words) error {
	fd, err := unix.Socket(unix.AF_UNIX, socketKind(w.text(0)), 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: w.text(1)}); err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("x"))
	return err
}

// probeSend sends a datagram to a UNIX socket.
func probeSend(w words) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: w.text(0)})
}

// probePairSend sends from one end of a pair to somebody else: a datagram socket that is connected can
// still do that.
func probePairSend(w words) error {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(ends[0], []byte("x"), 0, &unix.SockaddrUnix{Name: w.text(0)})
}

// probePairConnect connects one end of a pair to somebody else: KIND and address.
func probePairConnect(w words) error {
	ends, err := unix.Socketpair(unix.AF_UNIX, socketKind(w.text(0)), 0)
	if err != nil {
		return err
	}
	// What a connection may be taken off with (connect(2), AF_UNSPEC).
	unspecified := make([]byte, 16)
	_ = call6(unix.SYS_CONNECT, uintptr(ends[0]), uintptr(unsafe.Pointer(&unspecified[0])), 16)
	if err := unix.Connect(ends[0], &unix.SockaddrUnix{Name: w.text(1)}); err != nil {
		return err
	}
	_, err = unix.Write(ends[0], []byte("x"))
	return err
}

func probeTCP(w words) error {
	c, err := net.DialTimeout("tcp", w.text(0), time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

// probeFastOpen connects without connect(2): MSG_FASTOPEN.
func probeFastOpen(w words) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: w.number(0)})
}

func probeUDP(w words) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: w.number(0)})
}

// probeAccept opens a port for others.
func probeAccept(w words) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	return unix.Listen(fd, 1)
}

func probePerf(words) error {
	attr := &unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	_, err := unix.PerfEventOpen(attr, 0, -1, -1, 0)
	return err
}

// probeHandle opens a file by its handle (CVE-2014-3519 and docker's shocker exploit): a directory of the
// file system, and the file. Only the privileged may open one, so for others to make one is all.
func probeHandle(w words) error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, w.text(1), 0)
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	mount, err := unix.Open(w.text(0), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(mount, handle, unix.O_RDONLY)
	if err != nil {
		return err
	}
	data := make([]byte, 100)
	n, err := unix.Read(fd, data)
	fmt.Printf("%q\n", data[:max(n, 0)])
	return err
}

var namespaceFlags = map[string]int{
	"user": unix.CLONE_NEWUSER, "mnt": unix.CLONE_NEWUSER | unix.CLONE_NEWNS, "pid": unix.CLONE_NEWUSER | unix.CLONE_NEWPID, "net": unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
	"ipc": unix.CLONE_NEWUSER | unix.CLONE_NEWIPC, "uts": unix.CLONE_NEWUSER | unix.CLONE_NEWUTS, "cgroup": unix.CLONE_NEWUSER | unix.CLONE_NEWCGROUP,
	"time": unix.CLONE_NEWUSER | unix.CLONE_NEWTIME,
}

// probeClone makes a process in new namespaces, which ends at once.
func probeClone(w words) error {
	flags := uintptr(namespaceFlags[w.text(0)]) | uintptr(unix.SIGCHLD)
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags, 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

func probeClone3(w words) error {
	args := [11]uint64{0: uint64(namespaceFlags[w.text(0)]), 4: uint64(unix.SIGCHLD)}
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args[0])), 88, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

// probeTree takes a copy of a directory's mount and puts it over another: FROM, TO.
func probeTree(w words) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, w.text(0), unix.OPEN_TREE_CLONE)
	if err != nil {
		return err
	}
	return unix.MoveMount(fd, "", unix.AT_FDCWD, w.text(1), unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// probeJoin enters a process's namespace by its file.
func probeJoin(w words) error {
	fd, err := unix.Open(w.text(0), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return unix.Setns(fd, 0)
}

// probeType types into the terminal that standard input is, as if a person did.
func probeType(request uintptr) error {
	_, _ = unix.Setsid()
	if err := unix.IoctlSetInt(0, unix.TIOCSCTTY, 0); err != nil {
		fmt.Fprintln(os.Stderr, "no controlling terminal:", err)
	}
	for _, c := range []byte("touch owned\n") {
		if err := call6(unix.SYS_IOCTL, 0, request, uintptr(unsafe.Pointer(&c))); err != nil {
			return err
		}
	}
	return nil
}

// probeCapabilities says whether there are any.
func probeCapabilities(words) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if slices.Contains([]string{"CapInh", "CapPrm", "CapEff", "CapAmb"}, name) {
			fmt.Print(line)
			if strings.Trim(value, "0\t\n") != "" {
				return nil
			}
		}
	}
	return errors.New("has none")
}

// probeWatch learns what others do with a file: inotify(7).
func probeWatch(w words) error {
	fd, err := unix.InotifyInit()
	if err != nil {
		return err
	}
	_, err = unix.InotifyAddWatch(fd, w.text(0), unix.IN_ALL_EVENTS)
	return err
}

func probeRealtime(words) error {
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 50}, 0)
}

// probeOtherNumbers starts a program whose system calls have the numbers of 32-bit x86.
func probeOtherNumbers(words) error {
	code, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	copy(code, compatCode)
	if err := unix.Mprotect(code, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		return err
	}
	if len(compatCode) == 0 {
		return errors.New("this architecture has no other numbers")
	}
	entry := uintptr(unsafe.Pointer(&code[0]))
	function := &entry
	(*(*func())(unsafe.Pointer(&function)))()
	return nil
}

// compatCode is getpid(2), number 20, by interrupt 0x80: push rax; mov eax, 20; int 0x80; pop rax; ret.
var compatCode = map[string][]byte{"amd64": {0x50, 0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x58, 0xc3}}[runtime.GOARCH]
