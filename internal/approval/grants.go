package approval

import (
	"context"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// Granted implements permissions.Ledger.
func (q *Questions) Granted(session, agent, key, words string) error {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	s, err := q.open(ctx)
	if err != nil {
		return err
	}
	return s.Grant(ctx, store.Grant{ID: store.NewID(), Agent: agent, Session: session, Key: key, Words: words})
}

// Holds implements permissions.Ledger.
func (q *Questions) Holds(session, key string) bool {
	s := q.opened()
	if s == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	holds, err := s.Granted(ctx, session, key)
	if err != nil {
		q.o.Say(fmt.Sprintf("what you allowed for the session is asked again, since it cannot be told whether you took it back: %v", err))
	}
	return holds && err == nil
}

// Ended implements permissions.Ledger.
func (q *Questions) Ended(session string) {
	s := q.opened()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if err := s.EndSession(ctx, session); err != nil {
		q.o.Say(fmt.Sprintf("what was allowed in a session that has ended may still be listed: %v", err))
	}
}
