package resident

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// GiveBack lets the kernel take back those pages of this program's own file that were looked at up to now, some
// twenty megabytes: most were needed by the start, once. What is needed again is mapped again, mostly from the page
// cache, 16 pages at a time. Where that cannot be done nothing happens.
//
// It is for processes that wait most of their lives: a bridge, its supervisor, an agent's MCP server.
func GiveBack() {
	if !fixed() {
		return
	}
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range bytes.Lines(maps) {
		begin, size, ok := readOnly(line, self)
		if ok { // of what is of a file and was not changed, nothing is lost
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, size, unix.MADV_DONTNEED)
		}
	}
}

// readOnly reads a line of proc_pid_maps(5), such as
//
//	00400000-013f2000 r-xp 00000000 fe:00 10240128    /usr/bin/a2a-acp
//
// and returns which memory it is about, where that is of the file and nobody can have changed it.
func readOnly(line []byte, file string) (begin, size uintptr, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) != 6 || string(fields[5]) != file || bytes.ContainsRune(fields[1], 'w') {
		return 0, 0, false
	}
	from, to, _ := bytes.Cut(fields[0], []byte("-"))
	first, err := strconv.ParseUint(string(from), 16, 64)
	if err != nil {
		return 0, 0, false
	}
	end, err := strconv.ParseUint(string(to), 16, 64)
	if err != nil || end <= first {
		return 0, 0, false
	}
	return uintptr(first), uintptr(end - first), true
}

// fixed reports whether the program was linked for the addresses that it is at. In one that can be anywhere there
// is memory that nobody may write to any more, after it was: pointers, made right as the program was loaded.
func fixed() bool {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return false
	}
	defer f.Close()
	var head [18]byte // of elf(5): e_type are the last two bytes
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	const executable = 2 // ET_EXEC
	return binary.NativeEndian.Uint16(head[16:]) == executable
}
