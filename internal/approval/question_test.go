package approval

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestQuestionKey checks that everything an answer depends on is in the name of the question, and nothing
// that differs between two processes which ask the very same.
func TestQuestionKey(t *testing.T) {
	t.Parallel()
	before := "before"
	asks := func(bound bool, change func(*Question)) string {
		q := Question{
			Session: "s", ToolCall: "t", Title: "title", Text: "text", Action: permissions.ActionWrite, Paths: []string{"/x"}, Door: "acp", Agent: "a", CallID: "c",
			Digest: "d", Bound: bound, Change: &FileChange{Path: "/x", OldText: &before, NewText: "after"},
			Basis: Basis{Caller: "p", Workspace: []string{"/w", "/v"}, Policy: "policy", Governors: "governors", Plan: "plan", Frame: "frame"},
		}
		if change != nil {
			change(&q)
		}
		return q.Key()
	}
	if len(asks(true, nil)) != 64 || asks(true, nil) == asks(false, nil) {
		t.Errorf("got %q, %q", asks(true, nil), asks(false, nil))
	}
	other := "other"
	for _, test := range []struct {
		name           string
		change         func(*Question)
		bound, unbound bool // whether it is another question then
	}{
		{"the session", func(q *Question) { q.Session = "s2" }, false, false},
		{"the ids", func(q *Question) { q.CallID, q.ToolCall = "c2", "t2" }, false, false},
		{"the digest", func(q *Question) { q.Digest = "d2" }, true, true},
		{"the door", func(q *Question) { q.Door = "mcp" }, true, true},
		{"the agent", func(q *Question) { q.Agent = "b" }, true, true},
		{"the principal", func(q *Question) { q.Basis.Caller = "b" }, true, true},
		{"the action", func(q *Question) { q.Action = permissions.ActionRead }, true, true},
		{"the rules", func(q *Question) { q.Basis.Policy = "b" }, true, true},
		{"the governors", func(q *Question) { q.Basis.Governors = "b" }, true, true},
		{"the plan", func(q *Question) { q.Basis.Plan = "b" }, true, true},
		{"the frame", func(q *Question) { q.Basis.Frame = "b" }, true, true},
		{"a directory of the workspace", func(q *Question) { q.Basis.Workspace = []string{"/w"} }, true, true},
		{"the directories, split in another way", func(q *Question) { q.Basis.Workspace = []string{"/w/v", ""} }, true, true},
		{"what is shown", func(q *Question) { q.Text = "b" }, false, true},
		{"where the rule stands that asks", func(q *Question) { q.Text, q.Head.Text = "moved"+"text", "moved" }, false, false},
		{"what follows where the rule stands", func(q *Question) { q.Text, q.Head.Text = "moved"+"other", "moved" }, false, true},
		{"a head that is not there", func(q *Question) { q.Head = Head{Text: "gone", Key: "k"} }, false, false},
		{"the title", func(q *Question) { q.Title = "b" }, false, true},
		{"the file as it is", func(q *Question) { q.Change = &FileChange{Path: "/x", OldText: &other, NewText: "after"} }, false, true},
	} {
		if got := asks(true, test.change) != asks(true, nil); got != test.bound {
			t.Errorf("%s, bound: another question %t, want %t", test.name, got, test.bound)
		}
		if got := asks(false, test.change) != asks(false, nil); got != test.unbound {
			t.Errorf("%s, not bound: another question %t, want %t", test.name, got, test.unbound)
		}
	}
	if key := asks(true, func(q *Question) { q.Digest = "" }); key != "" {
		t.Errorf("an act without a name has the key %q", key)
	}
}
