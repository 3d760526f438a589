package tasklog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
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
	return l.write(ctx, creation(t, append([]Step{first}, more...)))
}

func creation(t Task, steps []Step) func(*writer) (wrote, error) {
	return func(w *writer) (wrote, error) {
		t := t
		t.Created, t.worker, t.Seq, t.State, t.Size = steps[0].At, w.self, 0, None, 0
		return w.append(t, steps)
	}
}

// Begin is Create that does not wait: what is appended to the task next may share the transaction in which it begins,
// so that the disk is waited for once. The follower has the task from its first event on; close it. created, which
// is called once, waits until that is on disk, and returns the task, or why it is not there. Nobody outside is to
// hear of it before, nor is there to be an effect; an Append to it that has returned says the same as created.
func (l *Log) Begin(ctx context.Context, t Task, first Step) (begun Task, f *Follower, created func() (Task, error), err error) {
	if f, err = l.follow(t.ID); err != nil {
		return Task{}, nil, nil, err
	}
	r, err := l.handIn(ctx, creation(t, []Step{first}))
	if err != nil {
		f.Close()
		return Task{}, nil, nil, err
	}
	t.Created, t.Seq, t.State, t.Changed = first.At, 1, first.State, first.At
	return t, f, func() (Task, error) { return l.wait(ctx, r) }, nil
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
	return l.write(ctx, taking(id))
}

// TakeAll is Take for many tasks, which share transactions: the disk is waited for a few times, and not once for each. It
// returns those that this process works on now, in their order.
func (l *Log) TakeAll(ctx context.Context, ids []string) (taken []Task, err error) {
	for some := range slices.Chunk(ids, mostTogether) {
		var requests []*request
		for _, id := range some {
			r, err := l.handIn(ctx, taking(id))
			if err != nil {
				return taken, err
			}
			requests = append(requests, r)
		}
		for _, r := range requests {
			t, err := l.wait(ctx, r)
			switch {
			case err == nil:
				taken = append(taken, t)
			case !errors.Is(err, ErrMoved):
				return taken, err
			}
		}
	}
	return taken, nil
}

func taking(id string) func(*writer) (wrote, error) {
	return func(w *writer) (wrote, error) {
		t, err := w.read(id) // another process may have taken it, which is no event
		switch {
		case err != nil:
			return wrote{}, err
		case t.State.Ended() || t.worker != w.self && process.Lives(t.worker):
			return wrote{}, ErrMoved
		}
		t.worker = w.self
		_, err = w.take.Exec(t.worker, t.num)
		return wrote{task: t}, err
	}
}

// write hands a request to the writer and waits until it is on disk. When ctx ends, it may or may not get there.
func (l *Log) write(ctx context.Context, do func(*writer) (wrote, error)) (Task, error) {
	r, err := l.handIn(ctx, do)
	if err != nil {
		return Task{}, err
	}
	return l.wait(ctx, r)
}

// handIn hands a request to the writer. What one goroutine hands in is done in that order.
func (l *Log) handIn(ctx context.Context, do func(*writer) (wrote, error)) (*request, error) {
	r := &request{do: do, done: make(chan outcome, 1)}
	select {
	case <-l.closing:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case l.requests <- r:
		return r, nil
	}
}

// wait waits until a request is on disk. It is called once for each.
func (l *Log) wait(ctx context.Context, r *request) (Task, error) {
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
	since                            *sql.Stmt
	config, noConfig                 *sql.Stmt
	countConfigs, countWanted        *sql.Stmt
	told, lastN, setLastN            *sql.Stmt
	weights, size, configSize        *sql.Stmt

	// Of the transaction that is under way.
	made      map[string]Task  // what it has made of tasks
	unwritten []*change        // what of that SQLite has not been told yet
	next      int64            // the number of its last event
	more      map[string]int64 // bytes that each owner's tasks take more
	weighed   map[string]int64 // what they take without these, where it was counted; else nil

	seen int64 // the version of the file that was looked at last
	last int64 // the number of the last event that was written
}

// change is what a transaction does to a task.
type change struct {
	task   string
	isNew  bool
	before State // which its first event follows
	events [][]Event
}

func newWriter(ctx context.Context, l *Log) (*writer, error) {
	w := &writer{log: l, self: process.This(), made: map[string]Task{}, more: map[string]int64{}}
	for to, text := range map[**sql.Stmt]string{
		&w.begin: `BEGIN IMMEDIATE`, &w.commit: `COMMIT`, &w.rollback: `ROLLBACK`,
		&w.version: `PRAGMA data_version`,
		&w.create: `INSERT INTO tasks (id, door, owner, context, worker, created, seq, state, changed, size)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&w.event: `INSERT INTO events (n, task, seq, prev, kind, before, after, at, body, input)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&w.lead: `UPDATE tasks SET seq = ?, state = ?, changed = ?, size = ? WHERE num = ?`,
		&w.head: `SELECT ` + taskColumns + ` FROM tasks WHERE id = ?`,
		&w.take: `UPDATE tasks SET worker = ? WHERE num = ?`,
		&w.leave: `UPDATE tasks SET worker = '' WHERE worker = ?
			AND state IN ('submitted', 'working', 'input-required', 'auth-required')`,
		&w.remove: `DELETE FROM tasks WHERE num = ?`,
		&w.since:  `SELECT DISTINCT tasks.id FROM events JOIN tasks ON tasks.num = events.task WHERE n > ?`,
		&w.config: `INSERT INTO configs (task, id, since, body) VALUES (?, ?, ?, ?)
			ON CONFLICT (task, id) DO UPDATE SET body = excluded.body`,
		&w.told:         `UPDATE configs SET told = 1 WHERE task = ? AND id = ?`,
		&w.noConfig:     `DELETE FROM configs WHERE task = ? AND id = ?`,
		&w.countConfigs: `SELECT count(*) FROM configs WHERE task = ? AND id <> ?`,
		&w.countWanted: `SELECT count(*) FROM configs INDEXED BY configs_wanted CROSS JOIN tasks ON tasks.num = configs.task
			WHERE owner = ? AND NOT (configs.task = ? AND configs.id = ?) AND ` + wanted,
		&w.size: `UPDATE tasks SET size = ? WHERE num = ?`,
		&w.configSize: `SELECT coalesce(sum(length(body) + ` + strconv.Itoa(rowBytes) + `), 0) FROM configs
			WHERE task = ? AND id = ?`,
		&w.weights:  `SELECT owner, sum(size) FROM tasks GROUP BY owner`,
		&w.lastN:    `SELECT n FROM written`,
		&w.setLastN: `UPDATE written SET n = ?`,
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
	clear(w.more)
	w.unwritten, w.next, w.weighed = nil, w.last, nil
	for i, r := range batch {
		out := &outcomes[i]
		if out.wrote, out.err = r.do(w); out.err != nil && !isRefusal(out.err) {
			return nil, out.err
		}
		if out.err == nil && out.task.ID != "" {
			w.made[out.task.ID] = out.task
		}
	}
	if err := w.flush(); err != nil {
		return nil, err
	}
	for i := range outcomes {
		if t := &outcomes[i].task; t.num == 0 && outcomes[i].err == nil { // it has begun with this transaction
			t.num = w.made[t.ID].num
		}
	}
	if w.next != w.last {
		if _, err := w.setLastN.Exec(w.next); err != nil {
			return nil, err
		}
	}
	if _, err = w.commit.Exec(); err == nil {
		w.last = w.next
		w.log.kept.settle(w.weighed, w.more)
	}
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

// read returns a task as the file has it.
func (w *writer) read(id string) (Task, error) {
	if err := w.flush(); err != nil {
		return Task{}, err
	}
	return readTask(w.head.QueryRow(id))
}

// isRefusal reports whether an error is a request's own, which was noticed before anything of it was written.
func isRefusal(err error) bool {
	var step *StepError
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrMoved) || errors.Is(err, ErrTooMany) ||
		errors.Is(err, ErrTooManyWanted) || errors.As(err, &step)
}

// tell tells followers what has happened, and those who asked what became of that.
func (w *writer) tell(batch []*request, outcomes []outcome) {
	for i, out := range outcomes {
		if out.err == nil && out.task.num != 0 {
			w.log.heads.Add(out.task.ID, out.task)
		}
		if len(out.events) > 0 {
			w.log.news.heard()
			w.log.hub.publish(out.task.ID, out.events)
		}
		batch[i].done <- out
	}
}

// append has events happen to a task, which SQLite is told when the transaction ends: of a task to which several things
// happen in it, once. They are checked before.
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
	c := &change{task: t.ID, isNew: t.Seq == 0, before: t.State}
	if i := slices.IndexFunc(w.unwritten, func(c *change) bool { return c.task == t.ID }); i >= 0 && !c.isNew {
		c = w.unwritten[i]
	} else {
		w.unwritten = append(w.unwritten, c)
	}
	events := make([]Event, len(steps))
	for i, step := range steps {
		t.Seq, t.State = t.Seq+1, step.State
		at := time.UnixMilli(step.At.UnixMilli())
		if step.Kind != Artifact {
			t.Changed = at
		}
		events[i] = Event{Seq: t.Seq, Kind: step.Kind, State: step.State, At: at, Body: step.Body, Input: step.Input}
		t.Size += events[i].bytes()
	}
	c.events = append(c.events, events) // they get their numbers where they are
	return wrote{t, events}, nil
}

// flush tells SQLite what has happened to tasks.
func (w *writer) flush() error {
	for _, c := range w.unwritten {
		t := w.made[c.task]
		if c.isNew {
			made, err := w.create.Exec(t.ID, t.Door, t.Owner, t.Context, t.worker, t.Created.UnixMilli(), t.Seq,
				string(t.State), t.Changed.UnixMilli(), t.Size)
			if err != nil {
				return err
			}
			if t.num, err = made.LastInsertId(); err != nil {
				return err
			}
			w.made[c.task] = t
		} else if _, err := w.lead.Exec(t.Seq, string(t.State), t.Changed.UnixMilli(), t.Size, t.num); err != nil {
			return err
		}
		before := c.before
		for e := range each(c.events) {
			w.next++
			e.N = w.next
			w.more[t.Owner] += e.bytes()
			var prev, input any
			if e.Seq > 1 {
				prev = e.Seq - 1
			}
			if e.Input != nil {
				input = e.Input
			}
			if _, err := w.event.Exec(e.N, t.num, e.Seq, prev, string(e.Kind), string(before), string(e.State),
				e.At.UnixMilli(), e.Body, input); err != nil {
				return err
			}
			before = e.State
		}
	}
	w.unwritten = nil
	return nil
}

func each(lists [][]Event) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for _, list := range lists {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
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
	var last int64 // before the events are read: what comes meanwhile is read again
	if err := w.lastN.QueryRow().Scan(&last); err != nil {
		return err
	}
	rows, err := w.since.Query(w.last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	w.log.kept.forget()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		w.log.heads.Remove(id)
		w.log.hub.wake(id)
		w.log.news.heard()
	}
	if err := rows.Err(); err != nil {
		return err
	}
	w.seen, w.last = version, last
	return nil
}
