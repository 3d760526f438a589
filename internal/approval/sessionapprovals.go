package approval

import (
	"context"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// Granted implements permissions.ApprovalLog.
func (d *Desk) Granted(session, agent, key, words string) error {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	s, err := d.questions.open(ctx)
	if err != nil {
		return err
	}
	return s.AllowForSession(ctx, store.SessionApproval{ID: store.NewID(), Agent: agent, Session: session, Key: d.key(key),
		Words: words})
}

// Holds implements permissions.ApprovalLog.
func (d *Desk) Holds(session, key string) bool {
	s := d.questions.opened()
	if s == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	holds, err := s.IsAllowed(ctx, session, d.key(key))
	if err != nil {
		d.questions.o.Say(fmt.Sprintf("what you allowed for the session is asked again, "+
			"since it cannot be told whether you took it back: %v", err))
	}
	return holds && err == nil
}

// Ended implements permissions.ApprovalLog.
func (d *Desk) Ended(session string) {
	s := d.questions.opened()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if err := s.EndSession(ctx, session, d.key("")); err != nil {
		d.questions.o.Say(fmt.Sprintf("what was allowed in a session that has ended may still be listed: %v", err))
	}
}

// key names what is allowed to this desk alone.
func (d *Desk) key(key string) string { return d.name + ":" + key }
