package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/database"
	"github.com/a2a-acp/a2a-acp/internal/process"
)

// keptFor is how long a question is kept after it was asked and nobody waits any more. The record keeps
// what was decided.
const keptFor = 24 * time.Hour

// pollEvery is how often a waiting process looks at its question. One look is one read by key.
const pollEvery = 150 * time.Millisecond

const columns = `id, asked, expires, state, owner, door, agent, session, call_id, tool_call, kind, title, text,
	digest, bound, answered, answered_where,
	approver, reason, key, used, used_by, lasting, always, wider, principal, at_terminal, task, context, carrier`

// Answer answers a question from elsewhere than where it was asked. The first answer holds: to any later
// one it gives the reason (ErrAnswered and its like) with the question as it stands. record is called while
// nobody else can answer, before the answer is kept; when it fails, there is no answer. It may be nil.
func (s *Store) Answer(ctx context.Context, id string, answer Answer, record func(Approval) error) (Approval,
	error) {
	var a Approval
	err := s.change(ctx, func(tx *sql.Tx) (err error) {
		if a, err = s.read(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM approvals WHERE id = ?`,
			id)); err != nil {
			return err
		}
		if why := a.State.refusal(); why != nil {
			return why
		}
		a.answer(answer, Elsewhere, s.now())
		if record != nil {
			if err := record(a); err != nil {
				return err
			}
		}
		return set(ctx, tx, a)
	})
	return a, err
}

// Settle brings the answer that this process was given where it asked, and gives the question with the
// answer that holds, which is used by the act that asked: this answer, or the one from elsewhere that came
// first, with ErrAnswered. Any other error says why nobody's answer holds here: ErrExpired, ErrWithdrawn,
// ErrNoApproval, ErrUsed, ErrNotAsker.
func (s *Store) Settle(ctx context.Context, id string, answer Answer) (a Approval, err error) {
	var before error
	err = s.change(ctx, func(tx *sql.Tx) (err error) {
		if a, err = s.read(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM approvals WHERE id = ?`, id)); err != nil {
			return err
		}
		before = a.State.refusal()
		switch {
		case !a.Used.IsZero():
			return ErrUsed
		case a.owner != s.owner:
			return ErrNotAsker
		case before == nil:
			a.answer(answer, AtAsker, s.now())
		case !errors.Is(before, ErrAnswered):
			return before
		}
		a.Used, a.UsedBy = s.now(), a.CallID
		return set(ctx, tx, a)
	})
	if err == nil {
		err = before
	}
	return a, err
}

// answer puts an answer into the question.
func (a *Approval) answer(answer Answer, where Where, now time.Time) {
	a.State, a.Answered, a.Where, a.Approver, a.Reason = Denied, now, where, answer.Approver, answer.Reason
	if answer.Approved {
		a.State = Approved
		if answer.Always > 0 && answer.Always <= len(a.Lasting) && !a.Left && answer.Asker == a.Asker() {
			a.Always = answer.Always
		}
	}
}

// Withdraw takes a question of this process back: nobody can answer it any more, and an answer that it has,
// and that no call was given yet, counts no more.
func (s *Store) Withdraw(ctx context.Context, id, why string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE approvals SET state = 'withdrawn', answered = ?, reason = ?
			WHERE id = ? AND owner = ? AND (state = 'pending' OR state = 'approved' AND used = 0)`, s.now().UnixMilli(), why,
			id, s.owner)
		return err
	})
}

// Get returns one question.
func (s *Store) Get(ctx context.Context, id string) (Approval, error) {
	return s.read(s.db.QueryRowContext(ctx, `SELECT `+columns+` FROM approvals WHERE id = ?`, id))
}

// List returns the questions that were asked of late, the oldest first.
func (s *Store) List(ctx context.Context) ([]Approval, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+columns+` FROM approvals ORDER BY asked, id`)
	if err != nil {
		return nil, err
	}
	return s.readAll(rows)
}

// Standing counts the questions of a principal that wait for an answer, beside those of the key; without a principal, those
// of the door that have none. known reports whether that of the key is one that was asked, and is not over: whoever asks
// it again makes no further one.
func (s *Store) Standing(ctx context.Context, door, principal, key string) (others int, known bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT
			COUNT(*) FILTER (WHERE state = 'pending' AND principal = ? AND (principal <> '' OR door = ?) AND (key <> ? OR key = '')),
			COUNT(*) FILTER (WHERE key = ? AND key <> '' AND used = 0 AND state IN ('pending', 'approved', 'denied')) > 0
			FROM approvals WHERE expires > ?`, principal, door, key, key, s.now().UnixMilli()).Scan(&others, &known)
	return others, known, err
}

// readAll reads rows and closes them.
func (s *Store) readAll(rows *sql.Rows) (list []Approval, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		a, err := s.read(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, rows.Err()
}

// longestTrouble is how long a waiting process goes on where its question cannot be read, or its answer not be taken.
const longestTrouble = 30 * time.Second

// Wait waits until a question of this process is answered, and gives it: the call that asked has the answer
// then, and no other gets it. It returns ctx's cause when ctx ends first, and the reason when there is
// nothing to wait for any more. A database that is locked, or fails for a moment, ends no waiting: the answer
// would be nobody's, though whoever gave it was told that it counts.
func (s *Store) Wait(ctx context.Context, id string) (Approval, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	well := time.Now() // when the database did last as it should
	for {
		a, err := s.Get(ctx, id)
		if err == nil && (a.State == Approved || a.State == Denied) {
			a, err = s.take(ctx, id)
			if err == nil {
				return a, nil
			}
		}
		switch {
		case ctx.Err() != nil:
			return a, context.Cause(ctx)
		case err == nil && a.State != Pending:
			return a, a.State.refusal()
		case err == nil:
			well = time.Now()
		case isReason(err) || time.Since(well) > longestTrouble:
			return a, err
		}
		select {
		case <-ctx.Done():
			return a, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// change makes a change under the write lock, whole or not at all.
func (s *Store) change(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := database.Begin(ctx, s.db)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it has no effect after Commit, and before there is an error already
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func set(ctx context.Context, tx *sql.Tx, a Approval) error {
	used := int64(0)
	if !a.Used.IsZero() {
		used = a.Used.UnixMilli()
	}
	_, err := tx.ExecContext(ctx, `UPDATE approvals SET state = ?, answered = ?, answered_where = ?, approver = ?,
		reason = ?, used = ?, used_by = ?, always = ?, wider = ? WHERE id = ?`,
		a.State, a.Answered.UnixMilli(), a.Where, a.Approver, a.Reason, used, a.UsedBy, a.Always > 0, max(a.Always-1, 0), a.ID)
	return err
}

// read reads a row. Whether a question still waits follows from the time and from the process that asked,
// too.
func (s *Store) read(row interface{ Scan(...any) error }) (Approval, error) {
	var a Approval
	var asked, expires, answered, used int64
	var always bool
	var wider int
	err := row.Scan(&a.ID, &asked, &expires, &a.State, &a.owner, &a.Door, &a.Agent, &a.Session, &a.CallID,
		&a.ToolCall, &a.Kind,
		&a.Title, &a.Text, &a.Digest, &a.Bound, &answered, &a.Where, &a.Approver, &a.Reason,
		&a.Key, &used, &a.UsedBy, &a.Lasting, &always, &wider, &a.Principal, &a.AtTerminal,
		&a.Task, &a.Context, &a.Carrier)
	if errors.Is(err, sql.ErrNoRows) {
		return Approval{}, ErrNoApproval
	}
	if err != nil {
		return Approval{}, fmt.Errorf("read a question: %w", err)
	}
	a.Asked, a.Expires = time.UnixMilli(asked), time.UnixMilli(expires)
	if always {
		a.Always = 1 + wider
	}
	if answered > 0 {
		a.Answered = time.UnixMilli(answered)
	}
	if used > 0 {
		a.Used = time.UnixMilli(used)
	}
	if a.State == Withdrawn || !a.Used.IsZero() {
		return a, nil
	}
	late := !s.now().Before(a.Expires)
	a.Left = !late && !process.Lives(a.owner)
	switch {
	case a.State == Pending && late:
		a.State = Expired
	case a.State == Pending && a.Left && a.Key == "":
		a.State = Gone
	}
	return a, nil
}
