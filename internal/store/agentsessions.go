package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// AgentSession is the session that an agent has for a conversation.
type AgentSession struct {
	Agent, Principal, Context string // name the conversation
	Session                   string // the agent's id of it
	Workspace                 string // the directory that it works in
}

// keptUnused is how long a session is kept that no process has taken up.
const keptUnused = 90 * 24 * time.Hour

// AgentSession returns the session of a conversation; one without a Session where there is none.
func (s *Store) AgentSession(ctx context.Context, agent, principal, conversation string) (AgentSession, error) {
	a := AgentSession{Agent: agent, Principal: principal, Context: conversation}
	err := s.db.QueryRowContext(ctx,
		`SELECT session, workspace FROM agent_sessions WHERE agent = ? AND principal = ? AND context = ?`,
		agent, principal, conversation).Scan(&a.Session, &a.Workspace)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return a, fmt.Errorf("read the session of a conversation: %w", err)
	}
	return a, nil
}

// KeepAgentSession keeps a session that a process has taken up now, in the place of the conversation's
// earlier one.
func (s *Store) KeepAgentSession(ctx context.Context, a AgentSession) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		old := s.now().Add(-keptUnused).UnixMilli()
		if _, err := tx.ExecContext(ctx, `DELETE FROM agent_sessions WHERE used < ?`, old); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO agent_sessions (agent, principal, context, session, workspace, used)
			VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (agent, principal, context) DO UPDATE SET session = excluded.session, workspace = excluded.workspace,
				used = excluded.used`,
			a.Agent, a.Principal, a.Context, a.Session, a.Workspace, s.now().UnixMilli())
		return err
	})
}

// ForgetAgentSession forgets the session of a conversation. One that is not kept is no error.
func (s *Store) ForgetAgentSession(ctx context.Context, agent, principal, conversation string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM agent_sessions WHERE agent = ? AND principal = ? AND context = ?`,
			agent, principal, conversation)
		return err
	})
}
