//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestSiblingOfTheRoot covers clone(2) with CLONE_PARENT: such a process has never been below the call's root, and is our
// child beside it.
func TestSiblingOfTheRoot(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		name, value := marker()
		r := role("clone-parent")
		r.env[name] = value
		outcome := r.run(t.Context(), t, host)
		if outcome.ExitCode != 0 || outcome.Killed != 1 {
			t.Errorf("got code %d, %d killed; want 0, 1; stderr:\n%s", outcome.ExitCode, outcome.Killed, outcome.Stderr)
		}
		if left := survivors(t, name, value); len(left) > 0 {
			t.Errorf("still there: %q", left)
		}
	})
}

// TestRootInOurGroup covers a root that joins our own process group, where SIGTERM for its group does not reach it and must
// not reach us.
func TestRootInOurGroup(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		if host.session {
			t.Skip("with a terminal a call has a session of its own and cannot join our group")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := role("leave-group")
		r.stdout = lineWriter(func(string) { cancel() })
		outcome := r.run(ctx, t, host)
		if !outcome.Cancelled || outcome.Signal != "SIGKILL" {
			t.Errorf("got %+v, want a cancelled call that was killed", outcome)
		}
	})
}

// TestReapedAndKilled checks that the counts tell what had ended by itself from what had to be ended.
func TestReapedAndKilled(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		out := role("careless").run(t.Context(), t, host)
		if out.ExitCode != 0 || out.Reaped != 2 || out.Killed != 1 || out.Lost != 0 {
			t.Errorf("got code %d, %d reaped, %d killed, %d lost; want 0, 2, 1, 0\n%s", out.ExitCode, out.Reaped, out.Killed, out.Lost, out.Stderr)
		}
	})
}

// TestCountedWhenEnded checks the same counts for a call that we end, on every level: the root has two processes beside it, one
// of which has ended.
func TestCountedWhenEnded(t *testing.T) {
	atLevels(t, func(t *testing.T, host *Host) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var counting sync.WaitGroup
		// The shell's end of a coprocess's pipe is closed when it becomes sleep, which waits for no child.
		s := script{text: "sleep 1000 & coproc { read -r; }; echo ready; exec sleep 1000"}
		s.stdout = lineWriter(func(string) {
			counting.Go(func() { // ends when it has seen what it wants to, or the call is over
				defer cancel()
				for calls := host.limitedCalls(); len(calls) > 0; calls = host.limitedCalls() {
					for _, c := range calls {
						if host.count(c) == (toll{reaped: 1, killed: 1}) {
							return
						}
					}
				}
			})
		})
		out := s.run(ctx, t, host)
		counting.Wait()
		if !out.Cancelled || out.Reaped != 1 || out.Killed != 1 {
			t.Errorf("got cancelled %t, %d reaped, %d killed; want true, 1, 1", out.Cancelled, out.Reaped, out.Killed)
		}
	})
}

// playCareless starts three processes and does not wait for them. It ends when two of them have.
func playCareless() error {
	if err := exec.Command("/bin/sleep", "1000").Start(); err != nil {
		return err
	}
	for range 2 {
		cmd := exec.Command("/bin/true")
		if err := cmd.Start(); err != nil {
			return err
		}
		// Sees that it has ended, and leaves it where it is.
		if err := waitid(cmd.Process.Pid, unix.WEXITED|unix.WNOWAIT); err != nil {
			return err
		}
	}
	return nil
}

func waitid(pid, how int) error {
	for {
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, pid, &info, how, nil); err != unix.EINTR {
			return err
		}
	}
}

// TestTheProgramIsKilled checks that a script does not go on when this program is killed, and that the next start removes
// the directories that were left.
func TestTheProgramIsKilled(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		temp, work := t.TempDir(), t.TempDir()
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), roleVariable+"=victim", "TMPDIR="+temp, "SANDBOX_TEST_WORK="+work)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("the call did not start: %v", err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		script, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(script)
		cmd.Process.Kill()
		cmd.Wait()
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(script), Events: unix.POLLIN}}, -1); n != 1 {
			t.Errorf("the script runs on after the program was killed: %d, %v", n, err)
		}
		if left := names(t, temp, work); len(left) != 2 {
			t.Fatalf("the killed program left %q, want a directory for the calls and a start directory", left)
		}
		host, err := Open(Options{TempDir: temp, Level: LevelRlimits, AllowWeak: true})
		if err != nil {
			t.Fatal(err)
		}
		if left := names(t, temp, work); len(left) != 1 || !strings.HasPrefix(left[0], scratchPrefix) {
			t.Errorf("after the next start there is %q, want that one's own directory only", left)
		}
		if err := host.Close(); err != nil {
			t.Fatal(err)
		}
		if left := names(t, temp, work); len(left) > 0 {
			t.Errorf("after Close there is %q", left)
		}
	})
}

func playVictim() error {
	host, err := Open(Options{Level: LevelRlimits, AllowWeak: true})
	if err != nil {
		return err
	}
	plan, err := host.Plan(Profile{Dir: os.Getenv("SANDBOX_TEST_WORK"), TempIsolation: true, Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	// A shell builtin that blocks, so that there is no further process.
	_, err = host.Run(context.Background(), plan, Process{
		Argv:   []string{bash, "-c", `mkdir -p deep/er "$HOME/deep/er"; chmod 0 deep "$HOME/deep"; mkfifo wait; exec 7<>wait; echo $$; read -r -u 7`},
		Inputs: []Input{}, Stdout: os.Stdout,
	})
	return err
}

// TestSignalled checks what a reader of an Outcome learns of a signal.
func TestSignalled(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGPIPE, syscall.SIGHUP} {
			out := script{text: fmt.Sprintf("kill -%d $$; sleep 1", signal)}.run(t.Context(), t, host)
			if out.ExitCode != 128+int(signal) || out.Signal != unix.SignalName(signal) || len(out.LimitsHit) > 0 {
				t.Errorf("signal %d: got code %d, signal %q, limits hit %q", signal, out.ExitCode, out.Signal, out.LimitsHit)
			}
		}
		if out := (script{text: "exit 137"}).run(t.Context(), t, host); out.Signal != "" || out.ExitCode != 137 || len(out.LimitsHit) > 0 {
			t.Errorf("exit 137: got %+v", out)
		}
	})
}
