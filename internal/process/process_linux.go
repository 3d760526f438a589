package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
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
// taken to live, since its questions expire all the same.
func Lives(owner string) bool {
	fields := strings.Fields(owner)
	if len(fields) != 4 {
		return false
	}
	here := strings.Fields(place())
	switch {
	case fields[2] != here[0]:
		return false // the machine has started again
	case fields[3] != here[1]:
		return true
	}
	if _, err := strconv.Atoi(fields[0]); err != nil {
		return false
	}
	started, alive := startOf(fields[0])
	return alive && started == fields[1]
}

// place is the boot and the namespace of processes, each "-" when it cannot be told.
func place() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(bytes.TrimSpace(boot)) == 0 {
		boot = []byte("-")
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		namespace = "-"
	}
	return string(bytes.TrimSpace(boot)) + " " + namespace
}

// startOf tells when a process started, and whether it has not ended: one that waits to be reaped has.
func startOf(entry string) (started string, alive bool) {
	text, err := os.ReadFile("/proc/" + entry + "/stat")
	if err != nil {
		return "-", false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // a process chooses its own name
	if len(fields) < 20 {
		return "-", false
	}
	state := fields[0][0]
	return string(fields[19]), state != 'Z' && state != 'X'
}
