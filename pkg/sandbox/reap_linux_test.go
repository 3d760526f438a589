//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestSiblingOfTheRoot covers clone(2) with CLONE_PARENT: such a process has never been below the call's
// root, and is our child beside it.
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

// TestRootInOurGroup covers a root that joins our own process group, where SIGTERM for its group does not
// reach it and must not reach us.
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

// TestCountedWhenEnded checks the same counts for a call that we end, on every level: the root has two
// processes beside it, one of which has ended.
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
						if host.count(c) == (leftCount{reaped: 1, killed: 1}) {
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

// TestTheProgramIsKilled checks, on every level, that a script does not go on when this program is killed,
// and that the next start removes the directories and the control groups that were left, and without
// process namespaces the processes too.
func TestTheProgramIsKilled(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		for _, level := range []Level{LevelRlimits, LevelLandlock, LevelNoProc, LevelFull} {
			t.Run(string(level), func(t *testing.T) {
				if host, err := Open(Options{TempDir: t.TempDir(), Level: level, AllowWeak: true}); err != nil || host.Level() != level || host.Close() != nil {
					lacking(t, fmt.Sprintf("want level %s: %v", level, err))
				}
				theProgramIsKilled(t, level)
			})
		}
	})
}

func theProgramIsKilled(t *testing.T, level Level) {
	temp, work := t.TempDir(), t.TempDir()
	name, value := marker()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"=victim", "TMPDIR="+temp, "SANDBOX_TEST_WORK="+work, "SANDBOX_TEST_LEVEL="+string(level), "SANDBOX_TEST_VALUE="+value)
	groups := strings.TrimSpace(startAndRead(t, cmd))
	cmd.Process.Kill()
	cmd.Wait()
	// The script does not go on. What it has started does, where it is not in a process namespace: three
	// processes.
	goingOn := 3
	if level.hasNamespaces() {
		goingOn = 0
	}
	for len(survivors(t, name, value)) > goingOn { // or the test runs out of time
		runtime.Gosched()
	}
	if left := survivors(t, name, value); len(left) != goingOn {
		t.Errorf("before the next start there are %q, want %d processes", left, goingOn)
	}
	if left := names(t, tempPlace(temp), work); len(left) != 2 {
		t.Fatalf("the killed program left %q, want a directory for the calls and a start directory", left)
	}
	if groups != "" && goingOn == 0 {
		awaitEmpty(t, groups)
	}
	host, err := Open(Options{TempDir: temp, Level: LevelRlimits, AllowWeak: true})
	mustDo(t, err)
	if left := survivors(t, name, value); len(left) > 0 {
		t.Errorf("after the next start there are still %q", left)
	}
	if left := names(t, tempPlace(temp), work); len(left) != 1 || !strings.HasPrefix(left[0], scratchPrefix) {
		t.Errorf("after the next start there is %q, want that one's own directory only", left)
	}
	if _, err := os.Stat(groups); groups != "" && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the next start the control groups %s are still there: %v", groups, err)
	}
	mustDo(t, host.Close())
	if left := names(t, tempPlace(temp), work); len(left) > 0 {
		t.Errorf("after Close there is %q", left)
	}
	reapLeftovers(t)
}

// TestLeftoversThatHop covers leftovers of a killed program that start others as fast as they are found.
func TestLeftoversThatHop(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		for _, way := range ways {
			if !strings.HasPrefix(way.name, "hops") {
				continue
			}
			t.Run(way.name, func(t *testing.T) {
				temp := t.TempDir()
				name, value := marker()
				cmd := exec.CommandContext(t.Context(), self)
				cmd.Env = append(os.Environ(), roleVariable+"=victim", "TMPDIR="+temp, "SANDBOX_TEST_WORK="+t.TempDir(), "SANDBOX_TEST_VALUE="+value,
					"SANDBOX_TEST_FIRST="+way.text+"\n")
				startAndRead(t, cmd)
				cmd.Process.Kill()
				cmd.Wait()
				if len(survivors(t, name, value)) == 0 {
					t.Error("nothing was left, so this tests nothing")
				}
				host, err := Open(Options{TempDir: temp, Level: LevelRlimits, AllowWeak: true})
				mustDo(t, err)
				if left := survivors(t, name, value); len(left) > 0 {
					t.Errorf("after the next start there are still %q", left)
				}
				mustDo(t, host.Close())
				reapLeftovers(t)
			})
		}
	})
}

// reapLeftovers reaps what a killed program's calls have left, and the next start has ended: where this
// process is a subreaper it has become our child, and nobody's of those that Hosts look after. No call may
// be running.
func reapLeftovers(t *testing.T) {
	t.Helper()
	own, err := ownMark()
	mustDo(t, err)
	for _, pid := range ownChildren(t) {
		if m, err := markOf(pid); err == nil && m < own && isCalls(pid) {
			if _, err := reap(pid); err != nil {
				t.Error(err)
			}
		}
	}
}

// awaitEmpty waits until nothing is in any of a program's control groups. A process that has just died may
// be for a moment. They may be gone: the start of any program with a sandbox removes what is abandoned,
// another test's too.
func awaitEmpty(t *testing.T, groups string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(groups, "*", "cgroup.procs"))
	mustDo(t, err)
	for _, file := range files {
		for {
			procs, err := os.ReadFile(file)
			if len(procs) == 0 || errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
				break
			}
			mustDo(t, err)
			runtime.Gosched()
		}
	}
}

// playVictim tells where its control groups are, if it has some, when a call of it runs.
func playVictim() error {
	level := Level(os.Getenv("SANDBOX_TEST_LEVEL"))
	if level == "" {
		level = LevelRlimits
	}
	host, err := Open(Options{Level: level, AllowWeak: true})
	if err != nil {
		return err
	}
	name, _ := marker()
	groups := ""
	if host.groups != nil {
		groups = host.groups.base
	}
	plan, err := host.Plan(Profile{
		Dir: os.Getenv("SANDBOX_TEST_WORK"), TempIsolation: true, Limits: tool.DefaultLimits(),
		Environment: map[string]string{name: os.Getenv("SANDBOX_TEST_VALUE"), "GROUPS_ARE": groups},
	})
	if err != nil {
		return err
	}
	// The shell itself waits, in a builtin.
	_, err = host.Run(context.Background(), plan, Process{
		Argv:   []string{bash, "-c", os.Getenv("SANDBOX_TEST_FIRST") + `sleep 1000 & setsid sleep 1000 & (trap "" TERM HUP; exec sleep 1000) & mkdir -p deep/er "$HOME/deep/er"; chmod 0 deep "$HOME/deep"; mkfifo wait; exec 7<>wait; echo "$GROUPS_ARE"; read -r -u 7`},
		Inputs: []Input{}, Stdout: os.Stdout,
	})
	return err
}

// TestSignalled checks what a reader of an Outcome learns of a signal that a command sends itself, whatever
// the command is.
func TestSignalled(t *testing.T) {
	commands := map[string][]string{"bash": {bash, "-c"}, "sh": {"/bin/sh", "-c"}}
	texts := map[string]string{"bash": "kill -%d $$; echo not reached", "sh": "kill -%d $$; echo not reached"}
	if python, err := LookPath("python3", SearchPath, "/"); err == nil {
		commands["python3"], texts["python3"] = []string{python, "-c"}, "import os; os.kill(os.getpid(), %d); print('not reached')"
	}
	atLevels(t, func(t *testing.T, host *Host) {
		for name, command := range commands {
			for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGUSR1, syscall.SIGHUP, 40} {
				if name == "python3" && signal == syscall.SIGINT {
					continue // of which it makes an exception
				}
				out := script{argv: append(slices.Clone(command), fmt.Sprintf(texts[name], signal))}.run(t.Context(), t, host)
				if out.ExitCode != 128+int(signal) || out.Signal != unix.SignalName(signal) || len(out.LimitsHit) > 0 || len(out.Stdout) > 0 {
					t.Errorf("%s, signal %d: got code %d, signal %q, limits hit %q, output %q", name, signal, out.ExitCode, out.Signal, out.LimitsHit, out.Stdout)
				}
			}
		}
		for text, want := range map[string]int{"exit 137": 137, "trap 'exit 7' INT; kill -INT $$; exit 1": 7, "trap '' TERM; kill -TERM $$; exit 8": 8} {
			if out := (script{text: text}).run(t.Context(), t, host); out.Signal != "" || out.ExitCode != want || len(out.LimitsHit) > 0 {
				t.Errorf("%s: got %+v", text, out)
			}
		}
	})
}
