package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/process"
)

// MCPTask is a call of an MCP client that goes on without it.
type MCPTask struct {
	ID, Principal string
	Created       time.Time
	Working       bool   // the process that has kept it last is at work on it
	Data          []byte // what it is
	// Left tells that the process that was at work has ended.
	Left bool
}

// ErrNoTask is returned for a task that there is not.
var ErrNoTask = errors.New("there is no such task")

// KeepMCPTask keeps a task, in place of what it was, and drops those that were made before old.
func (s *Store) KeepMCPTask(ctx context.Context, t MCPTask, old time.Time) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM mcp_tasks WHERE created < ?`, old.UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO mcp_tasks (id, principal, created, working, owner, data) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET working = excluded.working, owner = excluded.owner, data = excluded.data`,
			t.ID, t.Principal, t.Created.UnixMilli(), t.Working, s.owner, t.Data)
		return err
	})
}

// MCPTask returns a task of a principal.
func (s *Store) MCPTask(ctx context.Context, principal, id string) (MCPTask, error) {
	t := MCPTask{ID: id, Principal: principal}
	var created int64
	var owner string
	err := s.db.QueryRowContext(ctx,
		`SELECT created, working, owner, data FROM mcp_tasks WHERE id = ? AND principal = ?`, id, principal).
		Scan(&created, &t.Working, &owner, &t.Data)
	if errors.Is(err, sql.ErrNoRows) {
		return t, ErrNoTask
	}
	t.Created, t.Left = time.UnixMilli(created), t.Working && !process.Lives(owner)
	return t, err
}
