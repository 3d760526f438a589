package acp

import (
	"bytes"
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// outbox writes to one side. The lines of a queue go out in its order, and nobody but the lane that relays
// to that side waits for it to read: a lane that waited for the side that it reads from, while that side
// writes, would wait for ever.
type outbox struct {
	to *ndjson.Writer

	mu      sync.Mutex
	lines   [][]byte // whose turn it is
	waiting []*queue // those in which something waits, the one that has waited longest first
	bytes   int      // of these and of what waits in queues
	writing bool
	closed  bool
	work    sync.Cond // there is something to write, or never will be again; only run waits for it
	moved   sync.Cond // something was written
}

// queue is an order in which lines go out: that of a session. Guarded by outbox.mu.
type queue struct {
	out    *outbox
	places []*place // from the first on that is not ready
}

// place is one in a queue: what comes behind it waits until something is put there. Guarded by outbox.mu.
type place struct {
	in    *queue
	lines [][]byte
	ready bool
	act   *act // whose line is the last of them; nil for none
}

// mostWaiting is how many bytes may wait before the lane that reads from the agent waits: an agent that has
// very much refused and reads nothing has no claim on our memory.
const mostWaiting = 16 << 20

// newOutbox makes an outbox, and returns the queue for what has no order of its own.
func newOutbox(to *ndjson.Writer) *queue {
	o := &outbox{to: to}
	o.work.L, o.moved.L = &o.mu, &o.mu
	return &queue{out: o}
}

// anotherQueue returns a new queue to the same side.
func (q *queue) anotherQueue() *queue { return &queue{out: q.out} }

// relay writes a line and waits for the side to take it. Where something is to be written before it, a copy
// of the line waits instead.
func (q *queue) relay(line []byte) error {
	o := q.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing || len(o.lines) > 0 || len(q.places) > 0 {
		q.append(&place{in: q}).fill(bytes.Clone(line))
		return nil
	}
	return o.write(o.to.Relay, line)
}

// put has lines written when their turn has come, and waits for nobody. The lines are kept.
func (q *queue) put(lines ...[]byte) { q.reserve().put(lines...) }

// reserve keeps a place behind all that is in the queue. Whoever has it puts something there, or leaves it.
func (q *queue) reserve() *place {
	q.out.mu.Lock()
	defer q.out.mu.Unlock()
	return q.append(&place{in: q})
}

// append adds a place. Called with mu held.
func (q *queue) append(p *place) *place {
	if len(q.places) == 0 {
		q.out.waiting = append(q.out.waiting, q)
	}
	q.places = append(q.places, p)
	return p
}

// again keeps a place that has gone out once more, behind all that is in the queue.
func (p *place) again() {
	p.in.out.mu.Lock()
	defer p.in.out.mu.Unlock()
	if !slices.Contains(p.in.places, p) {
		p.in.append(p)
	}
	p.ready = false
}

// add leaves lines in a place for which more is to come.
func (p *place) add(lines ...[]byte) {
	p.in.out.mu.Lock()
	defer p.in.out.mu.Unlock()
	if p.ready {
		p.in.append(&place{in: p.in}).fill(lines...)
		return
	}
	p.lines = append(p.lines, lines...)
	for _, line := range lines {
		p.in.out.bytes += len(line)
	}
}

// put leaves lines in a place, which is ready then. What comes once it is goes to the end of the queue.
func (p *place) put(lines ...[]byte) {
	p.in.out.mu.Lock()
	defer p.in.out.mu.Unlock()
	if p.ready {
		p = p.in.append(&place{in: p.in})
	}
	p.fill(lines...)
}

// putAct is put for the line by which an act is carried out.
func (p *place) putAct(a *act) {
	p.in.out.mu.Lock()
	defer p.in.out.mu.Unlock()
	if p.ready {
		p = p.in.append(&place{in: p.in})
	}
	p.act = a
	p.fill(a.outgoing)
}

// takeBack removes the lines of acts that wait for something before them, and returns these acts.
func (q *queue) takeBack() (acts []*act) {
	q.out.mu.Lock()
	defer q.out.mu.Unlock()
	for _, p := range q.places {
		if p.act == nil {
			continue
		}
		acts = append(acts, p.act)
		p.act, p.lines = nil, p.lines[:len(p.lines)-1]
		q.out.bytes -= len(acts[len(acts)-1].outgoing)
	}
	return acts
}

// takeOut removes lines that wait in other queues, where this one does not know what is before them, and has
// take told of each, in the order of its queue. The lines of acts stay.
func (q *queue) takeOut(is func(line []byte) bool, take func(from *queue, line []byte)) {
	q.out.mu.Lock()
	defer q.out.mu.Unlock()
	for _, other := range q.out.waiting {
		if other == q {
			continue
		}
		for _, p := range other.places {
			p.lines = slices.DeleteFunc(p.lines, func(line []byte) bool {
				taken := is(line)
				if taken {
					q.out.bytes -= len(line)
					take(other, line)
				}
				return taken
			})
		}
	}
}

// leave lets what is behind a place go on.
func (p *place) leave() { p.put() }

// fill makes a place ready, and lets out what waited for it. Called with mu held.
func (p *place) fill(lines ...[]byte) {
	q, o := p.in, p.in.out
	p.lines, p.ready = append(p.lines, lines...), true
	if o.closed {
		p.lines, lines = nil, nil // there is nobody left to read it
	}
	for _, line := range lines {
		o.bytes += len(line)
	}
	for len(q.places) > 0 && q.places[0].ready {
		o.lines = append(o.lines, q.places[0].lines...)
		q.places[0].lines, q.places[0] = nil, nil // or what the array holds would be kept: a line may have 64 MB
		if q.places = q.places[1:]; len(q.places) == 0 {
			o.waiting = slices.DeleteFunc(o.waiting, func(other *queue) bool { return other == q })
		}
	}
	if len(o.lines) > 0 {
		o.work.Signal()
	}
}

// run writes what was put. It returns once the outbox is closed and empty.
func (o *outbox) run() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for o.writing || len(o.lines) == 0 && !o.closed {
			o.work.Wait()
		}
		if len(o.lines) == 0 {
			return
		}
		line := o.lines[0]
		o.lines[0] = nil // see fill
		o.lines = o.lines[1:]
		o.bytes -= len(line)
		// A side that cannot be written to any more is found out by the lane that relays to it.
		_ = o.write(o.to.Send, line)
	}
}

// write writes one line while nobody else does. Called with mu held, which it gives up meanwhile.
func (o *outbox) write(how func([]byte) error, line []byte) error {
	o.writing = true
	o.mu.Unlock()
	err := how(line)
	o.mu.Lock()
	o.writing = false
	if len(o.lines) > 0 || o.closed {
		o.work.Signal()
	}
	o.moved.Broadcast()
	return err
}

// room waits until not too much waits any more.
func (o *outbox) room() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.bytes > mostWaiting && !o.closed {
		o.moved.Wait()
	}
}

// close has run return when everything that was put has been written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.work.Signal()
	o.moved.Broadcast()
}
