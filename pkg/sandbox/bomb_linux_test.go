//go:build amd64 || arm64

package sandbox

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestForkBomb checks that a call which starts more and more processes is ended, long before its time is up.
//
// The kernel does not hold root to any number of processes, so the bombs are bounded themselves, in case
// that it is this test's subject that fails: each is a tree of 127 processes, whose leaves stay until they
// are ended.
func TestForkBomb(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		for _, test := range []struct{ name, text string }{
			{"processes", bomb + `bomb 6`},
			{"orphans", `bomb() { (( $1 )) || exec sleep 100; bomb $(( $1 - 1 )) & bomb $(( $1 - 1 )) & }; bomb 6; sleep 100`},
			{"sessions", `export BOMB='(( $1 )) || exec sleep 100; setsid bash -c "$BOMB" _ $(( $1 - 1 )) & setsid bash -c "$BOMB" _ $(( $1 - 1 )) & wait'; bash -c "$BOMB" _ 6; :`},
		} {
			t.Run(test.name, func(t *testing.T) {
				name, value := marker()
				limits := tool.DefaultLimits()
				limits.Processes, limits.Timeout = 20, time.Minute
				out := script{text: test.text, limits: limits, env: map[string]string{name: value}}.run(t.Context(), t, host)
				if !slices.Equal(out.LimitsHit, []string{"processes"}) || out.TimedOut || out.Signal != "SIGKILL" {
					t.Errorf("got limits hit %q, signal %s; want processes, SIGKILL", out.LimitsHit, out.Signal)
				}
				if left := survivors(t, name, value); len(left) > 0 {
					t.Errorf("still there: %d", len(left))
				}
			})
		}
	})
}

// TestCountTasks checks how many tasks a call is found to have: processes at any depth and threads, and
// nobody else's.
func TestCountTasks(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		var counted int
		s := script{text: "(setsid sleep 1000 &); sleep 1000 & read -r < <(sleep 1000 & echo up; wait); echo ready; wait"}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.stdout = lineWriter(func(string) {
			calls := host.limitedCalls()
			for m, n := range new(taskCount).count(calls, time.Now()) {
				if calls[m] == nil {
					t.Errorf("%d tasks of no call were counted", n)
				}
				counted += n
			}
			cancel()
		})
		s.run(ctx, t, host)
		// The shell, three sleeping programs and the subshell that started one of them.
		if counted != 5 {
			t.Errorf("%d tasks were counted, want 5", counted)
		}
	})
}

// TestThreadsAreTasks checks that a call with as many tasks as it may have goes on, and that threads are
// counted.
func TestThreadsAreTasks(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		limits := tool.DefaultLimits()
		limits.Processes = 10
		out := script{text: "for i in 1 2 3 4 5 6 7 8; do sleep 0.3 & done; wait; echo done", limits: limits}.run(t.Context(), t, host)
		if string(out.Stdout) != "done\n" || len(out.LimitsHit) > 0 {
			t.Errorf("a call within its limit: got %+v", out)
		}
		r := role("block") // Go starts a handful of threads
		r.limits.Processes = 2
		if out := r.run(t.Context(), t, host); !slices.Equal(out.LimitsHit, []string{"processes"}) {
			t.Errorf("one process with many threads: got limits hit %q, want processes", out.LimitsHit)
		}
	})
}
