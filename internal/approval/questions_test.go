package approval

import (
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
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
