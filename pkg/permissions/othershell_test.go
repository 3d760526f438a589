package permissions

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A text that an agent runs with a shell of its own is approved where that shell reads it as bash does.
func TestShellOfAnAgent(t *testing.T) {
	t.Parallel()
	bed := corpusBed(t, ordinaryFiles)
	plain := []string{"ls -la", "cat README.md | wc -l", "cd docs && ls", "git status; grep -rn 'a|b$' src"}
	kin := []string{"ls 2>&1 | head", "cat README.md 2>/dev/null || true", "for f in main.go; do cat $f; done", `echo "a"`, "echo '!!'"}
	only := []string{"cat 1<README.md 10<main.go", "f() { ls; }; f"}
	for _, shell := range []string{"", "/bin/sh", "/bin/bash", "/usr/bin/zsh", "/opt/bin/fish", "/bin/ksh", "/bin/tcsh", "/bin/csh", "/usr/bin/nu", "pwsh", "/usr/bin/own", "/bin/bash-old"} {
		reads := shell == "" || strings.Contains(" /bin/sh /bin/bash /usr/bin/zsh /opt/bin/fish /bin/ksh ", " "+shell+" ")
		a := New(Options{Policies: NewSet([]File{presetFile(t, "careful")}), Home: bed.dir + "/home", Environ: append(bed.environ(), "SHELL="+shell)})
		decide := func(r Request, want bool) {
			t.Helper()
			if d := a.Decide(r); (d.Verdict == Approve) != want {
				t.Errorf("with %q: %s: %s: %s", shell, r.ShellText, said(d), because1(d))
			}
		}
		for _, text := range plain {
			decide(bed.run(text), true)
		}
		decide(bed.run("type ls"), reads)
		for _, text := range kin {
			decide(bed.run(text), reads)
		}
		for _, text := range append(only, kin...) {
			own := bed.run(text) // which we start ourselves
			own.TakesObligations = true
			decide(own, true)
			own = bed.run(text)
			own.Door = tool.DoorMCP
			decide(own, true)
		}
		for _, text := range only {
			decide(bed.run(text), false)
		}
		words := bed.request(ActionExecute, toolShell)
		words.SetArgv([]string{"cat", "10<a"})
		decide(words, true)
	}
}

// shells are those that an agent may have, with what makes them read no files of their own. The first only
// read plain texts as bash does.
var shells = [][]string{
	{"tcsh", "-f", "-c"}, {"nu", "-n", "-c"}, {"elvish", "-norc", "-c"}, {"pwsh", "-NoProfile", "-Command"}, {"", ""},
	{"dash", "-c"}, {"zsh", "-f", "-c"}, {"fish", "--no-config", "-c"}, {"ksh", "-c"}, {"mksh", "-c"}, {"yash", "-c"}, {"busybox", "sh", "-c"},
}

// What the corpus has approved does no harm with any shell that is installed here; of the rows each fourth is
// run.
func TestApprovedRowsInOtherShells(t *testing.T) {
	t.Parallel()
	bed := trapBed(t)
	before := bed.snapshot(t)
	every := 4
	if testing.Short() {
		every = 40
	}
	kin, tried := false, 0
	for _, shell := range shells {
		if shell[0] == "" {
			kin = true
			continue
		}
		path, err := exec.LookPath(shell[0])
		if err != nil {
			continue
		}
		tried++
		a := New(Options{Policies: NewSet([]File{presetFile(t, "careful")}), Home: bed.dir + "/home", Environ: append(bed.environ(), "SHELL="+path)})
		for _, file := range []string{"reported.txt", "tricky.txt", "harmless.txt", "agents.txt"} {
			for i, row := range readCorpus(t, file) {
				if row.want["careful"] != "approve" || i%every > 0 || !kin && a.Decide(bed.run(row.text)).Verdict != Approve {
					continue
				}
				if found := bed.harmIn(t, shell, row.text, before); found != "" {
					t.Fatalf("FALSE APPROVAL with %s: %q: %s", shell[0], row.text, found)
				}
			}
		}
	}
	if tried == 0 {
		t.Skip("found no shell but bash")
	}
}

// harmIn is harm for another shell.
func (b testbed) harmIn(t *testing.T, shell []string, text string, before map[string]string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // tail -f never ends; what it did before counts
	defer cancel()
	cmd := b.command(ctx, "sh", append([]string{"-c", `ulimit -f 100 -t 3; exec "$@"`, "sh"}, append(shell, text)...)...)
	home := t.TempDir() // fish and nu make directories
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"), "HOME="+home)
	var out bytes.Buffer
	cmd.Stdout = &limited{&out, 1 << 20}
	cmd.Stderr = cmd.Stdout
	_ = cmd.Run() // texts may fail in any way
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if strings.Contains(out.String(), canary) {
		return "it prints a secret"
	}
	return cmp.Diff(before, b.snapshot(t))
}
