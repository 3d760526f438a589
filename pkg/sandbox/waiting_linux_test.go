//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ahead has a Host keep trees ready, whatever else the machine does.
func ahead(t testing.TB, h *Host) *Host {
	t.Helper()
	h.waiting.idle = func() bool { return true }
	if err := h.KeepAhead(4); err != nil {
		t.Fatal(err)
	}
	return h
}

// awaitTree returns a tree of a plan's shape, which goes on waiting, once there is one.
func awaitTree(h *Host, p Plan) *waitingTree {
	for {
		h.waiting.mu.Lock()
		for _, w := range h.waiting.ready {
			if w.plan.shape == p.shape {
				h.waiting.mu.Unlock()
				return w
			}
		}
		h.waiting.mu.Unlock()
		runtime.Gosched()
	}
}

// tryAgain has trees be made also of shapes whose last one was of no use.
func tryAgain(h *Host) {
	h.waiting.mu.Lock()
	defer h.waiting.mu.Unlock()
	clear(h.waiting.useless)
}

// wasUsed reports whether a call has taken a tree, which it does where nobody ended it.
func wasUsed(h *Host, w *waitingTree) bool {
	h.waiting.ending.Wait()
	return !w.ended.Load()
}

// atNamespaces runs a test as every user at both levels whose calls have a process namespace.
func atNamespaces(t *testing.T, f func(t *testing.T, level Level)) {
	t.Helper()
	asEveryUser(t, func(t *testing.T) {
		for _, level := range []Level{LevelNoProc, LevelFull} {
			t.Run(string(level), func(t *testing.T) { f(t, level) })
		}
	})
}

// TestWaiting changes something between the making of a tree and a call that might have it, and has a Host
// that keeps none make the same call: the call must come to the same.
func TestWaiting(t *testing.T) {
	t.Parallel()
	// What a call sees of its workspace w and of what else it was granted, what it may change there, what its limits are, and
	// what is left of others.
	const look = `
		cat "$W/file" "$W/ours" "$W/own/key" "$A/file" "$A" 2>&1; ls -A "$W" /tmp; pwd
		for f in "$W/.git/hooks/new" "$W/.envrc" "$W/new" "$A/new" /usr/new; do (echo x >"$f") 2>/dev/null && echo "writes $f"; rm -f "$f" 2>/dev/null; done
		ulimit -a | grep -Ev "file locks|$([ $(id -u) = 0 ] && echo user processes || echo pending)"; # what marks it, and root is not held to
		 env | sort; id -u; ls -l /proc/self/fd | grep -c ' -> '; cat <&3
		cat /proc/sysvipc/shm /proc/net/unix 2>/dev/null | grep left
		umask; trap; ps -o pgid= $$ 2>/dev/null | tr -d ' '; grep -E '^(Sig|Cap|NoNew|Seccomp)' /proc/self/status; readlink /proc/self/ns/user >/dev/null && echo has a namespace
		sh -c 'while :; do sleep 1000 >/dev/null & echo; done' 2>/dev/null | wc -l`
	do := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(t *testing.T, path, text string) { t.Helper(); do(t, os.WriteFile(path, []byte(text), 0o644)) }
	cases := []struct {
		name   string
		change func(t *testing.T, dir string) // w, a and others lie in dir
		later  func(*script)                  // changes the call that comes
		used   bool
	}{
		{name: "nothing", used: true},
		{name: "the environment", used: true, later: func(s *script) { s.env["SECRET"] = "second" }},
		{name: "a new file", used: true, change: func(t *testing.T, dir string) { write(t, dir+"/w/more", "more") }},
		{name: "the workspace is another one", change: func(t *testing.T, dir string) {
			do(t, os.Rename(dir+"/w", dir+"/old"))
			do(t, os.Mkdir(dir+"/w", 0o755))
			write(t, dir+"/w/file", "another\n")
		}},
		{name: "the workspace was removed and made again", change: func(t *testing.T, dir string) {
			do(t, os.RemoveAll(dir+"/w"))
			do(t, os.Mkdir(dir+"/w", 0o755))
			write(t, dir+"/w/file", "again\n")
		}},
		{name: "the workspace is gone", change: func(t *testing.T, dir string) { do(t, os.RemoveAll(dir+"/w")) }},
		{name: "the workspace is a link", change: func(t *testing.T, dir string) {
			do(t, os.Rename(dir+"/w", dir+"/old"))
			do(t, os.Symlink(dir+"/others", dir+"/w"))
		}},
		{name: "a directory above is a link", change: func(t *testing.T, dir string) {
			do(t, os.Rename(dir, dir+"-old"))
			do(t, os.Symlink(dir+"-old", dir))
			t.Cleanup(func() { _ = os.Remove(dir); _ = os.Rename(dir+"-old", dir) })
		}},
		{name: "there are hooks", change: func(t *testing.T, dir string) { do(t, os.MkdirAll(dir+"/w/.git/hooks", 0o755)) }},
		{name: "there is a control file", change: func(t *testing.T, dir string) { write(t, dir+"/w/.envrc", "") }},
		{name: "a control directory is another one", change: func(t *testing.T, dir string) {
			do(t, os.Rename(dir+"/w/.vscode", dir+"/w/old"))
			do(t, os.Mkdir(dir+"/w/.vscode", 0o755))
		}},
		{name: "a control directory is gone", change: func(t *testing.T, dir string) { do(t, os.Remove(dir+"/w/.vscode")) }},
		{name: "a granted directory is a link", change: func(t *testing.T, dir string) {
			do(t, os.RemoveAll(dir+"/a"))
			do(t, os.Symlink(dir+"/others", dir+"/a"))
		}},
		{name: "a granted directory is gone", change: func(t *testing.T, dir string) { do(t, os.RemoveAll(dir+"/a")) }},
		{name: "a granted directory is a file", change: func(t *testing.T, dir string) {
			do(t, os.RemoveAll(dir+"/a"))
			write(t, dir+"/a", "a file\n")
		}},
		{name: "a granted directory has changed places with another", change: func(t *testing.T, dir string) {
			do(t, unix.Renameat2(unix.AT_FDCWD, dir+"/a", unix.AT_FDCWD, dir+"/others", unix.RENAME_EXCHANGE))
		}},
		{name: "a file of ours is another one", change: func(t *testing.T, dir string) {
			write(t, dir+"/w/new", "ours, anew\n")
			do(t, os.Rename(dir+"/w/new", dir+"/w/ours"))
		}},
		{name: "a directory of ours is another one", change: func(t *testing.T, dir string) {
			do(t, os.Rename(dir+"/w/own", dir+"/w/before"))
			do(t, os.Mkdir(dir+"/w/own", 0o755))
			write(t, dir+"/w/own/key", "ours, anew\n")
		}},
		{name: "less is granted", used: true, later: func(s *script) { s.allowed = s.allowed[:1] }}, // stays for another
		{name: "it can only be read", used: true, later: func(s *script) { s.allowed[1].ReadOnly = true }},
		{name: "limits", used: true, later: func(s *script) { s.limits.Processes, s.limits.OpenFiles, s.limits.Memory = 20, 512, 300<<20 }},
		{name: "the network", used: true, later: func(s *script) { s.profile = func(p *Profile) { p.Network = tool.NetworkOn } }},
		{name: "interfaces of its own", used: true, later: func(s *script) { s.profile = func(p *Profile) { p.Isolated = true } }},
		{name: "a directory of its own", used: true, later: func(s *script) {
			s.isolate, s.text = true, "ls -A; touch mine && cat ../file"
		}},
		{name: "no such program", used: true, later: func(s *script) { s.argv = []string{"/no/such/program"} }},
		{name: "a long command", used: true, later: func(s *script) {
			s.argv = []string{bash, "-c", `echo ${#1}; cat /dev/fd/4 | head -n 1`, "-", strings.Repeat("x", initMostMessage)}
		}},
	}
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				call := func(t *testing.T, dir string) script {
					limits := tool.DefaultLimits()
					limits.Processes, limits.Timeout = 30, 5*time.Minute
					return script{dir: dir + "/w", limits: limits, env: map[string]string{"W": dir + "/w", "A": dir + "/a", "SECRET": "first"},
						allowed: []tool.AllowedPath{{Path: dir + "/w"}, {Path: dir + "/a"}}, text: look}
				}
				outcome := func(keeps bool) (string, bool) {
					dir := filepath.Join(realTemp(t), "d")
					h := openWith(t, Options{Grace: 100 * time.Millisecond, Level: level, Protected: []string{".git/hooks", ".envrc", ".vscode"},
						Hidden: []string{dir + "/w/ours", dir + "/w/own"}})
					if keeps {
						ahead(t, h)
					}
					for _, d := range []string{"w/.vscode", "w/own", "a", "others"} {
						do(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
					}
					write(t, dir+"/w/file", "the workspace\n")
					write(t, dir+"/w/ours", "ours\n")
					write(t, dir+"/w/own/key", "ours\n")
					write(t, dir+"/a/file", "granted\n")
					write(t, dir+"/others/file", "nobody's\n")
					first := call(t, dir)
					first.text = `touch /tmp/left; ipcmk -M 100 >/dev/null 2>&1; exec 8<>/dev/tcp/localhost/1; true`
					first.run(t.Context(), t, h)
					var tree *waitingTree
					if keeps {
						plan, err := h.Plan(Profile{Dir: first.dir, Limits: first.limits, AllowedPaths: first.allowed})
						do(t, err)
						tree = awaitTree(h, plan)
					}
					if c.change != nil {
						c.change(t, dir)
					}
					second := call(t, dir)
					if c.later != nil {
						c.later(&second)
					}
					out, err := second.try(t.Context(), t, h)
					got := fmt.Sprintf("%v %d %s %s %v %v %v", err, out.ExitCode, out.Stdout, out.Stderr, out.Hints, out.Changed, out.LimitsHit)
					return strings.ReplaceAll(got, dir, "DIR"), keeps && wasUsed(h, tree)
				}
				want, _ := outcome(false)
				got, used := outcome(true)
				if strings.Contains(got, "ours") && strings.Contains(got, "anew") {
					t.Errorf("the call sees what is ours:\n%s", got)
				}
				if got != want {
					t.Errorf("with a tree the call came to\n%s\nwithout one to\n%s", got, want)
				}
				if used != c.used {
					t.Errorf("the tree was given to the call, or left alone: %v, want %v", used, c.used)
				}
			})
		}
	})
}

// TestWaitingHoldsNothing looks at a tree that waits: it has nothing of the call before, and is what it is called.
func TestWaitingHoldsNothing(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("nobody else may look into it")
	}
	atNamespaces(t, func(t *testing.T, level Level) {
		if os.Geteuid() != 0 {
			return
		}
		h := ahead(t, openWith(t, Options{Level: level}))
		canary := "canary-" + randomName()
		s := script{dir: realTemp(t), env: map[string]string{"SECRET": canary}, text: "# " + canary + "\ntrue"}
		s.run(t.Context(), t, h)
		plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
		if err != nil {
			t.Fatal(err)
		}
		w := awaitTree(h, plan)
		proc := fmt.Sprintf("/proc/%d/", w.root.pid)
		for _, name := range []string{"environ", "cmdline", "comm"} {
			text, err := os.ReadFile(proc + name)
			if err != nil || bytes.Contains(text, []byte(canary)) || bytes.Contains(text, []byte("bash")) {
				t.Errorf("%s holds %q (%v)", name, text, err)
			}
		}
		var fds []string
		for _, fd := range names(t, proc+"fd") {
			what, _ := os.Readlink(proc + "fd/" + fd)
			fds = append(fds, fd+" "+strings.TrimRight(what, "]0123456789"))
		}
		if got := strings.Join(fds, ", "); got != "59 socket:[, 60 anon_inode:[eventfd" {
			t.Errorf("it has open: %s", got)
		}
		memory, err := os.Open(proc + "mem")
		if err != nil {
			t.Fatal(err)
		}
		defer memory.Close()
		maps, err := os.ReadFile(proc + "maps")
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for line := range strings.Lines(string(maps)) {
			var from, to uint64
			if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, "[v") {
				continue // the kernel's
			}
			text := make([]byte, to-from)
			n, _ := memory.ReadAt(text, int64(from))
			read += n
			if bytes.Contains(text, []byte(canary)) {
				t.Errorf("it has what the call before was given in its memory: %s", line)
			}
		}
		if read == 0 {
			t.Error("nothing of its memory could be read")
		}
		out := s.run(t.Context(), t, h)
		if out.ExitCode != 0 || !wasUsed(h, w) {
			t.Errorf("the next call: %+v", out)
		}
	})
}

// TestWaitingForOthers has root make trees in a directory of somebody else's, whose calls they are.
func TestWaitingForOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs calls for others")
	}
	h, dir := ahead(t, openFull(t)), realTemp(t)
	mustDo(t, os.Chown(dir, ordinaryUser, ordinaryUser))
	s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir}}, text: "id -u; touch mine; stat -c %u mine; grep CapEff /proc/self/status"}
	plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s), AllowedPaths: s.allowed})
	mustDo(t, err)
	want := s.run(t.Context(), t, h)
	w := awaitTree(h, plan)
	if got := s.run(t.Context(), t, h); !wasUsed(h, w) || string(got.Stdout) != string(want.Stdout) ||
		!strings.HasPrefix(string(got.Stdout), fmt.Sprintf("%d\n%[1]d\n", ordinaryUser)) {
		t.Errorf("got %q (%s), want %q", got.Stdout, got.Stderr, want.Stdout)
	}
}

// TestWaitingEnds checks that a tree ends when it was not used, is not wanted any more, or somebody has killed
// it, that calls go on, and that nothing is left.
func TestWaitingEnds(t *testing.T) {
	alone(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		s := script{dir: realTemp(t), text: "echo hello"}
		plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
		if err != nil {
			t.Fatal(err)
		}
		for name, end := range map[string]func(w *waitingTree){
			"unused": func(*waitingTree) {
				h.waiting.mu.Lock()
				defer h.waiting.mu.Unlock()
				h.waiting.end(func(w *waitingTree) bool { return time.Now().Add(waitingFor).After(w.until) })
			},
			"forgotten": func(*waitingTree) { h.Forget() },
			"killed": func(w *waitingTree) {
				if err := unix.Kill(w.root.pid, unix.SIGKILL); err != nil {
					t.Error(err)
				}
				for !hasEnded(w.root.pidfd) {
					runtime.Gosched()
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				tryAgain(h)
				s.run(t.Context(), t, h)
				w := awaitTree(h, plan)
				pid := w.root.pid
				end(w)
				if out := s.run(t.Context(), t, h); string(out.Stdout) != "hello\n" {
					t.Errorf("the next call: %+v", out)
				}
				if wasUsed(h, w) || isAlive(pid) {
					t.Error("it was used, or is still there")
				}
			})
		}
		s.run(t.Context(), t, h)
		tryAgain(h)
		s.run(t.Context(), t, h)
		awaitTree(h, plan)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if left := ownChildren(t); len(left) > 0 {
			t.Errorf("Close left %v", left)
		}
		if _, err := s.try(t.Context(), t, h); !errors.Is(err, errClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// TestWaitingIsForOne has many calls come at once, and be ended in each way: no two have the same tree, and
// each is ended as any other is.
func TestWaitingIsForOne(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		dir := realTemp(t)
		s := script{dir: dir, text: `grep locks /proc/self/limits; echo $$ >/tmp/mine; [ "$(cat /tmp/mine)" = $$ ] && ls -A /tmp; sleep "$1"`,
			argv: []string{bash, "/dev/fd/4", "0"}}
		plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s)})
		if err != nil {
			t.Fatal(err)
		}
		for range stress(8) {
			s.run(t.Context(), t, h)
			awaitTree(h, plan)
			var all sync.Map
			var calls sync.WaitGroup
			for range 8 {
				calls.Go(func() {
					out, err := s.try(t.Context(), t, h)
					_, twice := all.LoadOrStore(string(out.Stdout), true)
					if err != nil || twice || !strings.HasSuffix(string(out.Stdout), "\nmine\n") {
						t.Errorf("a call among others: %v, %+v", err, out)
					}
				})
			}
			calls.Wait()
		}
		for _, cancel := range []bool{false, true} {
			s.run(t.Context(), t, h)
			w := awaitTree(h, plan)
			ctx, end := context.WithCancel(t.Context())
			long := s
			long.argv = []string{bash, "/dev/fd/4", "1000"}
			if cancel {
				long.stdout = whenWritten(end)
			} else {
				long.stdout = whenWritten(func() { _ = unix.PidfdSendSignal(w.root.pidfd, unix.SIGKILL, nil, 0) })
			}
			out := long.run(ctx, t, h)
			end()
			if out.Cancelled != cancel || !cancel && out.Signal != "SIGKILL" || !wasUsed(h, w) {
				t.Errorf("a call that was ended: %+v", out)
			}
		}
	})
}

// TestWaitingKilled kills the program while a tree waits: it ends with it.
func TestWaitingKilled(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), roleVariable+"=waits", "TMPDIR="+realTemp(t))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		pid, _ := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || pid == 0 || !isAlive(pid) {
			t.Fatalf("it says %q: %v", line, err)
		}
		mustDo(t, cmd.Process.Kill())
		_ = cmd.Wait()
		for isAlive(pid) {
			runtime.Gosched()
		}
	})
}

// playWaiting is a program that has a tree wait, and tells its number.
func playWaiting() error {
	level := LevelFull
	if name := os.Getenv("SANDBOX_TEST_LEVEL"); name != "" {
		level = Level(name)
	}
	h, err := Open(Options{Level: level})
	if err != nil {
		return err
	}
	h.waiting.idle = func() bool { return true }
	dir, err := os.Getwd()
	if err := errors.Join(err, h.KeepAhead(1)); err != nil {
		return err
	}
	plan, err := h.Plan(Profile{Dir: dir, Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	if _, err := h.Run(context.Background(), plan, Process{Argv: []string{"/bin/true"}}); err != nil {
		return err
	}
	fmt.Println(awaitTree(h, plan).root.pid)
	block()
	return nil
}

// TestWaitingMounts mounts something below what was granted while a tree waits: the call has it.
func TestWaitingMounts(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	const variable = "SANDBOX_TEST_MOUNTS"
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestWaitingMounts$")
		cmd.Env = append(os.Environ(), variable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	mustDo(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	h, dir := ahead(t, openFull(t)), realTemp(t)
	at := filepath.Join(dir, "disk")
	mustDo(t, os.Mkdir(at, 0o755))
	s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir, ReadOnly: true}}, text: "ls disk"}
	plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s), AllowedPaths: s.allowed})
	mustDo(t, err)
	for _, change := range []struct {
		name, want string
		do         func() error
	}{
		{"mounted", "here\n", func() error {
			return errors.Join(unix.Mount("tmpfs", at, "tmpfs", 0, ""), os.WriteFile(at+"/here", nil, 0o644))
		}},
		{"remounted", "here\n", func() error { return unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOEXEC, "") }},
		{"unmounted", "", func() error { return unix.Unmount(at, unix.MNT_DETACH) }},
	} {
		tryAgain(h)
		s.run(t.Context(), t, h)
		w := awaitTree(h, plan)
		mustDo(t, change.do())
		if out := s.run(t.Context(), t, h); string(out.Stdout) != change.want || wasUsed(h, w) {
			t.Errorf("%s while it waited: %q, want %q; given to the call: %v", change.name, out.Stdout, change.want, wasUsed(h, w))
		}
	}
}

// limitsOf are the limits that a script runs with.
func limitsOf(s script) tool.Limits {
	if s.limits != (tool.Limits{}) {
		return s.limits
	}
	limits := tool.DefaultLimits()
	limits.Timeout = 5 * time.Minute
	return limits
}

func BenchmarkWaiting(b *testing.B) {
	for _, waits := range []bool{false, true} {
		b.Run(map[bool]string{false: "made", true: "waits"}[waits], func(b *testing.B) {
			host := openFull(b)
			if waits {
				ahead(b, host)
			}
			plan, err := host.Plan(Profile{Dir: b.TempDir(), Limits: tool.DefaultLimits()})
			if err != nil {
				b.Fatal(err)
			}
			run := func() {
				out, err := host.Run(context.Background(), plan, Process{Argv: []string{bash, "--noprofile", "--norc", "/dev/fd/4"},
					Inputs: []Input{{Name: "values"}, {Name: "script", Data: []byte("echo hello\n")}}})
				if err != nil || string(out.Stdout) != "hello\n" {
					b.Fatal(err, out, string(out.Stderr))
				}
			}
			run()
			for b.Loop() {
				if waits {
					b.StopTimer()
					awaitTree(host, plan)
					b.StartTimer()
				}
				run()
			}
		})
	}
}
