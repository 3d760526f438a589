//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestUnlooked checks that what a call made is told by the next call in the same directory, once, where the
// program that ran it was killed meanwhile, and by none where it was not.
func TestUnlooked(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		notes, work := filepath.Join(t.TempDir(), "notes"), realTemp(t)
		other := realTemp(t)
		killed := func(text string) {
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), roleVariable+"=unlooked", "TMPDIR="+t.TempDir(), "SANDBOX_TEST_WORK="+work, "SANDBOX_TEST_NOTES="+notes, "SANDBOX_TEST_TEXT="+text)
			startAndRead(t, cmd)
			mustDo(t, cmd.Process.Kill())
			_ = cmd.Wait() // it was killed
		}
		told := func(host *Host, dir string) []string {
			out := script{text: "cat .envrc", dir: dir, allowed: []tool.AllowedPath{{Path: dir}}}.run(t.Context(), t, host)
			return slices.DeleteFunc(out.Changed, func(line string) bool { return !strings.Contains(line, "was killed") })
		}
		options := Options{Grace: time.Second, TempDir: t.TempDir(), Level: LevelLandlock, Protected: []string{".envrc", ".vscode"}, Notes: notes}

		killed("mkdir .vscode; echo x >.vscode/tasks.json; echo x >.envrc; echo x >plain; echo ready; read -r -u 7")
		host := openWith(t, options)
		if got := told(host, other); len(got) > 0 {
			t.Errorf("of another directory: told %q", got)
		}
		got := told(host, work)
		if len(got) != 2 || !strings.Contains(got[0], filepath.Join(work, ".envrc")+" was made") || !strings.Contains(got[1], filepath.Join(work, ".vscode")+" was made") {
			t.Errorf("told %q, want .envrc and .vscode", got)
		}
		if got := told(host, work); len(got) > 0 {
			t.Errorf("told once more: %q", got)
		}
		// One that was killed when its call had ended, while this one lives.
		killed("")
		if got := told(host, work); len(got) > 0 {
			t.Errorf("of a program that ran nothing: %q", got)
		}
		killed("echo y >.envrc; echo ready; read -r -u 7")
		mustDo(t, host.Close())
		host = openWith(t, options)
		if left := names(t, notes); len(left) != 1 {
			t.Errorf("there are %q, want what is still to be told", left)
		}
		if got := told(host, work); len(got) == 0 || !strings.Contains(got[0], ".envrc was made") {
			t.Errorf("told %q, want .envrc", got)
		}
		mustDo(t, host.Close())
		if left := names(t, notes); len(left) > 0 {
			t.Errorf("after Close there is %q", left)
		}
	})
}

// realTemp makes a directory, and gives its path without links.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	mustDo(t, err)
	return dir
}

// playUnlooked is killed while a call of it runs, or when that has ended.
func playUnlooked() error {
	host, err := Open(Options{Level: LevelLandlock, Protected: []string{".envrc", ".vscode"}, Notes: os.Getenv("SANDBOX_TEST_NOTES")})
	if err != nil {
		return err
	}
	work := os.Getenv("SANDBOX_TEST_WORK")
	plan, err := host.Plan(Profile{Dir: work, AllowedPaths: []tool.AllowedPath{{Path: work}}, Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	if _, err := host.Run(context.Background(), plan, Process{
		Argv:   []string{bash, "-c", `mkfifo "$TMPDIR/wait"; exec 7<>"$TMPDIR/wait"; ` + os.Getenv("SANDBOX_TEST_TEXT")},
		Inputs: []Input{}, Stdout: os.Stdout,
	}); err != nil {
		return err
	}
	fmt.Println("ready")
	block()
	return nil
}

// TestTellMissed checks that only what has changed since is told.
func TestTellMissed(t *testing.T) {
	t.Parallel()
	dir, begun := realTemp(t), time.Now()
	shell(t, dir, "mkdir .vscode; touch .envrc .vscode/a .vscode/b plain")
	p := newProtected([]string{".envrc", ".vscode"})
	f := &confinement{grants: []grant{{path: dir, write: true}}}
	f.protect(p, p, nil, &listings{}, &Profile{}, true)
	w := f.watched[0]
	memory := inMemory(t)
	shell(t, memory, "mkdir .vscode; touch .envrc")
	in := &confinement{grants: []grant{{path: memory, write: true}}}
	in.protect(p, p, nil, &listings{}, &Profile{}, true)
	if got := in.watched[0].tellMissed(time.Now().Add(time.Hour)); len(got) != 1 || !strings.Contains(got[0], "nobody can tell") {
		t.Errorf("in memory told %q, want that nobody can tell", got)
	}
	if got := w.tellMissed(time.Now().Add(time.Hour)); len(got) > 0 {
		t.Errorf("told %q, which was there before", got)
	}
	if got := w.tellMissed(begun); len(got) != 2 {
		t.Errorf("told %q, want .envrc and .vscode", got)
	}
}
