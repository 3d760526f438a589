//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestDirectories checks where a call starts, and that nothing of it stays, whatever it does to get in the
// way.
func TestDirectories(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		outside := t.TempDir()
		precious := filepath.Join(outside, "precious")
		if err := os.WriteFile(precious, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		const show = `echo "$PWD"; echo "$HOME"; [[ $HOME == "$TMPDIR" ]] && [[ -z $(ls -A . "$HOME" | grep -v ':$') ]] && stat -c %a "$HOME";`
		for _, test := range []struct{ name, text string }{
			{"nothing", ``},
			{"files", `touch a "$HOME/b"; ln -s /etc c; mkfifo d`},
			{"links to outside", `ln -s OUTSIDE a; ln -s OUTSIDE "$HOME/a"; mkdir b; ln -s OUTSIDE b/c; chmod 555 b`},
			{"directories that nobody may write to", `mkdir -p a/b/c "$HOME/a/b/c"; touch a/b/c/d; chmod 0 a/b/c a/b a; chmod 0 . "$HOME"`},
			{"a tree", `for i in {1..10}; do mkdir -p x/x/x/x/x && cd x/x/x/x/x || exit 9; touch y; chmod 500 .; done`},
			{"many files", `for i in {1..100}; do : > "f$i"; done`},
			{"its own directory moved away", `mv "$PWD" "$PWD.moved"; mkdir a; mv "$HOME" "$HOME.moved"; mkdir "$HOME"`},
			{"a link in its directory's place", `cd /; rmdir "$OLDPWD" "$HOME"; ln -s OUTSIDE "$OLDPWD"; ln -s OUTSIDE "$HOME"`},
			{"its own directories removed", `cd /; rmdir "$OLDPWD" "$HOME"`},
		} {
			for _, isolate := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, isolated %t", test.name, isolate), func(t *testing.T) {
					if test.name == "its own directory moved away" && isolate {
						t.Skip("a call may leave what it likes in its working directory, under another name too")
					}
					dir := t.TempDir()
					text := test.text
					if !isolate {
						// Only what is the call's own is taken away.
						text = `cd "$HOME"; ` + text
					}
					out := script{text: show + strings.ReplaceAll(text, "OUTSIDE", outside), dir: dir, isolate: isolate}.run(t.Context(), t, host)
					lines := fields(out.Stdout)
					if len(lines) < 3 || lines[2] != "700" {
						t.Fatalf("got %q, %q; want an empty start and private directory, mode 700", out.Stdout, out.Stderr)
					}
					start, home := lines[0], lines[1]
					if isolate && (filepath.Dir(start) != dir || !strings.HasPrefix(filepath.Base(start), startPrefix)) || !isolate && start != dir {
						t.Errorf("started in %s, isolated %t, of %s", start, isolate, dir)
					}
					if filepath.Dir(home) != host.scratch.path {
						t.Errorf("HOME is %s, want it below %s", home, host.scratch.path)
					}
					if left := names(t, dir); len(left) > 0 || out.Leftover != "" {
						t.Errorf("left in the working directory: %q %s", left, out.Leftover)
					}
					if _, err := os.Lstat(home); err == nil && test.text != "" && !strings.Contains(home, "/spare") {
						if left := names(t, home); len(left) > 0 {
							t.Errorf("left in the private directory: %q", left)
						}
					}
				})
			}
		}
		if data, err := os.ReadFile(precious); string(data) != "x" {
			t.Errorf("a file outside was removed with the call: %v", err)
		}
	})
}

// TestDirectoryNotWritable checks where a call starts when its directory cannot hold one of its own.
func TestDirectoryNotWritable(t *testing.T) {
	if os.Geteuid() == 0 {
		// Root can write anywhere but where nobody can.
		host := openHost(t)
		out := script{text: "echo $PWD; echo $HOME", dir: "/proc", isolate: true}.tryLines(t, host)
		if len(out) != 2 || out[0] != out[1] {
			t.Errorf("got %q, want the private directory to start in", out)
		}
	}
	asEveryUser(t, func(t *testing.T) {
		if os.Geteuid() == 0 {
			return
		}
		host := openHost(t)
		for _, dir := range []string{"/", "/etc", "/proc"} {
			out := script{text: "echo $PWD; echo $HOME", dir: dir, isolate: true}.tryLines(t, host)
			if len(out) != 2 || out[0] != out[1] {
				t.Errorf("in %s: got %q, want the private directory to start in", dir, out)
			}
		}
	})
}

func (s script) tryLines(t *testing.T, h *Host) []string {
	t.Helper()
	return fields(s.run(t.Context(), t, h).Stdout)
}

// TestScratchSweep checks what a start removes: what dead processes left, and nothing else.
func TestScratchSweep(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		base, work := t.TempDir(), t.TempDir()
		var ended []string
		end := func(id string) { ended = append(ended, id) }
		living, err := openScratch(base, end)
		if err != nil {
			t.Fatal(err)
		}
		defer living.close()
		dead, err := openScratch(base, end)
		if err != nil {
			t.Fatal(err)
		}
		if err := dead.record(work); err != nil {
			t.Fatal(err)
		}
		make := func(path string) string {
			t.Helper()
			if err := os.MkdirAll(filepath.Join(path, "a", "b"), 0o700); err != nil {
				t.Fatal(err)
			}
			return path
		}
		make(filepath.Join(dead.path, "call"))
		start := make(filepath.Join(work, startPrefix+dead.id+"-1"))
		kept := []string{
			make(filepath.Join(work, startPrefix+living.id+"-1")), // a living process's
			make(filepath.Join(work, "src")),
			make(filepath.Join(base, "other")),
			make(filepath.Join(living.path, "call")),
			make(filepath.Join(base, scratchPrefix+"open")), // not ours: another mode
		}
		if err := os.Chmod(kept[4], 0o755); err != nil {
			t.Fatal(err)
		}
		// A call of the dead process tried to have more removed.
		for i, target := range []string{"/", work, filepath.Join(work, "src"), "/no/such", "relative"} {
			if err := os.Symlink(target, filepath.Join(dead.path, recordPrefix+fmt.Sprint("x", i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(work, "src"), filepath.Join(work, startPrefix+dead.id+"-link")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(work, "src"), filepath.Join(base, scratchPrefix+"link")); err != nil {
			t.Fatal(err)
		}
		dead.dir.Close() // as when its process ends: the lock is gone

		fresh, err := openScratch(base, end)
		if err != nil {
			t.Fatal(err)
		}
		defer fresh.close()
		if !slices.Equal(ended, []string{dead.id}) {
			t.Errorf("got %q taken for ended, want %q", ended, dead.id)
		}
		for _, path := range []string{dead.path, start, filepath.Join(work, startPrefix+dead.id+"-link")} {
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%s is still there", path)
			}
		}
		for _, path := range kept {
			if _, err := os.Stat(filepath.Join(path, "a", "b")); err != nil {
				t.Errorf("%s is gone: %v", path, err)
			}
		}
	})
}

// touches are ways to leave a directory other than it was.
var touches = []struct {
	name string
	do   func(path string) error
}{
	{"a file", func(path string) error { return os.WriteFile(filepath.Join(path, "x"), nil, 0o600) }},
	{"a file that is gone", func(path string) error {
		return firstError(os.WriteFile(filepath.Join(path, "x"), nil, 0o600), os.Remove(filepath.Join(path, "x")))
	}},
	{"a file, and its old times", func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return firstError(os.WriteFile(filepath.Join(path, "x"), nil, 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
	}},
	{"another mode", func(path string) error { return os.Chmod(path, 0o777) }},
	{"another mode and back", func(path string) error { return firstError(os.Chmod(path, 0o777), os.Chmod(path, 0o700)) }},
	{"an attribute", func(path string) error { return unix.Setxattr(path, "user.x", []byte("y"), 0) }},
	{"other times", func(path string) error { return os.Chtimes(path, time.Unix(0, 0), time.Unix(0, 0)) }},
	{"a name and back", func(path string) error { return firstError(os.Rename(path, path+"x"), os.Rename(path+"x", path)) }},
	{"another directory", func(path string) error { return firstError(os.Rename(path, path+"x"), os.Mkdir(path, 0o700)) }},
	{"a link", func(path string) error { return firstError(os.Remove(path), os.Symlink("/etc", path)) }},
}

// TestSpares checks that a directory which is used again is as a new one: only one that a call has left
// entirely alone goes back, and only one that has been left alone since is given out. For temporary
// directories, and for those that calls start in.
func TestSpares(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		s, err := openScratch(t.TempDir(), func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		fine := []bool{false}
		if s.fineTimes {
			fine = append(fine, true)
		}
		id, work := identity{uid: os.Geteuid(), gid: os.Getegid()}, t.TempDir()
		dir, err := os.Open(work)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		parent := int(dir.Fd())
		for _, kind := range []struct {
			name string
			take func() (spareDir, string, error)
			give func(one spareDir, path string) error
		}{
			{"temporary", func() (spareDir, string, error) {
				one, err := s.takeTemp(id)
				return one, filepath.Join(s.path, one.name), err
			}, func(one spareDir, _ string) error { return s.giveBack(one) }},
			{"start", func() (spareDir, string, error) {
				name := randomName()
				one, err := s.takeStart(parent, name, id)
				return one, filepath.Join(work, name), err
			}, func(one spareDir, path string) error { return s.giveStartBack(one, parent, filepath.Base(path)) }},
		} {
			for _, fine := range fine {
				s.fineTimes = fine
				t.Run(fmt.Sprintf("%s, fine times %t", kind.name, fine), func(t *testing.T) {
					take := func() (spareDir, string) {
						t.Helper()
						one, path, err := kind.take()
						if err != nil {
							t.Fatal(err)
						}
						if _, _, err := lookEmpty(unix.AT_FDCWD, path); err != nil { // names would leave a trace: the time of reading
							t.Errorf("it is not as new: %v", err)
						}
						return one, path
					}
					first, path := take()
					if err := kind.give(first, path); err != nil {
						t.Fatal(err)
					}
					again, path := take()
					if again.is.Ino != first.is.Ino {
						t.Fatal("a directory that nobody touched is not used again")
					}
					for _, touch := range touches {
						inode := again.is.Ino
						settle(t, s, again)
						if err := touch.do(path); err != nil {
							t.Fatalf("%s: %v", touch.name, err)
						}
						if err := kind.give(again, path); err != nil {
							t.Fatalf("%s: %v", touch.name, err)
						}
						for _, one := range s.spares {
							if one.is.Ino == inode {
								t.Errorf("a directory with %s is kept", touch.name)
							}
						}
						_ = os.Remove(path + "x") // what it moved away is its own business
						if left := names(t, work); len(left) > 0 {
							t.Errorf("after %s there is %q where the call started", touch.name, left)
						}
						again, path = take()
					}
					for _, touch := range touches {
						if err := kind.give(again, path); err != nil {
							t.Fatal(err)
						}
						kept := s.spares[len(s.spares)-1]
						settle(t, s, kept)
						if err := touch.do(filepath.Join(s.path, kept.name)); err != nil {
							t.Fatalf("%s: %v", touch.name, err)
						}
						if again, path = take(); again.is.Ino == kept.is.Ino && again.is.Ctim == kept.is.Ctim {
							t.Errorf("a directory with %s is given out", touch.name)
						}
					}
					if err := kind.give(again, path); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	})
}

// TestSparesAreForOne checks that a start directory is used again only for calls of the same user in the
// same directory, and that no more are kept than may be.
func TestSparesAreForOne(t *testing.T) {
	t.Parallel()
	s, err := openScratch(t.TempDir(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	id := identity{uid: os.Geteuid(), gid: os.Getegid()}
	var parents []int
	for range 2 {
		dir, err := os.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		parents = append(parents, int(dir.Fd()))
	}
	take := func(parent int, name string, id identity) spareDir {
		t.Helper()
		one, err := s.takeStart(parent, name, id)
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	first := take(parents[0], "a", id)
	if err := s.giveStartBack(first, parents[0], "a"); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]spareDir{
		"of another directory": take(parents[1], "b", id),
		"of another user":      take(parents[0], "b", identity{uid: id.uid + 1, gid: id.gid}),
		"of another group":     take(parents[0], "c", identity{uid: id.uid, gid: id.gid + 1}),
	} {
		if other.is.Ino == first.is.Ino {
			t.Errorf("it is used again for a call %s", name)
		}
	}
	many := make([]spareDir, mostSpares+10)
	for i := range many {
		many[i] = take(parents[1], fmt.Sprint("many", i), id)
	}
	for i, one := range many {
		if err := s.giveStartBack(one, parents[1], fmt.Sprint("many", i)); err != nil {
			t.Fatal(err)
		}
	}
	if left := names(t, s.path); len(left) != mostSpares+3 { // and what is shown instead
		t.Errorf("%d directories are kept, want %d", len(left)-3, mostSpares)
	}
}

// TestCallsUseSpares checks that a call which leaves its directories alone hands them to the next one, and
// that one which may have handed them to somebody else does not.
func TestCallsUseSpares(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		dir := t.TempDir()
		start := func(s script) string {
			t.Helper()
			s.text, s.dir, s.isolate = "stat -c %i .", dir, true
			out := s.run(t.Context(), t, host)
			return strings.TrimSpace(string(out.Stdout))
		}
		first := start(script{})
		if again := start(script{}); again != first {
			t.Errorf("a start directory that was left alone is not used again: %s, then %s", first, again)
		}
		socket := script{profile: func(p *Profile) { p.Sockets, p.BestEffort = []string{dir + "/socket"}, true }}
		if through := start(socket); through != first {
			t.Errorf("a start directory that was left alone is not used again: %s, then %s", first, through)
		}
		host.scratch.mu.Lock()
		defer host.scratch.mu.Unlock()
		for _, one := range host.scratch.spares {
			if fmt.Sprint(one.is.Ino) == first {
				t.Error("a directory is kept that somebody else may hold open")
			}
		}
	})
}

// settle waits until the clock that change times are taken from has moved on.
func settle(t *testing.T, s *scratch, of spareDir) {
	t.Helper()
	probe := filepath.Join(s.path, "probe")
	for {
		if err := os.Mkdir(probe, 0o700); err != nil {
			t.Fatal(err)
		}
		var is unix.Stat_t
		if err := unix.Lstat(probe, &is); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(probe); err != nil {
			t.Fatal(err)
		}
		if is.Ctim.Nano() > of.is.Ctim.Nano() {
			return
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// told is a Writer that says when something was written.
type told chan string

func (c told) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// TestStartThatIsMoved has somebody, as a call can that may write to the directory above, give a running
// call's start directory another name: it does not go with the call, and that is told.
func TestStartThatIsMoved(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host, dir := openWith(t, Options{Grace: time.Second, TempDir: t.TempDir(), Level: LevelLandlock}), realTemp(t)
		plan, err := host.Plan(Profile{Dir: dir, TempIsolation: true, Limits: tool.DefaultLimits()})
		mustDo(t, err)
		said, ended := make(told, 10), make(chan Outcome)
		go func() { // ends with the call
			out, err := host.Run(t.Context(), plan, Process{
				Argv: []string{bash, "-c", "echo ready; until test -e go; do sleep 0.01; done; echo x >.envrc"}, Stdout: said,
			})
			if err != nil {
				t.Error(err)
			}
			ended <- out
		}()
		<-said
		mustDo(t, os.Rename(filepath.Join(dir, names(t, dir)[0]), filepath.Join(dir, "kept")))
		mustDo(t, os.WriteFile(filepath.Join(dir, "kept/go"), nil, 0o600))
		if out := <-ended; !strings.Contains(out.Leftover, strconv.Quote(filepath.Join(dir, "kept"))) {
			t.Errorf("left is %q, and told %q", names(t, filepath.Join(dir, "kept")), out.Leftover)
		}
	})
}
