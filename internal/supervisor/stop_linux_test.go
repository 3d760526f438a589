package supervisor

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestStop climbs the ladder: each step must be given its time, and none must be skipped.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		command     []string
		size        int // how many announce themselves
		stdin, term time.Duration
		patience    time.Duration
		want        string
	}{
		{"the end of its input is enough", []string{"polite"}, 1, ample, ample, ample, "exited with code 4"},
		{"SIGTERM is enough", []string{"yielding"}, 1, none, ample, ample, "was killed by signal 15 (terminated)"},
		{"SIGKILL is needed", []string{"stubborn"}, 1, none, none, ample, "was killed by signal 9 (killed)"},
		{"a whole family", []string{"family"}, familySize, none, none, ample, "was killed by signal 9 (killed)"},
		{"a launcher whose worker ends with its input", []string{"launcher", "polite"}, 2, ample, ample, ample, "exited with code 4"},
		{"a launcher that forwards no SIGTERM", []string{"launcher", "yielding"}, 2, none, ample, ample, "exited with code 255"},
		{"a launcher and a worker that both ignore SIGTERM", []string{"launcher", "stubborn"}, 2, none, none, ample, "was killed by signal 9 (killed)"},
		{"one that stops its supervisor", []string{"warden"}, 1, none, none, 50 * time.Millisecond, "was "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRegister(t, t.TempDir())
			a := start(t, Options{
				Command: playing(test.command...), Env: registeredIn(r),
				StdinGrace: test.stdin, TermGrace: test.term, Patience: test.patience,
			})
			r.expect(t, test.size)
			a.Stop()
			r.gone(t)
			if exit := a.Wait(); !strings.HasPrefix(exit.String(), test.want) {
				t.Errorf("the agent %s; want: %s", exit, test.want)
			}
			a.Stop() // once more is fine
		})
	}
}

// TestLeftBehind has the agent's first process end by itself while others of its tree run on.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		left string
		term time.Duration
	}{
		{"one that ends when it is asked to", "yielding", ample},
		{"one that does not", "stubborn", none},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRegister(t, t.TempDir())
			a := start(t, Options{Command: playing("leaver", "7", test.left, test.left), Env: registeredIn(r), StdinGrace: ample, TermGrace: test.term})
			r.expect(t, 3)
			a.Stdin.Close()
			if exit := a.Wait(); exit.String() != "exited with code 7" {
				t.Errorf("the agent %s", exit)
			}
			r.gone(t)
		})
	}
}

// TestForkStorm ends a tree that never holds still: each process starts another and exits. Should nobody
// end it, it ends after a hundred thousand.
func TestForkStorm(t *testing.T) {
	t.Parallel()
	r := newRegister(t, t.TempDir())
	const storm = `trap "" TERM
exec 9>"$REGISTER"
storm() { (( $1 )) && ( storm $(( $1 - 1 )) & ) ; exit; }
for i in 1 2 3 4; do ( storm 25000 & ); done
echo storm $$ >&9
while :; do read -r never || wait; sleep 1000 & wait; done`
	a := start(t, Options{Command: []string{"/bin/bash", "-c", storm}, Env: append(registeredIn(r), "PATH=/usr/bin:/bin"), StdinGrace: none, TermGrace: none})
	r.expect(t, 1)
	a.Stop()
	r.gone(t)
}

// TestBridgeEnds has the bridge end in every way, as root and as an ordinary user.
func TestBridgeEnds(t *testing.T) {
	t.Parallel()
	for _, user := range []struct {
		name string
		id   uint32
	}{{"ourselves", uint32(os.Getuid())}, {"an ordinary user", 65534}} {
		for _, end := range []struct {
			name string
			end  func(bridge *exec.Cmd, stdin io.Closer) error
			want string
		}{
			{"killed", func(bridge *exec.Cmd, _ io.Closer) error { return bridge.Process.Kill() }, "signal: killed"},
			{"its group killed", func(bridge *exec.Cmd, _ io.Closer) error { return syscall.Kill(-bridge.Process.Pid, syscall.SIGKILL) }, "signal: killed"},
			{"its editor vanished", func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() }, "was killed by signal 9 (killed)\n"},
		} {
			t.Run(user.name+", "+end.name, func(t *testing.T) {
				t.Parallel()
				if user.id != uint32(os.Getuid()) && os.Getuid() != 0 {
					t.Skip("only root can become another user")
				}
				binary, dir := copySelf(t, 0o755)
				r := newRegister(t, dir)
				cmd := exec.Command(binary, "play", "bridge", "family")
				cmd.Env = registeredIn(r)
				cmd.Dir = dir
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential(user.id)}
				var out strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &out
				stdin, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				r.expect(t, familySize)
				if err := end.end(cmd, stdin); err != nil {
					t.Fatal(err)
				}
				r.gone(t)
				got := ""
				if err := cmd.Wait(); err != nil {
					got = err.Error()
				}
				if got += out.String(); got != end.want {
					t.Errorf("the bridge ended with %q; want %q", got, end.want)
				}
			})
		}
	}
}

// credential makes a child another user's; nil when it is our own.
func credential(id uint32) *syscall.Credential {
	if id == uint32(os.Getuid()) {
		return nil
	}
	return &syscall.Credential{Uid: id, Gid: id}
}

// TestSupervisorKilled has the supervisor killed, by the agent for instance: the bridge must end the tree,
// and nobody else. It once ended every process of the machine, since the head of no tree was given as 0,
// which is the parent of init.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	bystander := exec.Command(self(), "play", "polite")
	others := newRegister(t, t.TempDir())
	bystander.Env = registeredIn(others)
	stdin, err := bystander.StdinPipe()
	if err == nil {
		err = bystander.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	others.expect(t, 1)
	defer func() {
		stdin.Close()
		if err := bystander.Wait(); err == nil || err.Error() != "exit status 4" {
			t.Errorf("a process that is not the agent's: %v; want it to end by itself, with code 4", err)
		}
	}()

	r := newRegister(t, t.TempDir())
	a := start(t, Options{Command: playing("family"), Env: registeredIn(r), StdinGrace: ample, TermGrace: ample})
	r.expect(t, familySize)
	if err := a.process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.gone(t)
	exit := a.Wait()
	if want := "was ended because its supervisor was killed by signal 9 (killed)"; exit.String() != want || exit.Code() != 137 {
		t.Errorf("the agent %s, code %d; want: %s, 137", exit, exit.Code(), want)
	}
}

// TestSupervisorStays sends the supervisor what ends other processes. It must stay for the agent.
func TestSupervisorStays(t *testing.T) {
	t.Parallel()
	r := newRegister(t, t.TempDir())
	a := start(t, Options{Command: playing("polite"), Env: registeredIn(r), StdinGrace: ample, TermGrace: ample})
	r.expect(t, 1)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGUSR1, syscall.SIGTSTP} {
		if err := a.process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	a.Stdin.Close()
	if exit := a.Wait(); exit.String() != "exited with code 4" {
		t.Errorf("the agent %s", exit)
	}
	r.gone(t)
}

// TestSurvivor has a process in the tree that the supervisor may not signal. It must be named, and not
// waited for.
func TestSurvivor(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can make a setuid file")
	}
	binary, dir := copySelf(t, 0o755|os.ModeSetuid)
	var file unix.Statfs_t
	if err := unix.Statfs(dir, &file); err != nil || file.Flags&unix.ST_NOSUID != 0 {
		t.Skipf("%s is mounted nosuid (%v), wanted a place where a setuid file works", dir, err)
	}
	plain, _ := copySelf(t, 0o755)
	r := newRegister(t, dir)
	cmd := exec.Command(plain, "play", "impatient", binary, "play", "hardened")
	cmd.Env, cmd.Dir = registeredIn(r), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential(65534)}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	hardened := r.expect(t, 1)["hardened"]
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the bridge: %v", err)
	}
	for _, want := range []string{"is left running", fmt.Sprintf("may not be ended by this user: %d (", hardened)} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the bridge said %q, want %q in it", out.String(), want)
		}
	}
	if err := syscall.Kill(hardened, syscall.SIGKILL); err != nil {
		t.Errorf("end what was left: %v", err)
	}
	r.gone(t)
}
