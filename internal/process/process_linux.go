package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// An owner names a process for as long as the machine runs: its number, when it started (proc_pid_stat(5),
// field 22), since numbers come again, and where that number counts: the boot and the namespace of
// processes.

// This names this process.
func This() string {
	pid, err := os.Readlink("/proc/self") // our number there, where others look for it
	if err != nil {
		pid = strconv.Itoa(os.Getpid())
	}
	started, _ := startOf(pid)
	return fmt.Sprintf("%s %s %s", pid, started, place())
}

// Lives reports whether a process has not ended. One of another namespace cannot be seen from here; it is
// taken to live, since its questions expire all the same. So is one that cannot be looked at, as where no file can be
// opened any more: what it works on must not become another's meanwhile.
func Lives(owner string) bool {
	fields := strings.Fields(owner)
	if len(fields) != 4 {
		return false
	}
	here := strings.Fields(place())
	switch {
	case fields[2] != here[0] && fields[2] != unknown && here[0] != unknown:
		return false // the machine has started again
	case fields[3] != here[1]:
		return true
	}
	if _, err := strconv.Atoi(fields[0]); err != nil {
		return false
	}
	started, alive := startOf(fields[0])
	return alive && (started == fields[1] || started == unknown)
}

// unknown stands for what cannot be told.
const unknown = "-"

// place is the boot and the namespace of processes.
func place() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(bytes.TrimSpace(boot)) == 0 {
		boot = []byte(unknown)
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		namespace = unknown
	}
	return string(bytes.TrimSpace(boot)) + " " + namespace
}

// startOf tells when a process started, and whether it has not ended: one that waits to be reaped has.
func startOf(entry string) (started string, alive bool) {
	text, err := os.ReadFile("/proc/" + entry + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return unknown, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // a process chooses its own name
	if err != nil || len(fields) < 20 {
		return unknown, true
	}
	state := fields[0][0]
	return string(fields[19]), state != 'Z' && state != 'X'
}
