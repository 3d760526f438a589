package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	memories  = 5 // processes that are looked at
	maxMemory = 30
	// settled is how long after a large frame the memory is looked at.
	settled = 3 * time.Second
)

// idleMemory takes the resident memory of a bridge that has relayed some frames and waits for the next, and
// that of its supervisor; and the bridge's again some time after a frame of 30 MB.
func idleMemory(bridge launcher) []row {
	waiting := within("idle memory, bridge", "MB", maxMemory)
	supervising := row{Name: "idle memory, its supervisor", Unit: "MB"}
	settling := within("idle memory, bridge, 3 s after 30 MB", "MB", maxMemory)
	var bridges, supervisors, afters []float64
	for range memories {
		m, err := measureMemory(bridge)
		if err != nil {
			return []row{waiting.unmeasured(err), supervising.unmeasured(err), settling.unmeasured(err)}
		}
		bridges, supervisors, afters = append(bridges, m.bridge), append(supervisors, m.supervisor),
			append(afters, m.after)
	}
	samples := fmt.Sprintf("%d processes", memories)
	return []row{
		waiting.measured(median(bridges), 0, samples),
		supervising.measured(median(supervisors), 0, samples),
		settling.measured(median(afters), 0, samples),
	}
}

// memory is in megabytes.
type memory struct {
	bridge, supervisor, after float64
}

func measureMemory(bridge launcher) (m memory, err error) {
	p, err := bridge.start()
	if err != nil {
		return m, err
	}
	defer p.stop()
	for i := range 100 {
		if _, err := p.roundTrip(request(100_000_000+i, 100)); err != nil {
			return m, p.because(err)
		}
	}
	pid := p.cmd.Process.Pid
	if m.bridge, err = resident(pid); err != nil {
		return m, err
	}
	supervisor, err := sameProgram(pid)
	if err != nil {
		return m, err
	}
	if m.supervisor, err = resident(supervisor); err != nil {
		return m, err
	}
	if _, err := p.roundTrip(request(100_000_100, 30_000_000)); err != nil {
		return m, p.because(err)
	}
	time.Sleep(settled)
	m.after, err = resident(pid)
	return m, err
}

// resident reads a process's resident memory from proc(5).
func resident(pid int) (megabytes float64, err error) { return statusMB(pid, "VmRSS:") }

// statusMB reads a size in megabytes from a process's status.
func statusMB(pid int, name string) (megabytes float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if size, ok := strings.CutPrefix(line, name); ok {
			kibibytes, err := strconv.ParseFloat(strings.Fields(size)[0], 64)
			return kibibytes * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, name)
}

// sameProgram finds the child of a process that runs the same program: the bridge's supervisor.
func sameProgram(pid int) (child int, err error) {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return 0, err
	}
	// Every thread of a process has a list of the children that it started.
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			return 0, err
		}
		for _, field := range strings.Fields(string(children)) {
			if exe, err := os.Readlink("/proc/" + field + "/exe"); err == nil && exe == program {
				return strconv.Atoi(field)
			}
		}
	}
	return 0, errors.New("the bridge has no child of its own program")
}
