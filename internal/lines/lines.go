// Package lines lets several write to one stream, a whole line at a time.
package lines

import (
	"bytes"
	"io"
	"sync"
)

// Writer is a stream that several write to: our own sentences never stand in the middle of an agent's line.
// It is an io.Writer for what comes in pieces, and safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the piece of a line that has no end yet
}

// New returns a Writer to w.
func New(w io.Writer) *Writer { return &Writer{w: w} }

// longestLine is how many bytes of a line are held back for its end; a longer one is written in pieces.
const longestLine = 64 << 10

func (l *Writer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	if end == 0 && len(l.rest) > longestLine {
		end = len(l.rest)
	}
	if end > 0 {
		if _, err := l.w.Write(l.rest[:end]); err != nil {
			return 0, err
		}
		l.rest = append(l.rest[:0], l.rest[end:]...)
	}
	return len(p), nil
}

// Line writes a sentence of ours. A stderr that cannot be written to has nobody who reads it.
func (l *Writer) Line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.w, s+"\n")
}

// Raw writes a line of somebody else's after a prefix, cut at longestLine.
func (l *Writer) Raw(prefix string, line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) > longestLine {
		line = line[:longestLine]
	}
	l.Line(prefix + string(line))
}

// Flush writes what came last and has no newline.
func (l *Writer) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		_, _ = l.w.Write(append(l.rest, '\n'))
		l.rest = nil
	}
}
