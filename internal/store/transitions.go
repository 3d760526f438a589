package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// A question belongs to what was asked, not to the process that asked. When that process is killed, the
// question stands until it expires; it can be answered; and the one who next asks the very same (see
// Approval.Key) takes the question over, or is given the answer. All of that happens under the write lock,
// so that of many who ask at once exactly one has it.

// Transition says what became of a question besides being asked and answered.
type Transition string

// The turns.
const (
	TransitionLeft   Transition = "left"   // the process that asked has ended; the question stands
	TransitionJoined Transition = "joined" // the very same was asked again; it is that call's question now
	TransitionUsed   Transition = "used"   // the answer was given to a call that asked the very same
	// The act was cancelled that the question is about: it is over, and a yes to it counts no more.
	TransitionCancelled Transition = "cancelled"
)

// recordTurn puts a turn on record, before it counts. before is the question as it was.
func (s *Store) recordTransition(transition Transition, before, now Approval) error {
	if s.record == nil {
		return nil
	}
	return s.record(transition, before, now)
}

// Put keeps a question of this process, which waits from now on, and gives it as it stands. It needs an ID
// (see NewID) and an expiry. Where the very same was asked by a process that has ended, there is no second
// question: the one there is becomes ours, with its ID and its expiry; and where that one is answered, the
// answer is ours, once, and nobody needs to wait.
func (s *Store) Put(ctx context.Context, a Approval) (stands Approval, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		old := s.now().Add(-keptFor).UnixMilli()
		if _, err := tx.ExecContext(ctx, `DELETE FROM approvals WHERE asked < ? AND expires < ?`, old,
			old); err != nil {
			return err
		}
		left, err := s.left(ctx, tx, a.Key)
		if err != nil {
			return err
		}
		for _, earlier := range left { // an answer before a question that is still open
			if earlier.Kept() {
				stands, err = s.give(ctx, tx, earlier, a)
				return err
			}
		}
		for _, earlier := range left {
			if earlier.State == Pending {
				stands, err = s.join(ctx, tx, earlier, a)
				return err
			}
		}
		a.Asked, a.State, a.owner = s.now(), Pending, s.owner
		stands = a
		_, err = tx.ExecContext(ctx,
			`INSERT INTO approvals (id, asked, expires, owner, door, agent, session, call_id, tool_call, kind, title, text,
				digest, bound, key, lasting, principal, at_terminal, task, context, carrier)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.ID, a.Asked.UnixMilli(), a.Expires.UnixMilli(), a.owner, a.Door, a.Agent, a.Session, a.CallID,
			a.ToolCall, a.Kind, a.Title, a.Text, a.Digest, a.Bound, a.Key, a.Lasting,
			a.Principal, a.AtTerminal, a.Task, a.Context, a.Carrier)
		return err
	})
	return stands, err
}

// Take returns the call of a question the answer that a person gave to the very same after the process that
// asked had ended. It is ErrNotKept where there is none. Nothing is asked.
func (s *Store) Take(ctx context.Context, a Approval) (given Approval, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		left, err := s.left(ctx, tx, a.Key)
		if err != nil {
			return err
		}
		for _, earlier := range left {
			if earlier.Kept() {
				given, err = s.give(ctx, tx, earlier, a)
				return err
			}
		}
		return ErrNotKept
	})
	return given, err
}

// left returns the questions with that key whose process has ended, and that count still, the oldest first.
func (s *Store) left(ctx context.Context, tx *sql.Tx, key string) ([]Approval, error) {
	if key == "" {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx,
		`SELECT `+columns+` FROM approvals WHERE key = ? AND used = 0 AND state <> 'withdrawn' ORDER BY asked, id`,
		key)
	if err != nil {
		return nil, err
	}
	list, err := s.readAll(rows)
	return slices.DeleteFunc(list, func(a Approval) bool { return !a.Left }), err
}

// give returns an answer that waited to the call of another question, for good.
func (s *Store) give(ctx context.Context, tx *sql.Tx, earlier, to Approval) (Approval, error) {
	given := earlier
	given.Always = 0 // that was for another session
	given.Task, given.Context = to.Task, to.Context
	given.Used, given.UsedBy, given.Left, given.owner = s.now(), to.CallID, false, s.owner
	if err := s.recordTransition(TransitionUsed, earlier, given); err != nil {
		return earlier, err
	}
	_, err := tx.ExecContext(ctx, `UPDATE approvals SET used = ?, used_by = ?, owner = ?, task = ?, context = ? WHERE id = ?`,
		given.Used.UnixMilli(), given.UsedBy, given.owner, given.Task, given.Context, given.ID)
	return given, err
}

// join makes a question that is still open that of another call. What people were shown of it stays as it
// was shown.
func (s *Store) join(ctx context.Context, tx *sql.Tx, earlier, by Approval) (Approval, error) {
	joined := earlier
	joined.Session, joined.CallID, joined.ToolCall, joined.Left, joined.owner = by.Session, by.CallID,
		by.ToolCall, false, s.owner
	joined.Task, joined.Context = by.Task, by.Context
	if err := s.recordTransition(TransitionJoined, earlier, joined); err != nil {
		return earlier, err
	}
	_, err := tx.ExecContext(ctx, `UPDATE approvals SET session = ?, call_id = ?, tool_call = ?, owner = ?, task = ?,
		context = ?, left_at = 0 WHERE id = ?`,
		joined.Session, joined.CallID, joined.ToolCall, joined.owner, joined.Task, joined.Context, joined.ID)
	return joined, err
}

// Release has nobody wait for a question of this process any more: it stands, and its answer waits for whoever
// asks the very same, as if the process had ended. It is ErrNotAsker where the question is not this process's,
// or its answer has been used.
func (s *Store) Release(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE approvals SET owner = '' WHERE id = ? AND owner = ? AND used = 0
			AND state <> 'withdrawn' AND key <> ''`, id, s.owner)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrNotAsker, err)
		}
		return nil
	})
}

// take returns the answer to the call that asked and waits for it. Only then does it count, so that a
// process that is killed before leaves the answer to whoever asks again.
func (s *Store) take(ctx context.Context, id string) (a Approval, err error) {
	err = s.change(ctx, func(tx *sql.Tx) (err error) {
		if a, err = s.read(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM approvals WHERE id = ?`,
			id)); err != nil {
			return err
		}
		switch {
		case a.State != Approved && a.State != Denied: // it was taken back meanwhile
			return a.State.refusal()
		case !a.Used.IsZero() || a.owner != s.owner:
			return ErrUsed
		}
		a.Used, a.UsedBy = s.now(), a.CallID
		return set(ctx, tx, a)
	})
	return a, err
}

// TakeBack has an answer that waits for a call count no more. record is called before that is kept; when it
// fails, the answer is taken back all the same, and its error is returned.
func (s *Store) TakeBack(ctx context.Context, id, by string, record func(Approval) error) (a Approval, err error) {
	var unrecorded error
	err = s.change(ctx, func(tx *sql.Tx) (err error) {
		if a, err = s.read(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM approvals WHERE id = ?`, id)); err != nil {
			return err
		}
		if !a.Kept() {
			return ErrNotKept
		}
		a.State, a.Reason = Withdrawn, "taken back by "+by
		unrecorded = record(a)
		_, err = tx.ExecContext(ctx, `UPDATE approvals SET state = ?, reason = ? WHERE id = ?`, a.State,
			a.Reason, a.ID)
		return err
	})
	return a, errors.Join(err, unrecorded)
}

// Cancelled names a question whose act was cancelled while no process waited for the answer.
type Cancelled struct {
	ID        string // required
	Principal string // whose act it is: a question of another principal is left alone. "" for whoever it may be
	// CallID is the call that has asked. A question that another has taken over since is left alone. Optional.
	CallID string
	Why    string // required: what whoever wants to answer is told
}

// ends reports whether there is something of a question that ends.
func (c Cancelled) ends(a Approval) bool {
	return a.Left && (a.State == Pending || a.State == Approved) && (c.CallID == "" || c.CallID == a.CallID) &&
		(c.Principal == "" || a.Principal == "" || c.Principal == a.Principal)
}

// Cancel has a question be over, whatever process has asked it: nobody can answer it any more, and a yes that it has,
// and that no call was given, counts no more. A no stays. Where a living process waits for the answer the question is
// left alone: it is that one's to withdraw. It is no error where there is nothing to end. What cannot be recorded is over
// all the same, and the error returned.
func (s *Store) Cancel(ctx context.Context, c Cancelled) error {
	a, err := s.Get(ctx, c.ID)
	if errors.Is(err, ErrNoApproval) || err == nil && !c.ends(a) { // most often, and nothing to lock
		return nil
	}
	if err != nil {
		return err
	}
	var unrecorded error
	err = s.change(ctx, func(tx *sql.Tx) error {
		a, err := s.read(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM approvals WHERE id = ?`, c.ID))
		if err != nil || !c.ends(a) { // it was joined or used meanwhile
			return err
		}
		over := a
		over.State, over.Reason = Withdrawn, c.Why
		unrecorded = s.recordTransition(TransitionCancelled, a, over)
		_, err = tx.ExecContext(ctx, `UPDATE approvals SET state = ?, reason = ? WHERE id = ?`, over.State, over.Reason, over.ID)
		return err
	})
	return errors.Join(err, unrecorded)
}

// NoticeLeft puts on record which questions have lost the process that asked them, each once.
func (s *Store) NoticeLeft(ctx context.Context) error {
	list, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.Left && a.Key != "" { // most often there is none, and nothing to lock
			return s.noticeLeft(ctx)
		}
	}
	return nil
}

func (s *Store) noticeLeft(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT `+columns+` FROM approvals WHERE key <> '' AND used = 0 AND left_at = 0 AND state <> 'withdrawn' ORDER BY asked, id`)
		if err != nil {
			return err
		}
		list, err := s.readAll(rows)
		if err != nil {
			return err
		}
		for _, a := range list {
			if !a.Left {
				continue
			}
			if err := s.recordTransition(TransitionLeft, a, a); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE approvals SET left_at = ? WHERE id = ?`,
				s.now().UnixMilli(), a.ID); err != nil {
				return err
			}
		}
		return nil
	})
}
