//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// callMark tells the processes of one call from all others of the machine.
//
// It is the hard limit RLIMIT_LOCKS. The kernel still keeps that limit but has not looked at it since Linux
// 2.4.25 (getrlimit(2)), so any value is as good as another to programs. Every process inherits it across
// fork and execve, a process without CAP_SYS_RESOURCE can only lower it, anybody can read it, even of a
// zombie, and no program sets it. So:
//
//   - a process whose mark is lower than our own limit (without a sandbox around us: infinite) comes from a call of ours,
//     or of a program that we started and that has a sandbox of its own;
//   - a process with a call's mark comes from that call;
//   - a process that lowered its mark to hide still shows that it comes from a call.
//
// An environment variable can be dropped, a process group and a session can be left, and no_new_privs has
// nothing to tell us apart from where we run under it ourselves, as in most containers.
type callMark uint64

// unmarked is a limit that nobody has lowered.
const unmarked callMark = unix.RLIM_INFINITY & (1<<64 - 1)

// leastMark is the lowest that a call may have. Above it nobody sets limits by hand, and two marks are
// never the same by chance, even in a sandbox within a sandbox, down to thirty of them.
const leastMark callMark = 1 << 32

// ownMark is this process's own, below which its calls' marks lie: not infinite when a sandbox is around us.
func ownMark() (callMark, error) { return markOf(0) }

// family is the marks of one Host's calls: a range of them, that follows from the name of its place for
// temporary files. The next start finds that place when this program is killed, and with it what is left of
// the calls.
type family struct {
	first callMark
	size  uint64
}

// leastFamily is how many marks a family has in a sandbox within many others. Elsewhere it is millions.
const leastFamily = 1 << 12

// familyOf returns the family of the Host with an id, below own, which is at least twice leastMark. Those
// of two Hosts have nothing in common, but for a chance of one in billions, far below that in a sandbox
// within a sandbox.
func familyOf(id string, own callMark) family {
	ceiling := min(own, 1<<62)
	// The upper half, to leave room for a sandbox within this one.
	room := uint64(ceiling - ceiling/2)
	f := family{size: max(room>>37, leastFamily)}
	sum := sha256.Sum256([]byte("a2a-acp marks " + id))
	f.first = ceiling/2 + callMark(binary.BigEndian.Uint64(sum[:])%(room-f.size+1))
	return f
}

// has reports whether a mark is of the family.
func (f family) has(m callMark) bool { return m >= f.first && uint64(m-f.first) < f.size }

// newMark makes one for a call. It is random; the caller sees to it that no two running calls have the same.
func (f family) newMark() callMark {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program when the kernel has no randomness
	return f.first + callMark(binary.NativeEndian.Uint64(b[:])%f.size)
}

// markOf reads the mark of a process, or our own when pid is 0. A process that is gone has none: ESRCH.
func markOf(pid int) (callMark, error) {
	limit, err := HardLimit(pid, unix.RLIMIT_LOCKS)
	return callMark(limit), err
}

// HardLimit returns the hard limit of a process on a resource (getrlimit(2)), or our own when pid is 0. It
// can be read of every process that /proc shows, whoever's it is.
func HardLimit(pid, resource int) (uint64, error) {
	var limit unix.Rlimit
	err := unix.Prlimit(pid, resource, nil, &limit)
	if errors.Is(err, unix.EPERM) {
		return publicLimit(pid, resource)
	}
	return limit.Max, err
}

// limitNames are the names of limits in /proc/PID/limits.
var limitNames = map[int]string{
	unix.RLIMIT_LOCKS: "Max file locks ",
	unix.RLIMIT_CORE:  "Max core file size ",
	unix.RLIMIT_RSS:   "Max resident set ",
}

// publicLimit reads a limit of a process that has another user or group by now. prlimit(2) refuses that,
// /proc does not.
func publicLimit(pid, resource int) (uint64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		// "Max file locks            unlimited            unlimited            locks"
		rest, ok := bytes.CutPrefix(line, []byte(limitNames[resource]))
		fields := bytes.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		if hard := string(fields[1]); hard != "unlimited" {
			return strconv.ParseUint(hard, 10, 64)
		}
		return uint64(unmarked), nil
	}
	return 0, fmt.Errorf("read the limits of process %d: %q is not among them", pid, limitNames[resource])
}
