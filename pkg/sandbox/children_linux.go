//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// childList reads the children of one of our threads. It is safe for concurrent use.
type childList struct {
	file *os.File

	mu     sync.Mutex
	buffer []byte
}

// openChildList opens the list of a thread: proc_pid_task_tid_children(5), which needs a kernel with
// CONFIG_PROC_CHILDREN.
func openChildList(thread int) (*childList, error) {
	f, err := os.Open(fmt.Sprintf("/proc/self/task/%d/children", thread))
	if err != nil {
		return nil, fmt.Errorf("list the children of a thread: %w", err)
	}
	return &childList{file: f, buffer: make([]byte, 4096)}, nil
}

func (l *childList) close() { l.file.Close() }

// read returns the thread's children, zombies included, the newest first.
//
// The kernel walks the list anew for each piece that it hands out, and when a child is reaped in the wrong
// moment its neighbour is left out. So an answer is believed when it is empty, or the second of two.
func (l *childList) read() ([]int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, err := l.readOnce(nil)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if list, err = l.readOnce(list); err != nil {
		return nil, err
	}
	slices.Reverse(list) // the kernel puts a new child at the end
	seen := make(map[int]bool, len(list))
	return slices.DeleteFunc(list, func(pid int) bool {
		again := seen[pid]
		seen[pid] = true
		return again
	}), nil
}

// readOnce appends what the list holds now. Called with mu held.
func (l *childList) readOnce(list []int) ([]int, error) {
	var rest []byte
	for offset := int64(0); ; {
		n, err := unix.Pread(int(l.file.Fd()), l.buffer, offset)
		if err != nil {
			return list, fmt.Errorf("list the children of a thread: %w", err)
		}
		if n == 0 {
			return list, nil
		}
		offset += int64(n)
		rest = append(rest, l.buffer[:n]...)
		for {
			// Each number is followed by a space, the last one too.
			word, after, ok := bytes.Cut(rest, []byte{' '})
			if !ok {
				break
			}
			rest = after
			if pid, err := strconv.Atoi(string(word)); err == nil {
				list = append(list, pid)
			}
		}
	}
}

// eachProcess calls visit for every process of the machine that can be seen.
func eachProcess(visit func(pid int)) error {
	proc, err := os.Open("/proc")
	if err != nil {
		return err
	}
	defer proc.Close()
	for {
		names, err := proc.Readdirnames(1024)
		for _, name := range names {
			if pid, err := strconv.Atoi(name); err == nil {
				visit(pid)
			}
		}
		if err != nil {
			return nil // io.EOF: that was all
		}
	}
}

// eachListed is eachProcess with the inode of each process' directory, as the listing has it.
func eachListed(visit func(pid int, inode uint64)) error {
	proc, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(proc)
	buffer := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(proc, buffer)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		// struct linux_dirent64 (getdents(2)): 8 bytes inode, 8 offset, 2 length of the entry, 1 type, and
		// the name up to a NUL.
		for rest := buffer[:n]; len(rest) > 19; {
			length := int(binary.NativeEndian.Uint16(rest[16:]))
			if length <= 19 || length > len(rest) {
				return errors.New("list /proc: an entry has no end")
			}
			name, _, _ := bytes.Cut(rest[19:length], []byte{0})
			if pid, err := strconv.Atoi(string(name)); err == nil {
				visit(pid, binary.NativeEndian.Uint64(rest))
			}
			rest = rest[length:]
		}
	}
}

// taskState reads the state of a process or thread from its stat file (proc_pid_stat(5)): R, S, D, Z and so
// on; 0 when it is gone.
func taskState(path string) byte {
	stat, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	// "4711 (name) R 1 …", where a name can hold anything, parentheses too.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 || end+2 >= len(stat) {
		return 0
	}
	return stat[end+2]
}
