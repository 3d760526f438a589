package shellscan

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// tracer runs scripts below strace, which sees what no stub can: programs by any path, with all their words.
type tracer struct{ sh, bash, strace, bin string }

// newTracer needs strace, and the permission to use it. REQUIRE_STRACE=1 makes their lack a failure.
func newTracer(t testing.TB) *tracer {
	t.Helper()
	lacks := func(format string, args ...any) {
		if os.Getenv("REQUIRE_STRACE") == "1" {
			t.Fatalf(format, args...)
		}
		t.Skipf(format, args...)
	}
	find := func(name string) string {
		found, err := exec.LookPath(name)
		if err != nil {
			lacks("found no %s, wanted one to compare with", name)
		}
		return found
	}
	tr := &tracer{sh: find("sh"), bash: find("bash"), strace: find("strace"), bin: filepath.Join(passable(t), "bin")}
	if out, err := exec.CommandContext(t.Context(), tr.strace, "-f", "-z", "-e", "trace=execve", find("true")).CombinedOutput(); err != nil || !strings.Contains(string(out), "execve(") {
		lacks("strace traces nothing here, wanted to compare with it: %v: %s", err, out)
	}
	if err := os.Mkdir(tr.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]string{"p1": "echo", "p2": "cat", "p3": "true", "-p1": "true", "p1-": "echo", "rm": "true"} {
		copyProgram(t, find(program), filepath.Join(tr.bin, name))
	}
	for _, name := range []string{"env", "timeout", "nice", "nohup", "xargs", "find", "bash", "sh", "cat", "setsid", "stdbuf", "echo"} {
		copyProgram(t, find(name), filepath.Join(tr.bin, name))
	}
	if err := os.Chmod(tr.bin, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(tr.bin, 0o755) }) // so that it can be removed
	return tr
}

// copyProgram copies a program, so that it can only be read and run. A link would not do: a random script
// can write through it, and what it leads to is a program of the system.
func copyProgram(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o555); err != nil {
		t.Fatal(err)
	}
}

// execution is one program that was started.
type execution struct {
	path string
	argv []string
}

// run runs a script in a directory of its own and gives every program that was started below it.
func (tr *tracer) run(t testing.TB, script string) []execution {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(tr.bin), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	traces, work := filepath.Join(dir, "traces"), filepath.Join(dir, "work")
	for _, d := range []string{traces, work} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(work, "in"), []byte("a\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tr.bin, filepath.Join(work, "b")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), scriptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, tr.sh, "-c", limits+`"$@"`, "sh", tr.strace, "-ff", "-z", "-qq", "-xx", "-v", "-s", "65536", "-e", "trace=execve", "-e", "signal=none",
		"-o", filepath.Join(traces, "t"), tr.bash, "--noprofile", "--norc", "-c", script)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + tr.bin, "HOME=" + work, "FUNCNEST=4", "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	for _, d := range []string{dir, traces, work} { // strace is the script's user, too
		unprivileged(t, cmd, d)
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_ = cmd.Run() // scripts may fail in any way; strace waits for what they leave in the background
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	files, err := os.ReadDir(traces)
	if err != nil {
		t.Fatal(err)
	}
	var all []execution
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(traces, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			e, ok := readExecution(line)
			if ok && (len(e.argv) < 2 || e.argv[1] != "--noprofile") { // the shell that got the script
				all = append(all, e)
			}
		}
	}
	return all
}

// readExecution reads a line of strace -xx: execve("\x2f", ["\x61", "\x62"], […]) = 0.
func readExecution(line string) (execution, bool) {
	rest, ok := strings.CutPrefix(line, "execve(")
	if !ok {
		return execution{}, false
	}
	program, rest, _ := strings.Cut(rest, ", [")
	argv, _, ended := strings.Cut(rest, "], ")
	e := execution{path: unhex(program)}
	if argv != "" {
		for word := range strings.SplitSeq(argv, ", ") {
			e.argv = append(e.argv, unhex(word))
		}
	}
	return e, ended
}

func unhex(quoted string) string {
	text, err := hex.DecodeString(strings.ReplaceAll(strings.Trim(quoted, `"`), `\x`, ""))
	if err != nil {
		return quoted // shown as it is in the failure that follows
	}
	return string(text)
}

// hides returns what a script started that its Script does not tell: the program, and words that it cannot
// have.
func hides(ran []execution, s Script) []string {
	var hidden []string
	for _, e := range ran {
		told := slices.ContainsFunc(s.Commands, func(c Command) bool {
			named := len(e.argv) > 0 && c.Name == e.argv[0] || shellwords.Base(c.Name) == shellwords.Base(e.path)
			return named && len(e.argv) > 0 && mayBecome(c.Args, e.argv[1:])
		})
		if !told {
			hidden = append(hidden, fmt.Sprintf("ran %s %q", e.path, e.argv))
		}
	}
	return hidden
}

// mayBecome reports whether bash can make these words of those of a Command.
func mayBecome(words []Word, argv []string) bool {
	if len(words) == 0 {
		return len(argv) == 0
	}
	w, rest := words[0], words[1:]
	least, most := 0, len(argv) // how many words it may become
	switch {
	case w.Fixed, w.Printed, w.Pipe:
		least, most = 1, min(1, most)
	case w.Pattern != "":
		least = 1
	}
	for n := least; n <= most; n++ {
		if !slices.ContainsFunc(argv[:n], func(text string) bool { return !mayBe(w, text) }) && mayBecome(rest, argv[n:]) {
			return true
		}
	}
	return false
}

// mayBe reports whether a word can become, or be one of those that become, a text.
func mayBe(w Word, text string) bool {
	switch {
	case w.Fixed:
		return w.Text == text
	case w.Pipe:
		return strings.HasPrefix(text, "/dev/fd/")
	case w.Pattern != "":
		matched, err := path.Match(strings.ReplaceAll(w.Pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
		itself := strings.NewReplacer(`\\`, `\`, `\*`, "*", `\?`, "?", `\[`, "[").Replace(w.Pattern)
		return matched && err == nil || text == itself
	}
	return true
}

// Every program that strace sees a random script start, the Script tells, by its name and with its words,
// or it has Problems.
func TestBashRunsWhatStraceSees(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	for _, kind := range []struct {
		name  string
		seed  uint64
		write func(w writer) string
	}{
		{"written", 11, func(w writer) string { return w.script(2) }},
		{"simple", 12, func(w writer) string { return w.spelled(1) }},
		{"spoiled", 13, func(w writer) string { return w.spoiled(w.script(1)) }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var tried, started atomic.Int64
			runs := fuzzRuns(standardRuns)
			inParallel(runs, func(i int) {
				w := writer{Rand: rand.New(rand.NewPCG(kind.seed, uint64(i))), paths: true}
				script, s := certain(w, kind.write, &tried)
				ran := tr.run(t, script)
				started.Add(int64(len(ran)))
				if hidden := hides(ran, s); len(hidden) > 0 {
					t.Errorf("run %d: %q: bash %v, and the Script is %+v", i, script, hidden, s)
				}
			})
			t.Logf("%d of %d scripts had no problems; strace saw them start %d programs", runs, tried.Load(), started.Load())
			if started.Load() < int64(runs)/2 {
				t.Error("too few programs were started for this to prove anything")
			}
		})
	}
}

// The comparison bites: of a Script that tells nothing everything is hidden, and so is a word that is not
// the Script's.
func TestStraceSeesWhatRuns(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	for _, row := range []struct {
		script, told string
		want         int // programs that are hidden
	}{
		{"p1 a", "", 1},
		{"p1 a", "p1 a", 0},
		{"p1 a", "p1 b", 1},
		{"p1 a 'b c'", "p1 a b c", 1},
		{"b/p1 *", "p1 *", 0},
		{"b/p1 in", "p1 i?", 0},
		{"p1 x", "p1 i?", 1},
		{"env timeout 9 p3 > f", "env timeout 9 p3", 0},
		{"env timeout 9 p3 > f", "timeout 9 p3", 1},
		{"p3 & setsid -w p3 x > >(p2) &", "p3", 3},
		{": ; echo builtin", "", 0},
		{"p1 a\tb 'é\n\"'", "p1 a b $'é\\n\"'", 0},
	} {
		ran := tr.run(t, row.script)
		if got := hides(ran, Scan(row.told, nil)); len(got) != row.want {
			t.Errorf("%q: %v is hidden; want %d", row.script, got, row.want)
		}
	}
}

// A random script must not reach what it runs with, nor anything outside of its directory: once, stubs that
// were links led one to a program of the system, which it overwrote.
func TestScriptsWriteNowhereElse(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	outside := filepath.Join(filepath.Dir(tr.bin), "outside")
	before, err := os.ReadFile(filepath.Join(tr.bin, "p1"))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // else the directory is the script's own
		tr.run(t, "> ../../outside; > "+outside)
		if _, err := os.Lstat(outside); err == nil {
			t.Error("a script wrote outside of its directory")
		}
	}
	tr.run(t, "> b/p1; p3 >| b/p1; : >> b/new")
	after, err := os.ReadFile(filepath.Join(tr.bin, "p1"))
	if err != nil || string(after) != string(before) {
		t.Errorf("a script changed what it runs with (%v)", err)
	}
	if _, err := os.Lstat(filepath.Join(tr.bin, "new")); err == nil {
		t.Error("a script put a program beside those that it runs with")
	}
}
