package supervisor

import (
	"os"
	"strconv"
	"strings"
)

// DescendsFromBridge tells whether a process was started below a bridge: by an agent, or by a tool that the bridge runs.
// What cannot be found out is taken for yes, since what depends on it is whether a person is believed to have acted.
//
// It looks for the mark of an agent, which also those show that took a namespace or a parent of their own, and for a bridge
// among the ancestors. Whoever has an uninvolved program of the same user start a process for it (cron, a systemd user
// service) escapes both. A bridge that asks about itself is not below itself.
func DescendsFromBridge(pid int) bool {
	if m, err := markOf(pid); err == nil && m.isAgents() {
		return true
	}
	heads := headsOf(listProcesses())
	entry := strconv.Itoa(pid)
	if pid == os.Getpid() {
		entry = "self" // the right one also where /proc is that of another namespace
	}
	for step := range longestDescent {
		p, err := readStat(entry)
		if err != nil {
			return true
		}
		if heads[p.pid] && (step > 0 || entry != "self") {
			return true
		}
		if p.parent == 0 {
			return false
		}
		entry = strconv.Itoa(p.parent)
	}
	return true
}

// longestDescent is how many ancestors are looked at. Nobody honest has as many.
const longestDescent = 1024

// headsOf gives the supervisors among processes, and the bridges that started them.
func headsOf(processes []process) map[int]bool {
	heads := map[int]bool{}
	for _, p := range processes {
		if !isSupervisor(commandLine(p.pid)) {
			continue
		}
		heads[p.pid] = true
		// A supervisor whose bridge is dead has been given to a stranger, mostly init, from whom everybody descends.
		if file := program(p.parent); file != "" && file == program(p.pid) {
			heads[p.parent] = true
		}
	}
	return heads
}

func commandLine(pid int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}

// program gives the file that a process runs, or ran when an update has replaced it; "" when that is not to be seen.
func program(pid int) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}
