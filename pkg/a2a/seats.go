package a2a

import (
	"context"
	"sync"
)

// seats bound how many calls of one principal run at the same time, so that nobody takes the whole machine: tasks are many,
// and a client need not wait for them. Safe for concurrent use.
type seats struct {
	most int

	mu sync.Mutex
	of map[string]*row
}

// row are a principal's.
type row struct {
	free  chan struct{} // has as many as are taken
	users int           // seats that there are of it
}

// seat is one that a call takes while it runs, and gives up while it waits for somebody. It is used by one goroutine at a
// time. Leave it.
type seat struct {
	all   *seats
	who   string
	row   *row
	taken bool
}

// seat returns one that is not taken yet.
func (s *seats) seat(who string) *seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of[who]
	if r == nil {
		if s.of == nil {
			s.of = map[string]*row{}
		}
		r = &row{free: make(chan struct{}, s.most)}
		s.of[who] = r
	}
	r.users++
	return &seat{all: s, who: who, row: r}
}

// take waits until there is room. With the end of ctx it returns an error, and the seat is not taken.
func (s *seat) take(ctx context.Context) error {
	select {
	case s.row.free <- struct{}{}:
		s.taken = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// give gives the seat to whoever waits.
func (s *seat) give() {
	if s.taken {
		<-s.row.free
	}
	s.taken = false
}

// leave gives the seat up for good.
func (s *seat) leave() {
	s.give()
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if s.row.users--; s.row.users == 0 {
		delete(s.all.of, s.who)
	}
}
