package app

import (
	"context"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Door is what one door of the program decides, asks and makes calls with: a bridge, the command line,
// later a listener. What people answer, and what they allow for a session, counts only at the door where
// they did so, since sessions of different doors may have the same name. It is safe for concurrent use.
type Door struct {
	Gate      *gate.Gate
	Executor  *executor.Executor
	Questions *approval.Desk

	app       *App
	sessions  *permissions.Sessions
	followUps governor.FollowUps

	mu   sync.Mutex
	told map[changeHearer]bool // who is offered tools, and told when there are others
}

// openDoor opens another door; the caller closes it once nothing passes it any more. It returns ErrStopped
// when the App ends. Stop ends a.ending to tell doors to close, and waits until they have.
func (a *App) openDoor() (*Door, error) {
	d, err := a.newDoor()
	if err != nil {
		return nil, err
	}
	d.Executor = a.Executor.At(d.Gate, d.forCalls)
	if err := a.enter(d); err != nil {
		return nil, err
	}
	return d, nil
}

func (a *App) newDoor() (d *Door, err error) {
	d = &Door{app: a, Questions: a.board.Desk(), told: map[changeHearer]bool{}}
	d.sessions = permissions.NewSessions(d.Questions)
	d.Gate, err = gate.New(gate.Options{InForce: d.inForce, Record: a.Record, Now: now})
	return d, err
}

// close lets no call begin any more and ends those under way. It returns when they have ended, and may be
// called twice.
func (d *Door) close() {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	d.Executor.Drain(over)
	d.app.leave(d)
}

// inForce returns what decides about acts of the door.
func (d *Door) inForce(w tool.Workspace) gate.InForce { return d.forCalls(w).InForce }

// forCalls returns the configuration for calls of the door.
func (d *Door) forCalls(w tool.Workspace) executor.Configuration {
	c := d.app.Refreshed(w)
	governors := c.Governors.WithFollowUps(&d.followUps)
	return executor.Configuration{
		Tools: c.Tools, Screener: governors,
		InForce: gate.InForce{Rules: c.Authority.WithSessions(d.sessions), Governors: governors,
			Commands: c.Set.Commands},
	}
}

// changeHearer is told when the tools may be others.
type changeHearer interface{ Changed() }

// offer registers m, whose clients are told when the tools change, until it is withdrawn.
func (d *Door) offer(m changeHearer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told[m] = true
}

// withdraw removes what offer registered.
func (d *Door) withdraw(m changeHearer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.told, m)
}

// changed tells whoever is offered tools that they may have changed.
func (d *Door) changed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for m := range d.told {
		m.Changed()
	}
}
