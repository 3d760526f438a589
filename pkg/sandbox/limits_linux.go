//go:build amd64 || arm64

package sandbox

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ordinaryOpenFiles is the soft limit of a call that has no limit on open files. Go raises ours to the hard
// one, which would break programs that use select(2).
const ordinaryOpenFiles = 1024

// coreLimit keeps a call from leaving a core file, which would outlive it and hold what it was given. With
// 0 there is no file, but a handler that dumps are piped to (systemd-coredump, apport) gets them all the
// same; with 1 neither: core(5), and do_coredump in the kernel's fs/coredump.c.
const coreLimit = 1

// limit is one limit of the kernel's.
type limit struct {
	name       string
	resource   int
	soft, hard uint64
}

// kernelLimitsOf lists the limits of a call. processes is none when 0.
func kernelLimitsOf(limits tool.Limits, m callMark, processes uint64, c capability) []limit {
	list := []limit{
		{"RLIMIT_LOCKS", unix.RLIMIT_LOCKS, uint64(m), uint64(m)},
		{"RLIMIT_CORE", unix.RLIMIT_CORE, coreLimit, coreLimit},
	}
	set := func(name string, resource int, soft, hard uint64) {
		list = append(list, limit{name, resource, soft, hard})
	}
	if limits.CPU > 0 {
		// At the soft limit a process gets SIGXCPU, which it can ignore; at the hard one SIGKILL.
		seconds := uint64(limits.CPU / time.Second)
		set("RLIMIT_CPU", unix.RLIMIT_CPU, seconds, seconds+1)
	}
	if limits.Memory > 0 {
		// Not RLIMIT_AS, but where somebody asks for it: node, java and go reserve far more addresses than
		// they ever use, and do not start.
		set("RLIMIT_DATA", unix.RLIMIT_DATA, uint64(limits.Memory), uint64(limits.Memory))
	}
	if limits.Addresses > 0 {
		set("RLIMIT_AS", unix.RLIMIT_AS, uint64(limits.Addresses), uint64(limits.Addresses))
	}
	if limits.FileSize > 0 {
		set("RLIMIT_FSIZE", unix.RLIMIT_FSIZE, uint64(limits.FileSize), uint64(limits.FileSize))
	}
	if c.processes > 0 {
		processes = min(processes, c.processes)
	}
	if processes > 0 {
		set("RLIMIT_NPROC", unix.RLIMIT_NPROC, processes, processes)
	}
	if limits.OpenFiles > 0 {
		set("RLIMIT_NOFILE", unix.RLIMIT_NOFILE, uint64(limits.OpenFiles), uint64(limits.OpenFiles))
	} else if c.openFiles > 0 {
		set("RLIMIT_NOFILE", unix.RLIMIT_NOFILE, uint64(min(ordinaryOpenFiles, c.openFiles)), uint64(c.openFiles))
	}
	return list
}

// ownLimits finds the hard limits of this process, which its calls cannot exceed.
func ownLimits(c *capability) {
	hard := func(resource int) uint64 {
		var limit unix.Rlimit
		if err := unix.Getrlimit(resource, &limit); err != nil || limit.Max > math.MaxInt64 {
			return 0 // none
		}
		return limit.Max
	}
	// One second less, which the soft limit of a call stays below the hard one.
	if seconds := hard(unix.RLIMIT_CPU); seconds > 1 && seconds < math.MaxInt64/uint64(time.Second) {
		c.cpu = time.Duration(seconds-1) * time.Second
	}
	c.memory = int64(hard(unix.RLIMIT_DATA))
	c.addresses = int64(hard(unix.RLIMIT_AS))
	c.fileSize = int64(hard(unix.RLIMIT_FSIZE))
	c.openFiles = int(hard(unix.RLIMIT_NOFILE))
	c.processes = hard(unix.RLIMIT_NPROC)
}
