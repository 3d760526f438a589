package app

import (
	"context"
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// unrecorded is the record where there can be none: it keeps nothing and says why, so that nothing that has
// to be recorded happens.
type unrecorded struct{ why error }

func (u unrecorded) Record(context.Context, events.Event) error { return u.why }

// note records something that nothing waits for.
func (a *App) note(event events.Event) {
	if a.Unrecorded != nil {
		return // said at the start
	}
	event.Time = now()
	if err := a.Record.Record(context.Background(), event); err != nil {
		a.o.Say(fmt.Sprintf("not recorded: %v", err))
	}
}
