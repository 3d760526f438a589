package app

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestTwoApps has one App ask what another answers, in one state directory, and then the other way round in
// time: who comes second is told what holds. Nothing is opened before the first question.
func TestTwoApps(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "state")
	o := Options{Getenv: func(name string) string { return map[string]string{"A2A_STATE_DIR": dir}[name] }, Dir: t.TempDir(), Say: func(line string) { t.Log(line) }}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop(t.Context())
	if files, _ := filepath.Glob(filepath.Join(dir, store.Name+"*")); len(files) > 0 {
		t.Errorf("there is a database though nobody has asked: %v", files)
	}

	content := "new\x1b"
	q := approval.Question{Title: "write x", Text: "Asked because: why", Action: permissions.ActionWrite, CallID: "call", Digest: "d", Change: &approval.FileChange{Path: "/x", NewText: content}}
	first, second := a.Questions.Post(q), a.Questions.Post(q)
	heard, up := make(chan approval.Answer, 1), make(chan string, 1)
	go func() { // ends with the answer
		answer, err := first.Elsewhere(ctx, func(id string) { up <- id })
		if err != nil {
			t.Error(err)
		}
		heard <- answer
	}()
	id := <-up
	other := waitFor(t, o, id)
	defer other.Close()
	asked, err := other.Get(ctx, id)
	if err != nil || !strings.Contains(asked.Text, "new\\u{1b}") || asked.Bound || time.Until(asked.Expires) < 23*time.Hour {
		t.Errorf("it stands there as %+v, %v", asked, err)
	}
	changed := asked
	changed.Text = "something harmless"
	if _, err := other.Answer(ctx, changed, store.Answer{Approved: true, Approver: "cli maria"}); err == nil || !strings.Contains(err.Error(), "not the one that was shown") {
		t.Errorf("another question than was shown is answered: %v", err)
	}
	if _, err := other.Answer(ctx, asked, store.Answer{Approved: true, Approver: "cli maria"}); err != nil {
		t.Error(err)
	}
	if answer := <-heard; answer.Verdict != permissions.Approve || answer.By != "cli maria" {
		t.Errorf("heard %+v", answer)
	}
	if held, mine := first.Settle(approval.Answer{Verdict: permissions.Reject, By: "editor"}); mine || held.Verdict != permissions.Approve || held.By != "cli maria" {
		t.Errorf("the editor, which is second, is told %+v, first %t", held, mine)
	}

	// A question that never came to stand there is answered here all the same.
	if held, mine := second.Settle(approval.Answer{Verdict: permissions.Reject, By: "editor"}); !mine || held.By != "editor" {
		t.Errorf("got %+v, first %t", held, mine)
	}
	second.Withdraw(errors.New("twice")) // harmless
}

// waitFor opens the approvals as another process would, once the question stands there.
func waitFor(t *testing.T, o Options, id string) *Approvals {
	t.Helper()
	for t.Context().Err() == nil { // a question that never comes to stand there ends with the time of all tests
		if other, err := OpenApprovals(t.Context(), o); err == nil {
			if _, err := other.Get(t.Context(), id); err == nil {
				return other
			}
			other.Close()
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the question never stood there")
	return nil
}
