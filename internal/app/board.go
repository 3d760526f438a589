package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	return &notice{app: b.app, posted: store.NewID(), question: q, key: q.Key()}
}

// notice is one question in the store.
type notice struct {
	app      *App
	posted   string // its id, unless it is one that was there before
	question permissions.Question
	key      string // names the question for whoever asks the very same; "" when nobody could
	asked    *asked // its place in the line; set by Earlier

	mu     sync.Mutex
	joined string // the id of the one that was there before
}

// The bounds of a notice.
const (
	longestStanding = 24 * time.Hour  // where the asker has no bound of its own
	storePatience   = 6 * time.Second // a little more than SQLite's own
)

// id gives the id under which the question stands.
func (n *notice) id() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.joined != "" {
		return n.joined
	}
	return n.posted
}

// Earlier implements permissions.Notice. Nothing is opened where no question has ever been.
func (n *notice) Earlier(ctx context.Context) (answer permissions.Answer, found bool, err error) {
	if n.key == "" {
		return answer, false, nil
	}
	n.asked, answer, found, err = n.app.asking.queue(ctx, n.key+" "+n.question.Session)
	if found || err != nil {
		return answer, found, err
	}
	if !n.app.everAsked() {
		return answer, false, nil
	}
	looking, stop := context.WithTimeout(ctx, storePatience) // a person is not kept waiting for the question
	defer stop()
	s, err := n.app.openStore(looking)
	if err != nil {
		return answer, false, nil //nolint:nilerr // Elsewhere says it, and a person is asked
	}
	given, err := s.Take(looking, n.approval(ctx))
	switch {
	case errors.Is(err, store.ErrNotKept):
		return answer, false, nil
	case err != nil:
		n.app.o.Say(fmt.Sprintf("it cannot be told whether this was answered before, so it is asked: %v", err))
		return answer, false, nil
	}
	return n.left(given), true, nil
}

// Over implements permissions.Notice.
func (n *notice) Over(answer permissions.Answer, err error) {
	if n.asked != nil {
		n.app.asking.over(n.asked, answer, err)
	}
}

// Elsewhere implements permissions.Notice.
func (n *notice) Elsewhere(ctx context.Context, up func(id string)) (permissions.Answer, error) {
	s, err := n.app.openStore(ctx)
	var stands store.Approval
	if err == nil {
		stands, err = s.Put(ctx, n.approval(ctx))
	}
	if err != nil {
		if ctx.Err() == nil {
			n.app.o.Say(fmt.Sprintf("the question cannot be answered with a2a-acp approvals: %v", err))
		}
		return permissions.Answer{}, err
	}
	n.mu.Lock()
	n.joined = stands.ID
	n.mu.Unlock()
	if !stands.Used.IsZero() {
		return n.left(stands), nil
	}
	if up != nil {
		up(stands.ID)
	}
	answered, err := s.Wait(ctx, stands.ID)
	switch {
	case errors.Is(err, store.ErrExpired): // one that was there before has its own time
		return tooLate, nil
	case err != nil:
		return permissions.Answer{}, err
	}
	return n.answer(answered), nil
}

// tooLate is what comes of a question that nobody has answered in time.
var tooLate = permissions.Answer{Verdict: permissions.Reject, Source: permissions.SourceNobody, Reason: store.ErrExpired.Error()}

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
		ID: n.posted, Key: n.key, Expires: expires, Door: string(q.Door), Agent: q.Agent, Session: q.Session, CallID: q.CallID, ToolCall: q.ToolCall,
		Kind: string(q.Action), Title: q.Title, Text: text, Digest: q.Digest, Bound: q.Bound,
	}
}

// left is what a person said while nobody waited, for this call alone.
func (n *notice) left(a store.Approval) permissions.Answer {
	answered := a.Answered
	a.Answered = now() // how long it has waited does not count, but for its expiry, which the store knows
	out := n.answer(a)
	if out.Verdict == permissions.Approve {
		out.Reason = fmt.Sprintf("answered at %s, after the process that asked had ended (question %s)", answered.Format(time.DateTime), a.ID)
	}
	return out
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
		a, err := s.Settle(ctx, n.id(), store.Answer{Approved: here.Verdict == permissions.Approve, Approver: here.By, Reason: here.Reason})
		switch {
		case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrUsed) && a.UsedBy == n.question.CallID:
			return n.answer(a), false
		case errors.Is(err, store.ErrExpired):
			return tooLate, false
		case errors.Is(err, store.ErrWithdrawn):
			return permissions.Answer{Verdict: permissions.Reject, Source: permissions.SourceNobody, Reason: a.Reason}, false
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
	if s == nil || errors.Is(why, permissions.ErrAskerGone) {
		return
	}
	if errors.Is(why, context.Canceled) && n.app.leaving.Load() {
		return // not taken back: we end, and with us whatever waited for the answer
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if err := s.Withdraw(ctx, n.id(), why.Error()); err != nil {
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
	s, err := openStoreIn(ctx, a.state, a.Record)
	if err != nil {
		return nil, err
	}
	// An answer that comes at once ends ctx, and what others have left is none of its business.
	noticing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	if err := s.NoticeLeft(noticing); err != nil {
		a.o.Say(fmt.Sprintf("questions of processes that have ended are not on record: %v", err))
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
