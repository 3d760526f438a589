package approval

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestNotAskedTwice checks that of two who ask the very same at once the second waits: a no is for both, a
// yes and a question that was taken back are for the first alone.
func TestNotAskedTwice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer Answer
		err    error
		both   bool
	}{
		"yes":        {Answer{Verdict: permissions.Approve}, nil, false},
		"no":         {Answer{Verdict: permissions.Reject, Reason: "not now"}, nil, true},
		"taken back": {Answer{}, errors.New("cancelled"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asking inFlight
				never := func() { t.Error("who does not wait is told to") }
				var waiting atomic.Int32
				waits := func() { waiting.Add(1) }
				first, _, found, err := asking.queue(t.Context(), "q", never)
				if found || err != nil {
					t.Fatalf("the first: %t, %v", found, err)
				}
				if other, _, found, err := asking.queue(t.Context(), "another", never); other == nil || found || err != nil {
					t.Errorf("another question: %t, %v", found, err)
				}
				impatient, giveUp := context.WithCancelCause(t.Context())
				gone := errors.New("gone")
				done := 0
				go func() {
					if place, _, _, err := asking.queue(impatient, "q", waits); place != nil || !errors.Is(err, gone) {
						t.Errorf("who gives up: %v", err)
					}
					done++
				}()
				go func() {
					place, no, found, err := asking.queue(t.Context(), "q", waits)
					if found != test.both || err != nil || found && no != test.answer || !found && place == nil {
						t.Errorf("the second: %+v, %t, %v", no, found, err)
					}
					done++
				}()
				synctest.Wait()
				if done != 0 || waiting.Load() != 2 {
					t.Errorf("%d of 2 wait, and %d have said so before", 2-done, waiting.Load())
				}
				giveUp(gone)
				synctest.Wait()
				asking.over(first, test.answer, test.err)
				synctest.Wait()
				if done != 2 {
					t.Errorf("%d of 2 came to an end", done)
				}
			})
		})
	}
}
