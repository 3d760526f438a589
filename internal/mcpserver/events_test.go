package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// slowWriter is a response that says when something is written, and takes it when it is told to.
type slowWriter struct {
	*httptest.ResponseRecorder
	writing, take chan struct{}
}

func (w *slowWriter) Write(p []byte) (int, error) {
	close(w.writing)
	<-w.take
	return w.ResponseRecorder.Write(p)
}

// TestClosedWhileItIsWritten: close, after which a handler returns whose client has hung up, waits for what is written.
func TestClosedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	w := &slowWriter{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	e := newEvents(w, false)
	written := make(chan struct{})
	go func() { // ends when it is taken
		e.last(http.StatusOK, []byte("{}"))
		close(written)
	}()
	<-w.writing
	if e.mu.TryLock() {
		e.mu.Unlock()
		t.Error("it could be closed while it is written")
	}
	close(w.take)
	e.close()
	<-written
	if got := w.Body.String(); got != "{}" {
		t.Errorf("got %q", got)
	}
}
