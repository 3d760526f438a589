package tasklog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/process"
)

const taskColumns = `num, id, door, owner, context, worker, created, seq, state, changed, size`

func readTask(row interface{ Scan(...any) error }) (t Task, err error) {
	var created, changed int64
	err = row.Scan(&t.num, &t.ID, &t.Door, &t.Owner, &t.Context, &t.worker, &created, &t.Seq, &t.State, &changed, &t.Size)
	if errors.Is(err, sql.ErrNoRows) {
		return Task{}, ErrNotFound
	}
	t.Created, t.Changed = time.UnixMilli(created), time.UnixMilli(changed)
	return t, err
}

// Get returns a task. It may be a quarter of a second behind what another process has appended.
func (l *Log) Get(ctx context.Context, id string) (Task, error) {
	if t, ok := l.heads.Get(id); ok {
		return t, nil
	}
	// It is not kept: it may be older than what the writer keeps meanwhile.
	return readTask(l.reading.QueryRowContext(ctx, `SELECT `+taskColumns+` FROM tasks WHERE id = ?`, id))
}

// Events returns events of a task after a number, the oldest first, at most so many.
func (l *Log) Events(ctx context.Context, t Task, after int64, most int) ([]Event, error) {
	return l.events(ctx, t.num, after, most)
}

const eventColumns = `n, seq, kind, after, at, body, input`

func (l *Log) events(ctx context.Context, num, after int64, most int) ([]Event, error) {
	return readEvents(l.reading.QueryContext(ctx,
		`SELECT `+eventColumns+` FROM events WHERE task = ? AND seq > ? ORDER BY seq LIMIT ?`, num, after, most))
}

// Outline returns the events of a task up to a number but for its artifacts, the oldest first.
func (l *Log) Outline(ctx context.Context, t Task) ([]Event, error) {
	return readEvents(l.reading.QueryContext(ctx,
		`SELECT `+eventColumns+` FROM events WHERE task = ? AND seq <= ? AND kind <> 'artifact' ORDER BY seq`,
		t.num, t.Seq))
}

func readEvents(rows *sql.Rows, err error) (list []Event, failed error) {
	if err != nil {
		return nil, err
	}
	defer func() { failed = errors.Join(failed, rows.Close()) }()
	for rows.Next() {
		var e Event
		var at int64
		if err := rows.Scan(&e.N, &e.Seq, &e.Kind, &e.State, &at, &e.Body, &e.Input); err != nil {
			return nil, err
		}
		e.At = time.UnixMilli(at)
		list = append(list, e)
	}
	return list, rows.Err()
}

// Query says which tasks are wanted. Fields that are zero do not restrict.
type Query struct {
	Door    string // required
	Owner   string
	Anyones bool // whoever the owner is; else Owner restricts, whatever it is
	Context string
	State   State
	Since   time.Time // those whose status has changed then or later
	After   Cursor
	Most    int // required: how many
}

// Cursor is a place in a list, which the next page begins after. The zero Cursor is its beginning.
type Cursor struct {
	Changed time.Time
	Num     int64
}

// List returns tasks, those whose status has changed last first, and how many there are in all. next is where
// the next page begins; zero for none.
func (l *Log) List(ctx context.Context, q Query) (list []Task, total int, next Cursor, err error) {
	where, args := []string{"door = ?"}, []any{q.Door}
	restrict := func(text string, values ...any) {
		where, args = append(where, text), append(args, values...)
	}
	if !q.Anyones {
		restrict("owner = ?", q.Owner)
	}
	if q.Context != "" {
		restrict("context = ?", q.Context)
	}
	if q.State != None {
		restrict("state = ?", string(q.State))
	}
	if !q.Since.IsZero() {
		restrict("changed >= ?", q.Since.UnixMilli())
	}
	if err := l.reading.QueryRowContext(ctx, `SELECT count(*) FROM tasks WHERE `+strings.Join(where, " AND "),
		args...).Scan(&total); err != nil {
		return nil, 0, next, err
	}
	if q.After != (Cursor{}) {
		restrict("(changed, num) < (?, ?)", q.After.Changed.UnixMilli(), q.After.Num)
	}
	rows, err := l.reading.QueryContext(ctx, fmt.Sprintf(
		`SELECT %s FROM tasks WHERE %s ORDER BY changed DESC, num DESC LIMIT ?`, taskColumns,
		strings.Join(where, " AND ")), append(args, q.Most+1)...)
	if err != nil {
		return nil, 0, next, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		t, err := readTask(rows)
		if err != nil {
			return nil, 0, next, err
		}
		list = append(list, t)
	}
	if len(list) > q.Most {
		list = list[:q.Most]
		last := list[q.Most-1]
		next = Cursor{Changed: last.Changed, Num: last.num}
	}
	return list, total, next, rows.Err()
}

// Left returns the tasks of a door that have not ended although their process has.
func (l *Log) Left(ctx context.Context, door string) (left []Task, err error) {
	rows, err := l.reading.QueryContext(ctx, `SELECT `+taskColumns+` FROM tasks WHERE door = ?
		AND state IN ('submitted', 'working', 'input-required', 'auth-required') ORDER BY num`, door)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	alive := map[string]bool{process.This(): true}
	for rows.Next() {
		t, err := readTask(rows)
		if err != nil {
			return nil, err
		}
		lives, known := alive[t.worker]
		if !known {
			lives = process.Lives(t.worker)
			alive[t.worker] = lives
		}
		if !lives {
			left = append(left, t)
		}
	}
	return left, rows.Err()
}
