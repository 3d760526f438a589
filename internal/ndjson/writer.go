package ndjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Writer writes whole lines, each with one Write call, so that lines from several goroutines never mix. It
// has no queue: a caller waits until the other side has taken the line, which is how back-pressure reaches
// the one who sends too much.
//
// After a write error the stream may end in the middle of a line. Nothing more is written then, and every
// call returns that error. A Writer is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	err  error
	open bool   // the last line was relayed without a newline
	buf  []byte // scratch for lines to which a newline has to be added
}

// NewWriter makes a Writer. Closing w is the caller's business.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Relay writes a line that a [Reader] gave, or one that was made from it, with the bytes it has. A line
// without a newline, the last one of a stream, stays without; should anything be written after it, the
// newline comes first.
func (w *Writer) Relay(line []byte) error {
	if len(line) == 0 {
		return errors.New("relay a line: there is none")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(line, line[len(line)-1] != '\n')
}

// Send writes a message of ours, and the newline when it has none. A message that is blank or has a newline
// in its middle would be read as something else than one message; it is refused and nothing is written.
func (w *Writer) Send(message []byte) error {
	message, terminated := bytes.CutSuffix(message, []byte("\n"))
	if bytes.IndexByte(message, '\n') >= 0 || len(trimSpace(message)) == 0 {
		return errors.New("send a message: it is not one line")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if terminated {
		return w.write(message[:len(message)+1], false)
	}
	// The caller's array may hold something else behind the message, so the newline is added to a copy.
	w.buf = append(append(w.buf[:0], message...), '\n')
	defer w.release()
	return w.write(w.buf, false)
}

// write writes one line, unless a line before it could not be written. Called with mu held.
func (w *Writer) write(line []byte, open bool) error {
	if w.err != nil {
		return w.err
	}
	if w.open {
		line = append([]byte{'\n'}, line...)
	}
	w.open = open
	n, err := w.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("write a line: %w", err)
	}
	return w.err
}

// release gives the scratch buffer back when it has grown large. Called with mu held.
func (w *Writer) release() {
	if cap(w.buf) > keptBuffer {
		w.buf = nil
	}
}
