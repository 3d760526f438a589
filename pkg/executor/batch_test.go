package executor

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestBatch checks that the results of a batch stand in the order of its calls, whatever becomes of each of
// them.
func TestBatch(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve), permissions.Rule{
		ID: "no", AppliesTo: []string{"*"}, Verdict: permissions.Reject, Parameters: map[string]any{"word": "forbidden"},
	})
	h.has(script(`sleep "$(printf %s {{word}})"; printf '%s' {{word}}`))
	var calls []tool.Call
	for _, arguments := range []string{`{"word":"0.1"}`, `{"word":"no time"}`, `{"word":"forbidden"}`, `{"wrod":"0"}`, ``, `{"word":"0"}`} {
		calls = append(calls, h.call(arguments))
	}
	calls[4].Tool = "nothing"
	var got []string
	for _, result := range h.executor.ExecuteBatch(t.Context(), calls, person{h}, 0) {
		got = append(got, fmt.Sprintf("%s %s %q %q", result.ToolID, result.Status, codeOf(result), result.Stdout))
	}
	want := []string{
		`work completed "" "0.1"`,
		`work completed "" "no time"`,
		`work denied "denied" ""`,
		`work failed "validation_error" ""`,
		`nothing failed "not_found" ""`,
		`work completed "" "0"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d, e := h.count("record tool.decided"), h.count("record tool.ended"); d != 4 || e != 5 {
		t.Errorf("%d decisions and %d ends are on record of 6 calls, of which 2 were not decided and 1 was denied", d, e)
	}
}

// TestBatchBound checks that no more calls run at once than are allowed, and that those that may, do.
func TestBatchBound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ calls, atOnce, want int }{
		{0, 3, 0}, {1, 3, 1}, {10, 1, 1}, {10, 3, 3}, {10, 0, DefaultAtOnce}, {10, -1, DefaultAtOnce}, {100, 1000, MostAtOnce},
	} {
		synctestRun(t, fmt.Sprint(test), func(t *testing.T) {
			h := newTimedHouse(t, rule(permissions.Approve))
			h.has(script(`: {{word}}`))
			running, most := 0, 0
			h.instead = func(context.Context) sandbox.Outcome {
				h.mu.Lock()
				running++
				most = max(most, running)
				h.mu.Unlock()
				time.Sleep(time.Second)
				h.mu.Lock()
				running--
				h.mu.Unlock()
				return sandbox.Outcome{}
			}
			calls := make([]tool.Call, test.calls)
			for i := range calls {
				calls[i] = h.call(`{}`)
			}
			results := h.executor.ExecuteBatch(t.Context(), calls, person{h}, test.atOnce)
			if most != test.want || len(results) != test.calls || h.count("run") != test.calls {
				t.Errorf("%d ran at once, %d in all, with %d results; want %d at once of %d", most, h.count("run"), len(results), test.want, test.calls)
			}
		})
	}
}

// TestBatchWithdrawn checks what becomes of a batch whose caller gives it up: what runs is ended, and what
// has not begun never does; all of it is on record.
func TestBatchWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(script(`: {{word}}`))
		h.instead = func(ctx context.Context) sandbox.Outcome {
			<-ctx.Done()
			return sandbox.Outcome{ExitCode: -1, Cancelled: true}
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // ends with cancel
			synctest.Wait()
			cancel()
		}()
		results := h.executor.ExecuteBatch(ctx, []tool.Call{h.call(`{}`), h.call(`{}`), h.call(`{}`), h.call(`{}`)}, person{h}, 2)
		for i, result := range results {
			if result.Status != tool.StatusCancelled || result.CallID == "" {
				t.Errorf("call %d: got %s of %q, want it cancelled", i, result.Status, result.CallID)
			}
		}
		if runs, ended := h.count("run"), h.count("record tool.ended cancelled"); runs != 2 || ended != 4 {
			t.Errorf("%d ran, and %d ends are on record; want 2 and 4", runs, ended)
		}
	})
}

// TestBatchOfEverything runs a batch of calls that are kept, tried again and refused at once, for the race
// detector.
func TestBatchOfEverything(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := caching()
	work.Retry = tool.Retry{Attempts: 2, Backoff: tool.BackoffConstant}
	work.CircuitBreaker = tool.CircuitBreaker{Failures: 20, Period: time.Minute, Recovery: time.Minute, HalfOpenCalls: 1}
	work.Caching.Results, work.Caching.Bytes = 2, 30
	h.has(work)
	h.instead = func(context.Context) sandbox.Outcome {
		h.mu.Lock()
		defer h.mu.Unlock()
		return sandbox.Outcome{ExitCode: len(h.steps) % 2, Stdout: []byte("out")}
	}
	var calls []tool.Call
	for i := range 200 {
		calls = append(calls, h.call(fmt.Sprintf(`{"word":"%d"}`, i%5)))
	}
	for i, result := range h.executor.ExecuteBatch(t.Context(), calls, person{h}, 16) {
		if code := codeOf(result); code != "" && code != tool.FailCircuitOpen {
			t.Errorf("call %d: %v", i, result.Error)
		}
	}
	if d, e := h.count("record tool.decided"), h.count("record tool.ended"); d != 200 || e != 200 {
		t.Errorf("%d decisions and %d ends are on record of 200 calls", d, e)
	}
}
