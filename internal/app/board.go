package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Board gives the place where questions stand for people at other terminals. The database is opened with the first one.
func (a *App) Board() permissions.Board { return board{a} }

type board struct{ app *App }

// Post implements permissions.Board.
func (b board) Post(q permissions.Question) permissions.Notice {
	return &notice{app: b.app, id: store.NewID(), question: q}
}

// notice is one question in the store.
type notice struct {
	app      *App
	id       string
	question permissions.Question
}

// The bounds of a notice.
const (
	longestStanding = 24 * time.Hour  // where the asker has no bound of its own
	storePatience   = 6 * time.Second // a little more than SQLite's own
)

// ID implements permissions.Notice.
func (n *notice) ID() string { return n.id }

// Elsewhere implements permissions.Notice.
func (n *notice) Elsewhere(ctx context.Context) (permissions.Answer, error) {
	s, err := n.app.openStore(ctx)
	if err == nil {
		err = s.Put(ctx, n.approval(ctx))
	}
	if err != nil {
		if ctx.Err() == nil {
			n.app.o.Say(fmt.Sprintf("the question cannot be answered with a2a-acp approvals: %v", err))
		}
		return permissions.Answer{}, err
	}
	answered, err := s.Wait(ctx, n.id)
	if err != nil {
		return permissions.Answer{}, err
	}
	return n.answer(answered), nil
}

// approval is the question as the store keeps it. Whatever an editor would show beside the text is in the text.
func (n *notice) approval(ctx context.Context) store.Approval {
	expires, bounded := ctx.Deadline()
	if !bounded {
		expires = now().Add(longestStanding)
	}
	q := n.question
	text := q.Text
	if q.Change != nil {
		text += "\n\n" + q.Change.Show()
	}
	for _, path := range q.Paths {
		if q.Change == nil || q.Change.Path != path {
			text += "\nfile " + permissions.ShowLine(path)
		}
	}
	return store.Approval{
		ID: n.id, Expires: expires, Door: string(q.Door), Agent: q.Agent, Session: q.Session, CallID: q.CallID, ToolCall: q.ToolCall,
		Kind: string(q.Action), Title: q.Title, Text: text, Digest: q.Digest, Bound: q.Bound,
	}
}

// answer is what a person said elsewhere. A yes that is older than a grant lives, since this process was stopped or the
// machine asleep, and one to another act than ours, are none.
func (n *notice) answer(a store.Approval) permissions.Answer {
	out := permissions.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, Reason: permissions.ShowLine(a.Reason), By: a.Approver}
	if a.State != store.Approved {
		if out.Reason == "" {
			out.Reason = "the person said no"
		}
		return out
	}
	switch {
	case a.Digest != n.question.Digest:
		out.Reason = "the answer is about another act"
	case now().Sub(a.Answered) >= permissions.GrantLife:
		out.Reason = fmt.Sprintf("the yes is older than %s", permissions.GrantLife)
	default:
		out.Verdict = permissions.Approve
	}
	return out
}

// Settle implements permissions.Notice.
func (n *notice) Settle(here permissions.Answer) (holds permissions.Answer, first bool) {
	if s := n.app.openedStore(); s != nil {
		ctx, cancel := context.WithTimeout(context.Background(), storePatience)
		defer cancel()
		a, err := s.Answer(ctx, n.id, store.Answer{Approved: here.Verdict == permissions.Approve, Approver: here.By, Reason: here.Reason}, nil)
		switch {
		case errors.Is(err, store.ErrAnswered):
			return n.answer(a), false
		case err != nil && !errors.Is(err, store.ErrNoApproval):
			n.app.o.Say(fmt.Sprintf("the answer that was given here holds, though it may still stand open with a2a-acp approvals: %v", err))
		}
	}
	n.app.note(answeredEvent(n.approval(context.Background()), here.Verdict == permissions.Approve, here.By, here.Reason))
	return here, true
}

// Withdraw implements permissions.Notice.
func (n *notice) Withdraw(why error) {
	s := n.app.openedStore()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if err := s.Withdraw(ctx, n.id, why.Error()); err != nil {
		n.app.o.Say(fmt.Sprintf("a question that was withdrawn may still stand open with a2a-acp approvals: %v", err))
	}
}

// answeredEvent is a person's answer for the record.
func answeredEvent(a store.Approval, approved bool, by, reason string) events.Event {
	decision := tool.DecisionSummary{Result: permissions.Reject.String(), Source: string(permissions.SourcePerson), Reason: events.Text(reason), Approver: by}
	if approved {
		decision.Result = permissions.Approve.String()
	}
	return events.Event{
		Type: events.ApprovalAnswered, Session: a.Session, CallID: a.CallID, ToolCall: a.ToolCall, Agent: a.Agent, Door: a.Door,
		Act:      &events.Act{Kind: a.Kind, Title: events.Text(a.Title), Digest: a.Digest, Claimed: !a.Bound},
		Decision: &events.Decision{DecisionSummary: decision},
	}
}

// openStore opens the database, or gives the one that is open. What failed is tried again the next time.
func (a *App) openStore(ctx context.Context) (*store.Store, error) {
	a.storing.Lock()
	defer a.storing.Unlock()
	if a.store != nil {
		return a.store, nil
	}
	if a.Unrecorded != nil {
		return nil, a.Unrecorded
	}
	s, err := openStoreIn(ctx, a.state)
	if err != nil {
		return nil, err
	}
	a.store = s
	a.onClose(s.Close)
	return s, nil
}

// openedStore gives the database if it has been opened; nil where there is nothing of ours in it.
func (a *App) openedStore() *store.Store {
	a.storing.Lock()
	defer a.storing.Unlock()
	return a.store
}
