package mcpserver

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// writeTime is how long a client may take to read what is written to it at once.
const writeTime = 30 * time.Second

// events writes a response of HTTP that may become a stream of events (HTML, Server-sent events). It is safe
// for concurrent use.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	streams bool // the client takes a stream

	mu     sync.Mutex
	begun  bool
	closed bool
	failed error
}

func newEvents(w http.ResponseWriter, streams bool) *events {
	return &events{w: w, control: http.NewResponseController(w), streams: streams}
}

// begin makes the response a stream. Called with mu held.
func (e *events) begin() bool {
	if e.closed || !e.streams || e.failed != nil {
		return false
	}
	if !e.begun {
		e.begun = true
		header := e.w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("X-Accel-Buffering", "no")
		e.w.WriteHeader(http.StatusOK)
	}
	return true
}

// write writes a part of a stream. Called with mu held.
func (e *events) write(parts ...[]byte) {
	e.control.SetWriteDeadline(time.Now().Add(writeTime)) //nolint:errcheck // where there is none, the frame has its own
	for _, part := range parts {
		if e.failed == nil {
			_, e.failed = e.w.Write(part)
		}
	}
	if e.failed == nil {
		e.failed = e.control.Flush()
	}
}

// event sends a message as an event with an id, which may be "". It reports whether it was written.
func (e *events) event(id string, message []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tell(id, message)
}

// tell is event while mu is held.
func (e *events) tell(id string, message []byte) bool {
	if !e.begin() {
		return false
	}
	head := "event: message\ndata: "
	if id != "" {
		head = "event: message\nid: " + id + "\ndata: "
	}
	e.write([]byte(head), message, []byte("\n\n"))
	return e.failed == nil
}

// prime sends an event without a message, so that the client knows from where it can go on, and after how
// long it may come back.
func (e *events) prime(id string, retry time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begin() {
		return
	}
	text := "id: " + id + "\n"
	if retry > 0 {
		text += "retry: " + strconv.FormatInt(retry.Milliseconds(), 10) + "\n"
	}
	e.write([]byte(text + "data: \n\n"))
}

// open sends the head of a stream, so that the client knows that there is one.
func (e *events) open() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begin() {
		e.write()
	}
}

// comment sends what clients skip. It reports whether more can be sent.
func (e *events) comment() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begin() {
		return false
	}
	e.write([]byte(":\n\n"))
	return e.failed == nil
}

// last sends the message that ends the response: as the last event, where it is a stream.
func (e *events) last(status int, message []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
	case e.begun:
		e.tell("", message)
	default:
		e.closed = true
		e.w.Header().Set("Content-Type", "application/json")
		e.w.Header().Set("Content-Length", strconv.Itoa(len(message)))
		e.control.SetWriteDeadline(time.Now().Add(writeTime)) //nolint:errcheck // see write
		e.w.WriteHeader(status)
		_, _ = e.w.Write(message) // who is gone reads nothing
	}
}

// close has nothing written any more, and waits for what is. The handler may return then.
func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}
