package acp

import (
	"context"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// recordDecision puts a decision on disk that did not pass the gate. When it returns an error, nothing that
// was decided may happen.
func (b *Bridge) recordDecision(event events.Event) error {
	event.Time = b.o.Now()
	return b.o.Record.Record(context.Background(), event)
}

// requestEvent returns an act as the record carries it.
func (b *Bridge) requestEvent(kind events.Type, r permissions.Request) events.Event {
	mask := r.Marker(b.o.Mark)
	if mask(r.ShellText) != r.ShellText {
		// A shell may take the value apart, and nobody knows all the pieces: the record of the call itself
		// will have the rest.
		r.ShellText, r.Shell, r.Argv = "", nil, nil
	}
	act := gate.ActEvent(kind, r, b.o.Mark, mask)
	event := events.Event{Type: kind, Session: r.Session, Task: r.Task, Context: r.Context, Agent: r.Agent, Door: string(r.Door),
		Principal: recorded(r), Act: act}
	event.Under(r.Trace)
	event.Reduce(r.Audit)
	return event
}

// recorded returns the principal of a request as the record has it: a name of the daemon's, and no command of
// an agent's, which may hold what is nobody else's business.
func recorded(r permissions.Request) string {
	if r.Served {
		return r.Principal
	}
	return ""
}
