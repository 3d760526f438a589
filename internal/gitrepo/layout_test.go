package gitrepo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
)

// TestFileEffectOfOrdinary makes what ordinary commands make of repositories, and finds nothing in it that
// git would run.
func TestFileEffectOfOrdinary(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("origin")
	b.Init("module")
	b.Git("origin", "commit", "-q", "--allow-empty", "-m", "one")
	b.Git("module", "commit", "-q", "--allow-empty", "-m", "one")
	b.Git("origin", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--", "../module", "deep/module")
	b.Git("origin", "worktree", "add", "-q", "deep/tree")
	b.Git("origin", "branch", "-q", "other")
	b.Git("origin", "config", "branch.other.remote", "origin")
	b.Git("origin", "config", "remote.origin.url", "https://example.com/a.git")
	b.Git("origin", "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	top := strings.TrimSpace(b.Git("origin", "rev-parse", "--show-toplevel"))
	seen := 0
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(top, path)
		_, name, inside := strings.Cut("/"+filepath.ToSlash(rel)+"/", "/.git/")
		if err != nil || !inside || entry.IsDir() {
			return err
		}
		name = strings.TrimSuffix(name, "/")
		text, err := os.ReadFile(path)
		if gitrepo.FileEffect(name, nil) != gitrepo.NoEffect {
			seen++
		}
		if effect := gitrepo.FileEffect(name, func() []byte { return text }); effect != gitrepo.NoEffect {
			t.Errorf("%s: %d: %s", rel, effect, text)
		}
		return err
	})
	if err != nil || seen < 5 {
		t.Errorf("%d files could have had an effect: %v", seen, err)
	}
}

func TestFileEffect(t *testing.T) {
	t.Parallel()
	const plain = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
	for _, test := range []struct {
		name, text string
		want       gitrepo.Effect
	}{
		{"config", plain, gitrepo.NoEffect},
		{"refs/replace/0123", "4567\n", gitrepo.Later},
		{"refs/heads/replace/x", "4567\n", gitrepo.NoEffect},
		{"refs/remotes/origin", "4567\n", gitrepo.NoEffect},
		{"logs/refs/remotes/branches/x", "0 1 x\n", gitrepo.NoEffect},
		{"packed-refs", "# pack-refs with: peeled\n4567 refs/heads/main\n", gitrepo.NoEffect},
		{"packed-refs", "4567 refs/replace/0123\n", gitrepo.Later},
		{"remotes/evil", "URL: x\n", gitrepo.Later},
		{"branches/evil", "x\n", gitrepo.Later},
		{"modules/m/branches/evil", "x\n", gitrepo.Later},
		{"CONFIG", plain + "\tfsmonitor = touch x\n", gitrepo.Steers},
		{"config", plain + "\tfsmonitor = true\n", gitrepo.NoEffect},
		{"config", plain + "\thooksPath = x\n", gitrepo.Steers},
		{"config", plain + "\tsshCommand = touch x\n", gitrepo.Steers},
		{"config", plain + "\tpager = touch x\n", gitrepo.Steers},
		{"config", plain + "[include]\n\tpath = ../x\n", gitrepo.Steers},
		{"config", plain + "[alias]\n\tst = !touch x\n", gitrepo.Steers},
		{"config", plain + "[filter \"x\"]\n\tclean = touch x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = ext::touch x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = git@example.com:a/b.git\n", gitrepo.NoEffect},
		{"config", plain + "[remote \"o\"]\n\turl = /home/u/My work/x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n[branch \"main\"]\n\tremote = o\n\tmerge = refs/heads/main\n", gitrepo.NoEffect},
		{"config", plain + "[remote \"o\"]\n\turl = file:///srv/x.git/\n", gitrepo.NoEffect},
		{"config", plain + "[remote \"o\"]\n\turl = /w/sub/.git/\n", gitrepo.NoEffect},
		{"config", plain + "[remote \"o\"]\n\turl = /w/.git/objects/x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = file:///w/.GIT/objects/x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = /w/a/../.git/objects/x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = /w/.../x::y\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = ../x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = file://host/x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\tpushurl = /x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = /x\n\treceivepack = touch x\n", gitrepo.Steers},
		{"config", plain + "[remote \"o\"]\n\turl = /x\n\tvcs = x\n", gitrepo.Steers},
		{"config", "[core] fsmonitor = touch x\n", gitrepo.Steers},
		{"config", "[core]\nfsmonitor = touch x\n", gitrepo.Steers},
		{"config", "[core]\n\tbare = \\\n\tfsmonitor = x\n", gitrepo.Steers},
		{"config", "\ufeff" + plain, gitrepo.Steers},
		{"config", "[core]\r\n\tbare = false\n", gitrepo.Steers},
		{"config.worktree", "[core]\n\tsparseCheckout = true\n", gitrepo.NoEffect},
		{"config.worktree", "[diff]\n\texternal = touch x\n", gitrepo.Steers},
		{"modules/a/b/config", "[diff \"x\"]\n\ttextconv = touch x\n", gitrepo.Steers},
		{"hooks/pre-commit", "", gitrepo.Steers},
		{"hooks/pre-commit.sample", "", gitrepo.NoEffect},
		{"modules/a/hooks/post-checkout", "", gitrepo.Steers},
		{"hooks", "", gitrepo.Steers}, // a link to others
		{"commondir", "../..\n", gitrepo.Steers},
		{"commondir", "/elsewhere\n", gitrepo.Steers},
		{"worktrees/a/commondir", "../..\n", gitrepo.NoEffect},
		{"worktrees/a/commondir", "../../../x\n", gitrepo.Steers},
		{"info/attributes", "* filter=x\n", gitrepo.Steers},
		{"info/exclude", "", gitrepo.NoEffect},
		{"rebase-merge/git-rebase-todo", "pick 1 a\nexec touch x\n", gitrepo.Later},
		{"rebase-merge/git-rebase-todo", "pick 1 a\n", gitrepo.NoEffect},
		{"rebase-merge/strategy", "ort\n", gitrepo.NoEffect},
		{"rebase-merge/strategy", "../x\n", gitrepo.Later},
		{"rebase-merge/strategy", "ort\nx\n", gitrepo.Later},
		{"worktrees/a/rebase-merge/strategy", "touch\n", gitrepo.Later},
		{"sequencer/opts", "[options]\n\tedit = true\n\tstrategy = recursive\n", gitrepo.NoEffect},
		{"sequencer/opts", "[options]\n\tstrategy = ../x\n", gitrepo.Later},
		{"sequencer/opts", "[options]\nStrategy=../x\n", gitrepo.Later},
		{"modules/a/sequencer/opts", "[options]\n\tstrategy = x\n", gitrepo.Later},
		{"rebase-apply/apply-opt", "\n", gitrepo.NoEffect},
		{"rebase-apply/apply-opt", " '-C3' '--whitespace=fix'\n", gitrepo.NoEffect},
		{"rebase-apply/apply-opt", " '--build-fake-ancestor=../x'\n", gitrepo.Later},
		{"index", "", gitrepo.NoEffect},
		{"", "gitdir: ../.git/modules/a\n", gitrepo.NoEffect},
		{"", "gitdir: /home/u/w/.git/worktrees/a\n", gitrepo.NoEffect},
		{"", "gitdir: ../x\n", gitrepo.Steers},
		{"", "gitdir: ../.git/modules/../x\n", gitrepo.Steers},
		{"", "gitdir: ../.git/modules/a\nx", gitrepo.Steers},
	} {
		if got := gitrepo.FileEffect(test.name, func() []byte { return []byte(test.text) }); got != test.want {
			t.Errorf("%q: %q: got %d, want %d", test.name, test.text, got, test.want)
		}
		if test.want != gitrepo.NoEffect && gitrepo.FileEffect(test.name, nil) == gitrepo.NoEffect {
			t.Errorf("%q would not be looked at", test.name)
		}
	}
	if gitrepo.FileEffect("config", func() []byte { return nil }) != gitrepo.Steers {
		t.Error("a link in place of the settings is no harm")
	}
}

func TestBareEffect(t *testing.T) {
	t.Parallel()
	const head, plain, bad = "ref: refs/heads/main\n", "[core]\n\tbare = true\n", "[core]\n\tfsmonitor = touch x\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  gitrepo.Effect
	}{
		{"a/HEAD", map[string]string{"a/HEAD": head, "a/config": plain}, gitrepo.NoEffect},
		{"a/HEAD", map[string]string{"a/HEAD": head, "a/config": bad}, gitrepo.Steers},
		{"HEAD", map[string]string{"HEAD": head, "config": bad}, gitrepo.Steers},
		{"a/HEAD", map[string]string{"a/HEAD": strings.Repeat("0", 40), "a/hooks/post-index-change": ""}, gitrepo.Steers},
		{"a/HEAD", map[string]string{"a/HEAD": head, "a/commondir": "../x"}, gitrepo.Steers},
		{"a/HEAD", map[string]string{"a/HEAD": "news", "a/config": bad}, gitrepo.NoEffect},
		{"a/config", map[string]string{"a/HEAD": head, "a/config": bad}, gitrepo.Steers},
		{"a/config", map[string]string{"a/HEAD": head, "a/config": plain}, gitrepo.NoEffect},
		{"a/config", map[string]string{"a/config": bad}, gitrepo.NoEffect},
		{"a/hooks/pre-push", map[string]string{"a/HEAD": head, "a/hooks/pre-push": ""}, gitrepo.Steers},
		{"hooks/pre-push", map[string]string{"HEAD": head, "hooks/pre-push": ""}, gitrepo.Steers},
		{"a/hooks/pre-push", map[string]string{"a/hooks/pre-push": ""}, gitrepo.NoEffect},
		{"a/hooks/useX.ts", map[string]string{"a/HEAD": head}, gitrepo.NoEffect},
		{"a/update", map[string]string{"a/HEAD": head, "a/update": ""}, gitrepo.NoEffect},
	} {
		read := func(name string) []byte {
			if text, ok := test.files[name]; ok {
				return []byte(text)
			}
			return nil
		}
		if got := gitrepo.BareEffect(test.name, read); got != test.want {
			t.Errorf("%s of %q: got %d, want %d", test.name, test.files, got, test.want)
		}
		if test.want != gitrepo.NoEffect && gitrepo.BareEffect(test.name, nil) == gitrepo.NoEffect {
			t.Errorf("%s would not be looked at", test.name)
		}
	}
}
