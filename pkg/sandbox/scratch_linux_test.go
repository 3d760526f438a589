//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDirectories checks where a call starts, and that nothing of it stays, whatever it does to get in the way.
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
			{"many files", `for i in {1..500}; do : > "f$i"; done`},
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

// TestTempReuse checks that a temporary directory which is used again is as a new one: only one that a call has left
// entirely alone goes back.
func TestTempReuse(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		s, err := openScratch(t.TempDir(), func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		take := func() temp {
			t.Helper()
			taken, err := s.takeTemp(time.Now().Add(settling))
			if err != nil {
				t.Fatal(err)
			}
			return taken
		}
		// A first call makes one, and leaves a spare one.
		if err := s.giveBack(take()); err != nil {
			t.Fatal(err)
		}
		spare := take()
		if !spare.spare {
			t.Fatal("the first call left no spare directory")
		}
		settle(t, s, spare)
		if err := s.giveBack(spare); err != nil {
			t.Fatal(err)
		}
		if again := take(); again.name != spare.name || again.inode != spare.inode {
			t.Errorf("a directory that nobody touched is not used again: %+v, then %+v", spare, again)
		}
		path := filepath.Join(s.path, spare.name)
		for _, touch := range []struct {
			name string
			do   func() error
		}{
			{"a file", func() error { return os.WriteFile(filepath.Join(path, "x"), nil, 0o600) }},
			{"a file that is gone", func() error {
				return firstError(os.WriteFile(filepath.Join(path, "x"), nil, 0o600), os.Remove(filepath.Join(path, "x")))
			}},
			{"another mode", func() error { return os.Chmod(path, 0o777) }},
			{"another mode and back", func() error { return firstError(os.Chmod(path, 0o777), os.Chmod(path, 0o700)) }},
			{"an attribute", func() error { return unix.Setxattr(path, "user.x", []byte("y"), 0) }},
			{"other times", func() error { return os.Chtimes(path, time.Unix(0, 0), time.Unix(0, 0)) }},
			{"a name and back", func() error { return firstError(os.Rename(path, path+"x"), os.Rename(path+"x", path)) }},
			{"another directory", func() error { return firstError(os.Rename(path, path+"x"), os.Mkdir(path, 0o700)) }},
		} {
			if err := touch.do(); err != nil {
				t.Fatalf("%s: %v", touch.name, err)
			}
			if err := s.giveBack(spare); err != nil {
				t.Fatalf("%s: %v", touch.name, err)
			}
			for _, kept := range s.spares {
				if kept.name == spare.name {
					t.Errorf("a directory with %s is used again", touch.name)
				}
			}
			if spare = take(); !spare.spare {
				t.Fatalf("after %s there is no spare directory", touch.name)
			}
			settle(t, s, spare)
			path = filepath.Join(s.path, spare.name)
		}
		// One whose change time may not tell everything yet is not given out.
		if err := s.giveBack(spare); err != nil {
			t.Fatal(err)
		}
		if young, err := s.takeTemp(spare.changed.Add(settling / 2)); err != nil || young.spare {
			t.Errorf("a young directory was given out: %+v, %v", young, err)
		}
	})
}

// settle waits until the clock that change times are taken from has moved on.
func settle(t *testing.T, s *scratch, of temp) {
	t.Helper()
	probe := filepath.Join(s.path, "probe")
	for {
		if err := os.Mkdir(probe, 0o700); err != nil {
			t.Fatal(err)
		}
		_, changed, err := s.look("probe")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(probe); err != nil {
			t.Fatal(err)
		}
		if changed.After(of.changed) {
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
