package approval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Inbox gives another terminal access to the questions that wait for a person. Close it after use.
type Inbox struct {
	store *store.Store
	log   events.Recorder
	now   func() time.Time
}

// OpenInbox opens the store of a state directory. It returns fs.ErrNotExist if nothing was ever asked.
// Changes of questions are recorded with record.
func OpenInbox(ctx context.Context, dir string, record events.Recorder, now func() time.Time) (*Inbox, error) {
	if _, err := os.Lstat(filepath.Join(dir, store.Name)); err != nil {
		return nil, err
	}
	s, err := openStore(ctx, dir, record, now)
	if err != nil {
		return nil, err
	}
	if err := s.NoticeLeft(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Inbox{s, record, now}, nil
}

// SessionApprovals returns what people have allowed for sessions that go on.
func (a *Inbox) SessionApprovals(ctx context.Context) ([]store.SessionApproval, error) {
	return a.store.SessionApprovals(ctx)
}

// Revoke revokes what was allowed for a session; see store.Store.Revoke.
func (a *Inbox) Revoke(ctx context.Context, id, revoker string) (store.SessionApproval, error) {
	return a.store.Revoke(ctx, id, revoker, func(g store.SessionApproval) error {
		return a.log.Record(context.WithoutCancel(ctx), events.Event{
			Type: events.GrantRevoked, Time: a.now(), Session: g.Session, Agent: g.Agent,
			Detail: events.Text(g.Words + ", by " + revoker),
		})
	})
}

// TakeBack makes an answer that waits for a call count no more; see store.Store.TakeBack.
func (a *Inbox) TakeBack(ctx context.Context, id, by string) (store.Approval, error) {
	return a.store.TakeBack(ctx, id, by, func(q store.Approval) error {
		return a.log.Record(context.WithoutCancel(ctx), events.Event{
			Type: events.GrantRevoked, Time: a.now(), Session: q.Session, Task: q.Task, Context: q.Context,
			CallID: q.CallID, Agent: q.Agent, Principal: q.Principal,
			Detail: events.Text("the answer to question " + q.ID + ", " + q.Title + ", by " + by),
		})
	})
}

// Close ends the use of it.
func (a *Inbox) Close() error { return a.store.Close() }

// List returns the questions of the last day, the oldest first.
func (a *Inbox) List(ctx context.Context) ([]store.Approval, error) { return a.store.List(ctx) }

// Get returns one question.
func (a *Inbox) Get(ctx context.Context, id string) (store.Approval, error) {
	return a.store.Get(ctx, id)
}

// Answer answers a question as it was shown; see store.Store.Answer. The answer is recorded before it
// counts. A yes for the rest of the session is for the session that was shown: where another has taken the question over
// meanwhile, it is for this once. The caller has checked who may answer.
func (a *Inbox) Answer(ctx context.Context, shown store.Approval, answer store.Answer) (store.Approval, error) {
	answer.Asker = shown.Asker()
	return a.store.Answer(ctx, shown.ID, answer, func(question store.Approval) error {
		if question.Title != shown.Title || question.Text != shown.Text || question.Digest != shown.Digest ||
			question.Bound != shown.Bound || question.Carrier != shown.Carrier ||
			!slices.Equal(question.Lasting, shown.Lasting) || question.Principal != shown.Principal {
			return errors.New("the question is not the one that was shown; somebody changed it in the database")
		}
		event := answeredEvent(question, answer.Approved, answer.Approver, answer.Reason)
		event.Time = a.now()
		return a.log.Record(context.WithoutCancel(ctx), event)
	})
}
