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
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTerminateOnTerminal checks how a call ends that a person works in: it is in the process group of the
// program, whose terminal it uses. The grace is an hour, so a call that does not hear SIGTERM does not end
// in time. That the program hears nothing shows in that it goes on to tell the outcome. With -short each way
// to end is tried on one level.
func TestTerminateOnTerminal(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		for i, level := range []Level{LevelRlimits, LevelLandlock, LevelNoProc, LevelFull} {
			for j, test := range []struct {
				name, text string
				want       string // the outcome, and what is said before it
			}{
				{"with a last word", "trap 'echo last word; exit 5' TERM; echo ready; sleep 1000 & wait", "last word|5|"},
				{"while a command runs", "trap 'echo last word; exit 5' TERM; bash -c 'echo ready; exec sleep 1000'; echo not reached", "Terminated|last word|5|"},
				{"while a command of another group runs", "trap 'echo last word; exit 5' TERM; set -m; bash -c 'echo ready; exec sleep 1000' & wait", "last word|5|"},
				{"while a command is stopped", "trap 'echo last word; exit 5' TERM; bash -c 'trap \"echo bye; exit\" TERM; echo ready; kill -STOP $$; sleep 1000'", "bye|last word|5|"},
				{"without a word", "echo ready; exec sleep 1000", "143|SIGTERM"},
			} {
				if testing.Short() && (i+j)%4 > 0 {
					continue
				}
				t.Run(string(level)+"/"+test.name, func(t *testing.T) {
					t.Parallel()
					if got := onTerminal(t, level, test.text); got != test.want {
						t.Errorf("got %q, want %q", got, test.want)
					}
				})
			}
		}
	})
}

// onTerminal has a call run on a terminal by a program whose terminal it is, cancels it when it says
// "ready", and gives what it says from then on, with its exit code and signal.
func onTerminal(t *testing.T, level Level, text string) string {
	t.Helper()
	master, slave := openPty(t)
	fromUs, toIt, err := os.Pipe()
	mustDo(t, err)
	defer toIt.Close()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"=terminal", "TERMINAL_LEVEL="+string(level), "TERMINAL_TEXT="+text,
		"SANDBOX_TEST_WORK="+t.TempDir(), "TMPDIR="+t.TempDir())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.ExtraFiles = []*os.File{fromUs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	mustDo(t, cmd.Start())
	defer cmd.Wait()
	slave.Close()
	fromUs.Close()
	var said []string
	ready := false
	lines := bufio.NewScanner(master)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch outcome, ended := strings.CutPrefix(line, "outcome "); {
		case line == "ready":
			ready = true
			toIt.Close()
		case strings.HasPrefix(line, "lacking "):
			lacking(t, line)
		case ended:
			return strings.Join(append(said, outcome), "|")
		default:
			said = append(said, line)
		}
	}
	t.Fatalf("no outcome; ready: %t, said: %q", ready, said)
	return ""
}

// playTerminal runs a call on the terminal that it has, until it is told to cancel it.
func playTerminal() error {
	level := Level(os.Getenv("TERMINAL_LEVEL"))
	host, err := Open(Options{Level: level, AllowWeak: true, Grace: time.Hour})
	if err != nil {
		return err
	}
	defer host.Close()
	if host.Level() != level {
		fmt.Printf("lacking level %s: %s\n", level, host.Why())
		return nil
	}
	plan, err := host.Plan(Profile{Dir: os.Getenv("SANDBOX_TEST_WORK"), Terminal: true, Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends when the test closes its end of the pipe
		_, _ = os.NewFile(3, "control").Read(make([]byte, 1)) // io.EOF: that is what it waits for
		cancel()
	}()
	o, err := host.Run(ctx, plan, Process{
		Argv:  []string{bash, "--noprofile", "--norc", "-c", os.Getenv("TERMINAL_TEXT")},
		Stdio: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	fmt.Printf("outcome %d|%s\n", o.ExitCode, o.Signal)
	if err == nil && !o.Cancelled {
		err = fmt.Errorf("the call was not cancelled: %+v", o)
	}
	return err
}

// openPty makes a terminal.
func openPty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	mustDo(t, err)
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	mustDo(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	mustDo(t, err)
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	mustDo(t, err)
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// TestGroupIsNotReached has a call that is in our process group, as one at a terminal is, try whether it can
// signal the group: we are in it.
func TestGroupIsNotReached(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		for name, landlock := range map[string]int{"scopes": landlockScopes, "none": landlockScopes - 1} {
			host := openWith(t, Options{Grace: time.Second, TempDir: t.TempDir(), Level: LevelFull})
			if host.capability.landlock < landlock {
				t.Skipf("version %d of Landlock", host.capability.landlock)
			}
			host.capability.landlock = landlock
			for terminal, want := range map[bool]string{true: "", false: "reached\n"} {
				plan, err := host.Plan(Profile{Dir: t.TempDir(), Terminal: terminal, Limits: tool.DefaultLimits()})
				mustDo(t, err)
				out, err := host.Run(t.Context(), plan, Process{Argv: []string{bash, "-c", "kill -0 0 && echo reached"}})
				mustDo(t, err)
				if terminal && landlock == landlockScopes {
					want = "reached\n" // the call's own processes are in it, too
				}
				if string(out.Stdout) != want {
					t.Errorf("%s, at a terminal: %t: got %q, want %q; %s", name, terminal, out.Stdout, want, out.Stderr)
				}
			}
		}
	})
}
