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
	Ended         bool   // nothing comes of it any more
	Data          []byte // what it is
	// Left tells that the process that was at work has ended.
	Left bool
}

// ErrNoTask is returned for a task that there is not.
var ErrNoTask = errors.New("there is no such task")

// ErrTooManyTasks is returned for a new task of a principal whose others take as much as they may, and have not ended.
var ErrTooManyTasks = errors.New("the tasks that go on, or wait for an answer, take as many bytes as they may")

// KeepMCPTask keeps a task, in place of what it was, and drops those that were made before old, and of its principal those
// that ended first, where all of them take more than most bytes.
func (s *Store) KeepMCPTask(ctx context.Context, t MCPTask, old time.Time, most int64) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM mcp_tasks WHERE created < ?`, old.UnixMilli()); err != nil {
			return err
		}
		if err := makeRoom(ctx, tx, t, most); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO mcp_tasks (id, principal, created, working, ended, owner, data)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
			SET working = excluded.working, ended = excluded.ended, owner = excluded.owner, data = excluded.data`,
			t.ID, t.Principal, t.Created.UnixMilli(), t.Working, t.Ended, s.owner, t.Data)
		return err
	})
}

// makeRoom drops tasks of a principal that have ended, until there is room for one. How one that is kept already goes on is
// always kept.
func makeRoom(ctx context.Context, tx *sql.Tx, t MCPTask, most int64) error {
	over := int64(len(t.Data)) - most
	known := false
	err := tx.QueryRowContext(ctx, `SELECT ? + COALESCE(SUM(LENGTH(data)) FILTER (WHERE id <> ?), 0),
		COUNT(*) FILTER (WHERE id = ?) > 0 FROM mcp_tasks WHERE principal = ?`,
		over, t.ID, t.ID, t.Principal).Scan(&over, &known)
	if err != nil || over <= 0 {
		return err
	}
	var left int64
	if err := tx.QueryRowContext(ctx, `WITH ended AS (
			SELECT id, SUM(LENGTH(data)) OVER (ORDER BY created, id) - LENGTH(data) AS before
			FROM mcp_tasks WHERE principal = ? AND ended AND id <> ?)
		SELECT COALESCE(SUM(LENGTH(data)), 0) FROM mcp_tasks WHERE id IN (SELECT id FROM ended WHERE before < ?)`,
		t.Principal, t.ID, over).Scan(&left); err != nil {
		return err
	}
	if left < over && !known {
		return ErrTooManyTasks
	}
	_, err = tx.ExecContext(ctx, `WITH ended AS (
			SELECT id, SUM(LENGTH(data)) OVER (ORDER BY created, id) - LENGTH(data) AS before
			FROM mcp_tasks WHERE principal = ? AND ended AND id <> ?)
		DELETE FROM mcp_tasks WHERE id IN (SELECT id FROM ended WHERE before < ?)`, t.Principal, t.ID, over)
	return err
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
