package tasklog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/process"
)

// request is something that the writer is to do, in a transaction that it may share with others.
type request struct {
	do   func(w *writer) (wrote, error)
	done chan outcome // of capacity 1
}

// wrote is what a request has changed.
type wrote struct {
	task   Task
	events []Event
}

// outcome is what became of a request.
type outcome struct {
	wrote
	err error
}

// Create begins a task with its first event, which the others follow at once. ID, Door, Owner and Context say
// which task it is.
func (l *Log) Create(ctx context.Context, t Task, first Step, more ...Step) (Task, error) {
	return l.write(ctx, func(w *writer) (wrote, error) {
		t := t
		t.Created, t.worker, t.Seq, t.State = first.At, w.self, 0, None
		made, err := w.create.Exec(t.ID, t.Door, t.Owner, t.Context, t.worker, t.Created.UnixMilli())
		if err != nil {
			return wrote{}, err
		}
		if t.num, err = made.LastInsertId(); err != nil {
			return wrote{}, err
		}
		return w.append(t, append([]Step{first}, more...))
	})
}

// Append appends events to a task, all of them or none.
func (l *Log) Append(ctx context.Context, id string, steps ...Step) (Task, error) {
	return l.write(ctx, func(w *writer) (wrote, error) {
		t, err := w.task(id)
		if err != nil {
			return wrote{}, err
		}
		return w.append(t, steps)
	})
}

// Take has this process work on a task whose process has ended. It returns ErrMoved if another one works on it,
// or the task has ended.
func (l *Log) Take(ctx context.Context, id string) (Task, error) {
	return l.write(ctx, func(w *writer) (wrote, error) {
		t, err := readTask(w.head.QueryRow(id)) // another process may have taken it, which is no event
		switch {
		case err != nil:
			return wrote{}, err
		case t.State.Ended() || t.worker != w.self && process.Lives(t.worker):
			return wrote{}, ErrMoved
		}
		t.worker = w.self
		_, err = w.take.Exec(t.worker, t.num)
		return wrote{task: t}, err
	})
}

// write hands a request to the writer and waits until it is on disk. When ctx ends, it may or may not get there.
func (l *Log) write(ctx context.Context, do func(*writer) (wrote, error)) (Task, error) {
	r := &request{do: do, done: make(chan outcome, 1)}
	select {
	case <-l.closing:
		return Task{}, ErrClosed
	case <-ctx.Done():
		return Task{}, context.Cause(ctx)
	case l.requests <- r:
	}
	select {
	case out := <-r.done:
		return out.task, out.err
	case <-ctx.Done():
		return Task{}, context.Cause(ctx)
	case <-l.closed:
	}
	select { // the writer may have come to it last
	case out := <-r.done:
		return out.task, out.err
	default:
		return Task{}, ErrClosed
	}
}

// writer is the one that writes. Its methods are called by its own goroutine.
type writer struct {
	log  *Log
	self string

	begin, commit, rollback, version *sql.Stmt
	create, event, lead, head        *sql.Stmt
	take, remove, leave              *sql.Stmt
	since, lastN                     *sql.Stmt
	config, noConfig, countConfigs   *sql.Stmt
	told                             *sql.Stmt

	made map[string]Task // what the transaction that is under way has made of tasks
	seen int64           // the version of the file that was looked at last
	last int64           // the number of the last event that followers know of
}

func newWriter(ctx context.Context, l *Log) (*writer, error) {
	w := &writer{log: l, self: process.This(), made: map[string]Task{}}
	for to, text := range map[**sql.Stmt]string{
		&w.begin: `BEGIN IMMEDIATE`, &w.commit: `COMMIT`, &w.rollback: `ROLLBACK`,
		&w.version: `PRAGMA data_version`,
		&w.create: `INSERT INTO tasks (id, door, owner, context, worker, created, seq, state, changed)
			VALUES (?, ?, ?, ?, ?, ?, 0, '', 0)`,
		&w.event: `INSERT INTO events (task, seq, prev, kind, before, after, at, body, input)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&w.lead: `UPDATE tasks SET seq = ?, state = ?, changed = ? WHERE num = ?`,
		&w.head: `SELECT ` + taskColumns + ` FROM tasks WHERE id = ?`,
		&w.take: `UPDATE tasks SET worker = ? WHERE num = ?`,
		&w.leave: `UPDATE tasks SET worker = '' WHERE worker = ?
			AND state IN ('submitted', 'working', 'input-required', 'auth-required')`,
		&w.remove: `DELETE FROM tasks WHERE num = ?`,
		&w.since: `SELECT tasks.id, max(n) FROM events JOIN tasks ON tasks.num = events.task WHERE n > ?
			GROUP BY tasks.id`,
		&w.config: `INSERT INTO configs (task, id, since, body) VALUES (?, ?, ?, ?)
			ON CONFLICT (task, id) DO UPDATE SET body = excluded.body`,
		&w.told:         `UPDATE configs SET told = 1 WHERE task = ? AND id = ?`,
		&w.noConfig:     `DELETE FROM configs WHERE task = ? AND id = ?`,
		&w.countConfigs: `SELECT count(*) FROM configs WHERE task = ? AND id <> ?`,
		&w.lastN:        `SELECT coalesce(max(n), 0) FROM events`,
	} {
		stmt, err := l.writing.PrepareContext(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		*to = stmt
	}
	if err := w.version.QueryRowContext(ctx).Scan(&w.seen); err != nil {
		return nil, err
	}
	return w, w.lastN.QueryRowContext(ctx).Scan(&w.last)
}

// run writes what is handed in until the log is closed.
func (w *writer) run() {
	defer close(w.log.closed)
	tick := time.NewTicker(w.log.look)
	defer tick.Stop()
	for {
		select {
		case r := <-w.log.requests:
			w.together(r)
		case <-tick.C:
			w.lookAround()
			w.log.news.tell()
		case <-w.log.closing:
			for {
				select {
				case r := <-w.log.requests:
					w.together(r)
				default:
					_, _ = w.leave.Exec(w.self) // what cannot be left now is left with the process
					return
				}
			}
		}
	}
}

// mostTogether bounds a transaction, so that nobody waits long for it.
const mostTogether = 256

// together carries out a request, and those that wait behind it, in one transaction. If something is wrong with
// the transaction, each is tried in one of its own.
func (w *writer) together(first *request) {
	batch := []*request{first}
	for len(batch) < mostTogether {
		select {
		case r := <-w.log.requests:
			batch = append(batch, r)
			continue
		default:
		}
		break
	}
	if outcomes, err := w.transact(batch); err == nil {
		w.tell(batch, outcomes)
		return
	}
	for i := range batch {
		outcomes, err := w.transact(batch[i : i+1])
		if err != nil {
			outcomes = []outcome{{err: err}}
		}
		w.tell(batch[i:i+1], outcomes)
	}
}

// transact carries requests out in one transaction. It returns an error if nothing of it counts.
func (w *writer) transact(batch []*request) (outcomes []outcome, err error) {
	if _, err := w.begin.Exec(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_, _ = w.rollback.Exec() // the connection is in no transaction any more, or will say so
		}
	}()
	if err := w.noticeOthers(); err != nil {
		return nil, err
	}
	outcomes = make([]outcome, len(batch))
	clear(w.made)
	for i, r := range batch {
		out := &outcomes[i]
		if out.wrote, out.err = r.do(w); out.err != nil && !isRefusal(out.err) {
			return nil, out.err
		}
		if out.err == nil && out.task.num != 0 {
			w.made[out.task.ID] = out.task
		}
	}
	_, err = w.commit.Exec()
	return outcomes, err
}

// task returns a task as it is in the transaction that is under way, which has noticed what other processes have made of it.
func (w *writer) task(id string) (Task, error) {
	if t, ok := w.made[id]; ok {
		return t, nil
	}
	if t, ok := w.log.heads.Get(id); ok {
		return t, nil
	}
	return readTask(w.head.QueryRow(id))
}

// isRefusal reports whether an error is a request's own, which was noticed before anything of it was written.
func isRefusal(err error) bool {
	var step *StepError
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrMoved) || errors.Is(err, ErrTooMany) || errors.As(err, &step)
}

// tell tells followers what has happened, and those who asked what became of that.
func (w *writer) tell(batch []*request, outcomes []outcome) {
	for i, out := range outcomes {
		if out.err == nil && out.task.num != 0 {
			w.log.heads.Add(out.task.ID, out.task)
		}
		if n := len(out.events); n > 0 {
			w.last = out.events[n-1].N
			w.log.news.heard()
			w.log.hub.publish(out.task.ID, out.events)
		}
		batch[i].done <- out
	}
}

// append writes events of a task. They are checked before the first is written.
func (w *writer) append(t Task, steps []Step) (wrote, error) {
	before := t.State
	for i := range steps {
		step := &steps[i]
		if step.Kind == Artifact {
			step.State = before
		}
		if step.From != None && step.From != before {
			return wrote{}, ErrMoved
		}
		if !may(step.Kind, before, step.State) {
			return wrote{}, &StepError{Task: t.ID, Kind: step.Kind, Before: before, After: step.State}
		}
		before = step.State
	}
	events := make([]Event, len(steps))
	for i, step := range steps {
		var input any
		if step.Input != nil {
			input = step.Input
		}
		var prev any
		if t.Seq > 0 {
			prev = t.Seq
		}
		made, err := w.event.Exec(t.num, t.Seq+1, prev, string(step.Kind), string(t.State), string(step.State),
			step.At.UnixMilli(), step.Body, input)
		if err != nil {
			return wrote{}, err
		}
		n, err := made.LastInsertId()
		if err != nil {
			return wrote{}, err
		}
		t.Seq, t.State = t.Seq+1, step.State
		if step.Kind != Artifact {
			t.Changed = time.UnixMilli(step.At.UnixMilli())
		}
		events[i] = Event{N: n, Seq: t.Seq, Kind: step.Kind, State: step.State,
			At: time.UnixMilli(step.At.UnixMilli()), Body: step.Body, Input: step.Input}
	}
	_, err := w.lead.Exec(t.Seq, string(t.State), t.Changed.UnixMilli(), t.num)
	return wrote{t, events}, err
}

// lookAround notices what other processes have appended.
func (w *writer) lookAround() {
	_ = w.noticeOthers() // what cannot be read now is noticed with the next look
}

// noticeOthers wakes those who follow a task that another process has appended to, and forgets what was known of
// it.
func (w *writer) noticeOthers() (err error) {
	var version int64
	if err := w.version.QueryRow().Scan(&version); err != nil || version == w.seen {
		return err
	}
	rows, err := w.since.Query(w.last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	last := w.last
	for rows.Next() {
		var id string
		var n int64
		if err := rows.Scan(&id, &n); err != nil {
			return err
		}
		w.log.heads.Remove(id)
		w.log.hub.wake(id)
		w.log.news.heard()
		last = max(last, n)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	w.seen, w.last = version, last
	return nil
}
