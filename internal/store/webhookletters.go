package store

import (
	"context"
	"database/sql"
	"errors"
)

// mostLetters bounds how many letters of a subscription are kept that were given up; the oldest go. The
// source has what was in them.
const mostLetters = 10000

const letterColumns = `position, item, event, attempts, failing, given_up, error, again`

// stepLetter keeps what a step says of a letter.
func stepLetter(ctx context.Context, tx *sql.Tx, st WebhookStep) error {
	if st.Drop != 0 {
		if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_letters WHERE source = ? AND id = ? AND position = ?`,
			st.Source, st.ID, st.Drop); err != nil {
			return err
		}
	}
	l := st.Keep
	if l == nil {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO webhook_letters (source, id, `+letterColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, st.Source, st.ID, l.Position, l.Item, l.Event, l.Attempts, millis(l.Failing),
		millis(l.GivenUp), l.Error, millis(l.Again)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM webhook_letters WHERE source = ? AND id = ? AND again = 0 AND position <
		(SELECT position FROM webhook_letters WHERE source = ? AND id = ? AND again = 0 ORDER BY position DESC
			LIMIT 1 OFFSET ?)`, st.Source, st.ID, st.Source, st.ID, mostLetters-1)
	return err
}

// Letters returns the letters of a subscription, the oldest item first.
func (s *Store) Letters(ctx context.Context, key WebhookKey) ([]Letter, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+letterColumns+` FROM webhook_letters WHERE source = ? AND id = ?
		ORDER BY position`, key.Source, key.ID)
	return readLetters(rows, err)
}

// NextAgain returns the first letter of a subscription that is wanted once more; found is false for none.
func (s *Store) NextAgain(ctx context.Context, key WebhookKey) (l Letter, found bool, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+letterColumns+` FROM webhook_letters WHERE source = ? AND id = ?
		AND again > 0 ORDER BY position LIMIT 1`, key.Source, key.ID)
	list, err := readLetters(rows, err)
	if err != nil || len(list) == 0 {
		return Letter{}, false, err
	}
	return list[0], true, nil
}

// SendAgain has items delivered once more: those with the positions, or where there are none, all that were
// given up. It returns how many. The subscription is not held to what its receiver did before.
func (s *Store) SendAgain(ctx context.Context, key WebhookKey, positions []int64) (n int64, err error) {
	now := s.now().UnixMilli()
	err = s.change(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE webhooks SET term = term + 1, due = 0 WHERE source = ? AND id = ?`,
			key.Source, key.ID)
		if err != nil {
			return err
		}
		if known, err := result.RowsAffected(); err != nil || known == 0 {
			return errors.Join(err, ErrNoWebhook)
		}
		if len(positions) == 0 {
			result, err := tx.ExecContext(ctx, `UPDATE webhook_letters SET again = ?, attempts = 0, failing = 0
				WHERE source = ? AND id = ? AND again = 0`, now, key.Source, key.ID)
			if err != nil {
				return err
			}
			n, err = result.RowsAffected()
			return err
		}
		for _, position := range positions {
			if _, err := tx.ExecContext(ctx, `INSERT INTO webhook_letters (source, id, position, item, event, again)
				VALUES (?, ?, ?, '', '', ?)
				ON CONFLICT DO UPDATE SET again = excluded.again, attempts = 0, failing = 0`,
				key.Source, key.ID, position, now); err != nil {
				return err
			}
		}
		n = int64(len(positions))
		return nil
	})
	return n, err
}

func readLetters(rows *sql.Rows, failed error) (list []Letter, err error) {
	if failed != nil {
		return nil, failed
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var l Letter
		var failing, givenUp, again int64
		if err := rows.Scan(&l.Position, &l.Item, &l.Event, &l.Attempts, &failing, &givenUp, &l.Error, &again); err != nil {
			return nil, err
		}
		l.Failing, l.GivenUp, l.Again = atMillis(failing), atMillis(givenUp), atMillis(again)
		list = append(list, l)
	}
	return list, rows.Err()
}
