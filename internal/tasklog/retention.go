package tasklog

import (
	"context"
	"errors"
	"time"
)

// mostRemoved is how many tasks are removed in one transaction.
const mostRemoved = 64

// Remove removes the tasks of a door that have ended so before a time, with all their events, and returns how
// many these were.
func (l *Log) Remove(ctx context.Context, door string, ended State, before time.Time) (removed int, err error) {
	for {
		n, err := l.removeSome(ctx, door, ended, before)
		removed += n
		if err != nil || n < mostRemoved {
			return removed, err
		}
	}
}

func (l *Log) removeSome(ctx context.Context, door string, ended State, before time.Time) (n int, err error) {
	rows, err := l.reading.QueryContext(ctx, `SELECT `+taskColumns+` FROM tasks WHERE door = ? AND state = ? AND changed < ?
		ORDER BY changed LIMIT ?`, door, string(ended), before.UnixMilli(), mostRemoved)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var old []Task
	for rows.Next() {
		t, err := readTask(rows)
		if err != nil {
			return 0, err
		}
		old = append(old, t)
	}
	if err := rows.Err(); err != nil || len(old) == 0 {
		return 0, err
	}
	return len(old), l.removeAll(ctx, old)
}

// removeAll removes tasks that have ended, with all their events.
func (l *Log) removeAll(ctx context.Context, old []Task) error {
	_, err := l.write(ctx, func(w *writer) (wrote, error) {
		for _, t := range old {
			result, err := w.remove.Exec(t.num)
			if err != nil {
				return wrote{}, err
			}
			if n, err := result.RowsAffected(); err != nil {
				return wrote{}, err
			} else if n > 0 { // else somebody else has
				w.more[t.Owner] -= t.Size
			}
			l.heads.Remove(t.ID)
		}
		return wrote{}, nil
	})
	return err
}
