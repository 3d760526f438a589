package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
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
	path, err := StateDir(o)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(path, store.Name)); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	s, err := openStoreIn(ctx, dir.Path(), log)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := s.NoticeLeft(ctx); err != nil {
		return nil, errors.Join(err, s.Close(), log.Close())
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

// TakeBack has an answer that waits for a call count no more; see store.Store.TakeBack.
func (a *Approvals) TakeBack(ctx context.Context, id, by string) (store.Approval, error) {
	return a.store.TakeBack(ctx, id, by, func(q store.Approval) error {
		return a.log.Record(context.WithoutCancel(ctx), events.Event{
			Type: events.GrantRevoked, Time: now(), Session: q.Session, CallID: q.CallID, Agent: q.Agent,
			Detail: events.Text("the answer to question " + q.ID + ", " + q.Title + ", by " + by),
		})
	})
}

func openStoreIn(ctx context.Context, dir string, record events.Recorder) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name), Now: now, Record: func(turn store.Turn, before, after store.Approval) error {
		return record.Record(context.WithoutCancel(ctx), turnEvent(turn, before, after))
	}})
}

// turnEvent tells of a question that has outlived the process that asked it.
func turnEvent(turn store.Turn, before, after store.Approval) events.Event {
	event := events.Event{
		Time: now(), Session: after.Session, CallID: after.CallID, ToolCall: after.ToolCall, Agent: after.Agent, Door: after.Door,
		Act: &events.Act{Kind: after.Kind, Title: events.Text(after.Title), Digest: after.Digest, Claimed: !after.Bound},
	}
	switch turn {
	case store.TurnLeft:
		event.Type, event.Detail = events.ApprovalLeft, fmt.Sprintf("question %s stands, though the process that asked has ended", before.ID)
	case store.TurnJoined:
		event.Type, event.Detail = events.ApprovalJoined, fmt.Sprintf("question %s, which call %s had asked, is this call's now", before.ID, before.CallID)
	case store.TurnUsed:
		event.Type = events.ApprovalUsed
		event.CallID = after.UsedBy
		event.Detail = fmt.Sprintf("the answer to question %s, which call %s had asked: %s at %s by %s", before.ID, before.CallID, before.State, before.Answered.UTC().Format(time.RFC3339), before.Approver)
	}
	event.Detail = events.Text(event.Detail)
	return event
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
