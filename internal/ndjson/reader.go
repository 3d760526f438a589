package ndjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"
)

// DefaultMax is how long a line may be when nobody says otherwise: 64 MiB.
const DefaultMax = 64 << 20

const (
	smallBuffer = 64 << 10       // what an idle Reader holds: as much as a Linux pipe
	keptBuffer  = 1<<20 + 64<<10 // what a Reader keeps between lines at most: room for a frame of 1 MiB
	quietTime   = time.Second    // without a large line, until memory is returned
	maxEmpty    = 100            // reads without a byte and without an error before the stream counts as broken
)

// Reader reads lines of any length up to a limit. It is not safe for concurrent use.
//
// Its buffer is as large as the longest line of late. One above a mebibyte is let go as soon as it is
// empty, and when no further such line has come for a second, the process is made to return what it no
// longer needs to the system: left to itself, it was measured to hold 115 MB after two lines of 30 MB.
type Reader struct {
	r        io.Reader
	limit    int
	buf      []byte // buf[from:to] has been read and not been given out
	from, to int
	err      error // what the last Read said

	freeMemory func()
	quiet      *time.Timer // calls freeMemory; nil until there was something to free
}

// NewReader makes a Reader that reads lines of up to limit bytes, their newline not counted; 0 means
// DefaultMax.
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultMax
	}
	return &Reader{r: r, limit: limit, buf: make([]byte, smallBuffer), freeMemory: debug.FreeOSMemory}
}

// Next returns the next line with its terminator (\n or \r\n), or without when the stream ends without one.
// The line is valid until Next is called again, and must not be written to. It blocks as long as the stream
// does.
//
// After the last line the error is io.EOF, and a stream that broke gives its own error; what had come of a
// line by then is no line and is dropped. A line that is too long is thrown away while it is read and
// reported as a *TooLongError; the line after it is read as if nothing had been.
func (r *Reader) Next() ([]byte, error) {
	r.release()
	searched := r.from
	for {
		if n := bytes.IndexByte(r.buf[searched:r.to], '\n'); n >= 0 {
			end := searched + n + 1
			line := r.buf[r.from:end:end]
			if len(line)-1 > r.limit {
				return nil, r.discard()
			}
			r.from = end
			return line, nil
		}
		if r.to-r.from > r.limit {
			return nil, r.discard()
		}
		if r.err != nil {
			return r.last()
		}
		length := r.to - r.from
		r.fill() // may move what is there
		searched = r.from + length
	}
}

// last returns the line that the end of the stream ends, and then the end.
func (r *Reader) last() ([]byte, error) {
	line := r.buf[r.from:r.to:r.to]
	r.from = r.to
	if !errors.Is(r.err, io.EOF) {
		return nil, fmt.Errorf("read a line: %w", r.err)
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	return line, nil
}

// release gives a large buffer back when nothing is in it, since it may be long before the next line comes.
func (r *Reader) release() {
	if r.from < r.to {
		return
	}
	r.from, r.to = 0, 0
	if len(r.buf) <= keptBuffer {
		return
	}
	r.buf = make([]byte, smallBuffer)
	if r.quiet == nil {
		// Touches nothing of the Reader's, and has ended soon after it began.
		r.quiet = time.AfterFunc(quietTime, r.freeMemory)
	} else {
		r.quiet.Reset(quietTime)
	}
}

// fill reads once, after making room.
func (r *Reader) fill() {
	if r.to == len(r.buf) {
		r.makeRoom()
	}
	for range maxEmpty {
		n, err := r.r.Read(r.buf[r.to:])
		r.to += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// makeRoom moves what is there to the buffer's front, or to the front of a larger one when it fills most of
// this one.
func (r *Reader) makeRoom() {
	into, unread := r.buf, r.buf[r.from:r.to]
	if size := r.larger(); size > len(into) && len(unread) > len(into)/2 {
		into = make([]byte, size)
		if size > keptBuffer && r.quiet != nil {
			r.quiet.Stop()
		}
	}
	r.from, r.to = 0, copy(into, unread)
	r.buf = into
}

// larger returns the next size of the buffer: in bigger steps up to what is kept, and never more than the
// longest line needs.
func (r *Reader) larger() int {
	size := 2 * len(r.buf)
	if len(r.buf) < keptBuffer {
		size = min(2*size, keptBuffer)
	}
	return min(size, max(r.limit+1, smallBuffer))
}
