//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTellNew checks what is put aside when a call has ended, and that what the person does meanwhile is not.
func TestTellNew(t *testing.T) {
	t.Parallel()
	p := newProtected([]string{".git", ".git/config", ".git/hooks", ".env", ".env.local", ".envrc", "CLAUDE.md", ".github/workflows", ".vim", ".vimrc"})
	for _, test := range []struct {
		name      string
		before    string // commands, as are the others
		meanwhile string
		mounts    bool
		hold      bool
		allowed   []string
		left      []string // what the directory holds in the end, with x for what is random
		told      int
	}{
		{"nothing new", "touch CLAUDE.md", "touch README", true, true, nil, []string{"CLAUDE.md", "README"}, 0},
		{"a new one", "", "touch .envrc", true, true, nil, []string{".envrc.held-x"}, 1},
		{"new, and allowed by name", "", "touch .envrc", true, true, []string{".envrc"}, []string{".envrc"}, 0},
		{"new, in hours that a person works too", "", "touch .envrc", true, false, nil, []string{".envrc"}, 1},
		{"a directory with another in it", "", "mkdir -p .git/hooks", true, true, nil, []string{".git.held-x"}, 1},
		{"in a directory that was there", "mkdir .github", "mkdir .github/workflows", true, true, nil, []string{".github", ".github/workflows.held-x"}, 1},
		{"saved by an editor, while the kernel held it", "echo a > CLAUDE.md", "echo b > new; mv new CLAUDE.md", true, true, nil, []string{"CLAUDE.md"}, 0},
		{"replaced where nobody held it", "echo a > CLAUDE.md", "echo b > new; mv new CLAUDE.md", false, true, nil, []string{"CLAUDE.md.held-x"}, 1},
		{"names that begin with another's", "", "touch .env .env.local .envrc", true, true, nil, []string{".env.held-x", ".env.local.held-x", ".envrc.held-x"}, 3},
		{"names that begin with a link's", "", "ln -s nowhere .env; touch .envrc", true, true, nil, []string{".env.held-x", ".envrc.held-x"}, 2},
		{"names that begin with a directory's", "", "mkdir .vim; touch .vim/vimrc .vimrc", true, true, nil, []string{".vim.held-x", ".vimrc.held-x"}, 2},
		{"what a link leads to", "mkdir docs; echo a >docs/a; ln -s docs/a CLAUDE.md", "echo b >docs/a", true, true, nil, []string{"CLAUDE.md", "docs", "docs/a"}, 1},
		{"what a link leads to, where nobody held it", "mkdir docs; echo a >docs/a; ln -s docs/a CLAUDE.md", "echo b >docs/b; mv docs/b docs/a", false, true, nil, []string{"CLAUDE.md", "docs", "docs/a"}, 1},
		{"what a link leads to, as it was", "mkdir docs; echo a >docs/a; ln -s docs/a CLAUDE.md", "touch docs/b; cat CLAUDE.md", true, true, nil, []string{"CLAUDE.md", "docs", "docs/a", "docs/b"}, 0},
		{"what a hook leads to", "mkdir -p .git/hooks; touch check; ln -s ../../check .git/hooks/a", "echo b >check", true, true, nil, []string{".git", ".git/hooks", ".git/hooks/a", "check"}, 1},
		{"what a hook led to that was not there", "mkdir -p .git/hooks; ln -s ../../check .git/hooks/a", "echo b >check", true, true, nil, []string{".git", ".git/hooks", ".git/hooks/a", "check"}, 1},
		{"in a directory that a link leads to", "mkdir -p v/a/b; ln -s v .vim", "touch v/a/b/c", true, true, nil, []string{".vim", "v", "v/a", "v/a/b", "v/a/b/c"}, 1},
		{"in a directory that a link leads to, changed", "mkdir -p v/a; touch v/a/b; ln -s v .vim", "echo x >v/a/b", true, true, nil, []string{".vim", "v", "v/a", "v/a/b"}, 1},
		{"another name of what the kernel holds", "echo a >CLAUDE.md; ln CLAUDE.md a", "echo b >a", true, true, nil, []string{"CLAUDE.md", "a"}, 1},
		{"other names of what the kernel holds", "echo a >CLAUDE.md; ln CLAUDE.md a", "echo b >b", true, true, nil, []string{"CLAUDE.md", "a", "b"}, 0},
		{"a link that leads elsewhere now", "ln -s a .envrc", "ln -sfn b .envrc", true, true, nil, []string{".envrc.held-x"}, 1},
		{"opened to others", "mkdir docs; chmod 755 .", "chmod o+w .; mkdir -m 777 new", true, true, nil, []string{"docs", "new"}, 1},
		{"opened to others before", "chmod 777 .; mkdir docs", "chmod g-w .; chmod g+w .; touch docs/a", true, true, nil, []string{"docs", "docs/a"}, 0},
		{"in a directory that nobody can write to", "", "mkdir -p .github/workflows; chmod 555 .github", true, true, nil, []string{".github", ".github/workflows.held-x"}, 1},
		{"through a link", "mkdir -p away/workflows", "ln -s away .github", true, true, nil, []string{".github", "away", "away/workflows"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			shell(t, dir, test.before)
			f := &confinement{grants: []grant{{path: dir, write: true}}}
			var allowed []tool.AllowedPath
			for _, path := range test.allowed {
				allowed = append(allowed, tool.AllowedPath{Path: filepath.Join(dir, path)})
			}
			f.protect(p, p, nil, &listings{}, &Profile{AllowedPaths: allowed}, test.mounts)
			shell(t, dir, test.meanwhile)
			hints := f.watched[0].tellNew(test.hold)
			var left []string
			err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
				rel, _ := filepath.Rel(dir, path)
				if name, _, held := strings.Cut(rel, ".held-"); held {
					left = append(left, name+".held-x")
					if info, err := os.Stat(path); err == nil && info.IsDir() {
						return filepath.SkipDir
					}
				} else if rel != "." {
					left = append(left, rel)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			shell(t, dir, "chmod -R u+w .") // or it could not be removed
			slices.Sort(left)
			if diff := cmp.Diff(test.left, left); diff != "" || len(hints) != test.told {
				t.Errorf("told %q, left (-want +got):\n%s", hints, diff)
			}
		})
	}
}

// TestNothingOfOthersIsPutAside checks that a call which may write to /tmp moves nothing away there that
// another program made meanwhile.
func TestNothingOfOthersIsPutAside(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !within(dir, "/tmp") {
		t.Skipf("found that tests have their files in %s, wanted /tmp", dir)
	}
	made, err := filepath.Rel("/tmp", filepath.Join(dir, ".envrc"))
	if err != nil {
		t.Fatal(err)
	}
	p := newProtected([]string{made})
	f := &confinement{grants: []grant{{path: filepath.Dir(dir), write: true}, {path: "/tmp", write: true}, {path: "/", write: true}}}
	for _, w := range f.grants {
		if is := isEverybodys(w.path); is != (w.path != filepath.Dir(dir)) {
			t.Errorf("isEverybodys(%q) = %v", w.path, is)
		}
	}
	f.grants = f.grants[1:2]
	f.protect(p, p, nil, &listings{}, &Profile{}, true)
	shell(t, dir, "touch .envrc")
	if told := f.watched[0].tellNew(true); len(told) == 0 {
		t.Error("nothing is told of what is new in /tmp")
	}
	if _, err := os.Stat(filepath.Join(dir, ".envrc")); err != nil {
		t.Errorf("what another program made is not where it was made: %v", err)
	}
}

// TestTellClosed checks that a directory of our own that nobody can look into is told of each time: a call
// can use one that it cannot list, and open one and close it again.
func TestTellClosed(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		p := newProtected([]string{"a/b/c"})
		for _, mode := range []string{"311", "000"} {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			shell(t, dir, "mkdir -p a/b; chmod "+mode+" a")
			f := &confinement{grants: []grant{{path: dir, write: true}}}
			f.protect(p, p, nil, &listings{}, &Profile{}, true)
			shell(t, dir, "chmod u+wx a; touch a/b/c; chmod "+mode+" a")
			told := f.watched[0].tellNew(true)
			shell(t, dir, "chmod 700 a")
			if len(told) != 1 { // root can look
				t.Errorf("with mode %s: told %q", mode, told)
			}
		}
	})
}

// TestTellTooDeep checks that a name is told of that is too long to look at.
func TestTellTooDeep(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(memoryDir(t))
	if err != nil {
		t.Fatal(err)
	}
	p := newProtected([]string{strings.Repeat("a/", 2040) + ".envrc-that-is-longer"})
	f := &confinement{grants: []grant{{path: dir, write: true}}}
	f.protect(p, p, nil, &listings{}, &Profile{}, true)
	at, err := unix.Open(dir, unix.O_PATH, 0)
	mustDo(t, err)
	for range 2040 {
		mustDo(t, unix.Mkdirat(at, "a", 0o700))
		below, err := unix.Openat(at, "a", unix.O_PATH, 0)
		mustDo(t, err)
		unix.Close(at)
		at = below
	}
	mustDo(t, unix.Mknodat(at, ".envrc-that-is-longer", unix.S_IFREG|0o600, 0))
	unix.Close(at)
	if told := f.watched[0].tellNew(true); len(told) != 1 || !strings.Contains(told[0], "nobody could look into") {
		t.Errorf("told %.300q", told)
	}
	if err := removeTree(unix.AT_FDCWD, filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
}

// TestHeldAs checks that what is told of what was put aside puts it back, and that no name becomes a command.
func TestHeldAs(t *testing.T) {
	t.Parallel()
	p := newProtected([]string{".envrc"})
	for _, name := range []string{"plain", "two words", "it's", "$(touch x)", "-n", "a`touch x`;touch x", "a\nb", "a\x1b[2Jb", "\xff", "\u202e"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir = filepath.Join(dir, name)
			mustDo(t, os.Mkdir(dir, 0o700))
			f := &confinement{grants: []grant{{path: dir, write: true}}}
			f.protect(p, p, nil, &listings{}, &Profile{}, true)
			mustDo(t, os.WriteFile(filepath.Join(dir, ".envrc"), []byte("x"), 0o600))
			hints := f.watched[0].tellNew(true)
			if len(hints) != 1 {
				t.Fatalf("told %q", hints)
			}
			_, rest, told := strings.Cut(hints[0], "this puts it back: ")
			if plain := !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) && utf8.ValidString(name); told != plain {
				t.Fatalf("told %q", hints)
			}
			if !told {
				return
			}
			command, _, _ := strings.Cut(rest, ". allowed_paths")
			shell(t, filepath.Dir(dir), command)
			if _, err := os.Lstat(filepath.Join(dir, ".envrc")); err != nil {
				t.Errorf("%s: %v", command, err)
			}
			if got := names(t, filepath.Dir(dir)); len(got) != 1 {
				t.Errorf("there is %q", got)
			}
		})
	}
}

// TestProtectedAlike checks that every call in a workspace finds it as the one before did, however many
// there were: it commits, with directories that earlier calls have used, and cannot change what git runs.
func TestProtectedAlike(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		lacking(t, err.Error())
	}
	asEveryUser(t, func(t *testing.T) {
		host := openWith(t, Options{
			Grace: time.Second, Level: LevelFull,
			Protected: []string{".git", ".git/config", ".git/hooks", ".git/config.worktree", ".git/commondir", ".git/info/attributes"},
		})
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		shell(t, dir, "git init -q; git config extensions.worktreeConfig true; touch .git/config.worktree; mkdir -p .git/hooks .git/info; touch .git/info/attributes")
		before := names(t, filepath.Join(dir, ".git", "hooks"))
		const commit = `cd ..
			for f in hooks/post-commit config config.worktree info/attributes; do ( echo x >>.git/$f ) 2>/dev/null && echo "wrote $f"; done
			mv .git aside 2>/dev/null && echo moved
			: >.git/own && rm .git/own && git commit -q --allow-empty -m one && echo committed`
		s := script{text: commit, dir: dir, isolate: true, env: gitIdentity, allowed: []tool.AllowedPath{{Path: dir}}}
		for i := range stress(40) {
			out := s.run(t.Context(), t, host)
			if string(out.Stdout) != "committed\n" || out.ExitCode != 0 || len(out.Changed) > 0 {
				t.Fatalf("call %d: %d %q %q %q", i, out.ExitCode, out.Stdout, out.Stderr, out.Changed)
			}
		}
		if diff := cmp.Diff(before, names(t, filepath.Join(dir, ".git", "hooks"))); diff != "" {
			t.Error(diff)
		}
		// What is made in passing is taken away by the same call, and is not there for the next.
		s.text = "cd ..; echo /elsewhere >.git/commondir"
		if out := s.run(t.Context(), t, host); len(out.Changed) != 1 || !strings.Contains(out.Changed[0], ".git/commondir") {
			t.Errorf("told %q", out.Changed)
		}
		s.text = commit
		if out := s.run(t.Context(), t, host); string(out.Stdout) != "committed\n" {
			t.Errorf("after that: %q %q", out.Stdout, out.Stderr)
		}
	})
}

// TestProtectedReach checks that who acts in a call's place gets what the call would.
func TestProtectedReach(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := Reach{granted: []reachGrant{{path: dir, write: true}}, protected: newProtected([]string{".git", ".git/config", ".git/hooks", ".vscode"})}
	for name, protected := range map[string]bool{
		".git": true, ".git/config": true, ".git/hooks": true, ".git/hooks/a": true, ".vscode/tasks.json": true,
		".git/index": false, ".git/objects/00/1": false, ".github": false,
	} {
		if got := r.Of(filepath.Join(dir, name)); got.Protected != protected || got.Write == protected {
			t.Errorf("%s: %+v", name, got)
		}
	}
	r = Reach{granted: []reachGrant{{path: "/w/.github", write: true}, {path: "/home/u/.local/share", write: true}},
		protected: newProtected([]string{".github/workflows", ".local/bin", ".local/share/applications", "bin"})}
	for name, protected := range map[string]bool{
		"/w/.github/workflows/ci.yml": true, "/w/.github/labels.yml": false, "/home/u/.local/share/applications/a.desktop": true,
		"/home/u/.local/share/a": false, "/home/u/.local/share/bin": true,
	} {
		if got := r.Of(name); got.Protected != protected || got.Write == protected {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestProtectThroughLink checks that a link which a call made on the way to a protected path keeps no later
// call from starting.
func TestProtectThroughLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shell(t, dir, "mkdir -p away/workflows; ln -s away .github")
	f := &confinement{grants: []grant{{path: dir, write: true}}}
	p := newProtected([]string{".github/workflows"})
	f.protect(p, p, nil, &listings{}, &Profile{}, true)
	if len(f.grants) != 1 {
		t.Errorf("mounts are planned through the link: %+v", f.grants)
	}
}

// TestHoldsOurs checks that a level which can hide nothing grants no directory that holds this program's
// own files.
func TestHoldsOurs(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "state")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	host := openWith(t, Options{Level: LevelLandlock, Hidden: []string{own}})
	s := script{text: "echo >state/log", allowed: []tool.AllowedPath{{Path: dir}}}
	var start *StartError
	if _, err := s.try(t.Context(), t, host); !errors.As(err, &start) || !errors.Is(err, errHoldsOurs) || start.Cure == "" {
		t.Errorf("got %v, want it refused with a cure", err)
	}
	s.profile = func(p *Profile) { p.BestEffort = true }
	if out := s.run(t.Context(), t, host); !slices.ContainsFunc(planFor(t, host, tool.DefaultLimits(), false).NotEnforced(), func(said string) bool { return strings.HasPrefix(said, "hidden: ") }) {
		t.Errorf("with best effort: got %+v, and nothing said", out)
	}
}

// shell runs commands in a directory, outside of any sandbox.
func shell(t *testing.T, dir, commands string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bash, "-ec", commands)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}

// TestTellDefaultList checks that a directory is told whose new files others could write to.
func TestTellDefaultList(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	shell(t, dir, "mkdir docs")
	f := &confinement{grants: []grant{{path: dir, write: true}}}
	f.protect(newProtected(nil), someNames{".envrc"}, nil, &listings{}, &Profile{}, true)
	// For user 1001 (acl(5), include/uapi/linux/posix_acl_xattr.h): its owner, 1001, its group, the mask,
	// others.
	list := []byte("\x02\x00\x00\x00\x01\x00\x07\x00\xff\xff\xff\xff\x02\x00\x07\x00\xe9\x03\x00\x00\x04\x00\x00\x00\xff\xff\xff\xff" +
		"\x10\x00\x07\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff")
	if err := unix.Setxattr(filepath.Join(dir, "docs"), "system.posix_acl_default", list, 0); err != nil {
		t.Skip(err)
	}
	if got := f.watched[0].tellNew(true); len(got) != 1 || !strings.Contains(got[0], "/docs was opened to other users") {
		t.Errorf("told %q, want docs", got)
	}
}
