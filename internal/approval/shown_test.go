package approval

import (
	"context"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// A yes for the rest of the session is for the session that the person was shown. Where another one has taken the question
// over before it was answered, the yes is for that one's call, once.
func TestAlwaysForTheSessionThatWasShown(t *testing.T) {
	t.Parallel()
	for name, joins := range map[string]bool{"who asked waits": false, "another session asks by now": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, log := t.TempDir(), &recorded{}
			board := New(Options{Dir: dir, Record: log, Say: func(line string) { t.Error(line) }, Now: time.Now})
			desk := board.Desk()
			ask := func(session string) (asked Notice, id string, answer chan Answer, leave func()) {
				asked = desk.Post(Question{Session: session, Title: "make", CallID: "call in " + session, Digest: "d", Lasting: []string{"make"}})
				ctx, cancel := context.WithCancel(t.Context())
				stands, answer := make(chan string, 1), make(chan Answer, 1)
				go func() { // ends with the answer, or leave
					defer close(answer)
					if a, err := asked.Elsewhere(ctx, func(id string) { stands <- id }); err == nil {
						answer <- a
					}
				}()
				return asked, <-stands, answer, cancel
			}
			first, id, answer, leave := ask("a")
			defer leave()
			box, err := OpenInbox(t.Context(), dir, log, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := box.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if joins {
				leave()
				<-answer
				first.Withdraw(AskerGone("its bridge has ended"))
				var second string
				if _, second, answer, leave = ask("b"); second != id {
					t.Fatalf("it asks %s and not %s", second, id)
				}
				defer leave()
			}
			given, err := box.Answer(t.Context(), shown, store.Answer{Approved: true, Always: 1, Approver: "maria"})
			if got := <-answer; err != nil || got.Verdict != permissions.Approve || (got.Always > 0) == joins || (given.Always > 0) == joins {
				t.Errorf("got %+v for %+v, %v", got, given, err)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
			if err := board.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
