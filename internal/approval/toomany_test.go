package approval

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTooMany asks ever more questions, at two doors of the process: no more of one principal stand, or are being asked,
// than a person could answer.
func TestTooMany(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		question Question
		refused  bool
	}{
		"of tasks":                       {Question{Door: tool.DoorA2A, Principal: "anna", Digest: "d"}, true},
		"of a driven agent":              {Question{Door: tool.DoorACP, Agent: "coder", Principal: "anna", Digest: "d"}, true},
		"that cannot be asked again":     {Question{Door: tool.DoorACP, Agent: "coder", Principal: "anna"}, true},
		"the very same, of many":         {Question{Door: tool.DoorA2A, Principal: "anna", Digest: "same"}, true},
		"of MCP clients on a pipe":       {Question{Door: tool.DoorMCP, Digest: "d"}, true},
		"that their own client answers":  {Question{Door: tool.DoorMCP, Principal: "anna", Digest: "d", InCall: true}, true},
		"of a person's agent, in editor": {Question{Door: tool.DoorACP, Agent: "coder", Digest: "d"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			board := New(Options{Dir: t.TempDir(), Record: &recorded{}, Say: func(line string) { t.Error(line) }, Now: time.Now})
			defer board.Close() //nolint:errcheck // nothing is left
			one, other := board.Desk(), board.Desk()
			up, asked, answered := make(chan string), make(chan error), make(chan struct{})
			ask := func(d *Desk, n int, q Question) {
				q.Session, q.Title, q.CallID = fmt.Sprint(n), fmt.Sprint(n), fmt.Sprintf("%p of %d", d, n)
				if q.Digest == "d" {
					q.Digest = fmt.Sprint(n)
				}
				_, err := AskAndTell(t.Context(), d, q, func() {}, func(id string) { up <- id }, func(context.Context) (Answer, error) {
					<-answered
					return Answer{}, ErrAskerGone // it stays
				})
				asked <- err
			}
			stands := func(d *Desk, n int, q Question) error {
				go ask(d, n, q) // ends with its question, for which the test waits
				select {
				case <-up:
					return nil
				case err := <-asked:
					return err
				}
			}
			for n := range MostWaiting {
				if err := stands(one, n, test.question); err != nil {
					t.Fatalf("question %d: %v", n, err)
				}
			}
			more := 0
			for _, d := range []*Desk{one, other} {
				err := stands(d, MostWaiting+1, test.question)
				if errors.Is(err, ErrNobody) != test.refused || test.refused && errors.Is(err, ErrAskerGone) {
					t.Errorf("one more: %v", err)
				}
				if err == nil {
					more++
				}
			}
			if err := stands(other, 0, Question{Door: tool.DoorA2A, Principal: "bob", Digest: "b"}); err != nil {
				t.Errorf("of another principal: %v", err)
			}
			close(answered)
			for range MostWaiting + more + 1 {
				<-asked
			}
			if test.question.Digest != "d" || test.question.InCall || !test.refused {
				return
			}
			// They stand, and nobody asks them: one that is new is refused, one of them is asked again.
			if err := one.MayStay(t.Context(), test.question); err == nil {
				t.Error("one that was asked in its call may stay")
			}
			again := test.question
			again.Title, again.CallID = "new", "new"
			if _, _, _, err := other.Stand(t.Context(), again); err == nil {
				t.Error("one more stands")
			}
			again.Title, again.Digest = "7", "7"
			if _, _, _, err := other.Stand(t.Context(), again); err != nil {
				t.Errorf("one of them: %v", err)
			}
			inCall := test.question
			inCall.InCall, inCall.Title = true, "in its call"
			if err := stands(one, MostWaiting+2, inCall); err != nil {
				t.Errorf("one that is answered in its call: %v", err)
			} else if <-asked; one.MayStay(t.Context(), inCall) == nil {
				t.Error("it may stay")
			}
		})
	}
}
