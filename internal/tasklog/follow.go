package tasklog

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
)

// hub tells followers of tasks what has happened. It keeps the last events of tasks that are followed, as far as
// there is room: who does not find his next one there reads it from disk. So nothing is kept for a follower that
// is slow, and it harms nobody else.
type hub struct {
	mu    sync.Mutex
	tasks map[string]*live
	ended bool
	kept  atomic.Int64 // bytes of all tails
}

// live is a task that is followed.
type live struct {
	followers int
	tail      []Event       // contiguous
	changed   chan struct{} // closed when something has happened, and replaced
	times     int64         // how often something has
	ended     bool
}

// The bounds of what is kept.
const (
	mostTail      = 32       // events of a task
	mostTailBytes = 64 << 10 // of a task
	mostTails     = 32 << 20 // bytes of all tasks
)

// publish tells of new events of a task, after they are on disk.
func (h *hub) publish(id string, events []Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.tasks[id]
	if l == nil {
		return
	}
	l.keep(h, events)
	l.wake()
}

// wake tells that something has happened to a task that is to be read from disk.
func (h *hub) wake(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.tasks[id]; l != nil {
		l.keep(h, nil)
		l.wake()
	}
}

func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for _, l := range h.tasks {
		l.ended = true
		l.wake()
	}
}

func (l *live) wake() {
	l.times++
	close(l.changed)
	l.changed = make(chan struct{})
}

// keep puts events at the end of the tail, and drops what there is no room for from its beginning. With none,
// or after a gap, it drops all of it.
func (l *live) keep(h *hub, events []Event) {
	if n := len(l.tail); len(events) == 0 || n > 0 && events[0].Seq != l.tail[n-1].Seq+1 {
		l.drop(h, n)
	}
	for _, e := range events {
		h.kept.Add(e.size())
	}
	l.tail = append(l.tail, events...)
	size, first := int64(0), len(l.tail)
	for first > 0 && len(l.tail)-first < mostTail && size+l.tail[first-1].size() <= mostTailBytes {
		first--
		size += l.tail[first].size()
	}
	if h.kept.Load() > mostTails {
		first = len(l.tail)
	}
	l.drop(h, first)
}

// drop drops the first events of the tail.
func (l *live) drop(h *hub, n int) {
	for _, e := range l.tail[:n] {
		h.kept.Add(-e.size())
	}
	l.tail = append([]Event(nil), l.tail[n:]...)
}

func (e *Event) size() int64 { return int64(len(e.Body)+len(e.Input)) + 128 }

// Follower reads the events of a task one after the other, and waits for those to come. It is used by one
// goroutine. Close it.
type Follower struct {
	log   *Log
	task  string
	num   int64 // 0 while it is not known
	after int64
	state State // that the last event led to; None before the first
	live  *live
	// looked is how often something had happened when the follower last knew that it has all that is there; -1 for
	// never. While that is so, nothing is read from disk.
	looked int64
}

// Follow returns a follower of a task that begins after the event with the number after; 0 is all of them.
func (l *Log) Follow(ctx context.Context, id string, after int64) (*Follower, error) {
	t, err := l.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	f, err := l.follow(id)
	if err != nil {
		return nil, err
	}
	f.num, f.after = t.num, after
	if after >= t.Seq && t.State.Ended() {
		f.state = t.State
	}
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	f.looked = -1
	// The writer says in heads what it has written before it says so to followers: what it has not said there now, it
	// says to this one, too.
	if head, ok := l.heads.Get(id); ok && head.Seq <= after {
		f.looked = f.live.times
	}
	return f, nil
}

// follow returns a follower of a task that does not exist yet.
func (l *Log) follow(id string) (*Follower, error) {
	h := &l.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil, ErrClosed
	}
	f := &Follower{log: l, task: id}
	if f.live = h.tasks[id]; f.live == nil {
		f.live = &live{changed: make(chan struct{})}
		h.tasks[id] = f.live
	}
	f.live.followers++
	f.looked = f.live.times
	return f, nil
}

// Close ends the following.
func (f *Follower) Close() {
	h := &f.log.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.live == nil {
		return
	}
	if f.live.followers--; f.live.followers == 0 {
		f.live.drop(h, len(f.live.tail))
		delete(h.tasks, f.task)
	}
	f.live = nil
}

// mostRead is how many events are read from disk at once.
const mostRead = 64

// Next returns the next events of the task, at least one, as soon as there are any. It returns io.EOF after the
// one that ends the task, and ErrClosed when the log is closed. What it returns is not to be changed.
func (f *Follower) Next(ctx context.Context) ([]Event, error) {
	for {
		if f.state.Ended() {
			return nil, io.EOF
		}
		events, changed, times, over := f.kept()
		var err error
		switch {
		case over:
			return nil, ErrClosed
		case events == nil && f.looked != times:
			if events, err = f.read(ctx); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			} else if err != nil {
				return nil, err
			}
			if f.looked = times; len(events) == mostRead { // there may be more
				f.looked = -1
			}
		}
		if n := len(events); n > 0 {
			f.after, f.state = events[n-1].Seq, events[n-1].State
			return events, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-changed:
		}
	}
}

// read reads the next events from disk.
func (f *Follower) read(ctx context.Context) ([]Event, error) {
	if f.num == 0 {
		t, err := f.log.Get(ctx, f.task)
		if err != nil {
			return nil, err
		}
		f.num = t.num
	}
	return f.log.events(ctx, f.num, f.after, mostRead)
}

// kept returns what the hub has of the next events, what is closed when there are others, and how often that was so.
func (f *Follower) kept() (events []Event, changed chan struct{}, times int64, over bool) {
	h := &f.log.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	tail := f.live.tail
	if n := len(tail); n > 0 && tail[0].Seq <= f.after+1 && tail[n-1].Seq > f.after {
		events = tail[f.after+1-tail[0].Seq:]
		f.looked = f.live.times // the tail ends with the last one
	}
	return events, f.live.changed, f.live.times, f.live.ended
}
