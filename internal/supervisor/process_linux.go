package supervisor

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"strconv"
)

// process is what /proc/PID/stat says of one (proc_pid_stat(5)).
type process struct {
	pid, parent int
	name        string // what it calls itself
	state       byte
}

// dead reports whether a process has ended, and only waits to be reaped.
func (p process) dead() bool { return p.state == 'Z' || p.state == 'X' }

// listProcesses returns all processes that can be seen, in the order of their numbers. One that ends
// meanwhile is left out.
func listProcesses() []process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	list := make([]process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b process) int { return cmp.Compare(a.pid, b.pid) })
	return list
}

func readProcess(pid int) (process, error) { return readStat(strconv.Itoa(pid)) }

// readStat reads "4711 (a name) S 4242 ...". A process chooses its name, which may hold spaces and
// parentheses.
func readStat(entry string) (process, error) {
	text, err := os.ReadFile("/proc/" + entry + "/stat")
	if err != nil {
		return process{}, err
	}
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return process{}, os.ErrInvalid
	}
	fields := bytes.Fields(text[end+1:])
	if len(fields) < 2 {
		return process{}, os.ErrInvalid
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(text[:open])))
	if err != nil {
		return process{}, err
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return process{pid: pid, parent: parent, name: string(text[open+1 : end]), state: fields[0][0]}, err
}

// parentOf returns the parent of a process, -1 when it is gone.
func parentOf(pid int) int {
	p, err := readProcess(pid)
	if err != nil {
		return -1
	}
	return p.parent
}
