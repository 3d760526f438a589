package executor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// third is a script that succeeds when it is run for the third time.
const third = `echo x >> runs; printf 'run %s' "$(wc -l < runs)"; [ "$(wc -l < runs)" -ge 3 ] || exit 1; : {{word}}`

// ranTimes counts the runs of a script that adds a line to the file runs each time.
func (h *house) ranTimes() int {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "runs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// thrice is three attempts.
var thrice = tool.Retry{Attempts: 3, Backoff: tool.BackoffConstant, Delay: time.Second, MaxDelay: time.Second}

// TestRetry checks which failures are tried again, and how often.
func TestRetry(t *testing.T) {
	t.Parallel()
	timeout := func(t *tool.Tool) { t.Sandbox.Limits.Timeout = 200 * time.Millisecond }
	output := func(t *tool.Tool) { t.Sandbox.Limits.Output = 10 }
	mapped := func(retryable bool) func(*tool.Tool) {
		return func(t *tool.Tool) {
			t.ErrorMapping = map[int]tool.MappedError{1: {Code: -32603, Message: "Internal error", Retryable: retryable}}
		}
	}
	for _, test := range []struct {
		name, text string
		retry      tool.Retry
		change     func(*tool.Tool)
		runs       int
		status     tool.Status
	}{
		{"succeeds at last", third, thrice, nil, 3, tool.StatusCompleted},
		{"not often enough", third, tool.Retry{Attempts: 2, Backoff: tool.BackoffConstant}, nil, 2, tool.StatusFailed},
		{"nothing is said of trying again", third, tool.Retry{}, nil, 1, tool.StatusFailed},
		{"one attempt", third, tool.Retry{Attempts: 1}, nil, 1, tool.StatusFailed},
		{"succeeds at once", `echo x >> runs`, thrice, nil, 1, tool.StatusCompleted},
		{"an exit code that is not retryable", third, thrice, mapped(false), 1, tool.StatusFailed},
		{"an exit code that is", third, thrice, mapped(true), 3, tool.StatusCompleted},
		{"another exit code than the mapped one", `echo x >> runs; exit 2`, thrice, mapped(false), 3, tool.StatusFailed},
		{"a signal", `echo x >> runs; bash -c 'kill -SEGV $$'; exit $?`, thrice, nil, 3, tool.StatusFailed},
		{"no such command", `echo x >> runs; no_such_command_anywhere`, thrice, nil, 1, tool.StatusFailed},
		{"not executable", `echo x >> runs; ./runs`, thrice, nil, 1, tool.StatusFailed},
		{"a time-out", `echo x >> runs; sleep 1000`, thrice, timeout, 3, tool.StatusTimeout},
		{"too much output", `echo x >> runs; echo 12345678901234567890; sleep 1000`, thrice, output, 1, tool.StatusFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			work := script(test.text)
			work.Retry = test.retry
			if test.change != nil {
				test.change(work)
			}
			h.has(work)
			result := h.execute(t.Context(), `{}`)
			if h.count("run") != test.runs || result.Status != test.status {
				t.Fatalf("ran %d times and %s, want %d and %s; error %v\n%s", h.count("run"), result.Status, test.runs, test.status, result.Error, result.Stderr)
			}
			told, _ := result.Metadata.Diagnostics["attempts"].(int)
			if told != test.runs && (told != 0 || test.runs > 1) {
				t.Errorf("the result tells of %d attempts, want %d", told, test.runs)
			}
			// It is decided once and ends once, and every run in between is on record.
			if d, a, e := h.count("record tool.decided"), h.count("record tool.attempted"), h.count("record tool.ended"); d != 1 || a != test.runs-1 || e != 1 {
				t.Errorf("%d decisions, %d attempts and %d ends are on record for %d runs: %q", d, a, e, test.runs, h.steps)
			}
			if len(h.slept) != test.runs-1 {
				t.Errorf("slept %v between %d runs", h.slept, test.runs)
			}
		})
	}
}

// TestRetryRecord checks what is on record of a call that was tried again, and in which order.
func TestRetryRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := script(third)
	work.Retry = thrice
	h.has(work)
	result := h.execute(t.Context(), `{"word":"x"}`)
	if result.Stdout != "run 3" || result.ExitCode != 0 {
		t.Errorf("got %q, code %d; want what the last run said", result.Stdout, result.ExitCode)
	}
	want := []string{
		"plan", "decide approve", "record tool.decided approve policy",
		"decide approve", "record tool.started", "run", "record tool.attempted failed", "sleep",
		"decide approve", "record tool.started started", "run", "record tool.attempted failed", "sleep",
		"decide approve", "record tool.started started", "run", "record tool.ended completed",
	}
	if diff := cmp.Diff(want, h.steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	for i, e := range h.of(events.ToolAttempted) {
		if e.CallID != "call-1" || e.Outcome.Attempt != i+1 || e.Outcome.ExitCode == nil || *e.Outcome.ExitCode != 1 || e.Outcome.OutputHash != "" || e.Act.Arguments != nil {
			t.Errorf("got the record %+v with %+v, want attempt %d of call-1 with exit code 1", e, e.Outcome, i+1)
		}
	}
	for i, e := range h.of(events.ToolStarted) {
		if e.Act.Arguments["word"] != "x" || i == 0 && e.Outcome != nil || i > 0 && e.Outcome.Attempt != i+1 {
			t.Errorf("start %d is on record as %+v with %+v", i+1, e.Act, e.Outcome)
		}
	}
	if end := h.of(events.ToolEnded)[0]; end.Outcome.Attempt != 3 {
		t.Errorf("the end speaks of attempt %d, want 3", end.Outcome.Attempt)
	}
}

// TestRetryStops checks what keeps an act from being tried again: the result is then that of the run before.
func TestRetryStops(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		stop func(h *house, cancel context.CancelFunc)
		code tool.FailureCode
		says string // why it was not tried again
	}{
		{"the caller gives up", func(h *house, cancel context.CancelFunc) {
			h.sleeps = func(ctx context.Context) error {
				cancel()
				return sleepFor(ctx, time.Hour)
			}
		}, tool.FailCancelled, ""},
		{"the rules change", func(h *house, _ context.CancelFunc) {
			h.sleeps = func(context.Context) error {
				h.authority = h.authority.With(permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{rule(permissions.Reject)}}}), nil)
				return nil
			}
		}, "", "the permission no longer holds: what would run is not what was permitted"},
		{"the grant is old", func(h *house, _ context.CancelFunc) {
			late := time.Duration(0)
			h.executor.now = func() time.Time { return time.Unix(1e9, 0).Add(late) }
			h.sleeps = func(context.Context) error {
				late = permissions.PermitLife
				return nil
			}
		}, "", "the permission no longer holds: the permit has expired"},
		{"the attempt cannot be recorded", func(h *house, _ context.CancelFunc) {
			h.refuses[events.ToolAttempted] = errors.New("no space left on device")
		}, "", "the attempt before could not be recorded: no space left on device"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			work := script(third)
			work.Retry = thrice
			h.has(work)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			test.stop(h, cancel)
			result := h.execute(ctx, `{}`)
			if h.ranTimes() != 1 || result.ExitCode != 1 || result.Stdout != "run 1" || codeOf(result) != test.code {
				t.Errorf("ran %d times, got code %d, %q, error %v; want the one run's result and %q", h.ranTimes(), result.ExitCode, result.Stdout, result.Error, test.code)
			}
			if why, _ := result.Metadata.Diagnostics["not_tried_again"].(string); why != test.says {
				t.Errorf("not tried again, because: %q, want %q", why, test.says)
			}
			if h.count("record tool.ended") != 1 {
				t.Errorf("the end is not on record once: %q", h.steps)
			}
		})
	}
}

// TestRetryOfAPathThatMoved guards against a link that is turned between two attempts: the rules stay the
// same, and reject what the path leads to by then.
func TestRetryOfAPathThatMoved(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve), permissions.Rule{
		ID: "no-secrets", AppliesTo: []string{"*"}, IncludePaths: []string{"secret"}, Verdict: permissions.Reject, Source: tool.Source{File: "policies.yaml", Line: 9},
	})
	work := script(`echo x >> runs; cat {{path}}; : {{word}}; exit 1`)
	work.Parameters = append(work.Parameters, tool.Parameter{Name: "path", Type: tool.TypeString, AllowLeadingDash: true})
	work.Retry = thrice
	h.has(work)
	link := filepath.Join(h.dir, "link")
	lead := func(to string) error {
		if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return os.Symlink(to, link)
	}
	for _, name := range []string{"public", "secret"} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := lead("public"); err != nil {
		t.Fatal(err)
	}
	h.sleeps = func(context.Context) error { return lead("secret") }
	result := h.execute(t.Context(), `{"path":"link"}`)
	if h.ranTimes() != 1 || result.Stdout != "public" {
		t.Errorf("ran %d times, got %q, %v; want the first attempt only", h.ranTimes(), result.Stdout, result.Error)
	}
	if why, _ := result.Metadata.Diagnostics["not_tried_again"].(string); !strings.Contains(why, "rule no-secrets (policies.yaml:9) rejects it") {
		t.Errorf("not tried again, because: %q", why)
	}
}

// TestDelays checks how the delays grow, and that none is longer than its bound.
func TestDelays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		retry tool.Retry
		want  []time.Duration // before the jitter
	}{
		{"none", tool.Retry{}, nil},
		{"one attempt", tool.Retry{Attempts: 1, Backoff: tool.BackoffExponential, Delay: 1, Multiplier: 2, MaxDelay: 1}, nil},
		{"constant", tool.Retry{Attempts: 3, Backoff: tool.BackoffConstant, Delay: time.Second, MaxDelay: time.Minute}, []time.Duration{time.Second, time.Second}},
		{"constant, bounded", tool.Retry{Attempts: 2, Backoff: tool.BackoffConstant, Delay: time.Hour, MaxDelay: time.Minute}, []time.Duration{time.Minute}},
		{"the seed's", tool.Retry{Attempts: 7, Backoff: tool.BackoffExponential, Delay: time.Second, Multiplier: 2, MaxDelay: 10 * time.Second},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}},
		{"exponential, bounded from the start", tool.Retry{Attempts: 3, Backoff: tool.BackoffExponential, Delay: time.Hour, Multiplier: 2, MaxDelay: time.Second},
			[]time.Duration{time.Second, time.Second}},
	} {
		for range 20 { // the jitter differs each time
			delays := newDelays(test.retry)
			for i, want := range test.want {
				stray := time.Duration(0)
				if test.retry.Backoff == tool.BackoffExponential {
					stray = time.Duration(jitter*float64(want)) + 1
				}
				if got := delays.NextBackOff(); got < want-stray || got > want+stray || got > test.retry.MaxDelay {
					t.Errorf("%s: delay %d is %s, want %s ± %s and no more than %s", test.name, i+1, got, want, stray, test.retry.MaxDelay)
				}
			}
			if got := delays.NextBackOff(); got != backoff.Stop {
				t.Errorf("%s: after %d delays comes %s, want an end", test.name, len(test.want), got)
			}
		}
	}
}

// TestSleep checks that waiting ends with its caller, and by itself.
func TestSleep(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if err := sleepFor(ctx, time.Hour); !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause", err)
	}
	if err := sleepFor(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
}
