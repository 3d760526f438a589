//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// sameWithTree makes a call, changes something while a tree waits for the next one of its plan, and makes
// that. It tells what a Host that keeps no tree comes to, and what one that does.
func sameWithTree(t *testing.T, o Options, prepare func(t *testing.T, dir string) (script, func())) (used bool) {
	t.Helper()
	outcome := func(h *Host, keeps bool) (string, bool) {
		dir := realTemp(t)
		s, change := prepare(t, dir)
		s.run(t.Context(), t, h)
		var w *waitingTree
		if keeps {
			plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s), AllowedPaths: s.allowed})
			mustDo(t, err)
			w = awaitTree(h, plan)
		}
		change()
		out, err := s.try(t.Context(), t, h)
		got := fmt.Sprintf("%v %d %s %s %v %v %v", err, out.ExitCode, out.Stdout, out.Stderr, out.Hints, out.Changed, out.LimitsHit)
		for _, dir := range []string{dir, s.dir} {
			got = strings.ReplaceAll(got, dir, "DIR")
		}
		return regexp.MustCompile(`held-[0-9a-f]{16}`).ReplaceAllString(got, "held"), keeps && wasUsed(h, w)
	}
	open := func(t *testing.T) *Host { return openWith(t, o) }
	want, _ := outcome(open(t), false)
	got, used := outcome(ahead(t, open(t)), true)
	if got != want {
		t.Errorf("with a tree (used: %v) the call came to\n%s\nwithout one to\n%s", used, got, want)
	}
	return used
}

// TestWaitingUncovered has what a tree covers or holds in a directory that was granted be replaced: the kernel takes a
// mount away everywhere when its place is removed (fs/namespace.c, __detach_mounts).
func TestWaitingUncovered(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, path, text string) { t.Helper(); mustDo(t, os.WriteFile(path, []byte(text), 0o644)) }
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, c := range []struct {
			name   string
			make   func(t *testing.T, dir string)
			change func(t *testing.T, dir string)
		}{
			{"own file replaced by rename", func(t *testing.T, dir string) { write(t, dir+"/own", "secret 1\n") },
				func(t *testing.T, dir string) {
					write(t, dir+"/own.new", "secret 2\n")
					mustDo(t, os.Rename(dir+"/own.new", dir+"/own"))
				}},
			{"nothing", func(t *testing.T, dir string) {
				write(t, dir+"/own", "secret 1\n")
				write(t, dir+"/.envrc", "before\n")
			},
				func(*testing.T, string) {}},
			{"own file moved aside and made", func(t *testing.T, dir string) { write(t, dir+"/own", "secret 1\n") },
				func(t *testing.T, dir string) {
					mustDo(t, os.Rename(dir+"/own", dir+"/own.old"))
					write(t, dir+"/own", "secret 2\n")
				}},
			{"own file exchanged", func(t *testing.T, dir string) { write(t, dir+"/own", "secret 1\n") },
				func(t *testing.T, dir string) {
					write(t, dir+"/own.new", "secret 2\n")
					mustDo(t, unix.Renameat2(unix.AT_FDCWD, dir+"/own.new", unix.AT_FDCWD, dir+"/own", unix.RENAME_EXCHANGE))
				}},
			{"control file moved away and back", func(t *testing.T, dir string) { write(t, dir+"/.envrc", "before\n") },
				func(t *testing.T, dir string) {
					mustDo(t, os.Rename(dir+"/.envrc", dir+"/other"))
					mustDo(t, os.Rename(dir+"/other", dir+"/.envrc"))
				}},
			{"own file removed and made", func(t *testing.T, dir string) { write(t, dir+"/own", "secret 1\n") },
				func(t *testing.T, dir string) {
					mustDo(t, os.Remove(dir+"/own"))
					write(t, dir+"/own", "secret 2\n")
				}},
			{"own directory removed and made",
				func(t *testing.T, dir string) {
					mustDo(t, os.Mkdir(dir+"/own", 0o755))
					write(t, dir+"/own/key", "secret 1\n")
				},
				func(t *testing.T, dir string) {
					mustDo(t, os.RemoveAll(dir+"/own"))
					mustDo(t, os.Mkdir(dir+"/own", 0o755))
					write(t, dir+"/own/key", "secret 2\n")
				}},
			{"control file linked again", func(t *testing.T, dir string) { write(t, dir+"/.envrc", "before\n") },
				func(t *testing.T, dir string) {
					mustDo(t, os.Link(dir+"/.envrc", dir+"/other"))
					mustDo(t, os.Remove(dir+"/.envrc"))
					mustDo(t, os.Link(dir+"/other", dir+"/.envrc"))
					mustDo(t, os.Remove(dir+"/other"))
				}},
			{"control directory made again until it has the number", func(t *testing.T, dir string) { mustDo(t, os.Mkdir(dir+"/.vscode", 0o755)) },
				func(t *testing.T, dir string) {
					is, err := identifyPath(dir + "/.vscode")
					mustDo(t, err)
					mustDo(t, os.Remove(dir+"/.vscode"))
					for i := range 50 {
						mustDo(t, os.Mkdir(dir+"/.vscode", 0o755))
						if now, _ := identifyPath(dir + "/.vscode"); now == is {
							t.Log("got the number again after", i)
							return
						}
						mustDo(t, os.Rename(dir+"/.vscode", fmt.Sprintf("%s/x%d", dir, i)))
					}
					mustDo(t, os.Mkdir(dir+"/.vscode", 0o755))
					for i := range 50 {
						mustDo(t, os.Remove(fmt.Sprintf("%s/x%d", dir, i)))
					}
				}},
		} {
			t.Run(c.name, func(t *testing.T) {
				own := filepath.Join(realTemp(t), "a place #1,\t\\040\n") // which a table of mounts does not show as it is
				o := Options{Level: level, Protected: []string{".envrc", ".vscode"}, Hidden: []string{own + "/own"}}
				used := sameWithTree(t, o, func(t *testing.T, _ string) (script, func()) {
					mustDo(t, os.RemoveAll(own))
					mustDo(t, os.Mkdir(own, 0o755))
					c.make(t, own)
					s := script{dir: own, allowed: []tool.AllowedPath{{Path: own}}, text: `
						cat own own/key 2>&1; for f in own own/key own/new .envrc .vscode/new; do
						(echo x >$f) 2>/dev/null && echo "wrote $f"; done; true`}
					return s, func() { c.change(t, own) }
				})
				if c.name == "nothing" && !used {
					t.Error("the tree was not given to the call")
				}
			})
		}
	})
}

// TestWaitingCensus has root's call start too many processes where no control group counts them.
func TestWaitingCensus(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the kernel counts an ordinary user's")
	}
	for _, keeps := range []bool{false, true} {
		h := openFull(t)
		h.groups.close()
		h.groups, h.capability.tasks = nil, false
		var idle atomic.Bool
		if keeps {
			ahead(t, h)
			h.waiting.idle = idle.Load
		}
		limits := tool.DefaultLimits()
		limits.Processes = 10
		limits.Timeout = limitsOf(script{}).Timeout
		s := script{dir: realTemp(t), limits: limits, argv: []string{bash, "/dev/fd/4", "0"},
			text: `[ "$1" = 0 ] && exit; for i in $(seq 30); do sleep 3 & done; wait; echo survived`}
		s.run(t.Context(), t, h)
		if keeps {
			plan, err := h.Plan(Profile{Dir: s.dir, Limits: limits})
			mustDo(t, err)
			unix.Poll(nil, 3*int(censusInterval.Milliseconds())) // the census has gone back to sleep
			idle.Store(true)
			awaitTree(h, plan)
		}
		s.argv = []string{bash, "/dev/fd/4", "1"}
		out := s.run(t.Context(), t, h)
		if len(out.LimitsHit) == 0 {
			t.Errorf("keeps %v: %d %s %v", keeps, out.ExitCode, out.Stdout, out.LimitsHit)
		}
	}
}

// TestWaitingShutOut closes the way to a workspace to the user whose it is.
func TestWaitingShutOut(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root's calls are another's")
	}
	top, err := os.MkdirTemp("/srv", "a2a-acp-test-") // where nothing is covered
	if err != nil {
		lacking(t, err.Error())
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	sameWithTree(t, Options{Level: LevelFull}, func(t *testing.T, _ string) (script, func()) {
		mustDo(t, os.Chmod(top, 0o755))
		dir := top + "/w"
		mustDo(t, os.RemoveAll(dir))
		mustDo(t, os.Mkdir(dir, 0o755))
		mustDo(t, os.WriteFile(dir+"/file", []byte("of w\n"), 0o644))
		mustDo(t, os.Chown(dir, 65534, 65534))
		s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir}}, text: "id -u; cat file; echo x >new && echo wrote"}
		return s, func() { mustDo(t, os.Chmod(top, 0o700)) }
	})
}

// TestWaitingRefused has the message with the command be refused: the call comes to the same.
func TestWaitingRefused(t *testing.T) {
	alone(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		s := script{dir: realTemp(t), text: "echo hello"}
		plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
		mustDo(t, err)
		s.run(t.Context(), t, h)
		w := awaitTree(h, plan)
		mustDo(t, unix.SetsockoptInt(w.channel, unix.SOL_SOCKET, unix.SO_SNDBUF, 1)) // as with a small net.core.wmem_default
		s.env = map[string]string{"LONG": strings.Repeat("x", 20000)}
		if out, err := s.try(t.Context(), t, h); err != nil || string(out.Stdout) != "hello\n" {
			t.Errorf("a command that the socket does not take: %v %+v", err, out)
		}
		if os.Geteuid() == 0 {
			return
		}
		tryAgain(h)
		s.run(t.Context(), t, h)
		awaitTree(h, plan)
		// As a call of this user can, whose own limit is lower than ours.
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		mustDo(t, err)
		var limit unix.Rlimit
		mustDo(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
		low := limit
		low.Cur = 256
		mustDo(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &low))
		defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
		var many []int
		for range 200 {
			many = append(many, pair[0])
		}
		for range 3 {
			if err := unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(many...), nil, unix.MSG_DONTWAIT); err != nil {
				t.Log("in flight:", err)
			}
		}
		if out, err := s.try(t.Context(), t, h); err != nil || string(out.Stdout) != "hello\n" {
			t.Errorf("with too many descriptors of this user in flight: %v %+v", err, out)
		}
		unix.Close(pair[0])
		unix.Close(pair[1])
	})
}

// TestWaitingForgotten has all trees be forgotten while one is made.
func TestWaitingForgotten(t *testing.T) {
	t.Parallel()
	h := ahead(t, openFull(t))
	var ended atomic.Bool
	h.waiting.mu.Lock()
	drop := h.waiting.drop
	h.waiting.make = func(p Plan) (*waitingTree, error) {
		w, err := h.makeWaiting(p)
		h.Forget()
		return w, err
	}
	h.waiting.drop = func(w *waitingTree) { ended.Store(true); drop(w) }
	h.waiting.mu.Unlock()
	script{dir: realTemp(t), text: "echo hello"}.run(t.Context(), t, h)
	for !ended.Load() {
		h.waiting.mu.Lock()
		n := len(h.waiting.ready)
		h.waiting.mu.Unlock()
		if n > 0 {
			t.Fatal("a tree waits that was begun before Forget")
		}
		runtime.Gosched()
	}
}

// TestWaitingCommands gives trees commands of all kinds.
func TestWaitingCommands(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		limits := tool.DefaultLimits()
		limits.OpenFiles = 61
		limits.Timeout = limitsOf(script{}).Timeout
		dir := realTemp(t)
		outcome := func(h *Host, p Process, env map[string]string, keeps bool) string {
			plan, err := h.Plan(Profile{Dir: dir, Limits: limits, Environment: env})
			mustDo(t, err)
			if keeps {
				tryAgain(h)
				_, err := h.Run(t.Context(), plan, Process{Argv: []string{"/bin/true"}})
				mustDo(t, err)
				awaitTree(h, plan)
			}
			out, err := h.Run(t.Context(), plan, p)
			return fmt.Sprintf("%v %d %s %s %s %v %v %v", err, out.ExitCode, out.Signal, out.Stdout, out.Stderr, out.Hints, out.Reaped, out.Killed)
		}
		inputs := func(n int) (list []Input) {
			for i := range n {
				list = append(list, Input{Name: fmt.Sprint("i", i), Data: []byte(fmt.Sprint(i, "\n"))})
			}
			return list
		}
		many := make([]string, 3000)
		look := []string{bash, "-c", `echo $# "$0" "${1-none}"; for f in /proc/self/fd/*; do echo ${f##*/}; done | sort -n | tr '\n' ' '; cat /dev/fd/3 /dev/fd/54 2>/dev/null; env`}
		a, b := openFull(t), ahead(t, openFull(t))
		for name, c := range map[string]struct {
			p   Process
			env map[string]string
		}{
			"52 inputs":      {p: Process{Argv: look, Inputs: inputs(52)}},
			"none":           {p: Process{Argv: look}},
			"empty argument": {p: Process{Argv: append(look, "", "")}},
			"many empty":     {p: Process{Argv: append(look, many...)}},
			"odd env":        {p: Process{Argv: look}, env: map[string]string{"A": "", "LD_PRELOAD": "/x"}},
			"a directory":    {p: Process{Argv: []string{"/etc"}}},
			"not executable": {p: Process{Argv: []string{"/etc/passwd"}}},
			"near 64 KB":     {p: Process{Argv: append(look, strings.Repeat("y", initMostMessage-1000))}},
			"kills itself":   {p: Process{Argv: []string{bash, "-c", "kill -SEGV $$"}}},
			"kills init":     {p: Process{Argv: []string{bash, "-c", "kill -KILL 1; kill -TERM 1; kill -STOP 1; echo still"}}},
		} {
			if want, got := outcome(a, c.p, c.env, false), outcome(b, c.p, c.env, true); want != got {
				t.Errorf("%s: with a tree\n%q\nwithout\n%q", name, got, want)
			}
		}
	})
}

// TestWaitingLeaves counts what many calls with trees leave.
func TestWaitingLeaves(t *testing.T) {
	alone(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		s := script{dir: realTemp(t), text: "true"}
		plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
		mustDo(t, err)
		count := func() [4]int { // descriptors, calls, their first processes, children: one of each is the tree's
			h.waiting.ending.Wait()
			h.mounts.pending.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			return [4]int{len(names(t, "/proc/self/fd")), len(h.live), len(h.roots), len(ownChildren(t))}
		}
		var early [4]int
		for i := range stress(100) {
			s.run(t.Context(), t, h)
			w := awaitTree(h, plan)
			if i%10 == 9 { // one that is of no use
				_ = unix.Kill(w.root.pid, unix.SIGKILL)
				s.run(t.Context(), t, h)
				tryAgain(h)
				s.run(t.Context(), t, h)
				awaitTree(h, plan)
			}
			if i == 9 {
				early = count()
			}
		}
		// The Host keeps spare directories, which it holds open.
		if late := count(); late[1] != 1 || late[2] != 1 || late[3] != 1 || late[0] > early[0]+4 {
			t.Errorf("descriptors, calls, first processes and children: %v, and early on %v", late, early)
		}
	})
}

// TestWaitingCannotBe has a call remove what the next one would start in: no tree can be made, and that is all.
func TestWaitingCannotBe(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		dir := realTemp(t)
		mustDo(t, os.Mkdir(dir+"/w", 0o755))
		s := script{dir: dir + "/w", allowed: []tool.AllowedPath{{Path: dir}}, text: `rmdir "$PWD"`}
		s.run(t.Context(), t, h)
		for tried := false; !tried; {
			h.waiting.mu.Lock()
			tried = len(h.waiting.useless) > 0
			h.waiting.mu.Unlock()
		}
		mustDo(t, os.Mkdir(dir+"/w", 0o755))
		s.text = "echo hello"
		if out := s.run(t.Context(), t, h); string(out.Stdout) != "hello\n" {
			t.Errorf("%+v", out)
		}
	})
}

// TestWaitingCancelled ends calls around the moment in which they get their tree.
func TestWaitingCancelled(t *testing.T) {
	alone(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		s := script{dir: realTemp(t), text: "echo hello"}
		plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
		mustDo(t, err)
		for i := range stress(64) {
			s.run(t.Context(), t, h)
			w := awaitTree(h, plan)
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*40*time.Microsecond)
			out, err := s.try(ctx, t, h)
			cancel()
			if err != nil || !out.Cancelled && string(out.Stdout) != "hello\n" || w.ended.Load() {
				t.Errorf("%d: %v %+v", i, err, out)
			}
		}
		mustDo(t, h.Close())
		if left := ownChildren(t); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

// TestWaitingClosed closes Hosts while trees are made.
func TestWaitingClosed(t *testing.T) {
	alone(t, func(t *testing.T) {
		dir, before := realTemp(t), 0
		for i := range stress(24) {
			h := ahead(t, openFull(t))
			s := script{dir: dir, text: "echo hello"}
			s.run(t.Context(), t, h)
			time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			mustDo(t, h.Close())
			if left := ownChildren(t); len(left) > 0 {
				t.Errorf("%d: Close left %v", i, left)
			}
			if n := len(names(t, "/proc/self/fd")); i == 4 {
				before = n
			} else if i > 4 && n > before+2 {
				t.Errorf("%d: %d descriptors after %d", i, n, before)
			}
		}
	})
}

// TestWaitingStopped stops a tree's init and has it go on, as the freezer or a debugger does.
func TestWaitingStopped(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		h := ahead(t, openFull(t))
		s := script{dir: realTemp(t), text: "echo hello"}
		plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
		mustDo(t, err)
		s.run(t.Context(), t, h)
		w := awaitTree(h, plan)
		mustDo(t, unix.Kill(w.root.pid, unix.SIGSTOP))
		for taskState(fmt.Sprintf("/proc/%d/stat", w.root.pid)) != 'T' {
			runtime.Gosched()
		}
		mustDo(t, unix.Kill(w.root.pid, unix.SIGCONT))
		if out := s.run(t.Context(), t, h); string(out.Stdout) != "hello\n" || !wasUsed(h, w) {
			t.Errorf("%+v", out)
		}
	})
}

// TestWaitingBusyDisk unmounts a disk while a tree waits: the next look lets go of it.
func TestWaitingBusyDisk(t *testing.T) {
	t.Parallel()
	const variable = "SANDBOX_TEST_BUSY_DISK"
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^TestWaitingBusyDisk$")
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
	mustDo(t, unix.Mount("tmpfs", at, "tmpfs", 0, ""))
	s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir, ReadOnly: true}}, text: "ls disk"}
	plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s), AllowedPaths: s.allowed})
	mustDo(t, err)
	s.run(t.Context(), t, h)
	w := awaitTree(h, plan)
	mustDo(t, unix.Unmount(at, 0))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/mounts", w.root.pid))
	t.Log("the tree still has it:", strings.Contains(string(text), at), err)
	h.waiting.tend(time.Now())
	if wasUsed(h, w) {
		t.Error("a tree that no call could have goes on waiting, and keeps the disk busy")
	}
}
