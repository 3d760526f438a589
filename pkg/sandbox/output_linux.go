//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// pipeSize is what a pipe for standard output is made to hold, where this user may have pipes of that size:
// a call that writes much then waits for us less often. All pipes of a user beyond 64 MiB shrink to a page
// (pipe(7)), so no more.
const pipeSize = 256 << 10

// stream is one stream of a call, which is kept up to a limit.
type stream struct {
	from  int       // our end of the pipe; it does not block
	limit int64     // bytes read; 0 is no limit
	to    io.Writer // gets what is read, while it comes; may be nil
	last  int64     // where it is not 0, no more than this many bytes are kept, those that came last

	kept      []byte
	buffer    []byte // what is read into, where little is kept
	total     int64
	truncated bool // there was more than the limit, and no more is read
}

// openStream makes a stream and the descriptor that the call writes into.
func openStream(s stream, size int) (*stream, int, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, fmt.Errorf("make a pipe for the output: %w", err)
	}
	if size > 0 {
		_, _ = unix.FcntlInt(uintptr(pipe[1]), unix.F_SETPIPE_SZ, size)
	}
	// Only our end: a program that finds its standard output non-blocking loses what it writes.
	if _, err := unix.FcntlInt(uintptr(pipe[0]), unix.F_SETFL, unix.O_NONBLOCK); err != nil {
		unix.Close(pipe[0])
		unix.Close(pipe[1])
		return nil, -1, fmt.Errorf("make a pipe for the output: %w", err)
	}
	s.from = pipe[0]
	return &s, pipe[1], nil
}

// take reads some of what is in the pipe, and tells whether to go on with it: no longer when the stream has
// ended or was longer than the limit.
func (s *stream) take() bool {
	n, err := unix.Read(s.from, s.room())
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return true
	}
	return n > 0 && !s.keep(n)
}

// finish takes what is there and closes the stream. Called when no process of the call is left; a program
// of somebody else's that was handed the descriptor must not keep the result back.
func (s *stream) finish() {
	for !s.truncated {
		n, err := unix.Read(s.from, s.room())
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 {
			break // EAGAIN: somebody else holds it open
		}
		s.keep(n)
	}
	unix.Close(s.from)
}

// room returns the space that the next bytes are read into: behind what is kept, or when the limit has been
// reached a single byte that shows that there is more.
func (s *stream) room() []byte {
	if s.limit > 0 && s.total == s.limit {
		return make([]byte, 1)
	}
	if s.last > 0 {
		if s.buffer == nil {
			s.buffer = make([]byte, pipeSize)
		}
		if s.limit > 0 {
			return s.buffer[:min(int64(len(s.buffer)), s.limit-s.total)]
		}
		return s.buffer
	}
	if len(s.kept) == cap(s.kept) {
		size := max(512, 2*cap(s.kept))
		if s.limit > 0 {
			size = int(min(int64(size), s.limit))
		}
		grown := make([]byte, len(s.kept), size)
		copy(grown, s.kept)
		s.kept = grown
	}
	return s.kept[len(s.kept):cap(s.kept)]
}

// keep takes over n bytes that were read into room and tells whether they were too many.
func (s *stream) keep(n int) bool {
	if n <= 0 {
		return false
	}
	s.total += int64(n)
	if s.limit > 0 && s.total > s.limit {
		s.truncated = true
		return true
	}
	var fresh []byte
	if s.last > 0 {
		fresh = s.buffer[:n]
		s.keepLast(fresh)
	} else {
		fresh = s.kept[len(s.kept) : len(s.kept)+n]
		s.kept = s.kept[:len(s.kept)+n]
	}
	if s.to != nil {
		if _, err := s.to.Write(fresh); err != nil {
			s.to = nil
		}
	}
	return false
}

// keepLast keeps the end of what has come so far.
func (s *stream) keepLast(fresh []byte) {
	last := int(s.last)
	fresh = fresh[max(0, len(fresh)-last):]
	if over := len(s.kept) + len(fresh) - last; over > 0 {
		s.kept = s.kept[:copy(s.kept, s.kept[over:])]
	}
	s.kept = append(s.kept, fresh...)
}
