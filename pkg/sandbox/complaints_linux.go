//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"slices"
)

// complaints are what programs say, in the words of strerror(3) and of a few runtimes, when the kernel
// refuses them more of something. It does not tell us; the program gets an error and ends in its own way.
// So it is taken at its word, when it failed and had such a limit: a tool that lies about it misleads
// nobody but itself.
var complaints = []struct {
	limit string
	words []string
}{
	{limitProcesses, []string{"Resource temporarily unavailable", "resource temporarily unavailable",
		"can't start new thread", "failed to create new OS thread", "unable to create native thread"}},
	{limitMemory, noMemory},
	{limitAddresses, noMemory}, // the kernel's word for both is ENOMEM, so both are named where a call has both
	{limitOpenFiles, []string{"Too many open files", "too many open files", "EMFILE"}},
	{limitFileSize, []string{"File too large", "file too large", "EFBIG"}},
	{limitTempSize, []string{"No space left on device", "no space left on device", "ENOSPC"}},
}

var noMemory = []string{"Cannot allocate memory", "cannot allocate memory",
	"alloc: cannot allocate", "cannot allocate heap", "MemoryError", "std::bad_alloc",
	"out of memory", "Out of memory", "memory exhausted", "OutOfMemoryError", "heap out of memory"}

// complained names the limits that a call which failed speaks of at the end of its standard error.
func (c *call) complained(stderr []byte) []string {
	const enough = 16 << 10
	stderr = stderr[max(0, len(stderr)-enough):]
	l := c.plan.profile.Limits
	bounded := map[string]bool{
		limitProcesses: l.Processes > 0, limitMemory: l.Memory > 0, limitOpenFiles: l.OpenFiles > 0,
		limitFileSize: l.FileSize > 0, limitAddresses: l.Addresses > 0, limitTempSize: l.TempSize > 0 &&
			c.plan.level.hasNamespaces(),
	}
	var list []string
	for _, complaint := range complaints {
		if bounded[complaint.limit] &&
			slices.ContainsFunc(complaint.words,
				func(words string) bool { return bytes.Contains(stderr, []byte(words)) }) {
			list = append(list, complaint.limit)
		}
	}
	return list
}
