// Package gitrepotest makes repositories for tests, ordinary and hostile ones, and runs git in them to see
// what it does. The only effect of a hostile one is a file, in a directory that goes away with the test.
package gitrepotest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nobody runs git where the tests are root.
const nobody = 65534

// Bed is a directory with a workspace ws, a home home, and a place elsewhere that belongs to neither.
type Bed struct {
	T         testing.TB
	Dir       string
	WS        string
	Home      string
	Elsewhere string
	mark      string
}

// New makes a bed whose workspace holds no repository yet, but a program evil that leaves the mark. It
// skips the test where there is no git.
func New(t testing.TB) *Bed {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("found no git, wanted one to ask")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &Bed{T: t, Dir: dir, WS: dir + "/ws", Home: dir + "/home", Elsewhere: dir + "/elsewhere",
		mark: dir + "/marks/ran"}
	for _, d := range []string{b.WS, b.Home, b.Elsewhere, dir + "/marks"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		// So that another user comes in.
		for d := filepath.Dir(dir); d != "/" && d != filepath.Clean(os.TempDir()); d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o711); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.Program("ws/evil", "")
	return b
}

// Program makes a program that leaves the mark and does what else it is told.
func (b *Bed) Program(name, more string) {
	b.T.Helper()
	b.Write(name, "#!/bin/sh\n: > '"+b.mark+"'\n"+more+"\n")
	if err := os.Chmod(filepath.Join(b.Dir, name), 0o755); err != nil {
		b.T.Fatal(err)
	}
}

// Write makes a file below the bed's directory, with the directories around it.
func (b *Bed) Write(name, content string) {
	b.T.Helper()
	path := filepath.Join(b.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Append adds to a file.
func (b *Bed) Append(name, content string) {
	b.T.Helper()
	before, err := os.ReadFile(filepath.Join(b.Dir, name))
	if err != nil {
		b.T.Fatal(err)
	}
	b.Write(name, string(before)+content)
}

// Mkdir makes a directory.
func (b *Bed) Mkdir(name string) {
	b.T.Helper()
	if err := os.MkdirAll(filepath.Join(b.Dir, name), 0o755); err != nil {
		b.T.Fatal(err)
	}
}

// Link makes a symbolic link.
func (b *Bed) Link(target, name string) {
	b.T.Helper()
	if err := os.Symlink(target, filepath.Join(b.Dir, name)); err != nil {
		b.T.Fatal(err)
	}
}

// Move renames a file.
func (b *Bed) Move(from, to string) {
	b.T.Helper()
	if err := os.Rename(filepath.Join(b.Dir, from), filepath.Join(b.Dir, to)); err != nil {
		b.T.Fatal(err)
	}
}

// Git runs git in a directory to prepare it, before anything hostile is in there: the mark must not be
// there afterwards.
func (b *Bed) Git(dir string, args ...string) string {
	b.T.Helper()
	cmd := exec.CommandContext(b.T.Context(), "git", args...)
	cmd.Dir = filepath.Join(b.Dir, dir)
	cmd.Env = append(b.Environ(), "GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1=a", "GIT_CONFIG_KEY_2=user.email",
		"GIT_CONFIG_VALUE_2=a@b",
		"GIT_CONFIG_KEY_3=protocol.file.allow", "GIT_CONFIG_VALUE_3=always")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.T.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Init makes a repository with a commit in a directory, without the samples of hooks that git puts there.
func (b *Bed) Init(dir string, options ...string) {
	b.T.Helper()
	b.Mkdir(dir)
	b.Git(dir, append([]string{"init", "-q", "-b", "main", "--template="}, options...)...)
	b.Write(dir+"/a.txt", "one\n")
	b.Write(dir+"/docs/b.md", "two\n")
	b.Git(dir, "add", ".")
	b.Git(dir, "commit", "-q", "-m", "one")
	b.Write(dir+"/a.txt", "one\nand more\n")
	b.Git(dir, "commit", "-q", "-a", "-m", "two")
	b.Write(dir+"/docs/b.md", "three\n") // so that there is something to tell
}

// Environ is what git runs with: no settings of the tester's.
func (b *Bed) Environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.Home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"TERM=dumb", "TMPDIR=" + b.Elsewhere, "PAGER=cat"}
}

// Version reports whether git is of that version or later.
func (b *Bed) Version(major, minor int) bool {
	out, err := exec.CommandContext(b.T.Context(), "git", "version").Output()
	var gotMajor, gotMinor int
	if _, scan := fmt.Sscanf(string(out), "git version %d.%d", &gotMajor, &gotMinor); err != nil || scan != nil {
		b.T.Fatalf("git version: %v %v", err, scan)
	}
	return gotMajor > major || gotMajor == major && gotMinor >= minor
}

// Run is one command of git's as it went.
type Run struct {
	Ran      bool     // the mark was left: something of the repository's was run
	Programs []string // with Traced: every program that was started, but for git's own
	Output   string
}

// Run runs git in a directory, on a terminal and as nobody where the test is root, with further variables,
// and says whether the mark was left. The words of the command and its effects are the test's own: see Bed.
func (b *Bed) Run(dir string, env []string, args ...string) Run {
	b.T.Helper()
	return b.run(dir, env, nil, args)
}

// Traced is Run below strace.
func (b *Bed) Traced(dir string, env []string, args ...string) Run {
	b.T.Helper()
	return b.run(dir, env, []string{"strace", "-f", "-qq", "-z", "-s", "4096", "-e", "trace=execve", "-e",
		"signal=none", "-o", b.Dir + "/marks/trace"}, args)
}

func (b *Bed) run(dir string, env, tracer, args []string) Run {
	b.T.Helper()
	b.hand()
	_ = os.Remove(b.mark)
	ctx, cancel := context.WithTimeout(b.T.Context(), 20*time.Second)
	defer cancel()
	words := append(slices.Clone(tracer), append([]string{"git"}, args...)...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = filepath.Join(b.Dir, dir)
	cmd.Env = append(b.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	master, slave := terminal(b.T)
	cmd.Stdout, cmd.Stderr = slave, slave
	var out bytes.Buffer
	read := make(chan struct{})
	go func() { // ends when nobody holds the terminal's other end any more
		defer close(read)
		_, _ = io.Copy(&out, io.LimitReader(master, 1<<20))
	}()
	_ = cmd.Run() // it may fail in any way
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	slave.Close()
	select {
	case <-read:
	case <-ctx.Done():
	}
	master.Close()
	<-read
	r := Run{Output: out.String()}
	_, err := os.Lstat(b.mark)
	r.Ran = err == nil
	if tracer != nil {
		r.Programs = b.programs()
	}
	return r
}

// hand gives everything in the bed to nobody, where the test is root.
func (b *Bed) hand() {
	if os.Getuid() != 0 {
		return
	}
	err := filepath.WalkDir(b.Dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		b.T.Fatal(err)
	}
}

// programs reads the trace.
func (b *Bed) programs() []string {
	data, err := os.ReadFile(b.Dir + "/marks/trace")
	if err != nil {
		b.T.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		_, rest, ok := strings.Cut(line, `execve("`)
		if !ok {
			continue
		}
		program, words, _ := strings.Cut(rest, `"`)
		if filepath.Base(program) == "git" ||
			strings.HasPrefix(filepath.Base(program), "git-") && strings.Contains(program, "git-core/") {
			continue
		}
		words, _, _ = strings.Cut(strings.TrimPrefix(words, ", "), "], ")
		all = append(all, program+" "+words+"]")
	}
	return all
}
