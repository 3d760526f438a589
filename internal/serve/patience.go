package serve

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"
)

// leastRate is how many bytes a second a client has to send of a body, once its patience is used up. A body
// that comes in drops would hold a connection for days.
const leastRate = 4 << 10

// patientBody cuts a client that sends its body too slowly. Only the time counts in which a handler waits for
// it.
type patientBody struct {
	io.ReadCloser
	control  *http.ResponseController
	patience time.Duration
	waited   time.Duration
	bytes    int64
}

func (b *patientBody) Read(p []byte) (int, error) {
	left := b.patience + time.Duration(b.bytes)*time.Second/leastRate - b.waited
	begun := time.Now()
	// The deadline is set only once it has passed: one that stands would end the request's context with it.
	stop := after(max(left, 0), func() { _ = b.control.SetReadDeadline(begun) })
	n, err := b.ReadCloser.Read(p)
	stop()
	b.waited += time.Since(begun)
	b.bytes += int64(n)
	return n, err
}

// patientWriter cuts a client that does not take what it is sent. Each write has a deadline of its own, so
// that an answer may go on for days.
type patientWriter struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	hijacked bool
}

// during calls a function that sends something, and cuts the client if that takes too long.
func (w *patientWriter) during(send func()) {
	defer after(w.patience, func() { _ = w.control.SetWriteDeadline(time.Now()) })()
	send()
}

// after calls a function after a time, unless stop is called before. When stop has returned, it is not running any more:
// once its handler has returned, a response is nobody's, and to set a deadline of one over HTTP/2 would end the program.
func after(d time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	timer := time.AfterFunc(d, func() {
		defer close(done)
		do()
	})
	return func() {
		if !timer.Stop() {
			<-done
		}
	}
}

// Write implements io.Writer.
func (w *patientWriter) Write(p []byte) (n int, err error) {
	w.during(func() { n, err = w.ResponseWriter.Write(p) })
	return n, err
}

// Flush implements http.Flusher.
func (w *patientWriter) Flush() { _ = w.FlushError() }

// FlushError is what http.ResponseController flushes by.
func (w *patientWriter) FlushError() (err error) {
	w.during(func() { err = w.control.Flush() })
	return err
}

// Hijack implements http.Hijacker. What has the connection then minds its time.
func (w *patientWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.control.Hijack()
	w.hijacked = w.hijacked || err == nil
	return conn, buffered, err
}

// Unwrap is what http.ResponseController finds the rest by.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// last bounds what is sent when the handler has returned, and what net/http reads then of a body that it did not read.
func (w *patientWriter) last() {
	if !w.hijacked {
		unread(w.control, w.patience)
		_ = w.control.SetWriteDeadline(time.Now().Add(2 * w.patience)) // the answer comes behind that
	}
}

// unread bounds in time what is read of a body that nobody has read: net/http takes up to 256 KiB of one before it answers,
// and a client could let that come in drops for days.
func unread(control *http.ResponseController, patience time.Duration) {
	_ = control.SetReadDeadline(time.Now().Add(patience)) // what has none needs none
}
