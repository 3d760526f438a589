package tasklog

import (
	"context"
	"errors"
	"maps"
	"sync"
)

// rowBytes is about what the tables add to what an event holds.
const rowBytes = 256

// bytes is about what an event takes on disk.
func (e *Event) bytes() int64 { return int64(len(e.Body)+len(e.Input)) + rowBytes }

// kept is how many bytes the tasks of each owner take. The writer alone changes it.
type kept struct {
	mu sync.Mutex
	of map[string]int64 // nil while it is not known
}

// settle has it be as it is after a transaction: anew, where the writer has counted, and with what has come and gone.
func (k *kept) settle(anew, more map[string]int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if anew != nil {
		k.of = maps.Clone(anew)
	}
	if k.of == nil {
		return
	}
	for owner, bytes := range more {
		if k.of[owner] += bytes; k.of[owner] == 0 {
			delete(k.of, owner)
		}
	}
}

// forget has it counted anew.
func (k *kept) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of = nil
}

func (k *kept) get(owner string) (bytes int64, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.of[owner], k.of != nil
}

// Kept returns about how many bytes the tasks of an owner take on disk. It waits for the disk the first time, and when
// another process has written.
func (l *Log) Kept(ctx context.Context, owner string) (int64, error) {
	if bytes, known := l.kept.get(owner); known {
		return bytes, nil
	}
	_, err := l.write(ctx, func(w *writer) (wrote, error) { return wrote{}, w.weigh() })
	bytes, _ := l.kept.get(owner)
	return bytes, err
}

// weigh counts what all owners' tasks take, with what the transaction has changed so far.
func (w *writer) weigh() (err error) {
	if err := w.flush(); err != nil {
		return err
	}
	rows, err := w.weights.Query()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	w.weighed = map[string]int64{}
	clear(w.more)
	for rows.Next() {
		var owner string
		var bytes int64
		if err := rows.Scan(&owner, &bytes); err != nil {
			return err
		}
		w.weighed[owner] = bytes
	}
	return rows.Err()
}

// Shrink removes tasks of an owner that have ended, those first whose status changed first, until all of its tasks take
// no more than so many bytes, or none is left that could be removed: what has to be told elsewhere yet stays.
func (l *Log) Shrink(ctx context.Context, owner string, to int64) error {
	for {
		bytes, err := l.Kept(ctx, owner)
		if err != nil || bytes <= to {
			return err
		}
		old, err := l.oldest(ctx, owner, bytes-to)
		if err != nil || len(old) == 0 {
			return err
		}
		if err := l.removeAll(ctx, old); err != nil {
			return err
		}
	}
}

// oldest returns tasks of an owner that have ended, with nothing of them to be told: as many as take so many bytes, and no
// more than are removed at once.
func (l *Log) oldest(ctx context.Context, owner string, bytes int64) (list []Task, failed error) {
	rows, err := l.reading.QueryContext(ctx, `SELECT `+taskColumns+` FROM tasks WHERE owner = ?
		AND state IN ('completed', 'failed', 'canceled', 'rejected')
		AND NOT EXISTS (SELECT 1 FROM configs WHERE task = tasks.num AND told = 0 AND since < seq)
		ORDER BY changed, num LIMIT ?`, owner, mostRemoved)
	if err != nil {
		return nil, err
	}
	defer func() { failed = errors.Join(failed, rows.Close()) }()
	for bytes > 0 && rows.Next() {
		t, err := readTask(rows)
		if err != nil {
			return nil, err
		}
		list, bytes = append(list, t), bytes-t.Size
	}
	return list, rows.Err()
}
