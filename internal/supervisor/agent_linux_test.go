package supervisor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

const (
	// A grace that is over at once, for those who would not use it.
	none = time.Millisecond
	// A grace that a test does not live to see the end of: what ends within it ended by itself.
	ample = time.Hour
)

func noContext() context.Context { return context.Background() }

func asExit(err error, target **exec.ExitError) bool { return errors.As(err, target) }

// register is the test's end of what the processes of a tree hold open.
type register struct {
	path  string
	lines *bufio.Reader
}

// newRegister makes a register that every user may write to.
func newRegister(t *testing.T, dir string) *register {
	t.Helper()
	r := &register{path: filepath.Join(dir, "register")}
	if err := unix.Mkfifo(r.path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(r.path, 0o666); err != nil {
		t.Fatal(err)
	}
	return r
}

// expect waits until so many processes have announced themselves, and gives their numbers by role.
func (r *register) expect(t *testing.T, n int) map[string]int {
	t.Helper()
	if r.lines == nil {
		f, err := os.Open(r.path) // returns with the first writer
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		r.lines = bufio.NewReader(f)
	}
	found := map[string]int{}
	for range n {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the tree is gone before all have begun: %v (so far %v)", err, found)
		}
		role, pid, _ := strings.Cut(strings.TrimSpace(line), " ")
		found[role], _ = strconv.Atoi(pid)
	}
	return found
}

// gone waits until nobody holds the register open any more.
func (r *register) gone(t *testing.T) {
	t.Helper()
	rest, err := io.ReadAll(r.lines)
	if err != nil || len(rest) > 0 {
		t.Errorf("after everybody had begun the register holds %q, %v", rest, err)
	}
}

// start starts an agent that ends with the test.
func start(t *testing.T, o Options) *Agent {
	t.Helper()
	o.Self = self()
	a, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.Stop()
		a.Stdout.Close()
		a.Stderr.Close()
	})
	return a
}

func playing(role ...string) []string { return append([]string{self(), "play"}, role...) }

func registeredIn(r *register) []string { return []string{"REGISTER=" + r.path} }

// familySize is how many of a family announce themselves.
const familySize = 4

func TestExit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script, text string
		code               int
	}{
		{"nothing wrong", "exit 0", "exited with code 0", 0},
		{"a code of its own", "exit 3", "exited with code 3", 3},
		{"the largest code", "exit 255", "exited with code 255", 255},
		{"a code that looks like a signal", "exit 137", "exited with code 137", 137},
		{"killed", "kill -KILL $$", "was killed by signal 9 (killed)", 137},
		{"terminated", "kill -TERM $$", "was killed by signal 15 (terminated)", 143},
		{"aborted", "ulimit -c 0; kill -ABRT $$", "was killed by signal 6 (aborted)", 134},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := start(t, Options{Command: []string{"/bin/sh", "-c", test.script}})
			exit := a.Wait()
			if exit.Code() != test.code || exit.String() != test.text {
				t.Errorf("Wait() = %d, %q; want %d, %q", exit.Code(), exit, test.code, test.text)
			}
		})
	}
}

// TestStreams sends more than any pipe holds through all three.
func TestStreams(t *testing.T) {
	t.Parallel()
	a := start(t, Options{Command: []string{"/bin/sh", "-c", "/usr/bin/tee /dev/stderr; printf tail"}})
	sent := bytes.Repeat([]byte("0123456789abcde\n"), 1<<18) // 4 MiB
	var group sync.WaitGroup
	var stdout, stderr []byte
	group.Go(func() { stdout, _ = io.ReadAll(a.Stdout) })
	group.Go(func() { stderr, _ = io.ReadAll(a.Stderr) })
	if _, err := a.Stdin.Write(sent); err != nil {
		t.Fatal(err)
	}
	a.Stdin.Close()
	group.Wait()
	if want := append(bytes.Clone(sent), "tail"...); !bytes.Equal(stdout, want) {
		t.Errorf("standard output has %d bytes, want %d", len(stdout), len(want))
	}
	if !bytes.Equal(stderr, sent) {
		t.Errorf("standard error has %d bytes, want %d", len(stderr), len(sent))
	}
	if exit := a.Wait(); exit != (Exit{}) {
		t.Errorf("Wait() = %v", exit)
	}
}

// TestStreamsEnd guards that the supervisor keeps no end of the agent's streams: a relay would wait for an
// agent that has closed its output, and block in writing to one that has closed its input.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	a := start(t, Options{Command: []string{"/bin/sh", "-c", "exec <&- >&-; read -r never <$REGISTER"}, Env: registeredIn(newRegister(t, t.TempDir())), StdinGrace: none})
	if rest, err := io.ReadAll(a.Stdout); err != nil || len(rest) > 0 {
		t.Errorf("standard output gives %q, %v; want its end", rest, err)
	}
	if _, err := a.Stdin.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Write to standard input gives %v; want EPIPE", err)
	}
}

// TestWitness asks the agent what it was given: nothing but what Options say.
func TestWitness(t *testing.T) {
	t.Parallel()
	// What an editor may leave open when it starts the bridge: a descriptor without FD_CLOEXEC.
	leak, err := unix.FcntlInt(0, unix.F_DUPFD, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)

	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := start(t, Options{Command: playing("witness", "", "a b", "-x", "--"), Env: []string{"B=2", "A=", "C=x=y"}, Dir: dir})
	var got witness
	if err := json.NewDecoder(a.Stdout).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := witness{
		Descriptors: map[int]string{0: "pipe", 1: "pipe", 2: "pipe"}, Blocking: []bool{true, true, true},
		Env: []string{"B=2", "A=", "C=x=y"}, Args: playing("witness", "", "a b", "-x", "--"), Dir: dir,
		Ignored: "0000000000000000", Blocked: "0000000000000000", Group: true, Session: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the agent was given (-want +got):\n%s", diff)
	}
}

// TestStartRefuses wants the reason, the place and the cure before anything has started.
func TestStartRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"plain": {"#!/bin/sh\n", 0o644}, "text": {"hello\n", 0o755}, "orphan": {"#!/no/such/interpreter\n", 0o755},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := []string{"PATH=relative:/no/such:" + dir}
	for _, test := range []struct {
		name string
		o    Options
		want string // DIR stands for the directory
	}{
		{"no command", Options{}, "start the agent: no command is given; name one after --"},
		{"empty command", Options{Command: []string{""}}, "start the agent: no command is given; name one after --"},
		{"not in PATH", Options{Command: []string{"gemini"}, Env: path}, `start the agent: there is no command "gemini" in PATH (relative:/no/such:DIR); install it, or give its absolute path`},
		{"no PATH", Options{Command: []string{"gemini"}}, `start the agent: there is no command "gemini", since PATH is empty; give its absolute path, or set PATH`},
		{"no such file", Options{Command: []string{dir + "/none"}}, "start the agent: DIR/none does not exist; install it, or correct the path"},
		{"below a file", Options{Command: []string{dir + "/plain/x"}}, "start the agent: DIR/plain/x does not exist; install it, or correct the path"},
		{"relative to the directory", Options{Command: []string{"./none"}, Dir: dir}, "start the agent: DIR/none does not exist; install it, or correct the path"},
		{"a directory", Options{Command: []string{dir + "/folder"}}, "start the agent: DIR/folder is a directory; name the program in it"},
		{"a device", Options{Command: []string{"/dev/null"}}, "start the agent: /dev/null is no program (Dc---------)"},
		{"not executable", Options{Command: []string{dir + "/plain"}}, "start the agent: DIR/plain may not be executed by this user (-rw-r--r--): chmod +x DIR/plain, or mount its file system without noexec: permission denied"},
		{"not executable, in PATH", Options{Command: []string{"plain"}, Env: path}, "start the agent: DIR/plain may not be executed by this user (-rw-r--r--): chmod +x DIR/plain, or mount its file system without noexec: permission denied"},
		{"no program", Options{Command: []string{"text"}, Env: path}, "start the agent: DIR/text is neither a program for this machine nor a script; a script's first line names its interpreter, as in #!/bin/sh"},
		{"no interpreter", Options{Command: []string{"orphan"}, Env: path}, "start the agent: what DIR/orphan is run by does not exist; see the interpreter in its first line (#!), or install the loader that it was built for"},
		{"too long", Options{Command: []string{"/bin/true", strings.Repeat("x", 1<<20)}}, "start the agent's supervisor: fork/exec SELF: argument list too long"},
		{"no directory", Options{Command: []string{"/bin/true"}, Dir: dir + "/none"}, "start the agent in DIR/none: stat DIR/none: no such file or directory"},
		{"a file as directory", Options{Command: []string{"/bin/true"}, Dir: dir + "/plain"}, "start the agent in DIR/plain: it is no directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.o.Self = self()
			a, err := Start(t.Context(), test.o)
			if err == nil {
				a.Stop()
				t.Fatal("it was started")
			}
			if diff := cmp.Diff(test.want, strings.NewReplacer(dir, "DIR", self(), "SELF").Replace(err.Error())); diff != "" {
				t.Errorf("the error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStartNeedsSupervisor has something else than a supervisor started.
func TestStartNeedsSupervisor(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Self: "/bin/false", Command: []string{"/bin/true"}})
	if want := "start the agent: its supervisor exited with code 1"; err == nil || err.Error() != want {
		t.Errorf("Start gives %v; want %s", err, want)
	}
}

// TestStartIsCancelled has a supervisor that says nothing.
func TestStartIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the editor went away"))
	_, err := Start(ctx, Options{Self: "/bin/cat", Command: []string{"/bin/true"}, StdinGrace: none, TermGrace: none, Patience: none})
	if err == nil {
		t.Error("Start gives no error")
	}
}

// TestMainIsForBridges is what a person sees who finds the verb.
func TestMainIsForBridges(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(self(), Verb, "-path=/bin/true", "--", "true")
	out, err := cmd.CombinedOutput()
	want := "a2a-acp: supervise-agent is for the bridge's own use; start an agent with a2a-acp bridge\n"
	if cmd.ProcessState.ExitCode() != 2 || string(out) != want {
		t.Errorf("the verb by itself: %v, %q; want code 2, %q", err, out, want)
	}
}
