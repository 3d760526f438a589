package supervisor

import (
	"crypto/rand"
	"encoding/binary"
	"strconv"
)

// mark tells the processes of one agent from all others, wherever they went: into a session, a process
// group or a namespace of their own, or to another parent.
//
// It is the hard limit RLIMIT_RSS. Linux has not looked at that limit since 2.4.30 (getrlimit(2)), so any
// value is as good as another to programs. Every process inherits it across fork and execve, and one
// without CAP_SYS_RESOURCE can only lower it. A process that does that is still found below the supervisor,
// as long as the supervisor lives, and shows for ever that it has lowered it (TraceLowered); the mark is
// for what a tree cannot show.
//
// A number that starts with markPrefix is nobody else's. It is an exbibyte and more, so whoever does look
// at the limit sees none.
type mark uint64

const (
	unmarked   mark = 0
	markPrefix mark = 0x12a2aac // what a mark is made of above its random bits
	markBits        = 36
)

// newMark makes a mark. It is random, so that no two agents of a machine have the same.
func newMark() mark {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program when the kernel has no randomness
	return markPrefix<<markBits | mark(binary.NativeEndian.Uint64(b[:]))&(1<<markBits-1)
}

// isAgents reports whether some agent's processes have this mark.
func (m mark) isAgents() bool { return m>>markBits == markPrefix }

// Trace is what a process's mark tells of where it comes from.
type Trace int

const (
	// NoTrace is nobody's mark: the limit is as the kernel gives it.
	NoTrace Trace = iota
	// TraceLowered is a lower limit that is no mark: it may have been one, and may have nothing to do with
	// us.
	TraceLowered
	// TraceAgent is an agent's mark.
	TraceAgent
)

// Is reports whether a command line is a supervisor's.
func Is(argv []string) bool { return len(argv) > 1 && argv[1] == Verb }

func (m mark) String() string { return strconv.FormatUint(uint64(m), 16) }

func parseMark(text string) (mark, error) {
	m, err := strconv.ParseUint(text, 16, 64)
	return mark(m), err
}
