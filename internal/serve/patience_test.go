package serve

import (
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// slowCut is a response of which a deadline takes a while to be set.
type slowCut struct {
	http.ResponseWriter
	begun chan struct{}
	over  atomic.Bool
}

func (s *slowCut) cut() error {
	close(s.begun)
	for range 1000 {
		runtime.Gosched()
	}
	s.over.Store(true)
	return nil
}

func (s *slowCut) SetWriteDeadline(time.Time) error { return s.cut() }
func (s *slowCut) SetReadDeadline(time.Time) error  { return s.cut() }

// Write returns while its deadline is being set, as where the client goes at that moment.
func (s *slowCut) Write(p []byte) (int, error) {
	<-s.begun
	return len(p), nil
}

// Read likewise.
func (s *slowCut) Read(p []byte) (int, error) {
	<-s.begun
	return strings.NewReader("x").Read(p)
}

func (s *slowCut) Close() error { return nil }

// TestNothingIsCutLate has a client lose the server's patience and go at the same moment: when a write or a read has
// returned, nothing touches the response any more, which over HTTP/2 is nobody's once its handler has returned.
func TestNothingIsCutLate(t *testing.T) {
	t.Parallel()
	w := &slowCut{begun: make(chan struct{})}
	_, err := (&patientWriter{ResponseWriter: w, control: http.NewResponseController(w), patience: 1}).Write([]byte("x"))
	if err != nil || !w.over.Load() {
		t.Errorf("a write has returned before its deadline was set, or with %v", err)
	}
	r := &slowCut{begun: make(chan struct{})}
	_, err = (&patientBody{ReadCloser: r, control: http.NewResponseController(r), patience: 1}).Read(make([]byte, 1))
	if err != nil || !r.over.Load() {
		t.Errorf("a read has returned before its deadline was set, or with %v", err)
	}
}
