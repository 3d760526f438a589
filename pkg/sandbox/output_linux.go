//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is what a pipe for standard output is made to hold, where this user may have pipes of that size: a call that
// writes much then waits for us less often. All pipes of a user beyond 64 MiB shrink to a page (pipe(7)), so no more.
const pipeSize = 256 << 10

// stream reads one stream of a call and keeps it up to a limit.
type stream struct {
	from  *os.File
	limit int64     // bytes kept; 0 is no limit
	to    io.Writer // gets what is kept, while it comes; may be nil

	// Written by read alone, to be looked at when done is closed.
	kept      []byte
	total     int64
	truncated bool
	done      chan struct{}
}

// openStream makes a stream and the descriptor that the call writes into.
func openStream(limit int64, to io.Writer, size int) (*stream, int, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, fmt.Errorf("make a pipe for the output: %w", err)
	}
	if size > 0 {
		_, _ = unix.FcntlInt(uintptr(pipe[1]), unix.F_SETPIPE_SZ, size)
	}
	// Only our end: a program that finds its standard output non-blocking loses what it writes.
	if err := unix.SetNonblock(pipe[0], true); err != nil {
		unix.Close(pipe[0])
		unix.Close(pipe[1])
		return nil, -1, fmt.Errorf("make a pipe for the output: %w", err)
	}
	return &stream{from: os.NewFile(uintptr(pipe[0]), "output"), limit: limit, to: to, done: make(chan struct{})}, pipe[1], nil
}

// read keeps what comes until the stream ends or holds more than the limit, and calls over in that case. It ends with the
// stream, or on finish.
func (s *stream) read(over func()) {
	defer close(s.done)
	for {
		n, err := s.from.Read(s.room())
		if s.keep(n) {
			over()
			return
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if s.drain() {
				over()
			}
			return
		}
		if err != nil {
			return
		}
	}
}

// finish lets read take what is there and end. Called when no process of the call is left; a program of somebody else's
// that was handed the descriptor must not keep the result back.
func (s *stream) finish() {
	_ = s.from.SetReadDeadline(time.Unix(1, 0)) // fails on a closed file only
	<-s.done
	s.from.Close()
}

// drain takes what is in the pipe and does not wait for more. It tells whether that was over the limit.
func (s *stream) drain() bool {
	conn, err := s.from.SyscallConn()
	if err != nil {
		return false
	}
	over := false
	_ = conn.Control(func(fd uintptr) { // fails on a closed file only
		for !over {
			n, err := unix.Read(int(fd), s.room())
			if err == unix.EINTR {
				continue
			}
			if err != nil || n <= 0 {
				return
			}
			over = s.keep(n)
		}
	})
	return over
}

// room gives the space that the next bytes are read into: behind what is kept, or when the limit has been reached a single
// byte that shows that there is more.
func (s *stream) room() []byte {
	if s.limit > 0 && int64(len(s.kept)) == s.limit {
		return make([]byte, 1)
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
	fresh := s.kept[len(s.kept) : len(s.kept)+n]
	s.kept = s.kept[:len(s.kept)+n]
	if s.to != nil {
		if _, err := s.to.Write(fresh); err != nil {
			s.to = nil
		}
	}
	return false
}
