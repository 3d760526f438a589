//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

func probePtrace(w words) error {
	if err := unix.PtraceSeize(w.number(0)); err != nil {
		return err
	}
	return unix.PtraceInterrupt(w.number(0))
}

func probeReadMemory(w words) error {
	data := make([]byte, 100)
	local := []unix.Iovec{{Base: &data[0], Len: 100}}
	n, err := unix.ProcessVMReadv(w.number(0), local, []unix.RemoteIovec{{Base: uintptr(w.number(1)), Len: 100}}, 0)
	if err != nil {
		return err
	}
	fmt.Printf("%q\n", data[:n])
	return nil
}

func probeWriteMemory(w words) error {
	data := []byte("OVERWRITTEN")
	local := []unix.Iovec{{Base: &data[0], Len: uint64(len(data))}}
	_, err := unix.ProcessVMWritev(w.number(0), local, []unix.RemoteIovec{{Base: uintptr(w.number(1)), Len: len(data)}}, 0)
	return err
}

func withPidfd(pid int, f func(fd int) error) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	return f(fd)
}

// probeTakeDescriptor takes a process's descriptor 3 and reads it.
func probeTakeDescriptor(w words) error {
	return withPidfd(w.number(0), func(fd int) error {
		taken, err := unix.PidfdGetfd(fd, 3, 0)
		if err != nil {
			return err
		}
		data := make([]byte, 100)
		n, err := unix.Pread(taken, data, 0)
		fmt.Printf("%q\n", data[:max(n, 0)])
		return err
	})
}

// probeQueueKill kills with rt_tgsigqueueinfo(2).
func probeQueueKill(w words) error {
	info := make([]byte, 128)
	info[0] = byte(unix.SIGKILL)
	*(*int32)(unsafe.Pointer(&info[8])) = -1 // si_code SI_QUEUE
	pid := uintptr(w.number(0))
	return call6(unix.SYS_RT_TGSIGQUEUEINFO, pid, pid, uintptr(unix.SIGKILL), uintptr(unsafe.Pointer(&info[0])))
}

// probeOwnerKill makes a process the owner of a descriptor, whose events are then told to it by a signal of
// the attacker's choice (fcntl(2), F_SETOWN and F_SETSIG).
func probeOwnerKill(w words) error {
	var ends [2]int
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	ends = pair
	if _, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETOWN, w.number(0)); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK); err != nil {
		return err
	}
	_, err = unix.Write(ends[1], []byte("x"))
	return err
}

// probeLimitOther lowers another process's limit on open files.
func probeLimitOther(w words) error {
	return unix.Prlimit(w.number(0), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 3}, nil)
}

// probeScheduleOther gives another process the lowest policy there is, SCHED_IDLE.
func probeScheduleOther(w words) error {
	return unix.SchedSetAttr(w.number(0), &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}

// probeMakeShared makes a System V shared memory segment under a key.
func probeMakeShared(w words) error {
	_, err := unix.SysvShmGet(w.number(0), 1<<20, 0o1600)
	return err
}

// probeReadShared reads one.
func probeReadShared(w words) error {
	id, err := unix.SysvShmGet(w.number(0), 0, 0)
	if err != nil {
		return err
	}
	data, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return err
	}
	fmt.Printf("%q\n", data[:100])
	return nil
}

// probeTakeMessage takes a message out of a queue, by the queue's number, and prints it.
func probeTakeMessage(w words) error {
	message := make([]byte, 8+8192) // struct msgbuf: the type is in front
	n, _, errno := unix.Syscall6(unix.SYS_MSGRCV, uintptr(w.number(0)), uintptr(unsafe.Pointer(&message[0])), 8192, 0, 0o4000, 0)
	if errno != 0 {
		return errno
	}
	fmt.Println(string(message[8 : 8+n]))
	return nil
}

// probeMakeQueue makes a POSIX message queue with a message in it.
func probeMakeQueue(w words) error {
	name := append([]byte(w.text(0)), 0)
	// A small one: a user may have 819200 bytes of them (RLIMIT_MSGQUEUE), and the kernel takes its time to
	// free those of calls that are over.
	attributes := struct{ flags, maxMessages, messageSize, messages, _, _, _, _ int }{maxMessages: 2, messageSize: 256}
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_RDWR|unix.O_CREAT, 0o600, uintptr(unsafe.Pointer(&attributes)), 0, 0)
	if errno != 0 {
		return errno
	}
	message := []byte(w.text(1) + " ")
	return call6(unix.SYS_MQ_TIMEDSEND, fd, uintptr(unsafe.Pointer(&message[0])), uintptr(len(message)))
}

func probeReadQueue(w words) error {
	name := append([]byte(w.text(0)), 0)
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_RDONLY|unix.O_NONBLOCK, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	message := make([]byte, 8192)
	n, _, errno := unix.Syscall6(unix.SYS_MQ_TIMEDRECEIVE, fd, uintptr(unsafe.Pointer(&message[0])), 8192, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	fmt.Printf("%q\n", message[:n])
	return nil
}

// probeExecMemory starts a program from a file in memory (memfd_create(2), execveat(2)).
func probeExecMemory(w words) error {
	fd, err := memoryFile(w.text(0))
	if err != nil {
		return err
	}
	empty, argv := cString(""), argv(w)
	return call6(unix.SYS_EXECVEAT, uintptr(fd), empty, argv, 0, unix.AT_EMPTY_PATH)
}

// probeExecMemoryByPath does the same by a name below /proc.
func probeExecMemoryByPath(w words) error {
	fd, err := memoryFile(w.text(0))
	if err != nil {
		return err
	}
	return unix.Exec("/proc/self/fd/"+strconv.Itoa(fd), w, os.Environ())
}

func memoryFile(program string) (int, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return -1, err
	}
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return -1, err
	}
	_, err = unix.Write(fd, data)
	return fd, err
}

// argv makes an argument vector.
func argv(list []string) uintptr {
	pointers := make([]uintptr, 0, len(list)+1)
	for _, text := range list {
		pointers = append(pointers, cString(text))
	}
	pointers = append(pointers, 0)
	keptPointers = append(keptPointers, pointers)
	return uintptr(unsafe.Pointer(&pointers[0]))
}

var keptPointers [][]uintptr

// probeExecUnnamed starts a program from a file that never had a name (open(2), O_TMPFILE).
func probeExecUnnamed(w words) error {
	data, err := os.ReadFile(w.text(0))
	if err != nil {
		return err
	}
	fd, err := unix.Open(".", unix.O_TMPFILE|unix.O_RDWR, 0o700)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, data); err != nil {
		return err
	}
	readOnly, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	unix.Close(fd) // or the program is busy
	return call6(unix.SYS_EXECVEAT, uintptr(readOnly), cString(""), argv(w), 0, unix.AT_EMPTY_PATH)
}

// probeExecDescriptor starts a program by a descriptor that it cannot be read by (open(2), O_PATH).
func probeExecDescriptor(w words) error {
	fd, err := unix.Open(w.text(0), unix.O_PATH, 0)
	if err != nil {
		return err
	}
	return call6(unix.SYS_EXECVEAT, uintptr(fd), cString(""), argv(w), 0, unix.AT_EMPTY_PATH)
}

// probeMapCode maps a file as code, which is what a loader does with a library.
func probeMapCode(w words) error {
	fd, err := unix.Open(w.text(0), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	_, err = unix.Mmap(fd, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	return err
}

// probeFillMemory takes so many files in memory of so many MiB each.
func probeFillMemory(w words) error {
	block := make([]byte, 1<<20)
	for range w.number(0) {
		fd, err := unix.MemfdCreate("x", 0)
		if err != nil {
			return err
		}
		for range w.number(1) {
			if _, err := unix.Write(fd, block); err != nil {
				return err
			}
		}
	}
	return nil
}

// probeInodes makes so many empty files here.
func probeInodes(w words) error {
	for i := range w.number(0) {
		fd, err := unix.Open("f"+strconv.Itoa(i), unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		unix.Close(fd)
	}
	return nil
}

// probeAllocate takes so many bytes for a file without writing them: FILE, MODE, BYTES.
func probeAllocate(w words) error {
	fd, err := unix.Open(w.text(0), unix.O_CREAT|unix.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return unix.Fallocate(fd, uint32(w.number(1)), 0, int64(w.number(2)))
}

// probeUnseal writes to an input of the call's.
func probeUnseal(w words) error {
	for _, flags := range []int{unix.O_RDWR, unix.O_WRONLY | unix.O_TRUNC} {
		fd, err := unix.Open("/proc/self/fd/"+w.text(0), flags, 0)
		if err != nil {
			return err
		}
		if _, err := unix.Pwrite(fd, []byte("echo changed"), 0); err != nil {
			return err
		}
	}
	return nil
}
