package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const webhookColumns = `source, id, position, token, state, reason, since, target, attempts, failing, due, error,
	delivered, last, term, until, holder`

// EnlistWebhooks makes known what is not yet. Of one that is known nothing changes.
func (s *Store) EnlistWebhooks(ctx context.Context, list []Webhook) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, w := range list {
			if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO webhooks (source, id, position, token, target)
				VALUES (?, ?, ?, ?, ?)`, w.Source, w.ID, w.Position, w.Token, w.Target); err != nil {
				return err
			}
		}
		return nil
	})
}

// Webhooks returns all subscriptions that are known, in the order of their keys.
func (s *Store) Webhooks(ctx context.Context) ([]Webhook, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+webhookColumns+`,
		(SELECT count(*) FROM webhook_letters l WHERE l.source = w.source AND l.id = w.id AND again = 0),
		(SELECT count(*) FROM webhook_letters l WHERE l.source = w.source AND l.id = w.id AND again > 0)
		FROM webhooks w ORDER BY source, id`)
	return readWebhooks(rows, err)
}

// LeaseWebhooks renews the leases that this Store has of some subscriptions, takes those that nobody has, or
// whose holder has ended or let its time run out, gives up those of all others, and returns the subscriptions
// that it has then. It writes only where something changes.
func (s *Store) LeaseWebhooks(ctx context.Context, wanted []WebhookKey, until time.Time) ([]Webhook, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+webhookColumns+`, 0, 0 FROM webhooks`)
	seen, err := readWebhooks(rows, err)
	if err != nil {
		return nil, err
	}
	me, now := s.self(), s.now()
	held, free, unwanted := s.sort(seen, wanted)
	if held == 0 && len(free) == 0 && len(unwanted) == 0 {
		return nil, nil
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE webhooks SET until = ? WHERE holder = ? AND until >= ?`, millis(until),
			me, now.UnixMilli()); err != nil {
			return err
		}
		for _, w := range free { // as it was seen: another may have been faster
			if _, err := tx.ExecContext(ctx, `UPDATE webhooks SET holder = ?, until = ?, term = term + 1
				WHERE source = ? AND id = ? AND term = ? AND until = ?`, me, millis(until), w.Source, w.ID, w.Term,
				millis(w.Until)); err != nil {
				return err
			}
		}
		for _, w := range unwanted {
			if _, err := tx.ExecContext(ctx, `UPDATE webhooks SET holder = '', until = 0, term = term + 1
				WHERE source = ? AND id = ? AND holder = ?`, w.Source, w.ID, me); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err = s.db.QueryContext(ctx, `SELECT `+webhookColumns+`, 0,
		EXISTS (SELECT 1 FROM webhook_letters l WHERE l.source = w.source AND l.id = w.id AND again > 0)
		FROM webhooks w WHERE holder = ?`, me)
	return readWebhooks(rows, err)
}

// sort counts the subscriptions that this Store has a lease of, and returns those that it can take, and those
// that it has and does not want.
func (s *Store) sort(seen []Webhook, wanted []WebhookKey) (held int, free, unwanted []Webhook) {
	want := make(map[WebhookKey]bool, len(wanted))
	for _, key := range wanted {
		want[key] = true
	}
	me, now, alive := s.self(), s.now(), map[string]bool{}
	for _, w := range seen {
		if _, known := alive[w.holder]; !known {
			alive[w.holder] = w.holder != "" && (w.holder == me || holderLives(w.holder))
		}
		switch {
		case !want[w.WebhookKey]:
			if w.holder == me {
				unwanted = append(unwanted, w)
			}
		case !alive[w.holder], w.Until.Before(now):
			free = append(free, w)
		case w.holder == me:
			held++
		}
	}
	return held, free, unwanted
}

// ReleaseWebhooks gives up all leases of this Store, so that others need not wait.
func (s *Store) ReleaseWebhooks(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE webhooks SET holder = '', until = 0, term = term + 1 WHERE holder = ?`,
			s.self())
		return err
	})
}

// StepWebhooks keeps what has become of deliveries, all in one transaction, and returns those that do not
// hold: the lease is another's by now, or somebody has changed something since.
func (s *Store) StepWebhooks(ctx context.Context, steps []WebhookStep) (lost []WebhookKey, err error) {
	me := s.self()
	err = s.change(ctx, func(tx *sql.Tx) error {
		update, err := tx.PrepareContext(ctx, `UPDATE webhooks SET position = ?, token = ?, attempts = ?, failing = ?,
			due = ?, error = ?, delivered = delivered + ?, last = max(last, ?),
			state = iif(? = '', state, 'off'), reason = iif(? = '', reason, ?), since = iif(? = '', since, ?)
			WHERE source = ? AND id = ? AND holder = ? AND term = ?`)
		if err != nil {
			return err
		}
		defer update.Close() //nolint:errcheck // it was only used
		for _, st := range steps {
			result, err := update.ExecContext(ctx, st.Position, st.Token, st.Attempts, millis(st.Failing),
				millis(st.Due), st.Error, st.Delivered, millis(st.Last), st.Off, st.Off, st.Off, st.Off,
				s.now().UnixMilli(), st.Source, st.ID, me, st.Term)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil {
				return err
			} else if n == 0 {
				lost = append(lost, st.WebhookKey)
				continue
			}
			if err := stepLetter(ctx, tx, st); err != nil {
				return err
			}
		}
		return nil
	})
	return lost, err
}

// HasWebhook reports whether this Store still has the lease of a subscription under a term.
func (s *Store) HasWebhook(ctx context.Context, key WebhookKey, term int64) (has bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhooks WHERE source = ? AND id = ? AND holder = ?
		AND term = ?)`, key.Source, key.ID, s.self(), term).Scan(&has)
	return has, err
}

// ChangeWebhook changes a subscription for a person. record is called before that counts; with an error
// nothing changes. The process that delivers learns of it with its next step.
func (s *Store) ChangeWebhook(ctx context.Context, key WebhookKey, change func(*Webhook) error) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+webhookColumns+`, 0, 0 FROM webhooks WHERE source = ? AND id = ?`,
			key.Source, key.ID)
		list, err := readWebhooks(rows, err)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return ErrNoWebhook
		}
		w := list[0]
		if err := change(&w); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhooks SET position = ?, token = ?, state = ?, reason = ?, since = ?,
			target = ?, attempts = ?, failing = ?, due = ?, error = ?, term = term + 1 WHERE source = ? AND id = ?`,
			w.Position, w.Token, w.State, w.Reason, millis(w.Since), w.Target, w.Attempts, millis(w.Failing), millis(w.Due),
			w.Error, key.Source, key.ID)
		return err
	})
}

// ForgetWebhook forgets a subscription with its letters.
func (s *Store) ForgetWebhook(ctx context.Context, key WebhookKey) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"webhooks", "webhook_letters"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE source = ? AND id = ?`, key.Source,
				key.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Changes returns a number that is another one when another Store has changed the database since.
func (s *Store) Changes(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&n)
	return n, err
}

// readWebhooks reads rows and closes them.
func readWebhooks(rows *sql.Rows, failed error) (list []Webhook, err error) {
	if failed != nil {
		return nil, failed
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var w Webhook
		var since, failing, due, last, until int64
		if err := rows.Scan(&w.Source, &w.ID, &w.Position, &w.Token, &w.State, &w.Reason, &since, &w.Target, &w.Attempts,
			&failing, &due, &w.Error, &w.Delivered, &last, &w.Term, &until, &w.holder, &w.Dead, &w.Again); err != nil {
			return nil, fmt.Errorf("read a webhook: %w", err)
		}
		w.Since, w.Failing, w.Due = atMillis(since), atMillis(failing), atMillis(due)
		w.Last, w.Until, w.Process = atMillis(last), atMillis(until), processOf(w.holder)
		list = append(list, w)
	}
	return list, rows.Err()
}
