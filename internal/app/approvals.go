package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Approvals are the questions that wait for a person, seen from another terminal than where they are asked. Close it.
type Approvals struct {
	store *store.Store
	log   *audit.Log
}

// OpenApprovals opens what is there. Where nothing was ever asked, that is fs.ErrNotExist.
func OpenApprovals(ctx context.Context, o Options) (*Approvals, error) {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(path, store.Name)); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dir, err := state.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := openStoreIn(ctx, dir.Path())
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(dir.Child("audit"))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Approvals{s, log}, nil
}

// Grants gives what people have allowed for sessions that go on.
func (a *Approvals) Grants(ctx context.Context) ([]store.Grant, error) { return a.store.Grants(ctx) }

// Revoke takes a grant back; see store.Store.Revoke.
func (a *Approvals) Revoke(ctx context.Context, id, revoker string) (store.Grant, error) {
	return a.store.Revoke(ctx, id, revoker, func(g store.Grant) error {
		return a.log.Record(context.WithoutCancel(ctx), events.Event{
			Type: events.GrantRevoked, Time: now(), Session: g.Session, Agent: g.Agent, Detail: events.Text(g.Words + ", by " + revoker),
		})
	})
}

func openStoreIn(ctx context.Context, dir string) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name), Now: now})
}

// Close ends the use of it.
func (a *Approvals) Close() error { return errors.Join(a.store.Close(), a.log.Close()) }

// List gives the questions of the last day, the oldest first.
func (a *Approvals) List(ctx context.Context) ([]store.Approval, error) { return a.store.List(ctx) }

// Get gives one question.
func (a *Approvals) Get(ctx context.Context, id string) (store.Approval, error) {
	return a.store.Get(ctx, id)
}

// Answer answers a question as it was shown; see store.Store.Answer. The answer is on record before it counts. Who may answer
// has been looked at.
func (a *Approvals) Answer(ctx context.Context, shown store.Approval, answer store.Answer) (store.Approval, error) {
	return a.store.Answer(ctx, shown.ID, answer, func(question store.Approval) error {
		if question.Title != shown.Title || question.Text != shown.Text || question.Digest != shown.Digest || question.Bound != shown.Bound {
			return errors.New("the question is not the one that was shown; somebody changed it in the database")
		}
		event := answeredEvent(question, answer.Approved, answer.Approver, answer.Reason)
		event.Time = now()
		return a.log.Record(context.WithoutCancel(ctx), event)
	})
}
