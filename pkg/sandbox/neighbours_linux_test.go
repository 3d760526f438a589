//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestOthersAreLeftAlone checks that the children of other parts of the program live on whatever calls do:
// plain ones, ones without new privileges, ones in a group of their own, and the orphans that come to us
// because we are a subreaper.
func TestOthersAreLeftAlone(t *testing.T) {
	alone(t, func(t *testing.T) {
		if core, err := HardLimit(0, unix.RLIMIT_CORE); core == 0 || err != nil {
			lacking(t, "nobody may have a core file here, so a limit on file locks alone makes a process look like a call's")
		}
		host := openHost(t)
		second := openHost(t)
		var others []int
		for range 8 {
			for _, command := range []string{
				"exec sleep 1000",
				"exec setpriv --no-new-privs sleep 1000",
				"ulimit -c 0; exec setsid sleep 1000",
			} {
				cmd := exec.Command(bash, "-c", command)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				defer cmd.Wait()
				defer cmd.Process.Kill()
				others = append(others, cmd.Process.Pid)
			}
			// The last one has a limit on file locks, as calls have.
			for _, command := range []string{"setsid", "ulimit -x 5; setsid"} {
				out, err := exec.Command(bash, "-c", command+" sleep 1000 >/dev/null 2>&1 & echo $!").Output()
				if err != nil {
					t.Fatal(err)
				}
				orphan, _ := strconv.Atoi(strings.TrimSpace(string(out)))
				defer reap(orphan)
				defer unix.Kill(orphan, unix.SIGKILL)
				others = append(others, orphan)
			}
		}
		var calls sync.WaitGroup
		for i := range stress(2 * len(ways)) {
			calls.Go(func() {
				way := ways[i%len(ways)]
				script{text: way.text + "\nexit 3"}.run(t.Context(), t, []*Host{host, second}[i%2])
			})
		}
		calls.Wait()
		for _, pid := range others {
			if !isAlive(pid) {
				t.Errorf("process %d, which is none of the sandbox's, has ended", pid)
			}
		}
		left := ownChildren(t)
		slices.Sort(left)
		slices.Sort(others)
		if !slices.Equal(left, others) {
			t.Errorf("children of ours are %v, want %v", left, others)
		}
	})
}

// TestMainThread covers what is ours in the list of the main thread, where orphans are: a process that the
// main thread started, and a call that the main thread asks for.
func TestMainThread(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), roleVariable+"=main-thread")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func playMainThread() error {
	if unix.Gettid() != unix.Getpid() {
		return fmt.Errorf("this is thread %d, not the main thread", unix.Gettid())
	}
	host, err := Open(Options{Level: LevelRlimits, AllowWeak: true})
	if err != nil {
		return err
	}
	defer host.Close()
	other := exec.Command("/bin/sleep", "1000")
	if err := other.Start(); err != nil {
		return err
	}
	defer other.Wait()
	defer other.Process.Kill()
	main, err := openChildList(unix.Getpid())
	if err != nil {
		return err
	}
	if list, err := main.read(); err != nil {
		return err
	} else if !slices.Contains(list, other.Process.Pid) {
		return fmt.Errorf("process %d is not in the main thread's list: %v", other.Process.Pid, list)
	}
	plan, err := host.Plan(Profile{Dir: "/", Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	for range 3 {
		o, err := host.Run(context.Background(), plan, Process{Argv: []string{bash, "-c", "setsid sleep 1000 & exit 4"}})
		if err != nil {
			return err
		}
		if o.ExitCode != 4 || o.Killed != 1 {
			return fmt.Errorf("a call from the main thread: %+v", o)
		}
	}
	if !isAlive(other.Process.Pid) {
		return fmt.Errorf("the main thread's own child is gone")
	}
	var thread int
	onThread(func(id int) { thread = id })
	if thread == unix.Getpid() {
		return fmt.Errorf("a call was started from the main thread")
	}
	runtime.KeepAlive(main)
	return nil
}

// TestTwoHosts checks that a call of one Host lives on while another Host, and the same one, clear up after
// theirs.
func TestTwoHosts(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		hosts := []*Host{openPatientHost(t), openPatientHost(t)}
		var running sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		outcomes := make([]Outcome, len(hosts))
		for i, host := range hosts {
			ready := make(chan struct{})
			running.Go(func() {
				// The daemon is the root's child, since the root is a subreaper. It must not be taken for
				// an orphan.
				s := script{text: "(setsid sleep 1000 &); ulimit -x 77; trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.01; done"}
				s.stdout = lineWriter(func(line string) {
					if line == "ready" {
						close(ready)
					}
				})
				outcomes[i] = s.run(ctx, t, host)
			})
			<-ready
		}
		for i := range 20 {
			script{text: "setsid sleep 1000 & exit 0"}.run(t.Context(), t, hosts[i%2])
		}
		cancel()
		running.Wait()
		killed := 0
		for _, o := range outcomes {
			if !o.Cancelled || o.ExitCode != 9 || string(o.Stdout) != "ready\nbye\n" {
				t.Errorf("got %+v with stdout %q, want a call that ran until it was told to end", o, o.Stdout)
			}
			killed += o.Killed
		}
		// When both calls have ended, each Host may find the daemon of either.
		if killed != len(hosts) {
			t.Errorf("%d processes were killed, want the daemon of each call", killed)
		}
	})
}

// TestNestedSandbox checks that a program with a sandbox of its own can run in a sandbox, and that the
// outer one owns all.
func TestNestedSandbox(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		name, value := marker()
		r := role("nested")
		r.env[name] = value
		outcome := r.run(t.Context(), t, host)
		if outcome.ExitCode != 0 || strings.TrimSpace(string(outcome.Stdout)) != "inner killed 1" {
			t.Errorf("got %+v\n%s%s", outcome, outcome.Stdout, outcome.Stderr)
		}
		if left := survivors(t, name, value); len(left) > 0 {
			t.Errorf("still there: %q", left)
		}
	})
}

func playNested() error {
	host, err := Open(Options{Level: LevelRlimits, AllowWeak: true})
	if err != nil {
		return err
	}
	defer host.Close()
	plan, err := host.Plan(Profile{Dir: "/", Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	// What this program itself leaves behind is the outer sandbox's business.
	if err := exec.Command("/usr/bin/setsid", "/bin/sleep", "1000").Start(); err != nil {
		return err
	}
	o, err := host.Run(context.Background(), plan, Process{Argv: []string{bash, "-c", "setsid sleep 1000 & :"}})
	if err != nil {
		return err
	}
	fmt.Println("inner killed", o.Killed)
	return nil
}
