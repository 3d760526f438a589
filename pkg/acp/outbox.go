package acp

import (
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// outbox takes what a lane writes back to the side that it reads from: refusals, answers, our lines in cards. The lane must
// not wait for that side to read: an agent that writes much before it reads would wait for us while we wait for it. Order
// is kept; what is in the outbox may be overtaken by what the other lane relays, with which it has nothing to do.
type outbox struct {
	to   *ndjson.Writer
	box  chan boxed
	quit chan struct{}
	done chan struct{}
}

// boxed is what waits in an outbox: a message, or somebody who waits until those before have been written.
type boxed struct {
	message []byte
	written chan struct{} // closed when its turn has come; nil for a message
}

// outboxSize is how many messages wait at the most. Beyond it the lane does wait: whoever sends that many frames to be
// refused and reads nothing has no claim on our memory.
const outboxSize = 1024

// newOutbox starts the goroutine that writes; close ends it.
func newOutbox(to *ndjson.Writer) *outbox {
	o := &outbox{to: to, box: make(chan boxed, outboxSize), quit: make(chan struct{}), done: make(chan struct{})}
	go o.write()
	return o
}

func (o *outbox) write() {
	defer close(o.done)
	for {
		select {
		case next := <-o.box:
			o.send(next)
		case <-o.quit:
			for {
				select {
				case next := <-o.box:
					o.send(next)
				default:
					return
				}
			}
		}
	}
}

func (o *outbox) send(next boxed) {
	if next.written != nil {
		close(next.written)
		return
	}
	// A side that cannot be written to any more is found out by the lane that relays to it.
	_ = o.to.Send(next.message)
}

// put leaves a message. After close it is dropped: there is nobody left to read it.
func (o *outbox) put(message []byte) {
	select {
	case o.box <- boxed{message: message}:
	case <-o.quit:
	}
}

// flush waits until everything that was put before has been written, or the outbox is closed.
func (o *outbox) flush() {
	written := make(chan struct{})
	select {
	case o.box <- boxed{written: written}:
	case <-o.quit:
		return
	}
	select {
	case <-written:
	case <-o.done:
	}
}

// close waits until everything that was put before has been written. It is called once.
func (o *outbox) close() {
	close(o.quit)
	<-o.done
}
