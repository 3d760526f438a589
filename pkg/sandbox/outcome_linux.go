//go:build amd64 || arm64

package sandbox

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// outcome puts together what became of a call. end is nil when nobody knows how its root ended.
func (c *call) outcome(why callEnd, end *exit) Outcome {
	out := Outcome{
		ExitCode:  -1,
		TimedOut:  why.limit == limitTimeout,
		Cancelled: why.cancelled,
		LimitsHit: []string{},
		Hints:     c.hints,
		Changed:   c.changed,
	}
	if stdout, stderr := c.streams[0], c.streams[1]; stdout != nil {
		out.Stdout, out.Stderr = stdout.kept, stderr.kept
		out.OutputBytes = stdout.total + stderr.total
		out.Truncated = stdout.truncated || stderr.truncated
	}
	if end != nil {
		out.ExitCode = end.status.ExitStatus()
		if end.status.Signaled() {
			out.ExitCode = 128 + int(end.status.Signal())
			out.Signal = unix.SignalName(end.status.Signal())
		}
	}
	// The output may have reached its limit with the last bytes, when nothing was left to end.
	if why.limit == "" && out.Truncated {
		why.limit = limitOutput
	}
	if why.limit != "" {
		out.LimitsHit = append(out.LimitsHit, why.limit)
	}
	if why.limit == "" && !why.cancelled && end != nil {
		out.LimitsHit = append(out.LimitsHit,
			kernelLimits(end.status, cpuTime(end.usage), c.plan.profile.Limits.CPU)...)
	}
	out.LimitsHit = append(out.LimitsHit, c.hit...)
	if most := c.plan.tasks(); most > 0 && int(c.peak.Load()) >= most && out.ExitCode != 0 {
		out.LimitsHit = append(out.LimitsHit, limitProcesses)
	}
	if out.ExitCode != 0 {
		out.LimitsHit = append(out.LimitsHit, c.complained(out.Stderr)...)
	}
	out.LimitsHit = unique(out.LimitsHit)
	return out
}

// unique leaves out what has been named before.
func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

// kernelLimits tells which limits of the kernel's ended a process: the root itself, or the one that a shell
// was waiting for and whose end it passes on as an exit code. Only what is certain is told. SIGKILL may
// come from anywhere, and an exit code can be anybody's, so they mean the limit on CPU only where much was
// used; memory and descriptors cannot be told at all, since a program that is refused them ends in its own
// way.
//
// The kernel holds a process to the limit by counting the ticks of the clock that it was running at, which
// with much going on can be twice of what it has used.
func kernelLimits(status unix.WaitStatus, used, cpu time.Duration) []string {
	ended := func(by unix.Signal) bool {
		return status.Signaled() && status.Signal() == by || status.ExitStatus() == 128+int(by)
	}
	switch {
	case ended(unix.SIGXFSZ):
		return []string{limitFileSize}
	case cpu == 0:
	case status.Signaled() && status.Signal() == unix.SIGXCPU, ended(unix.SIGXCPU) &&
		used >= cpu/2, ended(unix.SIGKILL) && used >= cpu:
		return []string{limitCPU}
	}
	return nil
}

// cpuTime is what a process and those that it waited for have used.
func cpuTime(u unix.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
