//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestStrays checks that zombies which nobody waits for are reaped, and that a child that somebody does
// wait for, or will, keeps its exit status: also one that the main thread has started, which is in the same
// list as what we adopted.
func TestStrays(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), roleVariable+"=strays", "SANDBOX_TEST_ROUNDS="+strconv.Itoa(stress(60)), "TMPDIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func playStrays() error {
	host, err := Open(Options{Level: LevelRlimits, AllowWeak: true})
	if err != nil {
		return err
	}
	defer host.Close()
	if !host.strays.held {
		return fmt.Errorf("os.Process has no process descriptors here")
	}
	abandoned, err := abandon(3)
	if err != nil {
		return err
	}
	// Ended, and waited for when all that could go wrong has happened. This goroutine has the main thread.
	late := exec.Command(bash, "-c", "exit 7")
	if err := late.Start(); err != nil {
		return err
	}
	if err := waitid(late.Process.Pid, unix.WEXITED|unix.WNOWAIT); err != nil {
		return err
	}
	list, err := host.adopted.read()
	if err != nil {
		return err
	}
	if !slices.Contains(list, late.Process.Pid) {
		return fmt.Errorf("process %d is not in the main thread's list: %v", late.Process.Pid, list)
	}
	now := time.Now()
	look := func(after time.Duration) error {
		now = now.Add(after)
		return host.reapStrays(now)
	}
	if err := look(0); err != nil {
		return err
	}
	if err := look(strayAge - time.Second); err != nil {
		return err
	}
	for _, pid := range abandoned {
		if _, ok := zombieOf(pid); !ok {
			return fmt.Errorf("process %d was reaped before it was %s old", pid, strayAge)
		}
	}
	if err := look(time.Second); err != nil {
		return err
	}
	for _, pid := range abandoned {
		if _, ok := zombieOf(pid); ok {
			return fmt.Errorf("process %d, which nobody waits for, is still a zombie", pid)
		}
	}
	if err := statuses(look); err != nil {
		return err
	}
	if err := late.Wait(); err == nil || late.ProcessState.ExitCode() != 7 {
		return fmt.Errorf("the child that was waited for last: got %v; want exit code 7", late.ProcessState)
	}
	return nil
}

// abandon leaves processes behind that become children of ours, and end.
func abandon(n int) ([]int, error) {
	fromUs, toThem, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer fromUs.Close()
	var all []int
	for range n {
		cmd := exec.Command(bash, "-c", "setsid cat <&3 >/dev/null 2>&1 & echo $!")
		cmd.ExtraFiles = []*os.File{fromUs}
		out, err := cmd.Output()
		if err != nil {
			toThem.Close()
			return nil, err
		}
		all = append(all, number(string(out)))
	}
	toThem.Close() // now they end, and not before their shells have
	for _, pid := range all {
		if err := waitid(pid, unix.WEXITED|unix.WNOWAIT); err != nil {
			return nil, fmt.Errorf("process %d has not become ours: %w", pid, err)
		}
	}
	return all, nil
}

// statuses starts children from the main thread and from others, while strays are reaped as if each look
// were long after the one before, and checks that each child's status comes to the one who waits for it.
func statuses(look func(time.Duration) error) error {
	rounds, err := strconv.Atoi(os.Getenv("SANDBOX_TEST_ROUNDS"))
	if err != nil {
		return err
	}
	failures := make(chan error, 1)
	fail := func(err error) {
		select {
		case failures <- err:
		default: // the first will do
		}
	}
	run := func(code int, slow bool) {
		cmd := exec.Command(bash, "-c", "exit "+strconv.Itoa(code))
		if err := cmd.Start(); err != nil {
			fail(err)
			return
		}
		if slow { // somebody else notices its end first
			_ = waitid(cmd.Process.Pid, unix.WEXITED|unix.WNOWAIT)
		}
		_ = cmd.Wait() // its state tells all
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
			fail(fmt.Errorf("got %v, want exit code %d", cmd.ProcessState, code))
		}
	}
	var all, looking sync.WaitGroup
	done := make(chan struct{})
	looking.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := look(2 * strayAge); err != nil {
				fail(err)
				return
			}
		}
	})
	for worker := range 4 {
		all.Go(func() {
			for i := range rounds {
				run(1+(worker+i)%100, i%2 == 0)
			}
		})
	}
	for i := range rounds {
		run(101+i%100, i%2 == 0)
	}
	all.Wait()
	close(done)
	looking.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

// TestStraysWhileCallsRun checks that a call's own leftovers are told from others' zombies beside them.
func TestStraysWhileCallsRun(t *testing.T) {
	alone(t, func(t *testing.T) {
		host := openHost(t)
		strays, err := abandon(2)
		mustDo(t, err)
		for range 5 {
			if o := (script{text: "sleep 1000 & exit 3"}).run(t.Context(), t, host); o.ExitCode != 3 || o.Killed != 1 || o.Reaped != 0 {
				t.Fatalf("got code %d, %d killed, %d reaped; want 3, 1, 0", o.ExitCode, o.Killed, o.Reaped)
			}
		}
		// On a slow machine they may be old enough by now, and gone.
		for _, pid := range ownChildren(t) {
			if !slices.Contains(strays, pid) {
				t.Errorf("process %d is left", pid)
			}
		}
		for _, pid := range strays {
			_, _ = reap(pid)
		}
	})
}
