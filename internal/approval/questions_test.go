package approval

import (
	"context"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestAnswerFromTheStore checks that a yes is one only while it is fresh and about the act that was asked
// about, and that a reason cannot do more than be read.
func TestAnswerFromTheStore(t *testing.T) {
	t.Parallel()
	now := time.Now
	n := &notice{board: New(Options{Now: now}), question: Question{Digest: "d"}}
	yes := store.Approval{State: store.Approved, Digest: "d", Answered: now(), Approver: "cli maria"}
	with := func(change func(*store.Approval)) store.Approval { a := yes; change(&a); return a }
	for _, test := range []struct {
		name    string
		a       store.Approval
		verdict permissions.Verdict
		reason  string
	}{
		{"yes", yes, permissions.Approve, ""},
		{"no", with(func(a *store.Approval) { a.State = store.Denied }), permissions.Reject, "the person said no"},
		{"no, because", with(func(a *store.Approval) { a.State, a.Reason = store.Denied, "not\nnow\x1b[2J" }), permissions.Reject, `not\nnow\u{1b}[2J`},
		{"a yes to something else", with(func(a *store.Approval) { a.Digest = "e" }), permissions.Reject, "the answer is about another act"},
		{"a yes that we slept through", with(func(a *store.Approval) { a.Answered = now().Add(-permissions.PermitLife) }), permissions.Reject, "the yes is older than 5m0s"},
		{"what is no answer", with(func(a *store.Approval) { a.State = store.Withdrawn }), permissions.Reject, "the person said no"},
	} {
		got := n.answer(test.a)
		if got.Verdict != test.verdict || got.Reason != test.reason || got.By != "cli maria" || got.Source != permissions.SourcePerson {
			t.Errorf("%s: got %+v, want %s, %q", test.name, got, test.verdict, test.reason)
		}
	}
}

// refuser refuses what it is told of in a notification, once that may be.
type refuser chan struct{}

func (r refuser) Waits(ctx context.Context, _ store.Approval) bool {
	select {
	case <-r:
		return true
	case <-ctx.Done():
		return false
	}
}

// A no in a notification is an answer from elsewhere, and says that it came from there.
func TestRefusedInNotification(t *testing.T) {
	t.Parallel()
	log := &recorded{}
	may := make(refuser)
	q := New(Options{Dir: t.TempDir(), Record: log, Say: func(line string) { t.Error(line) }, Now: time.Now, Notify: may})
	notice := q.Desk().Post(Question{Title: "write x", CallID: "call", Digest: "d"})
	answer, err := notice.Elsewhere(t.Context(), func(string) { close(may) })
	if err != nil || answer.Verdict != permissions.Reject || answer.By != byNotification {
		t.Errorf("got %+v, %v; want a no by %s", answer, err, byNotification)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if len(log.events) != 1 || log.events[0].Decision.Approver != byNotification {
		t.Errorf("on record is %+v", log.events)
	}
}

// recorded keeps events.
type recorded struct{ events []events.Event }

func (r *recorded) Record(_ context.Context, e events.Event) error {
	r.events = append(r.events, e)
	return nil
}
