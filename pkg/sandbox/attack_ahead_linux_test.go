//go:build amd64 || arm64

package sandbox

import (
	"bufio"
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

// TestWaitingHalted has somebody stop a tree's init for good: the call has another one.
func TestWaitingHalted(t *testing.T) {
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
		if w.stillWaits() {
			t.Fatal("a call would have it, and hang until its time is up")
		}
		if out := s.run(t.Context(), t, h); string(out.Stdout) != "hello\n" || wasUsed(h, w) {
			t.Errorf("%+v", out)
		}
	})
}

// TestWaitingTakesRoom lets there be no more namespaces: trees that wait do not go on taking them from calls.
func TestWaitingTakesRoom(t *testing.T) {
	t.Parallel()
	const variable = "SANDBOX_TEST_ROOM"
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^TestWaitingTakesRoom$")
		cmd.Env = append(os.Environ(), variable+"=1")
		own := func(id int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: own(os.Geteuid()), GidMappings: own(os.Getegid())}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	h := ahead(t, openFull(t))
	s := script{dir: realTemp(t), text: "echo hello"}
	plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
	mustDo(t, err)
	s.run(t.Context(), t, h)
	w := awaitTree(h, plan)
	const most = "/proc/sys/user/max_user_namespaces"
	before, err := os.ReadFile(most)
	mustDo(t, err)
	mustDo(t, os.WriteFile(most, []byte("0"), 0))
	other := s
	other.dir = realTemp(t)
	if out, err := other.try(t.Context(), t, h); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("there was no room, but: %v %+v", err, out)
	}
	if wasUsed(h, w) {
		t.Error("the tree still has the room that a call needs")
	}
	mustDo(t, os.WriteFile(most, before, 0))
	if out := other.run(t.Context(), t, h); string(out.Stdout) != "hello\n" {
		t.Errorf("%+v", out)
	}
}

// TestWaitingLowered lowers the limits of the program when a tree has been made.
func TestWaitingLowered(t *testing.T) {
	for _, r := range []struct {
		name string
		n    int
	}{{"stack", unix.RLIMIT_STACK}, {"fsize", unix.RLIMIT_FSIZE}, {"memlock", unix.RLIMIT_MEMLOCK}} {
		t.Run(r.name, func(t *testing.T) {
			alone(t, func(t *testing.T) {
				var limit unix.Rlimit
				mustDo(t, unix.Getrlimit(r.n, &limit))
				sameWithTree(t, Options{Level: LevelFull}, func(t *testing.T, dir string) (script, func()) {
					mustDo(t, unix.Setrlimit(r.n, &limit))
					s := script{dir: dir, text: "ulimit -a | grep -v locks; cat /proc/self/oom_score_adj", limits: tool.Limits{Timeout: 5 * time.Minute, Output: 1 << 20}}
					return s, func() {
						low := limit
						low.Cur = 1 << 19
						mustDo(t, unix.Setrlimit(r.n, &low))
					}
				})
			})
		})
	}
}

// TestWaitingModes changes the modes of the workspace and of what is above it.
func TestWaitingModes(t *testing.T) {
	t.Parallel()
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, mode := range []os.FileMode{0, 0o100, 0o400, 0o500} {
			for _, at := range []string{"w", "w/sub", "."} {
				t.Run(fmt.Sprintf("%s %o", at, mode), func(t *testing.T) {
					sameWithTree(t, Options{Level: level, Protected: []string{".envrc", ".git/hooks"}}, func(t *testing.T, dir string) (script, func()) {
						dir = filepath.Join(dir, "top")
						mustDo(t, os.MkdirAll(dir+"/w/sub/.git/hooks", 0o755))
						mustDo(t, os.WriteFile(dir+"/w/.envrc", nil, 0o644))
						mustDo(t, os.WriteFile(dir+"/w/file", []byte("x\n"), 0o644))
						t.Cleanup(func() {
							_ = os.Chmod(dir, 0o755)
							_ = os.Chmod(dir+"/w", 0o755)
							_ = os.Chmod(dir+"/w/sub", 0o755)
						})
						s := script{dir: dir + "/w", allowed: []tool.AllowedPath{{Path: dir + "/w"}, {Path: dir + "/w/sub"}},
							text: "pwd; ls -a . sub; cat file; for f in .envrc sub/.git/hooks/x sub/.envrc; do (echo x >$f) && echo wrote $f; done 2>&1"}
						return s, func() { mustDo(t, os.Chmod(filepath.Join(dir, at), mode)) }
					})
				})
			}
		}
	})
}

// TestWaitingPlaces makes what is protected come, go and be something else, at several depths and behind links.
func TestWaitingPlaces(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, path string) {
		mustDo(t, os.MkdirAll(filepath.Dir(path), 0o755))
		mustDo(t, os.WriteFile(path, []byte("before\n"), 0o644))
	}
	names := []string{".git/hooks/pre-commit", ".envrc", "AGENTS.md", "sub/.git/hooks/pre-commit", "sub/AGENTS.md", "sub/deep/.envrc", ".git/config", "sub/.git/config"}
	look := `[ -e ../second ] || exit 0; for f in .git .git/hooks .git/config .envrc AGENTS.md sub/.git sub/.git/hooks sub/AGENTS.md sub/deep/.envrc sub .git/hooks/pre-commit; do
		mv $f $f.moved 2>/dev/null && echo "moved $f" && mv $f.moved $f
		[ -f $f ] && (echo evil >>$f) 2>/dev/null && echo "wrote $f"; [ -d $f ] && (echo evil >$f/new) 2>/dev/null && echo "made $f/new"; done
		mkdir -p .git/hooks sub/.git/hooks 2>/dev/null; (echo evil >.git/hooks/new2) 2>/dev/null && echo wrote hooks; cat .envrc AGENTS.md sub/AGENTS.md 2>&1; ls -laR . | wc -l`
	atNamespaces(t, func(t *testing.T, level Level) {
		for name, c := range map[string]struct {
			make, change func(t *testing.T, dir string)
		}{
			"come": {func(*testing.T, string) {}, func(t *testing.T, dir string) {
				for _, n := range names {
					write(t, dir+"/"+n)
				}
			}},
			"go": {func(t *testing.T, dir string) {
				for _, n := range names {
					write(t, dir+"/"+n)
				}
			}, func(t *testing.T, dir string) {
				for _, n := range names {
					mustDo(t, os.RemoveAll(dir+"/"+n))
				}
			}},
			"hooks go, .git stays": {func(t *testing.T, dir string) { write(t, dir+"/.git/hooks/x"); write(t, dir+"/.git/config") },
				func(t *testing.T, dir string) { mustDo(t, os.RemoveAll(dir+"/.git/hooks")) }},
			"replaced by rename": {func(t *testing.T, dir string) {
				for _, n := range names {
					write(t, dir+"/"+n)
				}
			}, func(t *testing.T, dir string) {
				for _, n := range names {
					mustDo(t, os.WriteFile(dir+"/tmp", []byte("replaced\n"), 0o644))
					mustDo(t, os.Rename(dir+"/tmp", dir+"/"+n))
				}
			}},
			"links come": {func(t *testing.T, dir string) { write(t, dir+"/other/hooks/x") }, func(t *testing.T, dir string) {
				mustDo(t, os.Symlink("other", dir+"/.git"))
				mustDo(t, os.Symlink("other/hooks/x", dir+"/.envrc"))
			}},
			"link becomes directory": {func(t *testing.T, dir string) {
				write(t, dir+"/other/hooks/x")
				mustDo(t, os.Symlink("other", dir+"/.git"))
			}, func(t *testing.T, dir string) {
				mustDo(t, os.Remove(dir+"/.git"))
				mustDo(t, os.Rename(dir+"/other", dir+"/.git"))
			}},
			"directory becomes link to itself": {func(t *testing.T, dir string) { write(t, dir+"/.git/hooks/x"); write(t, dir+"/.git/config") }, func(t *testing.T, dir string) {
				mustDo(t, os.Rename(dir+"/.git", dir+"/real"))
				mustDo(t, os.Symlink("real", dir+"/.git"))
			}},
			"moved into a sub-directory": {func(t *testing.T, dir string) { write(t, dir+"/.git/hooks/x"); write(t, dir+"/.git/config") }, func(t *testing.T, dir string) {
				mustDo(t, os.Mkdir(dir+"/sub", 0o755))
				mustDo(t, os.Rename(dir+"/.git", dir+"/sub/.git"))
			}},
			"file becomes directory": {func(t *testing.T, dir string) { write(t, dir+"/.envrc") }, func(t *testing.T, dir string) {
				mustDo(t, os.Remove(dir+"/.envrc"))
				mustDo(t, os.Mkdir(dir+"/.envrc", 0o755))
			}},
			"whole workspace exchanged with a copy": {func(t *testing.T, dir string) { write(t, dir+"/.envrc") }, func(t *testing.T, dir string) {
				mustDo(t, os.Mkdir(dir+"2", 0o755))
				write(t, dir+"2/.envrc")
				mustDo(t, unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, dir+"2", unix.RENAME_EXCHANGE))
			}},
			"contents": {func(t *testing.T, dir string) { write(t, dir+"/.envrc"); write(t, dir+"/AGENTS.md") }, func(t *testing.T, dir string) {
				mustDo(t, os.WriteFile(dir+"/.envrc", []byte("in place\n"), 0o644))
			}},
		} {
			t.Run(name, func(t *testing.T) {
				sameWithTree(t, Options{Level: level, Protected: []string{".git/hooks", ".git/config", ".git", ".envrc", "AGENTS.md"}}, func(t *testing.T, dir string) (script, func()) {
					dir += "/ws"
					mustDo(t, os.Mkdir(dir, 0o755))
					c.make(t, dir)
					return script{dir: dir, allowed: []tool.AllowedPath{{Path: dir}, {Path: filepath.Dir(dir), ReadOnly: true}}, text: look}, func() {
						mustDo(t, os.WriteFile(filepath.Dir(dir)+"/second", nil, 0o644))
						c.change(t, dir)
					}
				})
			})
		}
	})
}

// TestWaitingGranted replaces files that were granted by name.
func TestWaitingGranted(t *testing.T) {
	t.Parallel()
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, readOnly := range []bool{false, true} {
			for _, place := range []string{"tmp", "srv", "var/tmp", "dev/shm"} {
				t.Run(fmt.Sprint(place, readOnly), func(t *testing.T) {
					sameWithTree(t, Options{Level: level}, func(t *testing.T, dir string) (script, func()) {
						other, err := os.MkdirTemp("/"+place, "a2a-acp-test-")
						if err != nil {
							t.Skip(err)
						}
						t.Cleanup(func() { _ = os.RemoveAll(other) })
						link := dir + "/other"
						mustDo(t, os.Symlink(other, link))
						file := other + "/f"
						mustDo(t, os.WriteFile(file, []byte("old\n"), 0o644))
						s := script{dir: dir, allowed: []tool.AllowedPath{{Path: file, ReadOnly: readOnly}}, text: "cd -P other; cat f; (echo new >>f) && echo wrote; ls"}
						return s, func() {
							mustDo(t, os.WriteFile(file+"2", []byte("replaced\n"), 0o644))
							mustDo(t, os.Rename(file+"2", file))
						}
					})
				})
			}
		}
	})
}

// TestWaitingMany has very many calls of many shapes at once while trees are forgotten, and closes.
func TestWaitingMany(t *testing.T) {
	alone(t, func(t *testing.T) {
		before := len(names(t, "/proc/self/fd"))
		h := ahead(t, openFull(t))
		var dirs []string
		for range 12 {
			dirs = append(dirs, realTemp(t))
		}
		var calls sync.WaitGroup
		end := make(chan struct{})
		calls.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
					h.Forget()
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
		var others sync.WaitGroup
		slots := make(chan struct{}, 64)
		for i := range stress(600) {
			slots <- struct{}{}
			others.Go(func() {
				defer func() { <-slots }()
				s := script{dir: dirs[i%len(dirs)], text: "echo $1; pwd", argv: []string{bash, "/dev/fd/4", fmt.Sprint(i)}}
				out, err := s.try(t.Context(), t, h)
				if want := fmt.Sprintf("%d\n%s\n", i, s.dir); err != nil || string(out.Stdout) != want {
					t.Errorf("%v %+v, want %q", err, out, want)
				}
			})
		}
		others.Wait()
		close(end)
		calls.Wait()
		mustDo(t, h.Close())
		if left := ownChildren(t); len(left) > 0 {
			t.Errorf("left %v", left)
		}
		if after := len(names(t, "/proc/self/fd")); after > before+4 {
			t.Errorf("descriptors: %d, before %d", after, before)
		}
	})
}

// TestWaitingCloseAmid closes while calls take trees.
func TestWaitingCloseAmid(t *testing.T) {
	alone(t, func(t *testing.T) {
		dir := realTemp(t)
		for i := range stress(30) {
			h := ahead(t, openFull(t))
			s := script{dir: dir, text: "echo hello"}
			plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s)})
			mustDo(t, err)
			s.run(t.Context(), t, h)
			awaitTree(h, plan)
			var calls sync.WaitGroup
			for range 3 {
				calls.Go(func() {
					out, err := s.try(t.Context(), t, h)
					if err != nil && !strings.Contains(err.Error(), errClosed.Error()) || err == nil && string(out.Stdout) != "hello\n" {
						t.Errorf("%v %+v", err, out)
					}
				})
			}
			time.Sleep(time.Duration(i) * 100 * time.Microsecond)
			mustDo(t, h.Close())
			calls.Wait()
			if left := ownChildren(t); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		}
	})
}

// TestWaitingHome takes the cover off a home that was made again, where the tree's table of mounts is first looked at.
func TestWaitingHome(t *testing.T) {
	t.Parallel()
	const variable = "SANDBOX_TEST_HOME"
	if os.Getenv(variable) == "" {
		top, err := os.MkdirTemp("/srv", "a2a-acp-test-")
		if err != nil {
			lacking(t, err.Error())
		}
		defer os.RemoveAll(top)
		mustDo(t, os.Mkdir(top+"/home", 0o755))
		cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^TestWaitingHome$")
		cmd.Env = append(os.Environ(), variable+"=1", "HOME="+top+"/home")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	h := ahead(t, openFull(t))
	s := script{dir: realTemp(t), text: "cat $PLACE/key", env: map[string]string{"PLACE": os.Getenv("HOME")}}
	plan, err := h.Plan(Profile{Dir: s.dir, Limits: limitsOf(s)})
	mustDo(t, err)
	s.run(t.Context(), t, h)
	w := awaitTree(h, plan)
	mustDo(t, os.Remove(os.Getenv("HOME")))
	mustDo(t, os.Mkdir(os.Getenv("HOME"), 0o755))
	unix.Close(w.table)
	if err := w.holdTable(); err == nil {
		t.Error("the home is not covered any more, and nobody noticed")
	}
}

// TestWaitingFileSystems changes mounts and file systems of other kinds below a workspace.
func TestWaitingFileSystems(t *testing.T) {
	t.Parallel()
	const variable = "SANDBOX_TEST_FILE_SYSTEMS"
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^TestWaitingFileSystems$")
		cmd.Env = append(os.Environ(), variable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	mustDo(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	for _, kind := range []string{"tmpfs", "overlay", "bind"} {
		for name, change := range map[string]func(t *testing.T, at string){
			"nothing":   func(*testing.T, string) {},
			"copied up": func(t *testing.T, at string) { mustDo(t, os.WriteFile(at+"/.envrc", []byte("written\n"), 0o644)) },
			"chmod":     func(t *testing.T, at string) { mustDo(t, os.Chmod(at+"/sub", 0o700)) },
			"replaced": func(t *testing.T, at string) {
				mustDo(t, os.WriteFile(at+"/x", []byte("r\n"), 0o644))
				mustDo(t, os.Rename(at+"/x", at+"/.envrc"))
			},
			"removed": func(t *testing.T, at string) { mustDo(t, os.Remove(at+"/.envrc")) },
			"read-only": func(t *testing.T, at string) {
				mustDo(t, unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""))
			},
			"all read-only": func(t *testing.T, at string) { _ = unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") },
			"noexec": func(t *testing.T, at string) {
				mustDo(t, unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOEXEC, ""))
			},
			"unmounted": func(t *testing.T, at string) {
				mustDo(t, unix.Unmount(at, unix.MNT_DETACH))
				mustDo(t, os.MkdirAll(at, 0o755))
			},
			"over it": func(t *testing.T, at string) { mustDo(t, unix.Mount("tmpfs", at, "tmpfs", 0, "")) },
			"slave": func(t *testing.T, at string) {
				mustDo(t, unix.Mount("", at, "", unix.MS_SHARED, ""))
				mustDo(t, unix.Mount("tmpfs", at+"/sub", "tmpfs", 0, ""))
			},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				used := sameWithTree(t, Options{Level: LevelFull, Protected: []string{".envrc"}}, func(t *testing.T, dir string) (script, func()) {
					at := dir + "/at"
					for _, d := range []string{"at", "lower/sub", "upper", "work", "fs"} {
						mustDo(t, os.MkdirAll(dir+"/"+d, 0o755))
					}
					mustDo(t, unix.Mount("tmpfs", dir+"/fs", "tmpfs", 0, ""))
					for _, d := range []string{"lower/sub", "upper", "work"} {
						mustDo(t, os.MkdirAll(dir+"/fs/"+d, 0o755))
					}
					mustDo(t, os.WriteFile(dir+"/fs/lower/.envrc", []byte("before\n"), 0o644))
					mustDo(t, os.WriteFile(dir+"/fs/lower/run", []byte("#!/bin/sh\necho ran\n"), 0o755))
					switch kind {
					case "tmpfs":
						mustDo(t, unix.Mount("tmpfs", at, "tmpfs", 0, ""))
						mustDo(t, os.Mkdir(at+"/sub", 0o755))
						mustDo(t, os.WriteFile(at+"/.envrc", []byte("before\n"), 0o644))
					case "bind":
						mustDo(t, unix.Mount(dir+"/fs/lower", at, "", unix.MS_BIND, ""))
					case "overlay":
						if err := unix.Mount("overlay", at, "overlay", 0, "lowerdir="+dir+"/fs/lower,upperdir="+dir+"/fs/upper,workdir="+dir+"/fs/work"); err != nil {
							t.Skip(err)
						}
					}
					t.Cleanup(func() {
						for unix.Unmount(at, unix.MNT_DETACH) == nil {
						}
						_ = unix.Unmount(dir+"/fs", unix.MNT_DETACH)
					})
					s := script{dir: at, allowed: []tool.AllowedPath{{Path: at}}, text: "cat .envrc; ls -a . sub; ./run; (echo x >.envrc) && echo wrote; (echo x >new) && echo new; rm -f new; true"}
					return s, func() { change(t, at) }
				})
				t.Log("used", used)
			})
		}
	}
}

// TestWaitingKilledAtLevels kills the program while a tree waits, also another user's.
func TestWaitingKilledAtLevels(t *testing.T) {
	t.Parallel()
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, others := range []bool{false, true} {
			dir := realTemp(t)
			if others && os.Geteuid() == 0 {
				mustDo(t, os.Chown(dir, ordinaryUser, ordinaryUser))
			}
			cmd := exec.Command(self)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), roleVariable+"=waits", "SANDBOX_TEST_LEVEL="+string(level), "TMPDIR="+realTemp(t))
			out, err := cmd.StdoutPipe()
			mustDo(t, err)
			mustDo(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			pid, _ := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || pid == 0 || !isAlive(pid) {
				t.Fatalf("it says %q: %v", line, err)
			}
			mustDo(t, unix.Kill(pid, unix.SIGSTOP)) // it cannot see its socket close
			mustDo(t, cmd.Process.Kill())
			_ = cmd.Wait()
			for isAlive(pid) {
				runtime.Gosched()
			}
		}
	})
}

// TestWaitingReplacedLate replaces what a tree covers or holds when the call has been found to fit it, and is still
// being made ready: the tree is of no use any more.
func TestWaitingReplacedLate(t *testing.T) {
	t.Parallel()
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, name := range []string{"own", ".envrc"} {
			dir := realTemp(t)
			h := ahead(t, openWith(t, Options{Level: level, Hidden: []string{dir + "/own"}, Protected: []string{".envrc"}}))
			for _, name := range []string{"own", ".envrc"} {
				mustDo(t, os.WriteFile(dir+"/"+name, []byte("before\n"), 0o644))
			}
			s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir}}, text: "true"}
			plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s), AllowedPaths: s.allowed})
			mustDo(t, err)
			s.run(t.Context(), t, h)
			awaitTree(h, plan)
			id, err := h.identityOf(&plan)
			mustDo(t, err)
			shut, tree, err := h.shutIn(newCall(plan), Process{Argv: []string{"/bin/true"}}, id)
			mustDo(t, err)
			shut.close()
			if tree == nil {
				t.Fatal("the tree does not fit")
			}
			if !tree.holds(h) {
				t.Error("nothing has changed, but it is of no use")
			}
			mustDo(t, os.WriteFile(dir+"/new", []byte("after\n"), 0o644))
			mustDo(t, os.Rename(dir+"/new", dir+"/"+name))
			if tree.holds(h) {
				t.Errorf("%s is not covered, or held, any more, and the call would have the tree", name)
			}
			h.waiting.discard(tree)
		}
	})
}

// TestUncovered replaces what a call shall not change, or see, while it runs: that is told.
func TestUncovered(t *testing.T) {
	t.Parallel()
	atNamespaces(t, func(t *testing.T, level Level) {
		for _, keeps := range []bool{false, true} {
			dir := realTemp(t)
			h := openWith(t, Options{Level: level, Hidden: []string{dir + "/own"}, Protected: []string{".envrc", ".vscode", "AGENTS.md"}})
			for _, name := range []string{"own", ".envrc", "AGENTS.md"} {
				mustDo(t, os.WriteFile(dir+"/"+name, []byte("before\n"), 0o644))
			}
			mustDo(t, os.Mkdir(dir+"/.vscode", 0o755))
			other := realTemp(t) + "/f" // has its place in what is the call's own
			mustDo(t, os.WriteFile(other, nil, 0o644))
			s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir}, {Path: other, ReadOnly: true}}, text: "true"}
			if keeps {
				ahead(t, h)
				plan, err := h.Plan(Profile{Dir: dir, Limits: limitsOf(s), AllowedPaths: s.allowed})
				mustDo(t, err)
				s.run(t.Context(), t, h)
				awaitTree(h, plan)
			}
			s.text = `echo started; until [ -e go ]; do :; done; cat own; (echo evil >.envrc) && echo wrote; (echo >.vscode/new) 2>/dev/null; echo evil >AGENTS.md; rm go`
			s.stdout = whenWritten(sync.OnceFunc(func() {
				for _, name := range []string{"own", ".envrc"} {
					mustDo(t, os.WriteFile(dir+"/new", []byte("after\n"), 0o644))
					mustDo(t, os.Rename(dir+"/new", dir+"/"+name))
				}
				mustDo(t, os.Rename(dir+"/AGENTS.md", dir+"/notes"))
				mustDo(t, os.Remove(other))
				mustDo(t, os.WriteFile(dir+"/go", nil, 0o644))
			}))
			told := strings.Join(s.run(t.Context(), t, h).Changed, "\n")
			if strings.Contains(told, other) {
				t.Errorf("nothing can have come into the place of %s:\n%s", other, told)
			}
			for name, want := range map[string]bool{"own": true, ".envrc": true, "AGENTS.md": true, ".vscode": false} {
				if strings.Contains(told, " "+dir+"/"+name+"; from then") != want {
					t.Errorf("keeps %v: %s is told: %v, want %v:\n%s", keeps, name, !want, want, told)
				}
			}
		}
	})
}
