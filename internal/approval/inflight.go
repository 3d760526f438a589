package approval

import (
	"context"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// inFlight keeps which questions are being asked, so that the very same is not asked twice at the same time:
// a client that has given up waiting may call again while its first call still waits. The zero inFlight is
// ready.
type inFlight struct {
	mu   sync.Mutex
	open map[string]*asked // by what names the question
}

// asked is one question that is being asked.
type asked struct {
	name   string
	over   chan struct{} // closed when it has come to its end
	answer Answer
	err    error
}

// queue waits until nobody asks the same any more, and takes the place then; waits is called before it waits.
// A no that was given meanwhile is given here, too: it was to the same act. A yes was to one act, and this is
// another.
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

// over gives the place to the next one.
func (a *inFlight) over(place *asked, answer Answer, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	place.answer, place.err = answer, err
	delete(a.open, place.name)
	close(place.over)
}
