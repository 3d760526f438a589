package approval

import (
	"slices"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestTaskOnRecord has whatever becomes of a question say which task of an A2A client it is about: that of the call which
// asks it by then.
func TestTaskOnRecord(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), &recorded{}
	board := New(Options{Dir: dir, Record: log, Say: func(line string) { t.Error(line) }, Now: time.Now})
	desk := board.Desk()
	about := func(title, task string) Question {
		return Question{Title: title, CallID: title + " in " + task, Digest: title, Session: "s", Door: "a2a", Principal: "anna",
			Task: task, Context: "context of " + task}
	}
	stand := func(title, task string) string {
		t.Helper()
		id, _, _, err := desk.Stand(t.Context(), about(title, task))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	type told struct {
		kind events.Type
		task string
	}
	joined := stand("joined", "one")
	answeredHere := desk.Post(about("joined", "two")).(*notice) // takes the question over
	s, err := board.Store(t.Context())
	if err == nil {
		_, err = s.Put(t.Context(), answeredHere.approval(t.Context()))
	}
	if err == nil {
		answeredHere.joined = joined
		_, _ = answeredHere.Settle(Answer{Verdict: permissions.Reject, By: "anna"})
		err = desk.Bring(t.Context(), stand("used", "three"), true, "maria", "")
	}
	if err == nil {
		_, _, _, err = desk.Stand(t.Context(), about("used", "four"))
	}
	if err == nil {
		err = desk.Cancel(t.Context(), store.Cancelled{ID: stand("cancelled", "five"), Why: "it was cancelled"})
	}
	box := &Inbox{store: s, log: log, now: time.Now}
	takenBack := stand("taken back", "six")
	if err == nil {
		err = desk.Bring(t.Context(), takenBack, true, "maria", "")
	}
	if err == nil {
		_, err = box.TakeBack(t.Context(), takenBack, "maria")
	}
	if err == nil {
		stand("left", "seven")
		err = s.NoticeLeft(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []told
	for _, e := range log.events {
		got = append(got, told{e.Type, e.Task})
		if e.Context != "context of "+e.Task {
			t.Errorf("%s is of the task %q in %q", e.Type, e.Task, e.Context)
		}
		if took := e.Type == events.ApprovalJoined || e.Type == events.ApprovalUsed; took != (e.AskedBy != "") {
			t.Errorf("%s is about a question of call %q", e.Type, e.AskedBy)
		}
	}
	want := []told{{events.ApprovalJoined, "two"}, {events.ApprovalAnswered, "two"}, {events.ApprovalAnswered, "three"},
		{events.ApprovalUsed, "four"}, {events.ApprovalCancelled, "five"}, {events.ApprovalAnswered, "six"},
		{events.GrantRevoked, "six"}, {events.ApprovalLeft, "seven"}}
	if !slices.Equal(got, want) {
		t.Errorf("on record:\n%v\nwant\n%v", got, want)
	}
	if err := board.Close(); err != nil {
		t.Error(err)
	}
}
