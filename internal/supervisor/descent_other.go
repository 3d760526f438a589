//go:build !linux

package supervisor

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// DescendsFromBridge tells whether a process was started below a bridge. What cannot be found out is taken for yes, since
// what depends on it is whether a person is believed to have acted.
//
// A bridge that asks about itself is not below itself.
//
// On this system that shows in the ancestors only, which a process leaves when its parent ends.
func DescendsFromBridge(pid int) bool {
	table, err := exec.Command("/bin/ps", "-axww", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		return true
	}
	return descendsIn(string(table), pid)
}

// descendsIn reads the table of ps(1).
func descendsIn(table string, pid int) bool {
	parents := map[int]int{}
	heads := map[int]bool{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		child, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		if err1 != nil || err2 != nil {
			continue
		}
		parents[child] = parent
		if isSupervisor(fields[2:]) {
			heads[child] = true
			heads[parent] = parent != 1 // its bridge, unless that is dead
		}
	}
	for range len(parents) {
		parent, known := parents[pid]
		switch {
		case heads[pid] && pid != os.Getpid() || !known:
			return true
		case parent == 0 || parent == pid:
			return false
		}
		pid = parent
	}
	return true
}
