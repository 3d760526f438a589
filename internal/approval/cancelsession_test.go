package approval

import (
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// TestCancelSession ends what was left in a session of an agent's, whatever door its questions came by, and in no other:
// not in that of another agent which calls its own the same, nor of another principal. What somebody waits for is his.
func TestCancelSession(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), &recorded{}
	board := New(Options{Dir: dir, Record: log, Say: func(line string) { t.Error(line) }, Now: time.Now})
	desk := board.Desk()
	type left struct {
		Question
		approved, waits bool
		want            store.State
	}
	rows := map[string]left{
		"a question":          {Question: Question{Agent: "gemini", Session: "s1", Door: "acp"}, want: store.Withdrawn},
		"a yes":               {Question: Question{Agent: "gemini", Session: "s1", Door: "acp"}, approved: true, want: store.Withdrawn},
		"a tool's":            {Question: Question{Agent: "gemini", Session: "s1", Door: "mcp"}, approved: true, want: store.Withdrawn},
		"another session's":   {Question: Question{Agent: "gemini", Session: "s2", Door: "acp"}, approved: true, want: store.Approved},
		"another agent's":     {Question: Question{Agent: "codex", Session: "s1", Door: "acp"}, approved: true, want: store.Approved},
		"another principal's": {Question: Question{Agent: "gemini", Session: "s1", Door: "acp", Principal: "anna"}, approved: true, want: store.Approved},
		"one that waits":      {Question: Question{Agent: "gemini", Session: "s1", Door: "acp"}, waits: true, want: store.Pending},
	}
	ids := map[string]string{}
	s, err := board.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range rows {
		q := row.Question
		q.Title, q.CallID, q.Digest = name, "call of "+name, name
		if row.waits {
			stands, err := s.Put(t.Context(), desk.Post(q).(*notice).approval(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = stands.ID
			continue
		}
		id, _, _, err := desk.Stand(t.Context(), q)
		if err == nil && row.approved {
			err = desk.Bring(t.Context(), id, true, "maria", "")
		}
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = id
	}
	if err := desk.CancelSession(t.Context(), "gemini", "s1", "", "the session was closed"); err != nil {
		t.Fatal(err)
	}
	for name, row := range rows {
		if got, err := s.Get(t.Context(), ids[name]); err != nil || got.State != row.want {
			t.Errorf("%s is %s, %v; want %s", name, got.State, err, row.want)
		}
	}
	if err := board.Close(); err != nil {
		t.Error(err)
	}
}
