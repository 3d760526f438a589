package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/process"
)

// SessionApproval is what a person has allowed for the rest of a session.
type SessionApproval struct {
	ID      string
	Granted time.Time
	Agent   string
	Session string
	Key     string // names what is allowed to the process that keeps the session
	Words   string // the same for people
	Revoked time.Time
	Revoker string
	Gone    bool // the process that kept the session has ended, and the grant with it

	owner string
}

// The reasons why a grant cannot be revoked.
var (
	ErrNoSessionApproval = errors.New("there is no such grant")
	ErrRevoked           = errors.New("it is revoked, or has ended with its session")
)

// longestSessionApproval is how long a grant counts at the most, whatever the session.
const longestSessionApproval = 30 * 24 * time.Hour

const sessionApprovalColumns = `id, granted, owner, agent, session, key, words, revoked, revoker`

// AllowForSession keeps what was allowed in a session of this process. What was allowed there before stays
// one grant.
func (s *Store) AllowForSession(ctx context.Context, g SessionApproval) error {
	now := s.now().UnixMilli()
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE granted < ? AND revoked > 0 OR granted < ?`,
			s.now().Add(-keptFor).UnixMilli(), s.now().Add(-longestSessionApproval).UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO grants (id, granted, owner, agent, session, key, words)
			SELECT ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM grants WHERE owner = ? AND session = ? AND key = ?
				AND revoked = 0)`,
			g.ID, now, s.owner, g.Agent, g.Session, g.Key, g.Words, s.owner, g.Session, g.Key)
		return err
	})
}

// IsAllowed reports whether something is allowed in a session of this process.
func (s *Store) IsAllowed(ctx context.Context, session, key string) (bool, error) {
	var n int
	err := s.db.QueryRowContext(ctx,
		`SELECT count(*) FROM grants WHERE owner = ? AND session = ? AND key = ? AND revoked = 0`,
		s.owner, session, key).Scan(&n)
	return n > 0, err
}

// EndSession ends what was allowed in a session of this process by keys that begin with prefix: two doors
// may have sessions of one name.
func (s *Store) EndSession(ctx context.Context, session, prefix string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			`UPDATE grants SET revoked = ?, revoker = 'the session has ended' WHERE owner = ? AND session = ? AND revoked = 0
			AND substr(key, 1, length(?)) = ?`,
			s.now().UnixMilli(), s.owner, session, prefix, prefix)
		return err
	})
}

// Revoke takes a grant back: from now on the person is asked again. record is called before that is kept;
// when it fails, the grant is revoked all the same, since taking back never waits for the record, and its
// error is returned.
func (s *Store) Revoke(ctx context.Context, id, revoker string,
	record func(SessionApproval) error) (g SessionApproval, err error) {
	var unrecorded error
	err = s.change(ctx, func(tx *sql.Tx) (err error) {
		if g, err = readSessionApproval(tx.QueryRowContext(ctx, `SELECT `+sessionApprovalColumns+` FROM grants WHERE id = ?`,
			id)); err != nil {
			return err
		}
		if !g.Revoked.IsZero() || g.Gone {
			return ErrRevoked
		}
		g.Revoked, g.Revoker = s.now(), revoker
		unrecorded = record(g)
		_, err = tx.ExecContext(ctx, `UPDATE grants SET revoked = ?, revoker = ? WHERE id = ?`,
			g.Revoked.UnixMilli(), revoker, id)
		return err
	})
	return g, errors.Join(err, unrecorded)
}

// SessionApprovals returns what is allowed now, the oldest first.
func (s *Store) SessionApprovals(ctx context.Context) (list []SessionApproval, err error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT `+sessionApprovalColumns+` FROM grants WHERE revoked = 0 ORDER BY granted, id`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		g, err := readSessionApproval(rows)
		if err != nil {
			return nil, err
		}
		if !g.Gone {
			list = append(list, g)
		}
	}
	return list, rows.Err()
}

func readSessionApproval(row interface{ Scan(...any) error }) (SessionApproval, error) {
	var g SessionApproval
	var granted, revoked int64
	err := row.Scan(&g.ID, &granted, &g.owner, &g.Agent, &g.Session, &g.Key, &g.Words, &revoked, &g.Revoker)
	if errors.Is(err, sql.ErrNoRows) {
		return SessionApproval{}, ErrNoSessionApproval
	}
	if err != nil {
		return SessionApproval{}, fmt.Errorf("read a grant: %w", err)
	}
	g.Granted, g.Gone = time.UnixMilli(granted), !process.Lives(g.owner)
	if revoked > 0 {
		g.Revoked = time.UnixMilli(revoked)
	}
	return g, nil
}
