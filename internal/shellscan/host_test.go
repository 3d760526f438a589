package shellscan

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// host is a place where scripts run with nothing but stubs on PATH. Each stub appends its name to a log,
// and those that have a real program behind them go on to it.
type host struct{ sh, bash, bin string }

func newHost(t testing.TB) *host {
	t.Helper()
	find := func(name string) string {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("found no %s, wanted one to compare with", name)
		}
		return path
	}
	h := &host{sh: find("sh"), bash: find("bash"), bin: filepath.Join(passable(t), "bin")}
	if err := os.Mkdir(h.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	stub := func(name, then string) {
		script := "#!" + h.sh + "\nprintf '%s\\n' " + name + " >>\"$RUN/.log\"\n" + then
		if err := os.WriteFile(filepath.Join(h.bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"p1", "p2", "p3", "rm"} {
		stub(name, "echo out\n")
	}
	for _, name := range []string{"env", "timeout", "nice", "nohup", "xargs", "find", "bash", "sh", "cat", "setsid", "stdbuf", "echo"} {
		stub(name, fmt.Sprintf("exec %s \"$@\"\n", find(name)))
	}
	return h
}

// The bounds of a script that never ends. What it did before them is still compared. Those of time are for none that the
// bound on its processor ends, however busy the machine is.
const (
	scriptTime = time.Minute
	afterwards = 2 * time.Second // what it left in the background
	limits     = "ulimit -t 3 -f 4096; exec "
	heldAt     = 40 // a descriptor that every process of the script holds
)

// run runs a script in a directory of its own and says which programs ran and which files came to be.
func (h *host) run(t testing.TB, script string) (ran, wrote []string) {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(h.bin), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("a\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), scriptTime)
	defer cancel()
	ended, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ended.Close()
	cmd := exec.CommandContext(ctx, h.sh, "-c", limits+`"$@"`, "sh", h.bash, "--noprofile", "--norc", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + h.bin, "HOME=" + dir, "RUN=" + dir, "FUNCNEST=4", "LC_ALL=C.UTF-8"}
	cmd.ExtraFiles = append(make([]*os.File, heldAt-3), held)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	unprivileged(t, cmd, dir)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_ = cmd.Run() // scripts may fail in any way
	held.Close()
	_ = ended.SetReadDeadline(time.Now().Add(afterwards))
	_, _ = io.Copy(io.Discard, ended) // until the last process of the script has ended
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	log, _ := os.ReadFile(filepath.Join(dir, ".log"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != "in" && name != ".log" && name != "nohup.out" {
			wrote = append(wrote, name)
		}
	}
	return strings.Fields(string(log)), wrote
}

// hidden returns what a script did that its Script does not tell.
func (h *host) hidden(t testing.TB, script string, s Script) []string {
	t.Helper()
	ran, wrote := h.run(t, script)
	var hidden []string
	for _, name := range ran {
		if !slices.ContainsFunc(s.Commands, func(c Command) bool { return shellwords.Base(c.Name) == name }) {
			hidden = append(hidden, "ran "+name)
		}
	}
	for _, name := range wrote {
		if !slices.ContainsFunc(s.Writes, func(w Write) bool { return !w.Fixed || filepath.Clean(w.Path) == name }) {
			hidden = append(hidden, "wrote "+name)
		}
	}
	return hidden
}
