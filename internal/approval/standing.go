package approval

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Stand puts a question where others can answer it, and does not wait: whoever asks the very same later gets
// the answer. It returns the id under which the question stands, or the answer that a person has left for it
// before.
func (d *Desk) Stand(ctx context.Context, question Question) (id string, answer Answer, found bool, err error) {
	if question.Key() == "" {
		return "", answer, false, errors.New("the question cannot be asked again")
	}
	notice := d.Post(question).(*notice)
	answer, found, err = notice.Earlier(ctx, func() {})
	defer func() { notice.Over(answer, err) }()
	if found || err != nil {
		return "", answer, found, err
	}
	s, err := d.questions.open(ctx)
	if err != nil {
		return "", answer, false, err
	}
	stands, err := s.Put(ctx, notice.approval(ctx))
	if err != nil {
		return "", answer, false, err
	}
	notice.joined = stands.ID
	if !stands.Used.IsZero() {
		answer = notice.left(stands)
		return "", answer, true, nil
	}
	if err := s.Release(ctx, stands.ID); err != nil {
		return "", answer, false, err
	}
	return stands.ID, answer, false, nil
}

// ErrNoQuestion is returned by Bring where no answer is waited for.
var ErrNoQuestion = errors.New("the question is answered, or nobody asks it any more")

// Bring answers a question that stands here, for whoever asks the very same next. by says who has brought the
// answer. The first answer holds: ErrNoQuestion is returned for a later one.
func (d *Desk) Bring(ctx context.Context, id string, approved bool, by, reason string) error {
	s, err := d.questions.open(ctx)
	if err != nil {
		return err
	}
	box := &Inbox{store: s, log: d.questions.o.Record, now: d.questions.o.Now}
	question, err := box.Get(ctx, id)
	if err == nil {
		_, err = box.Answer(ctx, question, store.Answer{Approved: approved, Approver: by, Reason: reason})
	}
	for _, over := range []error{store.ErrNoApproval, store.ErrAnswered, store.ErrWithdrawn, store.ErrExpired, store.ErrGone} {
		if errors.Is(err, over) {
			return fmt.Errorf("%w: %w", ErrNoQuestion, over)
		}
	}
	return err
}

// Answered reports whether a question that stands here has been answered, or can be no more.
func (d *Desk) Answered(ctx context.Context, id string) bool {
	s, err := d.questions.open(ctx)
	if err != nil {
		return false
	}
	question, err := s.Get(ctx, id)
	return err == nil && question.State != store.Pending
}

// Cancel has a question be over whose act was cancelled, and revokes a yes to it that no call was given; see
// store.Store.Cancel.
func (d *Desk) Cancel(ctx context.Context, c store.Cancelled) error {
	if !d.questions.everAsked() {
		return nil
	}
	s, err := d.questions.open(ctx)
	if err != nil {
		return err
	}
	return s.Cancel(ctx, c)
}

// AskedAnew has a question be over, with a yes to it that no call was given, where its act is asked about by another
// question now, since the rules or what else an answer depends on have changed: else that yes would count again once
// they are as before, whatever was said to the other.
func (d *Desk) AskedAnew(ctx context.Context, id string, now Question) error {
	s, err := d.questions.open(ctx)
	if err != nil {
		return err
	}
	before, err := s.Get(ctx, id)
	if errors.Is(err, store.ErrNoApproval) || err == nil && before.Key == now.Key() {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Cancel(ctx, store.Cancelled{ID: id, Principal: now.Principal,
		Why: "it is asked anew, since the rules, or what else an answer depends on, have changed"})
}

// CancelAll has all questions of a door and principal be over for which nobody waits, and revokes each yes that no call
// was given.
func (d *Desk) CancelAll(ctx context.Context, door tool.Door, principal, why string) error {
	return d.cancelThose(ctx, why, func(a store.Approval) bool {
		return a.Door == string(door) && a.Principal == principal
	})
}

// CancelSession has all questions of an agent's session be over for which nobody waits, and revokes each yes that no call
// was given. principal is who talks to the agent; "" where that is the person before it.
func (d *Desk) CancelSession(ctx context.Context, agent, session, principal, why string) error {
	return d.cancelThose(ctx, why, func(a store.Approval) bool {
		return a.Session == session && a.Agent == agent && a.Principal == principal
	})
}

// cancelThose has questions be over for which nobody waits, as they are now: one that another call takes over
// meanwhile is that call's.
func (d *Desk) cancelThose(ctx context.Context, why string, those func(store.Approval) bool) error {
	if !d.questions.everAsked() {
		return nil
	}
	now := d.questions.o.Now()
	cancel := func(ctx context.Context) error {
		s, err := d.questions.open(ctx)
		if err != nil {
			return err
		}
		list, err := s.List(ctx)
		errs := []error{err}
		for _, a := range list {
			if those(a) && !a.Asked.After(now) {
				errs = append(errs, s.Cancel(ctx, store.Cancelled{ID: a.ID, Principal: a.Principal, CallID: a.CallID, Why: why}))
			}
		}
		return errors.Join(errs...)
	}
	err := cancel(ctx)
	if err != nil {
		d.questions.writeLater(cancel)
	}
	return err
}
