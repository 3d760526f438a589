//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestLimits runs into every limit, and checks what the result says of it.
func TestLimits(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openPatientHost(t) // a slow machine makes no difference
		for _, test := range []struct {
			name   string
			limits tool.Limits
			text   string
			hit    []string
			code   int
			says   string // in either stream
		}{
			{"time", tool.Limits{Timeout: 100 * time.Millisecond}, "sleep 1000", []string{"timeout"}, 143, ""},
			{"time, stopped", tool.Limits{Timeout: 100 * time.Millisecond}, "kill -STOP $$; sleep 1000", []string{"timeout"}, 143, ""},
			{"cpu, of the root", tool.Limits{CPU: time.Second}, "while :; do :; done", []string{"cpu"}, 152, ""},
			{"cpu, of a child", tool.Limits{CPU: time.Second}, "bash -c 'while :; do :; done'; exit $?", []string{"cpu"}, 152, ""},
			{"cpu, deaf", tool.Limits{CPU: time.Second}, "trap '' XCPU; while :; do :; done", []string{"cpu"}, 137, ""},
			{"cpu, claimed only", tool.Limits{CPU: time.Second}, "exit 152", nil, 152, ""},
			{"killed, with a limit on cpu", tool.Limits{CPU: time.Second}, "kill -9 $$", nil, 137, ""},
			{"file size", tool.Limits{FileSize: 4096}, "dd if=/dev/zero of=$HOME/big bs=8192 count=1 2>/dev/null; exit $?", []string{"file_size"}, 153, ""},
			{"file size, of a builtin", tool.Limits{FileSize: 4096}, "printf '%8192s' x > $HOME/big; echo $?", []string{"file_size"}, 153, ""},
			{"file size, within", tool.Limits{FileSize: 8192}, "dd if=/dev/zero of=$HOME/big bs=8192 count=1 2>/dev/null; exit $?", nil, 0, ""},
			{"memory", tool.Limits{Memory: 32 << 20}, "x=$(head -c 64M /dev/zero | tr '\\0' x); echo ${#x}", []string{"memory"}, 2, "cannot allocate"},
			{"open files", tool.Limits{OpenFiles: 12}, "for i in {20..40}; do eval \"exec $i</dev/null\" || exit 7; done", nil, 7, "Bad file descriptor"},
			{"limits cannot be raised", tool.DefaultLimits(), "ulimit -Hn 200 || ulimit -Sn 200 || ulimit -Hd unlimited || ulimit -Hx unlimited; exit 7", nil, 7, "cannot modify limit"},
			{"none", tool.Limits{}, "ulimit -t; ulimit -f; ulimit -d; exit 0", nil, 0, "unlimited\nunlimited\nunlimited\n"},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && slices.Contains(test.hit, "cpu") {
					t.Skip("takes a second of a processor")
				}
				s := script{text: test.text, limits: test.limits}
				if s.limits == (tool.Limits{}) {
					s.limits.Processes = 1000 // not the defaults
				}
				out := s.run(t.Context(), t, host)
				if !slices.Equal(out.LimitsHit, test.hit) || out.ExitCode != test.code {
					t.Errorf("got limits hit %q, code %d; want %q, %d\n%s%s", out.LimitsHit, out.ExitCode, test.hit, test.code, out.Stdout, out.Stderr)
				}
				if out.TimedOut != slices.Contains(test.hit, "timeout") {
					t.Errorf("got timed out %t with limits hit %q", out.TimedOut, out.LimitsHit)
				}
				if all := string(out.Stdout) + string(out.Stderr); !strings.Contains(all, test.says) {
					t.Errorf("got %q, want %q in it", all, test.says)
				}
			})
		}
	})
}

// TestGrace checks how a call ends that is told to: at once, with a last word, or not before the grace is
// over.
func TestGrace(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		patient, strict := openPatientHost(t), openHost(t)
		for _, test := range []struct {
			name   string
			host   *Host
			text   string
			signal string
			code   int
			stdout string
		}{
			{"at once", patient, "echo ready; sleep 1000", "SIGTERM", 143, "ready\n"},
			{"with a last word", patient, "trap 'echo last word; exit 5' TERM; echo ready; sleep 1000 & wait", "", 5, "ready\nlast word\n"},
			{"stopped", patient, "echo ready; kill -STOP $$; sleep 1000", "SIGTERM", 143, "ready\n"},
			{"deaf", strict, "trap '' TERM; echo ready; while :; do sleep 1000; done", "SIGKILL", 137, "ready\n"},
			// What ends a call without mercy ends the grace as well.
			{"floods instead", patient, "trap 'yes' TERM; echo ready; sleep 1000 & wait", "SIGKILL", 137, "ready\ny\ny\n"},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := script{text: test.text, limits: tool.Limits{Output: 16}}
				s.stdout = lineWriter(func(line string) {
					if line == "ready" {
						cancel()
					}
				})
				out := s.run(ctx, t, test.host)
				if !out.Cancelled || out.Signal != test.signal || out.ExitCode != test.code || !strings.HasPrefix(string(out.Stdout), test.stdout) {
					t.Errorf("got cancelled %t, signal %q, code %d, %q; want true, %q, %d, %q", out.Cancelled, out.Signal, out.ExitCode, out.Stdout, test.signal, test.code, test.stdout)
				}
			})
		}
	})
}

// TestCancelBefore checks that a call that was given up before it began runs nothing.
func TestCancelBefore(t *testing.T) {
	t.Parallel()
	host := openHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	out := script{text: "touch ran", dir: dir}.run(ctx, t, host)
	if !out.Cancelled || out.ExitCode != -1 || len(names(t, dir)) > 0 {
		t.Errorf("got %+v and %q in its directory, want a cancelled call that ran nothing", out, names(t, dir))
	}
}

// TestCancelWhileStarting cancels calls at all moments of their beginning.
func TestCancelWhileStarting(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		for i := range stress(40) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for range i * 500 { // some microseconds more each time
					if ctx.Err() != nil {
						return
					}
				}
				cancel()
			}()
			out := script{text: "sleep 1000 & sleep 1000"}.run(ctx, t, host)
			if !out.Cancelled {
				t.Fatalf("got %+v, want a cancelled call", out)
			}
		}
		if left := ownChildren(t); len(left) > 0 {
			t.Errorf("children of ours are left: %v", left)
		}
	})
}

// TestKernelLimits checks that only what is certain is told of a limit.
func TestKernelLimits(t *testing.T) {
	t.Parallel()
	exited := func(code int) unix.WaitStatus { return unix.WaitStatus(code << 8) }
	signalled := func(by unix.Signal) unix.WaitStatus { return unix.WaitStatus(by) }
	for _, test := range []struct {
		name      string
		status    unix.WaitStatus
		used, cpu time.Duration
		want      []string
	}{
		{"ended well", exited(0), time.Minute, time.Second, nil},
		{"SIGXCPU", signalled(unix.SIGXCPU), 0, time.Second, []string{"cpu"}},
		{"SIGXCPU of a child", exited(152), time.Second, time.Second, []string{"cpu"}},
		{"SIGXCPU of a child, by a coarser clock", exited(152), 600 * time.Millisecond, time.Second, []string{"cpu"}},
		{"152 without the time", exited(152), 10 * time.Millisecond, time.Second, nil},
		{"152 without a limit", exited(152), time.Minute, 0, nil},
		{"SIGKILL after all the time", signalled(unix.SIGKILL), 2 * time.Second, time.Second, []string{"cpu"}},
		{"SIGKILL of a child after all the time", exited(137), 2 * time.Second, time.Second, []string{"cpu"}},
		{"SIGKILL before", signalled(unix.SIGKILL), 900 * time.Millisecond, time.Second, nil},
		{"SIGXFSZ", signalled(unix.SIGXFSZ), 0, 0, []string{"file_size"}},
		{"SIGXFSZ of a child", exited(153), 0, 0, []string{"file_size"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := kernelLimits(test.status, test.used, test.cpu); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestCapability checks that a machine which lacks something says what, and runs nothing.
func TestCapability(t *testing.T) {
	t.Parallel()
	for _, r := range requirements() {
		if err := r.try(); err != nil {
			lacking(t, r.name+": "+err.Error())
		}
	}
	lacks := requirements()
	lacks[1].try = func() error { return errors.New("function not implemented") }
	c := findCapability(lacks)
	if c.level != LevelNone || !strings.Contains(c.why, lacks[1].name) || !strings.Contains(c.why, "not implemented") {
		t.Errorf("got %+v, want level none and what is missing", c)
	}
	host := &Host{capability: c}
	if _, err := host.Plan(Profile{Dir: "/"}); !errors.Is(err, &tool.Failure{Code: tool.FailSandbox}) {
		t.Errorf("Plan: got %v, want sandbox_unavailable", err)
	}
	if _, err := host.Run(t.Context(), Plan{}, Process{Argv: []string{bash}}); !errors.Is(err, &tool.Failure{Code: tool.FailSandbox}) {
		t.Errorf("Run of an empty plan: got %v, want sandbox_unavailable", err)
	}
}

// TestClosed checks that a Host waits for its calls before it takes their place away, and runs nothing
// afterwards.
func TestClosed(t *testing.T) {
	t.Parallel()
	host, err := Open(Options{TempDir: t.TempDir(), Level: LevelRlimits, AllowWeak: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	goOn := filepath.Join(dir, "go-on")
	if err := unix.Mkfifo(goOn, 0o600); err != nil {
		t.Fatal(err)
	}
	begun, done := make(chan struct{}), make(chan Outcome)
	go func() {
		s := script{dir: dir, text: "echo ready; read -r < go-on; ls -d $HOME; exit 6"}
		s.stdout = lineWriter(func(line string) {
			if line == "ready" {
				close(begun)
			}
		})
		out, _ := s.try(context.WithoutCancel(t.Context()), t, host)
		done <- out
	}()
	<-begun
	closed := make(chan error)
	go func() { closed <- host.Close() }()
	for isClosed := false; !isClosed; runtime.Gosched() { // until Close waits for the call
		host.mu.Lock()
		isClosed = host.closed
		host.mu.Unlock()
	}
	if err := os.WriteFile(goOn, []byte("on\n"), 0); err != nil {
		t.Fatal(err)
	}
	if out := <-done; out.ExitCode != 6 || !strings.Contains(string(out.Stdout), scratchPrefix) {
		t.Errorf("the running call: got code %d and %q", out.ExitCode, out.Stdout)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := (script{text: "exit 0"}).try(t.Context(), t, host); !errors.Is(err, errClosed) {
		t.Errorf("Run after Close: got %v", err)
	}
	if err := host.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
}
