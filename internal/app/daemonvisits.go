package app

import (
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// visits puts on record who came to the daemon. Anybody who reaches it causes them, so that they are bounded:
// who is let in is told again after an hour, and of those who are not so many in a minute.
type visits struct {
	note func(events.Event)

	mu      sync.Mutex
	seen    *simplelru.LRU[serve.Visit, time.Time] // who was let in, without a port
	since   time.Time
	refused int // since then
}

// The bounds of visits on record.
const (
	mostSeen    = 4096
	seenFor     = time.Hour
	mostRefused = 20
	refusedPer  = time.Minute
	longestSaid = 256 // bytes of what a client says of itself
)

func newVisits(note func(events.Event)) *visits {
	seen, _ := simplelru.NewLRU[serve.Visit, time.Time](mostSeen, nil) // an error is about a size below 1
	return &visits{note: note, seen: seen}
}

// tell is told of a request.
func (v *visits) tell(visit serve.Visit) {
	if host, _, err := net.SplitHostPort(visit.Address); err == nil {
		visit.Address = host
	}
	visit.UserAgent = display.Cut(display.Line(visit.UserAgent), min(len(display.Line(visit.UserAgent)), longestSaid))
	if visit.Why == "" {
		if v.isNew(visit) {
			v.record(events.ClientAccepted, visit, "")
		}
		return
	}
	if tell, more := v.isTold(); tell {
		v.record(events.ClientRefused, visit, visit.Why+more)
	}
}

func (v *visits) isNew(visit serve.Visit) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if at, ok := v.seen.Get(visit); ok && now().Sub(at) < seenFor {
		return false
	}
	v.seen.Add(visit, now())
	return true
}

// isTold reports whether a refusal is told; more says what was not before.
func (v *visits) isTold() (tell bool, more string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now().Sub(v.since) >= refusedPer {
		if untold := v.refused - mostRefused; untold > 0 {
			more = fmt.Sprintf(" (%d more were refused before, and are not on record)", untold)
		}
		v.since, v.refused = now(), 0
	}
	v.refused++
	return v.refused <= mostRefused, more
}

func (v *visits) record(kind events.Type, visit serve.Visit, why string) {
	v.note(events.Event{Type: kind, Principal: visit.Principal, Client: &events.Client{By: visit.By,
		Address: visit.Address, UserAgent: visit.UserAgent, Error: why}})
}
