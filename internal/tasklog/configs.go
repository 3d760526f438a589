package tasklog

import (
	"context"
	"database/sql"
	"errors"
)

// Config says that somebody wants to be told of a task elsewhere.
type Config struct {
	Task  string
	ID    string // unique in its task
	Since int64  // the task's last event when the config was made: what comes after is told
	Body  []byte // the business of the task's door
}

// How many configs there may be.
const (
	MostConfigs = 50 // of a task
	// MostWanted is how many of an owner's may have something to tell, or come to have, at a time: each is looked
	// after by itself.
	MostWanted = 1024
)

// wanted are the configs of which there is something to tell, or may be.
const wanted = `told = 0 AND (state NOT IN ('completed', 'failed', 'canceled', 'rejected') OR since < seq)`

// PutConfig keeps a config of a task, in place of the one with its id, and returns it as it is kept. The error is
// ErrTooMany where the task has MostConfigs already, and ErrTooManyWanted where its owner has MostWanted.
func (l *Log) PutConfig(ctx context.Context, c Config) (Config, error) {
	_, err := l.write(ctx, func(w *writer) (wrote, error) {
		t, err := w.read(c.Task)
		if err != nil {
			return wrote{}, err
		}
		var others, owners int
		if err := w.countConfigs.QueryRow(t.num, c.ID).Scan(&others); err != nil {
			return wrote{}, err
		}
		if err := w.countWanted.QueryRow(t.Owner, t.num, c.ID).Scan(&owners); err != nil {
			return wrote{}, err
		}
		switch {
		case others >= MostConfigs:
			return wrote{}, ErrTooMany
		case owners >= l.mostWanted:
			return wrote{}, ErrTooManyWanted
		}
		c.Since = t.Seq
		if err := w.grow(&t, c.ID, int64(len(c.Body))+rowBytes); err != nil {
			return wrote{}, err
		}
		_, err = w.config.Exec(t.num, c.ID, c.Since, c.Body)
		return wrote{task: t}, err
	})
	return c, err
}

// RemoveConfig removes a config of a task, whether there is one or not.
func (l *Log) RemoveConfig(ctx context.Context, task, id string) error {
	_, err := l.write(ctx, func(w *writer) (wrote, error) {
		t, err := w.read(task)
		if err != nil {
			return wrote{}, err
		}
		if err := w.grow(&t, id, 0); err != nil {
			return wrote{}, err
		}
		_, err = w.noConfig.Exec(t.num, id)
		return wrote{task: t}, err
	})
	return err
}

// grow has a task take as many bytes for a config as it will, in place of those that the one before took.
func (w *writer) grow(t *Task, config string, bytes int64) error {
	var before int64
	if err := w.configSize.QueryRow(t.num, config).Scan(&before); err != nil {
		return err
	}
	t.Size += bytes - before
	w.more[t.Owner] += bytes - before
	_, err := w.size.Exec(t.Size, t.num)
	return err
}

// Told notes that all that a config wants to be told has been.
func (l *Log) Told(ctx context.Context, task, id string) error {
	_, err := l.write(ctx, func(w *writer) (wrote, error) {
		t, err := w.read(task)
		if err != nil {
			return wrote{}, err
		}
		_, err = w.told.Exec(t.num, id)
		return wrote{task: t}, err
	})
	return err
}

// Configs returns the configs of a task, the oldest first.
func (l *Log) Configs(ctx context.Context, t Task) ([]Config, error) {
	return readConfigs(l.reading.QueryContext(ctx, `SELECT tasks.id, configs.id, since, body FROM configs
		JOIN tasks ON tasks.num = configs.task WHERE configs.task = ? ORDER BY configs.num`, t.num))
}

// Wanted returns the configs of a door's tasks of which there is something to tell, or may be, the oldest first.
func (l *Log) Wanted(ctx context.Context, door string) ([]Config, error) {
	return readConfigs(l.reading.QueryContext(ctx, `SELECT tasks.id, configs.id, since, body FROM configs INDEXED BY configs_wanted
		CROSS JOIN tasks ON tasks.num = configs.task WHERE door = ? AND `+wanted+` ORDER BY configs.num`, door))
}

// IsWanted reports whether there is something to tell of a task where a config says, or may be. Of what is not there
// nothing is told.
func (l *Log) IsWanted(ctx context.Context, task, id string) (is bool, err error) {
	err = l.reading.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM configs JOIN tasks ON tasks.num = configs.task
		WHERE tasks.id = ? AND configs.id = ? AND `+wanted+`)`, task, id).Scan(&is)
	return is, err
}

// CountConfigs counts the configs of a door's tasks.
func (l *Log) CountConfigs(ctx context.Context, door string) (n int, err error) {
	err = l.reading.QueryRowContext(ctx, `SELECT count(*) FROM configs CROSS JOIN tasks ON tasks.num = configs.task
		WHERE door = ?`, door).Scan(&n)
	return n, err
}

func readConfigs(rows *sql.Rows, err error) (list []Config, failed error) {
	if err != nil {
		return nil, err
	}
	defer func() { failed = errors.Join(failed, rows.Close()) }()
	for rows.Next() {
		var c Config
		if err := rows.Scan(&c.Task, &c.ID, &c.Since, &c.Body); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// Config returns a config of a task. It returns ErrNotFound if there is none.
func (l *Log) Config(ctx context.Context, t Task, id string) (Config, error) {
	c := Config{Task: t.ID, ID: id}
	err := l.reading.QueryRowContext(ctx, `SELECT since, body FROM configs WHERE task = ? AND id = ?`, t.num, id).
		Scan(&c.Since, &c.Body)
	if errors.Is(err, sql.ErrNoRows) {
		return c, ErrNotFound
	}
	return c, err
}
