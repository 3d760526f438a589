//go:build !linux

package person

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

// Look finds out who has started this program. On this system that shows in the ancestors only, which a
// process leaves when its parent ends: there is no mark that it keeps then.
func Look() Finding {
	table, err := exec.Command("/bin/ps", "-axww", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		return unknown("", "the processes cannot be listed: %v", err)
	}
	return lookIn(string(table), os.Getpid())
}

// lookIn reads the table of ps(1).
func lookIn(table string, self int) Finding {
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
		if supervisor.Is(fields[2:]) {
			heads[child] = true
			heads[parent] = parent != 1 // its bridge, unless that is dead
		}
	}
	pid := self
	for range len(parents) {
		parent, known := parents[pid]
		switch {
		case heads[pid] && pid != self:
			return agent("process %d, a bridge or an agent's supervisor, is above it", pid)
		case !known:
			return unknown("", "process %d, from which it comes, is not listed", pid)
		case parent == 0 || parent == pid:
			return Finding{Caller: Person}
		}
		pid = parent
	}
	return unknown("", "the processes above it have no end")
}
