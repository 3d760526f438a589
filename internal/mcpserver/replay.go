package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// replay is what is said of one request of a session: to the connection that it came by, or to another one
// that asks for the rest. It is a peer.
type replay struct {
	session *httpSession
	name    string
	over    chan struct{} // closed when all has been said
	let     chan struct{} // closed when the connection that waits is to be let go

	mu     sync.Mutex
	out    *events // where it is said at the moment
	said   [][]byte
	from   int // number of said[0]: what came before is forgotten
	ended  bool
	parted bool
}

func (s *replay) id(number int) string { return s.name + "-" + strconv.Itoa(number) }

// send implements peer.
func (s *replay) send(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.keep(message)
	s.out.event(s.id(s.from+len(s.said)), message)
}

// keep remembers a message. Called with mu held.
func (s *replay) keep(message []byte) {
	s.said = append(s.said, message)
	if s.session.kept.Add(int64(len(message))) > 2*mostReplay && len(s.said) > 1 { // one request alone says too much
		s.session.kept.Add(-int64(len(s.said[0])))
		s.said, s.from = s.said[1:], s.from+1
	}
}

// end says the response, if there is one, and that it was the last.
func (s *replay) end(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	defer close(s.over)
	if text == nil {
		s.out.open()
		return
	}
	s.out.mu.Lock()
	streams := s.out.begun || s.parted
	s.out.mu.Unlock()
	if !streams {
		s.out.last(http.StatusOK, text)
		return
	}
	s.keep(text)
	s.out.event(s.id(s.from+len(s.said)), text)
}

// attach has another connection told what comes after an event. It is false where that is forgotten.
func (s *replay) attach(seen int, out *events) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen < s.from || seen > s.from+len(s.said) {
		return false
	}
	s.out.close()
	s.out = out
	out.open()
	for i := seen - s.from; i < len(s.said); i++ {
		out.event(s.id(s.from+i+1), s.said[i])
	}
	return true
}

// ask implements peer.
func (s *replay) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return s.session.asks.ask(ctx, method, params, s.send)
}

// detach implements peer.
func (s *replay) detach(retry time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parted || s.ended {
		return
	}
	s.parted = true
	s.out.prime(s.id(s.from+len(s.said)), retry)
	close(s.let)
}

func (s *replay) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// isWhole reports whether all that was said is one response.
func (s *replay) isWhole() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended && len(s.said) == 0
}

// drop forgets what was said and returns how many bytes that were.
func (s *replay) drop() (size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, message := range s.said {
		size += len(message)
	}
	s.said = nil
	return size
}
