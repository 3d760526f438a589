package approval

import (
	"context"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// inFlight prevents asking the same question twice at the same time: a client that has given up waiting may
// call again while its first call still waits. The zero inFlight is ready to use.
type inFlight struct {
	mu   sync.Mutex
	open map[string]*asked // by what names the question
}

// asked is a question that is being asked.
type asked struct {
	name   string
	over   chan struct{} // closed when it has come to its end
	answer Answer
	err    error
}

// queue waits until nobody else asks the same question and then takes its turn. It calls waits before it
// waits. A no that was given meanwhile counts for this call, too, since it was to the same act. A yes does
// not: it was to one act, and this is another.
func (a *inFlight) queue(ctx context.Context, name string, waits func()) (place *asked, no Answer, found bool, err error) {
	for {
		a.mu.Lock()
		before := a.open[name]
		if before == nil {
			place = &asked{name: name, over: make(chan struct{})}
			if a.open == nil {
				a.open = map[string]*asked{}
			}
			a.open[name] = place
			a.mu.Unlock()
			return place, no, false, nil
		}
		a.mu.Unlock()
		waits()
		select {
		case <-ctx.Done():
			return nil, no, false, context.Cause(ctx)
		case <-before.over:
		}
		if before.err == nil && before.answer.Verdict == permissions.Reject {
			return nil, before.answer, true, nil
		}
	}
}

// over lets the next call take its turn.
func (a *inFlight) over(place *asked, answer Answer, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	place.answer, place.err = answer, err
	delete(a.open, place.name)
	close(place.over)
}
