package app

import (
	"context"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Door is what one door of the program decides, asks and makes calls with: a bridge, the command line, later
// a listener. What people answer, and what they allow for a session, counts at the door where they did, whose
// sessions may have the names of another's. It is safe for concurrent use.
type Door struct {
	Gate      *gate.Gate
	Executor  *executor.Executor
	Questions *approval.Desk

	app       *App
	sessions  *permissions.Sessions
	followUps governor.FollowUps

	mu     sync.Mutex
	agents map[*mcpserver.Door]bool // who is offered tools, and told when there are others
}

// openDoor opens another door, for whoever closes it once nothing passes it any more. It is ErrStopped when
// the App ends; a Stop waits until the doors that are open by then are closed, and ends a.ending when they
// are to be.
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
	d = &Door{app: a, Questions: a.board.Desk(), agents: map[*mcpserver.Door]bool{}}
	d.sessions = permissions.NewSessions(d.Questions)
	d.Gate, err = gate.New(gate.Options{InForce: d.inForce, Record: a.Record, Now: now})
	return d, err
}

// close has no call begin any more and ends those that are under way. It returns when they have ended, and
// may be called twice.
func (d *Door) close() {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	d.Executor.Drain(over)
	d.app.leave(d)
}

// inForce returns what decides about acts of the door.
func (d *Door) inForce(w tool.Workspace) gate.InForce { return d.forCalls(w).InForce }

// forCalls returns what calls of the door are made under.
func (d *Door) forCalls(w tool.Workspace) executor.Configuration {
	c := d.app.Refreshed(w)
	governors := c.Governors.WithFollowUps(&d.followUps)
	return executor.Configuration{
		Tools: c.Tools, Screener: governors,
		InForce: gate.InForce{Rules: c.Authority.WithSessions(d.sessions), Governors: governors,
			Commands: c.Set.Commands},
	}
}

// offer has those who are offered tools through m told when there are others, until it is closed.
func (d *Door) offer(m *mcpserver.Door) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.agents[m] = true
}

// withdraw ends an offer.
func (d *Door) withdraw(m *mcpserver.Door) error {
	d.mu.Lock()
	delete(d.agents, m)
	d.mu.Unlock()
	return m.Close()
}

// changed tells agents that are running that they may be offered other tools from now on.
func (d *Door) changed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for m := range d.agents {
		m.Changed()
	}
}
