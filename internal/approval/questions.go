package approval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Questions keeps the questions that people at other terminals can answer, and what people allow for a
// session, in the store of the state directory. Each door of the program has a Desk. The database is opened
// with the first question. Close it after use.
type Questions struct {
	o Options

	opening sync.Mutex // guards store; held while it is opened
	store   *store.Store
	desks   atomic.Int64 // how many there are
	telling sync.WaitGroup
	closing context.Context // ends with Close
	close   context.CancelFunc
	pause   time.Duration // between tries to write what could not be written

	counting sync.Mutex     // guards asking
	asking   map[string]int // how many questions are being asked, by whose they are
}

// Desk is the Board of one door, and the permissions.ApprovalLog of what people allow for its sessions.
// Sessions of other doors may have the same names; they are kept apart.
type Desk struct {
	questions *Questions
	name      string // tells it from other desks of this process
	inFlight  inFlight
	leaving   atomic.Bool
}

// Options says what Questions are made of.
type Options struct {
	Dir    string // the state directory; "" when there is none
	Record events.Recorder
	// Unrecorded says why nothing can be recorded, in which case nobody can be asked elsewhere; nil if it
	// can.
	Unrecorded error
	Say        func(string)     // required: one line for the person
	Now        func() time.Time // required
	// Notify tells the person that a question waits; optional.
	Notify Notifier
}

// Notifier tells a person somewhere that a question waits.
type Notifier interface {
	// Waits returns when ctx ends, or before. It reports whether the person has refused there.
	Waits(ctx context.Context, q store.Approval) (refused bool)
}

// New makes Questions. Nothing is opened yet.
func New(o Options) *Questions {
	q := &Questions{o: o, pause: 2 * time.Second, asking: map[string]int{}}
	q.closing, q.close = context.WithCancel(context.Background())
	return q
}

// Desk returns the desk of another door.
func (q *Questions) Desk() *Desk {
	return &Desk{questions: q, name: strconv.FormatInt(q.desks.Add(1), 10)}
}

// Leave tells that the door closes or the agent has ended. Its questions stay, for whoever asks them again.
func (d *Desk) Leave() { d.leaving.Store(true) }

// Close ends the use of the store.
func (q *Questions) Close() error {
	q.close()
	q.telling.Wait() // for what ends with its question, or with q
	q.opening.Lock()
	defer q.opening.Unlock()
	if q.store == nil {
		return nil
	}
	return q.store.Close()
}

// Post implements Board.
func (d *Desk) Post(question Question) Notice {
	return &notice{desk: d, board: d.questions, posted: store.NewID(), question: question, key: question.Key()}
}

// notice is one question in the store.
type notice struct {
	desk     *Desk
	board    *Questions
	posted   string // its id, unless it is one that was there before
	question Question
	key      string // names the question for whoever asks the very same; "" when nobody could
	asked    *asked // its place in the line; set by Earlier
	counted  func() // ends its being counted; set by Earlier, nil where it is not

	mu     sync.Mutex
	joined string // the id of the one that was there before
}

// The bounds of a notice.
const (
	longestStanding = 24 * time.Hour  // where the asker has no bound of its own
	storePatience   = 6 * time.Second // a little more than SQLite's own
)

// id returns the id under which the question stands.
func (n *notice) id() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.joined != "" {
		return n.joined
	}
	return n.posted
}

// Earlier implements Notice. It opens nothing if no question was ever asked.
func (n *notice) Earlier(ctx context.Context, waits func()) (answer Answer, found bool, err error) {
	if n.key != "" {
		n.asked, answer, found, err = n.desk.inFlight.queue(ctx, n.key+" "+n.question.Session, waits)
		if found || err != nil {
			return answer, found, err
		}
	}
	looking, stop := context.WithTimeout(ctx, storePatience) // a person is not kept waiting for the question
	defer stop()
	if answer, found = n.kept(looking); found {
		return answer, true, nil
	}
	n.counted, err = n.board.mayAsk(looking, n.question)
	return answer, false, err
}

// kept returns the answer that a person has left for this question.
func (n *notice) kept(ctx context.Context) (answer Answer, found bool) {
	if n.key == "" || !n.board.everAsked() {
		return answer, false
	}
	s, err := n.board.open(ctx)
	if err != nil {
		return answer, false // Elsewhere says it, and a person is asked
	}
	given, err := s.Take(ctx, n.approval(ctx))
	switch {
	case errors.Is(err, store.ErrNotKept):
		return answer, false
	case err != nil:
		n.board.o.Say(fmt.Sprintf("it cannot be told whether this was answered before, so it is asked: %v", err))
		return answer, false
	}
	return n.left(given), true
}

// Over implements Notice.
func (n *notice) Over(answer Answer, err error) {
	if n.counted != nil {
		n.counted()
	}
	if n.asked != nil {
		n.desk.inFlight.over(n.asked, answer, err)
	}
}

// Elsewhere implements Notice.
func (n *notice) Elsewhere(ctx context.Context, up func(id string)) (Answer, error) {
	s, err := n.board.open(ctx)
	var stands store.Approval
	if err == nil {
		stands, err = s.Put(ctx, n.approval(ctx))
	}
	if err != nil {
		if ctx.Err() == nil {
			n.board.o.Say(fmt.Sprintf("the question cannot be answered with a2a-acp approvals: %v", err))
		}
		return Answer{}, err
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
	waiting, over := context.WithCancel(ctx)
	defer over()
	n.board.tell(waiting, s, stands)
	answered, err := s.Wait(ctx, stands.ID)
	switch {
	case errors.Is(err, store.ErrExpired): // one that was there before has its own time
		return tooLate, nil
	case err != nil:
		return Answer{}, err
	}
	return n.answer(answered), nil
}

// byNotification is who refuses in a notification, for the record: who that is nobody can tell.
const byNotification = "a desktop notification (whoever reaches the session bus)"

// tell has the person told that a question waits, until ctx ends. Where the person refuses there, that is an
// answer from elsewhere.
func (q *Questions) tell(ctx context.Context, s *store.Store, stands store.Approval) {
	if q.o.Notify == nil {
		return
	}
	q.telling.Go(func() { // ends with ctx
		if !q.o.Notify.Waits(ctx, stands) {
			return
		}
		box := &Inbox{store: s, log: q.o.Record, now: q.o.Now}
		refusal := store.Answer{Approver: byNotification, Reason: "said in a notification"}
		if _, err := box.Answer(ctx, stands, refusal); err != nil && ctx.Err() == nil {
			q.o.Say(fmt.Sprintf("a no in a notification was not kept: %v", err))
		}
	})
}

// tooLate is the answer to a question that nobody has answered in time.
var tooLate = Answer{Verdict: permissions.Reject, Source: permissions.SourceNobody,
	Reason: store.ErrExpired.Error()}

// approval returns the question as the store keeps it. Its text includes what an editor would show beside
// it.
func (n *notice) approval(ctx context.Context) store.Approval {
	expires, bounded := ctx.Deadline()
	if !bounded {
		expires = n.board.o.Now().Add(longestStanding)
	}
	q := n.question
	text := q.Text
	if q.Change != nil {
		text += "\n\n" + q.Change.Show()
	}
	for _, path := range q.Paths {
		if q.Change == nil || q.Change.Path != path {
			text += "\nfile " + display.Line(path)
		}
	}
	return store.Approval{
		ID: n.posted, Key: n.key, Expires: expires, Door: string(q.Door), Agent: q.Agent, Session: q.Session,
		Principal: q.Principal, Task: q.Task, Context: q.Context,
		CallID: q.CallID, ToolCall: q.ToolCall,
		Kind: string(q.Action), Title: q.Title, Text: text, Digest: q.Digest, Bound: q.Bound, Carrier: q.Carrier,
		Lasting: q.Lasting, AtTerminal: q.AtTerminal,
	}
}

// left returns the answer that a person left for this call while nobody waited.
func (n *notice) left(a store.Approval) Answer {
	answered := a.Answered
	a.Answered = n.board.o.Now() // how long it has waited does not count, but for its expiry, which the store knows
	out := n.answer(a)
	if out.Verdict == permissions.Approve {
		out.Reason = fmt.Sprintf("answered at %s, when no call waited for it (question %s)",
			answered.Format(time.DateTime), a.ID)
	}
	return out
}

// answer returns the answer that a person gave elsewhere. A yes to another act does not count, nor one that
// is older than a permit lives, because this process was stopped or the machine asleep.
func (n *notice) answer(a store.Approval) Answer {
	out := Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson,
		Reason: display.Line(a.Reason), By: a.Approver}
	if a.State != store.Approved {
		if out.Reason == "" {
			out.Reason = "the person said no"
		}
		return out
	}
	switch {
	case a.Digest != n.question.Digest:
		out.Reason = "the answer is about another act"
	case n.board.o.Now().Sub(a.Answered) >= permissions.PermitLife:
		out.Reason = fmt.Sprintf("the yes is older than %s", permissions.PermitLife)
	default:
		out.Verdict, out.Always = permissions.Approve, a.Always
	}
	return out
}

// Settle implements Notice.
func (n *notice) Settle(here Answer) (holds Answer, first bool) {
	if s := n.board.opened(); s != nil {
		ctx, cancel := context.WithTimeout(context.Background(), storePatience)
		defer cancel()
		given := store.Answer{Approved: here.Verdict == permissions.Approve, Approver: here.By, Reason: here.Reason}
		a, err := s.Settle(ctx, n.id(), given)
		switch {
		case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrUsed) && a.UsedBy == n.question.CallID:
			return n.answer(a), false
		case errors.Is(err, store.ErrExpired):
			return tooLate, false
		case errors.Is(err, store.ErrWithdrawn):
			return Answer{Verdict: permissions.Reject, Source: permissions.SourceNobody, Reason: a.Reason}, false
		case err != nil && !errors.Is(err, store.ErrNoApproval):
			n.board.o.Say(fmt.Sprintf("the answer that was given here holds, "+
				"though it may still stand open with a2a-acp approvals: %v", err))
			n.board.writeLater(func(ctx context.Context) error {
				_, err := s.Settle(ctx, n.id(), given)
				return err
			})
		}
	}
	n.board.note(answeredEvent(n.approval(context.Background()), here.Verdict == permissions.Approve, here.By,
		here.Reason))
	return here, true
}

// Withdraw implements Notice.
func (n *notice) Withdraw(why error) {
	s := n.board.opened()
	if s == nil {
		return
	}
	// Not taken back: the door closes, and with it whatever waited for the answer.
	if errors.Is(why, ErrAskerGone) || errors.Is(why, context.Canceled) && n.desk.leaving.Load() {
		n.release(s)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if err := s.Withdraw(ctx, n.id(), why.Error()); err != nil {
		n.board.o.Say(fmt.Sprintf("a question that was withdrawn may still stand open with a2a-acp approvals: %v",
			err))
		n.board.writeLater(func(ctx context.Context) error { return s.Withdraw(ctx, n.id(), why.Error()) })
	}
}

// writeLater writes the end of a question that could not be written: else it would stand open, and a yes to it wait for
// the next call that is the same, whatever was answered.
func (q *Questions) writeLater(write func(context.Context) error) {
	q.telling.Go(func() { // ends when it is written, or after one more try with q
		for last := false; !last; {
			select {
			case <-q.closing.Done():
				last = true
			case <-time.After(q.pause):
			}
			ctx, cancel := context.WithTimeout(context.Background(), storePatience)
			err := write(ctx)
			cancel()
			if err == nil || slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) }) {
				return
			}
		}
	})
}

// ends are the errors of a question that has come to its end.
var ends = []error{store.ErrAnswered, store.ErrWithdrawn, store.ErrExpired, store.ErrGone, store.ErrUsed, store.ErrNotAsker,
	store.ErrNoApproval}

// release leaves the question for whoever asks again. One that never came to stand there is none.
func (n *notice) release(s *store.Store) {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if err := s.Release(ctx, n.id()); err != nil && !errors.Is(err, store.ErrNotAsker) {
		n.board.o.Say(fmt.Sprintf("a question that nobody waits for can be answered, but the answer may not be found: %v", err))
	}
}

// Store returns the database, for what else is kept in it. It is closed with the Questions.
func (q *Questions) Store(ctx context.Context) (*store.Store, error) { return q.open(ctx) }

// open opens the database, or returns the one that is open. What failed is tried again the next time.
func (q *Questions) open(ctx context.Context) (*store.Store, error) {
	q.opening.Lock()
	defer q.opening.Unlock()
	if q.store != nil {
		return q.store, nil
	}
	if q.o.Unrecorded != nil {
		return nil, q.o.Unrecorded
	}
	s, err := openStore(ctx, q.o.Dir, q.o.Record, q.o.Now)
	if err != nil {
		return nil, err
	}
	// An answer that comes at once ends ctx, and what others have left is none of its business.
	noticing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	if err := s.NoticeLeft(noticing); err != nil {
		q.o.Say(fmt.Sprintf("questions of processes that have ended are not on record: %v", err))
	}
	q.store = s
	return s, nil
}

// opened returns the database if it has been opened; nil where there is nothing of ours in it.
func (q *Questions) opened() *store.Store {
	q.opening.Lock()
	defer q.opening.Unlock()
	return q.store
}

// Waiting returns how many questions wait for a person, whoever has asked them.
func (q *Questions) Waiting(ctx context.Context) (int, error) {
	if !q.everAsked() {
		return 0, nil
	}
	s, err := q.open(ctx)
	if err != nil {
		return 0, err
	}
	all, err := s.List(ctx)
	n := 0
	for _, a := range all {
		if a.State == store.Pending {
			n++
		}
	}
	return n, err
}

// everAsked reports whether the database exists, so that none is created just to find nothing in it.
func (q *Questions) everAsked() bool {
	if q.opened() != nil {
		return true
	}
	_, err := os.Lstat(filepath.Join(q.o.Dir, store.Name))
	return q.o.Dir != "" && !errors.Is(err, fs.ErrNotExist)
}

// note puts an event on record that nothing waits for.
func (q *Questions) note(event events.Event) {
	event.Time = q.o.Now()
	if err := q.o.Record.Record(context.Background(), event); err != nil {
		q.o.Say(fmt.Sprintf("not recorded: %v", err))
	}
}
