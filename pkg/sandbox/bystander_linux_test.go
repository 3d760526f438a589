//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// bystander is a process that is none of any call's, and ends when it is told to (SIGTERM) and not before.
type bystander struct {
	name  string
	pid   int
	pidfd int
	// ended waits for its end and gives the signal that ended it.
	ended func() (unix.Signal, error)
}

// TestBystanders checks that whatever ends a call ends nothing else: the program itself and its children,
// processes of other programs, those that carry a limit on file locks as a call's do, and those of another
// program's calls.
func TestBystanders(t *testing.T) {
	alone(t, func(t *testing.T) {
		host := openHost(t)
		all := startBystanders(t)
		for _, end := range []struct {
			name, text string
			limits     tool.Limits
			argv       []string
			check      func(Outcome, error) bool
		}{
			{"exit", "setsid sleep 1000 & exit 3", tool.DefaultLimits(), nil, func(o Outcome, err error) bool { return o.ExitCode == 3 && err == nil }},
			{"lowered its mark", "read -r < <(ulimit -x 5; setsid sleep 1000 & echo up); exit 3", tool.DefaultLimits(), nil, func(o Outcome, err error) bool { return o.Killed > 0 && err == nil }},
			{"killed", "setsid sleep 1000 & kill -KILL $$", tool.DefaultLimits(), nil, func(o Outcome, err error) bool { return o.Signal == "SIGKILL" && err == nil }},
			{"killed its whole group", "sleep 1000 & kill -KILL 0", tool.DefaultLimits(), nil, func(o Outcome, err error) bool { return o.Signal == "SIGKILL" && err == nil }},
			{"timeout", "sleep 1000", tool.Limits{Timeout: 20 * time.Millisecond}, nil, func(o Outcome, err error) bool { return o.TimedOut && err == nil }},
			{"timeout, deaf", "trap '' TERM; while :; do sleep 1000; done", tool.Limits{Timeout: 20 * time.Millisecond}, nil, func(o Outcome, err error) bool { return o.TimedOut && err == nil }},
			{"cancel", "setsid sleep 1000 & echo cancel me; sleep 1000", tool.DefaultLimits(), nil, func(o Outcome, err error) bool { return o.Cancelled && err == nil }},
			{"flood", "yes", tool.Limits{Output: 100}, nil, func(o Outcome, err error) bool { return o.Truncated && err == nil }},
			{"fork bomb", bomb + "bomb 6", tool.Limits{Processes: 20}, nil, func(o Outcome, err error) bool { return len(o.LimitsHit) == 1 && err == nil }},
			{"did not start", "", tool.DefaultLimits(), []string{"/no/such/program"}, func(_ Outcome, err error) bool {
				var start *StartError
				return errors.As(err, &start)
			}},
		} {
			name, value := marker()
			ctx, cancel := context.WithCancel(t.Context())
			s := script{text: end.text, limits: end.limits, argv: end.argv, env: map[string]string{name: value}}
			s.stdout = lineWriter(func(line string) {
				if line == "cancel me" {
					cancel()
				}
			})
			if o, err := s.try(ctx, t, host); !end.check(o, err) {
				t.Errorf("%s: got %+v, %v", end.name, o, err)
			}
			cancel()
			if left := survivors(t, name, value); len(left) > 0 {
				t.Errorf("%s: still there: %q", end.name, left)
			}
			all.check(t, end.name)
		}
		temp := t.TempDir()
		victim := exec.Command(self)
		victim.Env = append(os.Environ(), roleVariable+"=victim", "SANDBOX_TEST_WORK="+t.TempDir(), "TMPDIR="+temp)
		if line := startAndRead(t, victim); line == "" {
			t.Fatal("no call was started")
		}
		victim.Process.Kill()
		victim.Wait()
		all.check(t, "launcher killed")
		next, err := Open(Options{TempDir: temp, Level: LevelRlimits, AllowWeak: true}) // removes what it left
		if err != nil {
			t.Fatal(err)
		}
		all.check(t, "next start")
		if err := next.Close(); err != nil {
			t.Error(err)
		}
		// What was sent a signal and has not come round to dying is found out too: the first one that is
		// deadly counts.
		for _, b := range all {
			if err := unix.PidfdSendSignal(b.pidfd, unix.SIGTERM, nil, 0); err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
			if signal, err := b.ended(); signal != unix.SIGTERM || err != nil {
				t.Errorf("%s was ended by %v, %v; want SIGTERM, from this test", b.name, signal, err)
			}
		}
	})
}

// bomb is a tree of processes that stay until they are ended: 2^(n+1)-1 of them, and no more.
const bomb = `bomb() { (( $1 )) || exec sleep 100; bomb $(( $1 - 1 )) & bomb $(( $1 - 1 )) & wait; }; `

type bystanders []bystander

func startBystanders(t *testing.T) bystanders {
	t.Helper()
	var all bystanders
	add := func(name string, pid int, ended func() (unix.Signal, error)) {
		t.Helper()
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) // ESRCH: it has ended, as it should
			unix.Close(fd)
		})
		all = append(all, bystander{name: name, pid: pid, pidfd: fd, ended: ended})
	}
	reaped := func(pid int) func() (unix.Signal, error) {
		return func() (unix.Signal, error) {
			e, err := reap(pid)
			return e.status.Signal(), err
		}
	}
	child := func(name, text string) {
		t.Helper()
		cmd := exec.Command(bash, "-c", text+"; echo $BASHPID; exec sleep 1000")
		startAndRead(t, cmd)
		add(name, cmd.Process.Pid, func() (unix.Signal, error) {
			_ = cmd.Wait() // its state tells all
			return cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), nil
		})
	}
	child("a child", ":")
	child("a child without core files", "ulimit -c 0")
	if core, err := HardLimit(0, unix.RLIMIT_CORE); err == nil && core > 0 {
		child("a child with a limit on file locks", "ulimit -x 5")
	}
	out, err := exec.Command(bash, "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!").Output()
	if err != nil {
		t.Fatal(err)
	}
	orphan := number(string(out))
	add("an orphan", orphan, reaped(orphan))

	// Processes below other programs, with all that a call's have.
	other := exec.Command(bash, "-c", "(ulimit -x 5 -c 0; exec sleep 1000) & echo $!; wait $!; exit $(( $? - 128 ))")
	add("another program's child, as if of a call", number(startAndRead(t, other)), func() (unix.Signal, error) {
		_ = other.Wait()
		return unix.Signal(other.ProcessState.ExitCode()), nil
	})
	neighbour := exec.Command(self)
	neighbour.Env = append(os.Environ(), roleVariable+"=neighbour", "TMPDIR="+t.TempDir())
	add("another program's call", number(startAndRead(t, neighbour)), func() (unix.Signal, error) {
		_ = neighbour.Wait()
		return unix.Signal(neighbour.ProcessState.ExitCode()), nil
	})
	return all
}

// playNeighbour runs a call of its own and tells which signal ended it.
func playNeighbour() error {
	host, err := Open(Options{Level: LevelRlimits, AllowWeak: true})
	if err != nil {
		return err
	}
	plan, err := host.Plan(Profile{Dir: "/"})
	if err != nil {
		return err
	}
	o, err := host.Run(context.Background(), plan, Process{Argv: []string{bash, "-c", "echo $$; exec sleep 1000"}, Stdout: os.Stdout})
	if err := errors.Join(err, host.Close()); err != nil {
		return err
	}
	os.Exit(o.ExitCode - 128)
	return nil
}

// check finds bystanders that have ended.
func (all bystanders) check(t *testing.T, after string) {
	t.Helper()
	for _, b := range all {
		if hasEnded(b.pidfd) {
			t.Fatalf("after %q: %s, process %d, has ended", after, b.name, b.pid)
		}
	}
}

// startAndRead starts a program, which the caller waits for, and gives its first line. The program is
// killed with the test.
func startAndRead(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return line
}

// TestSignalGroup checks that a group is signalled only while its number is the root's own, and never what
// is no group.
func TestSignalGroup(t *testing.T) {
	t.Parallel()
	// start starts a program that says 7 when it hears SIGCONT, which harms nobody, in a group of its own
	// or in ours. It looks up once a second, since bash can miss a signal that comes just before it begins
	// to read.
	start := func(own bool) (*exec.Cmd, int, io.Closer) {
		cmd := exec.Command(bash, "-c", "trap 'exit 7' CONT; echo ready; while read -r -t 1; (( $? > 128 )); do :; done; exit 0")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: own}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		startAndRead(t, cmd)
		fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return cmd, fd, in
	}
	gone, goneFd, in := start(true)
	in.Close()
	if err := gone.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		root func(pid, pidfd int) *root
		want int
		ours bool // the program is in our group
	}{
		{"its own", func(pid, pidfd int) *root { return &root{pid: pid, pidfd: pidfd} }, 7, false},
		{"reaped, and the number given to another", func(pid, _ int) *root { return &root{pid: pid, pidfd: goneFd} }, 0, false},
		{"no descriptor", func(pid, _ int) *root { return &root{pid: pid, pidfd: -1} }, 0, false},
		{"0, our own group", func(_, pidfd int) *root { return &root{pid: 0, pidfd: pidfd} }, 0, true},
		{"1, all processes", func(_, pidfd int) *root { return &root{pid: 1, pidfd: pidfd} }, 0, false},
		{"negative, a single process", func(pid, pidfd int) *root { return &root{pid: -pid, pidfd: pidfd} }, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd, fd, in := start(!test.ours)
			test.root(cmd.Process.Pid, fd).signalGroup(unix.SIGCONT)
			if test.want == 0 {
				in.Close() // a signal that was sent before this is heard first
			}
			_ = cmd.Wait() // its state tells all
			in.Close()
			if got := cmd.ProcessState.ExitCode(); got != test.want {
				t.Errorf("got exit code %d, want %d", got, test.want)
			}
		})
	}
}

// TestIsMark checks that nothing is taken for a call's mark that a process can have for another reason.
func TestIsMark(t *testing.T) {
	t.Parallel()
	for _, own := range []callMark{unmarked, 1 << 40, 2 * leastMark} {
		h := &Host{own: own}
		for _, m := range []callMark{0, 1, 5, 64, 1024, 65535, 1<<31 - 1, 1<<32 - 1, own, unmarked} {
			if h.isMark(m) {
				t.Errorf("below %d, %d is taken for a mark", own, m)
			}
		}
		// A limit that no process of this machine has, should it be looked for after all.
		if err := h.killMarked(leastMark - 12345); err == nil {
			t.Error("processes with a limit that is no mark were looked for")
		}
		for range 1000 {
			if m := familyOf("", own).newMark(); !h.isMark(m) {
				t.Fatalf("below %d, the mark %d is none", own, m)
			}
		}
	}
}

// TestOpenOrphanGone checks that a process that is gone is not taken for one that cannot be looked at, also
// when others are still in the group that has its number.
func TestOpenOrphanGone(t *testing.T) {
	cmd := exec.Command(bash, "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	member, err := openOrphan(number(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	defer member.close()
	defer reap(member.pid) // where this program is a subreaper by now, it is ours
	defer member.kill()
	if _, err := openOrphan(cmd.Process.Pid); !errors.Is(err, unix.ESRCH) {
		t.Errorf("got %v, want ESRCH", err)
	}
}

// TestStillness checks that a machine which is slow is not taken for processes that hang.
func TestStillness(t *testing.T) {
	t.Parallel()
	const long = 2 * patience
	for _, test := range []struct {
		name  string
		since time.Duration
		looks int
		moved bool
		want  bool
	}{
		{"long, looked at often", long, enoughLooks, false, true},
		{"long, looked at twice", long, 1, false, false},
		{"looked at often, just now", 0, 1000, false, false},
		{"moved at last", long, enoughLooks, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &stillness{since: time.Now().Add(-test.since), looks: test.looks}
			if got := s.look(test.moved); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
			if test.moved && s.looks != 0 {
				t.Error("the looks before the move still count")
			}
		})
	}
}

// TestZombieMoves checks that a process which has ended, and was not reaped since, does not count as one
// that hangs; but only once, or one that a debugger holds would keep us for ever.
func TestZombieMoves(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/bin/true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	if err := waitid(cmd.Process.Pid, unix.WEXITED|unix.WNOWAIT); err != nil {
		t.Fatal(err)
	}
	o, err := openOrphan(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	r, seen := round{count: 1, alive: []orphan{o}}, map[int]int{}
	if !hangs(o.pid) {
		t.Errorf("a zombie is expected to look like what hangs: state %q", taskState("/proc/"+strconv.Itoa(o.pid)+"/stat"))
	}
	if first, second := r.moves(seen), r.moves(seen); !first || second {
		t.Errorf("got moves %t, then %t; want true, false", first, second)
	}
}
