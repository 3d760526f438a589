package executor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sony/gobreaker/v2"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// breaking makes a tool that ends with the code in the file code, and whose circuit opens at the second
// failure.
func breaking() *tool.Tool {
	work := script(`echo x >> runs; exit "$(cat code)"; : {{word}}`)
	work.CircuitBreaker = tool.CircuitBreaker{Failures: 2, Period: 30 * time.Second, Recovery: time.Minute, HalfOpenCalls: 1}
	work.ErrorMapping = map[int]tool.MappedError{
		2: {Code: -32602, Message: "Invalid params"},
		3: {Code: -32603, Message: "Internal error"},
	}
	return work
}

// ends has the next runs of breaking end with a code.
func (h *house) ends(code string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "code"), []byte(code), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// changes tells the changes of circuits that are on record.
func (h *house) changes() string {
	var all []string
	for _, e := range h.of(events.CircuitChanged) {
		all = append(all, e.Circuit.Before+" to "+e.Circuit.State)
	}
	return strings.Join(all, ", ")
}

// TestCircuitsOfWorkspaces checks that a tool which fails in one workspace is not refused in another that
// brings one of the same id.
func TestCircuitsOfWorkspaces(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(breaking())
	theirs, _ := h.tools.Lookup("work")
	theirs.Tool.Source.Layer = tool.LayerProject
	h.tools = h.tools.With(nil)
	other := tool.Workspace{Root: filepath.Join(h.dir, "other")}
	if err := os.Mkdir(other.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	h.tools = h.tools.WithOwn(h.dir, []*Entry{theirs})
	h.tools = h.tools.WithOwn(other.Root, []*Entry{theirs}) // to the letter
	h.ends("1")
	for i, want := range []tool.FailureCode{"", "", tool.FailCircuitOpen} {
		if got := codeOf(h.execute(t.Context(), `{}`)); got != want {
			t.Fatalf("call %d: got %q, want %q", i, got, want)
		}
	}
	call := h.call(`{}`)
	call.Workspace = other
	if result := h.executor.Execute(t.Context(), call, person{h}); result.Error != nil {
		t.Errorf("in the other workspace: %v", result.Error)
	}
	if got := codeOf(h.execute(t.Context(), `{}`)); got != tool.FailCircuitOpen {
		t.Errorf("and here again: got %q", got)
	}
}

// TestCircuit plays calls, and time that passes between them, and checks which of them run. Time is that of
// synctest; bash is real. A word is a call: what its run ends with, or "-" for a call that must not run. A
// duration is time that passes.
func TestCircuit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, play string
		trials     int // HalfOpenCalls
		changes    string
		period     time.Duration // 0: 30 s
	}{
		{"opens at the second failure", "1 1 - -", 1, "closed to open", 0},
		{"a success between failures does not hide them", "1 0 1 -", 1, "closed to open", 0},
		{"failures that are far apart", "1 31s 1 31s 1 31s 1", 1, "", 0},
		{"failures that are less far apart", "1 29s 1 -", 1, "closed to open", 0},
		{"the window slides", "1 20s 1", 1, "closed to open", 0},
		{"of three failures two are near", "1 20s 0 20s 1 20s 1 -", 1, "closed to open", 0},
		{"stays open", "1 1 59s -", 1, "closed to open", 0},
		{"a trial that succeeds", "1 1 61s 0 1 0", 1, "closed to open, open to half-open, half-open to closed", 0},
		{"a trial that fails", "1 1 61s 1 - 59s - 2s 0", 1, "closed to open, open to half-open, half-open to open, open to half-open, half-open to closed", 0},
		{"all trials must succeed", "1 1 61s 0 1 -", 2, "closed to open, open to half-open, half-open to open", 0},
		{"all trials succeed", "1 1 61s 0 0 1", 2, "closed to open, open to half-open, half-open to closed", 0},
		{"failures before are forgotten", "1 1 61s 0 1 0 0", 1, "closed to open, open to half-open, half-open to closed", 0},
		{name: "failures before are forgotten, however near", play: "1 1 61s 0 1 0", trials: 1, period: time.Hour, changes: "closed to open, open to half-open, half-open to closed"},
		{"what the caller did wrong", "2 2 2 2", 1, "", 0},
		{"a trial that says nothing leaves its place", "1 1 61s 2 2 0 0", 1, "closed to open, open to half-open, half-open to closed", 0},
		{"a mapped exit code", "3 3 -", 1, "closed to open", 0},
		{"no such command", "127 127 -", 1, "closed to open", 0},
	} {
		synctestRun(t, test.name, func(t *testing.T) {
			h := newTimedHouse(t, rule(permissions.Approve))
			work := breaking()
			work.CircuitBreaker.HalfOpenCalls = test.trials
			if test.period > 0 {
				work.CircuitBreaker.Period = test.period
			}
			h.has(work)
			for i, word := range strings.Fields(test.play) {
				if d, err := time.ParseDuration(word); err == nil && word != "0" {
					time.Sleep(d)
					continue
				}
				if word != "-" {
					h.ends(word)
				}
				before := h.ranTimes()
				result := h.execute(t.Context(), `{}`)
				ran := h.ranTimes() > before
				if ran != (word != "-") || ran != (codeOf(result) == "") {
					t.Errorf("call %d (%s) ran: %t, error %v; changes: %s", i+1, word, ran, result.Error, h.changes())
				}
			}
			if diff := cmp.Diff(test.changes, h.changes()); diff != "" {
				t.Errorf("changes on record (-want +got):\n%s", diff)
			}
			if calls := len(h.of(events.ToolDecided)); calls != len(h.of(events.ToolEnded)) {
				t.Errorf("%d calls are decided on record, and %d ended", calls, len(h.of(events.ToolEnded)))
			}
		})
	}
}

// synctestRun runs a subtest with a clock of its own.
func synctestRun(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, f)
	})
}

// TestCircuitRefusal checks what the caller of an open circuit is told, and that nobody is asked about what
// would not run.
func TestCircuitRefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Ask))
		h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
			return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
		}
		h.has(breaking())
		h.ends("1")
		h.execute(t.Context(), `{}`)
		h.execute(t.Context(), `{}`)
		time.Sleep(17500 * time.Millisecond)
		result := h.execute(t.Context(), `{}`)
		want := &tool.Failure{
			Code: tool.FailCircuitOpen, Retryable: true, Details: map[string]any{"retry_after_seconds": 43.0},
			Message: "work was not run: it failed too often, and calls are refused for 43 s more (circuit_breaker, tools.yaml:7)",
		}
		if diff := cmp.Diff(want, result.Error); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if result.Status != tool.StatusFailed || result.ExitCode != -1 || h.count("ask") != 2 {
			t.Errorf("got %s, code %d, %d questions; want a failed call that nobody was asked about", result.Status, result.ExitCode, h.count("ask"))
		}
		decided := h.of(events.ToolDecided)
		if last := decided[len(decided)-1]; len(decided) != 3 || last.Decision.Result != "reject" || !strings.HasPrefix(last.Decision.Reason, "nobody was asked: work was not run") {
			t.Errorf("the record has %d decisions, the last one %+v", len(decided), last.Decision)
		}
		change := h.of(events.CircuitChanged)[0]
		opened := &events.Circuit{Tool: "work", State: "open", Before: "closed", Until: change.Time.Add(time.Minute),
			Failures: 2, Threshold: 2, LastFailure: change.Time}
		if diff := cmp.Diff(opened, change.Circuit); diff != "" || change.CallID != "call-1" {
			t.Errorf("the change on record, of call %q (-want +got):\n%s", change.CallID, diff)
		}
	})
}

// TestCircuitStopsRetry checks that a circuit which opens ends the attempts of the call that opened it.
func TestCircuitStopsRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		work := breaking()
		work.Retry = tool.Retry{Attempts: 5, Backoff: tool.BackoffConstant}
		h.has(work)
		h.ends("1")
		result := h.execute(t.Context(), `{}`)
		if h.ranTimes() != 2 || result.ExitCode != 1 || result.Error != nil {
			t.Errorf("ran %d times, got code %d, error %v; want the second run's own result", h.ranTimes(), result.ExitCode, result.Error)
		}
		if why, _ := result.Metadata.Diagnostics["not_tried_again"].(string); !strings.Contains(why, "calls are refused for 60 s more") {
			t.Errorf("not tried again, because: %q", why)
		}
		if len(h.slept) != 1 || h.count("record tool.attempted") != 1 {
			t.Errorf("slept %v for %d attempts on record; want one of each, since the second run opened the circuit", h.slept, h.count("record tool.attempted"))
		}
		if h.changes() != "closed to open" {
			t.Errorf("changes on record: %s", h.changes())
		}
		// A call that is refused says that trying again may help. That is for its caller to do, not for us.
		slept, tried := len(h.slept), h.count("record tool.attempted")
		if result := h.execute(t.Context(), `{}`); codeOf(result) != tool.FailCircuitOpen || len(h.slept) != slept || h.count("record tool.attempted") != tried {
			t.Errorf("got %v, slept %d times more; want it refused at once", result.Error, len(h.slept)-slept)
		}
	})
}

// TestCircuitUnrecorded checks that a change which cannot be recorded is told, and does not undo the run.
func TestCircuitUnrecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := breaking()
	work.CircuitBreaker.Failures = 1
	h.has(work)
	h.ends("1")
	h.refuses[events.CircuitChanged] = errors.New("no space left on device")
	result := h.execute(t.Context(), `{}`)
	if told := result.Metadata.Diagnostics["record"]; told != "no space left on device" || result.ExitCode != 1 {
		t.Errorf("got code %d, and of its record: %v", result.ExitCode, told)
	}
}

// TestCircuitOfAnotherTool checks that a circuit is of one tool as it is written: others have their own,
// and who mends the script or changes the numbers begins anew.
func TestCircuitOfAnotherTool(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*tool.Tool)
		runs   bool
	}{
		{"the same", func(*tool.Tool) {}, false},
		{"another description", func(t *tool.Tool) { t.Description = "x" }, false},
		{"another script", func(t *tool.Tool) { t.Script += "\n" }, true},
		{"another number", func(t *tool.Tool) { t.CircuitBreaker.Failures++ }, true},
		{"no breaker any more", func(t *tool.Tool) { t.CircuitBreaker = tool.CircuitBreaker{} }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			other := breaking()
			other.ID = "other"
			h.has(breaking(), other)
			h.ends("1")
			h.execute(t.Context(), `{}`)
			h.execute(t.Context(), `{}`)
			changed := breaking()
			test.change(changed)
			h.has(changed, other)
			if result := h.execute(t.Context(), `{}`); (codeOf(result) == "") != test.runs {
				t.Errorf("got error %v, want a run: %t", result.Error, test.runs)
			}
			call := h.call(`{}`)
			call.Tool = "other"
			if result := h.executor.Execute(t.Context(), call, person{h}); codeOf(result) != "" {
				t.Errorf("another tool: %v", result.Error)
			}
		})
	}
}

// TestCircuitTrial guards two defects that circuit breakers have: a trial that its caller gives up takes
// its place with it, and more trials are let through than there are places.
func TestCircuitTrial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(breaking())
		h.ends("1")
		h.execute(t.Context(), `{}`)
		h.execute(t.Context(), `{}`)
		time.Sleep(61 * time.Second)

		// A trial that goes on until its caller gives it up.
		h.instead = func(ctx context.Context) sandbox.Outcome {
			<-ctx.Done()
			return sandbox.Outcome{ExitCode: -1, Cancelled: true}
		}
		ctx, cancel := context.WithCancel(t.Context())
		trial := make(chan tool.Result)
		go func() { trial <- h.execute(ctx, `{}`) }() // ends with cancel
		synctest.Wait()
		during := h.execute(t.Context(), `{}`)
		if codeOf(during) != tool.FailCircuitOpen || !strings.Contains(during.Error.Message, "a trial is under way") {
			t.Errorf("beside a trial: got %v, want it refused", during.Error)
		}
		cancel()
		if result := <-trial; codeOf(result) != tool.FailCancelled {
			t.Errorf("the trial: got %v, want it cancelled", result.Error)
		}

		h.instead = nil
		h.ends("0")
		if result := h.execute(t.Context(), `{}`); result.Status != tool.StatusCompleted {
			t.Errorf("after a trial that was given up: got %s, %v; want another trial", result.Status, result.Error)
		}
		if want := "closed to open, open to half-open, half-open to closed"; h.changes() != want {
			t.Errorf("changes on record: %s, want %s", h.changes(), want)
		}
	})
}

// TestCircuitSlowFailures guards a trap in the library's own windows: they count a failure at the time when
// its call began, so calls that take as long as the window, as those do that time out, never opened the
// circuit.
func TestCircuitSlowFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCircuit(circuitKey{}, "", breaking().CircuitBreaker, time.Now)
		started := time.Now()
		both := make(chan error)
		for range 2 {
			go func() { // ends with the run
				_, err := c.breaker.Execute(func() (runResult, error) {
					time.Sleep(c.settings.Period)
					return runResult{}, errFailed
				})
				both <- err
			}()
		}
		for range 2 {
			if err := <-both; !errors.Is(err, errFailed) {
				t.Error(err)
			}
		}
		if state := c.breaker.State(); state != gobreaker.StateOpen {
			t.Errorf("after two failures in %s the circuit is %s, want it open", time.Since(started), state)
		}
	})
}
