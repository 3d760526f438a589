package steering

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// fullHost opens a sandbox that confines files as far as any does.
func fullHost(t *testing.T) *sandbox.Host {
	t.Helper()
	host, err := sandbox.Open(sandbox.Options{TempDir: t.TempDir(), Level: sandbox.LevelFull, Grace: time.Second,
		Protected: sensitive.Protected(), Judge: New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	if host.Level() != sandbox.LevelFull {
		if os.Getenv("REQUIRE_SANDBOX") != "" {
			t.Fatalf("REQUIRE_SANDBOX is set, and level full is not reached: %s", host.Why())
		}
		t.Skip(host.Why())
	}
	return host
}

// TestNothingIsLeftUntold has calls leave files that others run or believe, by every way that there is to
// get one past whoever looks when the call has ended. Of each file that counts and is not as it was somebody
// is told, or it is out of the way.
func TestNothingIsLeftUntold(t *testing.T) {
	t.Parallel()
	host := fullHost(t)
	for _, row := range []struct {
		name, before, script string
		isolate              bool
		gone                 bool // not only told
	}{
		{name: "plain", script: "mkdir sub; echo x >sub/.envrc"},
		{name: "several that begin alike", script: "mkdir s; for f in .env .env.local .envrc .npmrc .vimrc; do echo x >s/$f; done; mkdir s/.vim; echo x >s/.vim/vimrc"},
		{name: "of another spelling", script: "mkdir s; echo x >s/.ENVRC; mkdir s/.GIT s/.GIT/hooks; echo x >s/.GIT/hooks/pre-commit; echo x >s/'.envrc.'; echo x >s/'.envrc '"},
		{name: "in a directory whose name is no text", script: `mkdir $'a\xff' $'b\nc' $'\e[2J'; for d in $'a\xff' $'b\nc' $'\e[2J'; do echo x >"$d/.envrc"; done`},
		{name: "deep", script: "d=.; for i in {1..300}; do d=$d/d; done; mkdir -p $d; echo x >$d/.envrc"},
		{name: "moved in with a directory", before: "mkdir a; echo x >a/tasks.json", script: "mv a .vscode; mkdir b; mv .vscode b/"},
		{name: "moved in from the call's own", script: "mkdir /tmp/v; echo x >/tmp/v/tasks.json; mv /tmp/v sub; mv sub .vscode"},
		{name: "exchanged", before: "mkdir -p a b/.vscode; echo a >a/tasks.json; echo b >b/.vscode/tasks.json", script: "mv b/.vscode c; mv a b/.vscode; mv c a"},
		{name: "a link to a directory", script: "mkdir v; echo x >v/tasks.json; ln -s v .vscode; mkdir s; ln -s ../v s/.vscode"},
		{name: "a link of a link", script: "mkdir v; echo x >v/tasks.json; ln -s v w; ln -s w .vscode"},
		{name: "a hard link", before: "echo x >plain", script: "mkdir s; ln plain s/.envrc"},
		{name: "with the longest name", gone: true, before: "mkdir -p s/.github/workflows", script: "echo x >s/.github/workflows/$(printf %250s | tr ' ' x).yml"},
		{name: "a pipe", script: "mkdir s; mkfifo s/.envrc; mkfifo s/AGENTS.md"},
		{name: "with the time of another", before: "mkdir s; echo a >s/.envrc; touch -d 2001-01-01 s/.envrc", script: "t=$(stat -c %Y s/.envrc); echo b >s/.envrc; touch -d @$t s/.envrc"},
		{name: "from the background", script: "mkdir s; (sleep 0.3; echo x >s/.envrc) & (setsid bash -c 'while :; do echo x >s/.npmrc; done' &); until test -e s/.npmrc; do sleep 0.01; done"},
		{name: "in place of git's directory", script: "mkdir -p x/.git/modules/y/hooks s; echo x >x/.git/modules/y/hooks/pre-commit; printf 'gitdir: ../x/.git/modules/y\\n' >s/.git"},
		{name: "in what git keeps as data", script: "git init -q r; mkdir -p r/.git/objects/x; echo x >r/.git/objects/x/tasks.json; ln -s r/.git/objects/x .vscode; ln -s .git/objects/x r/.vscode"},
		{name: "a repository", script: "git init -q s; git -C s config core.fsmonitor ./x; echo x >s/.git/hooks/post-checkout; echo /elsewhere >s/.git/commondir"},
		{name: "a repository without a work tree", script: "git init -q --bare s; echo x >s/hooks/pre-receive; git -C s config core.pager ./x"},
		{name: "a work tree", before: "git init -q s", script: "mkdir -p s/.git/worktrees/w; cd s/.git/worktrees/w; echo ../../../evil >commondir; echo x >config.worktree; mkdir hooks; echo x >hooks/pre-commit"},
		{name: "its own start directory, kept", isolate: true, script: "mkdir d; echo x >d/.envrc; cd ..; mv .a2a-call-*/d kept; mv .a2a-call-* moved"},
		{name: "through its own start directory", isolate: true, script: "mkdir v; echo x >v/tasks.json; cd ..; ln -s .a2a-call-*/v .vscode; ln .a2a-call-*/v/tasks.json .envrc"},
		{name: "as the start directory of nobody", script: "mkdir .a2a-call-x-1; echo x >.a2a-call-x-1/.envrc"},
		{name: "closed behind it", script: "mkdir s; echo x >s/.envrc; chmod 0 s/.envrc; mkdir u; echo x >u/.envrc; chmod 311 u"},
		{name: "what is put aside, again", before: "mkdir s", script: "echo x >s/.envrc; mkdir s/.vscode; echo x >s/.vscode/tasks.json; chmod 500 s"},
		{name: "in the place of a directory", before: "mkdir -p .github", script: "mkdir .github/workflows; echo x >.github/workflows/ci.yml; mkdir n; mv .github n/.github"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			before := exec.CommandContext(t.Context(), "bash", "-ec", row.before)
			before.Dir = dir
			if out, err := before.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			untilClockMoves(t)
			was := counting(t, dir)
			plan, err := host.Plan(sandbox.Profile{Dir: dir, TempIsolation: row.isolate, Limits: tool.DefaultLimits(),
				AllowedPaths: []tool.AllowedPath{{Path: dir}}, Environment: map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := host.Run(t.Context(), plan, sandbox.Process{Argv: []string{"/bin/bash", "-c", row.script}})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Changed) == 0 {
				t.Errorf("nobody was told of anything; %d %s", out.ExitCode, out.Stderr)
			}
			for path, text := range counting(t, dir) {
				told := strings.Join(out.Changed, " ")
				if strings.ContainsFunc(told, unicode.IsControl) {
					t.Fatalf("told %q, with what a terminal obeys", told)
				}
				if was[path] == text || strings.Contains(path, ".held-") {
					continue
				}
				if row.gone {
					t.Errorf("%q is left: %q", path, out.Changed)
				}
				for at := path; ; at = filepath.Dir(at) {
					shown := strings.Trim(strconv.Quote(filepath.Join(dir, at)), `"`)
					if strings.Contains(told, shown) {
						break // it, or what it is in
					}
					if at == "." {
						t.Errorf("%q is left, and nobody was told; but: %q; %s", path, out.Changed, out.Stderr)
						break
					}
				}
			}
		})
	}
}

// counting lists what others run or believe below a directory, with what it holds, as who follows links
// finds it.
func counting(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	judge := New()
	read := func(path string) []byte {
		text, _ := os.ReadFile(filepath.Join(dir, path))
		return text
	}
	var walk func(at string, depth int)
	walk = func(at string, depth int) {
		_ = os.Chmod(filepath.Join(dir, at), 0o700) // it may have been closed
		entries, err := os.ReadDir(filepath.Join(dir, at))
		if err != nil {
			return
		}
		for _, entry := range entries {
			path := filepath.Join(at, entry.Name())
			info, err := os.Stat(filepath.Join(dir, path))
			switch {
			case err != nil:
			case info.IsDir() && depth < 400:
				walk(path, depth+1)
			case info.Mode()&fs.ModeNamedPipe != 0:
				if judge.Weigh(path, nil) != sandbox.Plain {
					found[path] = "a pipe"
				}
			case judge.Weigh(path, read) != sandbox.Plain:
				_ = os.Chmod(filepath.Join(dir, path), 0o600)
				found[path] = "x" + string(read(path))
			}
		}
	}
	walk(".", 0)
	return found
}

// untilClockMoves returns when what is changed now has a later time than all that was changed before: the
// clock of change times moves in steps.
func untilClockMoves(t *testing.T) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "clock")
	changed := func() int64 {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime().UnixNano()
	}
	for first := changed(); changed() == first; {
	}
}
