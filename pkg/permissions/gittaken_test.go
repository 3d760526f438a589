package permissions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
)

// What git takes along without that a word names it is held against the rules: git add -A is about a .env that no
// ignore file names, and not about one that git is told to ignore.
func TestGitTakes(t *testing.T) {
	t.Parallel()
	const (
		everything = `git add -A
			git add .
			git add -Av .
			git add '*'
			git add ./conf
			git add conf/../conf/
			git add README.md conf
			git add --all
			git stage .
			git -c core.pager=cat add .
			cd docs && git add -A
			cd docs && git add ..
			git stash -u`
		// What counts as removing something takes it surely.
		surely = `git add "$DIR"
			git stash push --include-untracked
			git clean -fd`
		tracked = `git commit -am x
			git commit --all -m x
			git commit -m x
			git stash`
		forced = `git add -Af
			git add --forc .
			git stash -a`
		surelyForced = `git add -f .
			git add -A --force
			git stash push --all
			git clean -fdx
			git clean -fX conf`
		elsewhere = `git add docs
			git add README.md
			git add -A docs README.md
			cd docs && git add .
			git clean -fd docs`
		nothing = `git stash list
			git stash pop`
	)
	prepare := func(name string, do func(b *gitrepotest.Bed)) func(t *testing.T, verdict Verdict, texts ...string) {
		return func(t *testing.T, verdict Verdict, texts ...string) {
			t.Helper()
			b := gitrepotest.New(t)
			b.Init("ws")
			b.Write("ws/README.md", "new")
			do(b)
			bed := testbed{b.Dir, b.WS}
			a := bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{
				rule("secrets", Reject, include("**/.env")),
				rule("mine", Approve, func(r *Rule) {
					r.Commands = &Commands{Allow: []string{"git add", "git stage", "git commit", "git stash", "git clean", "cd"}}
				}),
			}})
			for text := range strings.SplitSeq(strings.Join(texts, "\n"), "\n") {
				text = strings.TrimSpace(text)
				got := a.Decide(bed.shell(text))
				if want := verdict; got.Verdict != want || want != Approve && !strings.Contains(text, ":/") &&
					!strings.Contains(got.Reason, "conf/.env") {
					t.Errorf("%s: %s: %s (%s), want %s", name, text, got.Verdict, got.Reason, want)
				}
			}
		}
	}
	commit := func(b *gitrepotest.Bed) {
		b.Git("ws", "add", "-A")
		b.Git("ws", "commit", "-q", "-m", "three")
	}
	none := prepare("none", func(*gitrepotest.Bed) {})
	isNew := prepare("new", func(b *gitrepotest.Bed) { b.Write("ws/conf/.env", "K=1") })
	ignored := prepare("ignored", func(b *gitrepotest.Bed) {
		b.Write("ws/conf/.env", "K=1")
		b.Write("ws/.gitignore", ".env\n")
	})
	committed := prepare("committed", func(b *gitrepotest.Bed) { b.Write("ws/conf/.env", "K=1"); commit(b) })
	changed := prepare("changed", func(b *gitrepotest.Bed) {
		b.Write("ws/conf/.env", "K=1")
		commit(b)
		b.Write("ws/conf/.env", "K=2")
	})
	staged := prepare("staged", func(b *gitrepotest.Bed) {
		b.Write("ws/conf/.env", "K=1")
		b.Git("ws", "add", "conf/.env")
	})
	disguised := prepare("changed, of the same size and time", func(b *gitrepotest.Bed) {
		b.Write("ws/conf/.env", "K=1")
		commit(b)
		file := filepath.Join(b.WS, "conf/.env")
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		b.Write("ws/conf/.env", "K=2")
		if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
	})
	gone := prepare("gone", func(b *gitrepotest.Bed) {
		b.Write("ws/conf/.env", "K=1")
		commit(b)
		b.Move("ws/conf/.env", "elsewhere/env")
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		none(t, Approve, everything, "git stash push --include-untracked", "git clean -fdx", "git stash push --all", tracked, forced, elsewhere, nothing)
	})
	t.Run("new", func(t *testing.T) {
		t.Parallel()
		isNew(t, Ask, everything, forced, "git add ':/'")
		isNew(t, Reject, surely, surelyForced, "git clean -fd conf")
		isNew(t, Approve, elsewhere, nothing, "git commit -am x")
	})
	t.Run("ignored", func(t *testing.T) {
		t.Parallel()
		ignored(t, Ask, forced)
		ignored(t, Reject, surelyForced)
		ignored(t, Approve, everything, "git stash push --include-untracked", tracked, elsewhere, nothing)
	})
	t.Run("tracked", func(t *testing.T) {
		t.Parallel()
		committed(t, Approve, "git add -A", tracked, forced, "git stash push --all")
		changed(t, Ask, "git add -A", tracked)
		disguised(t, Ask, "git add -A", tracked)
		staged(t, Ask, "git add -A", tracked)
		gone(t, Approve, "git add -A", tracked)
	})
}

// A rule for a command does not approve that a secret goes along which no word of the rule is about: into a repository, an
// archive, or to another machine. One that spells the whole command does, and that a person's own command takes it is
// the person's.
func TestSecretsTaken(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	b.Write("ws/conf/.env", "K=1")
	b.Write("ws/ignored/.env", "K=1")
	b.Write("ws/.gitignore", "ignored\n")
	b.Write("ws/ordinary/a.md", "a")
	b.Link("a.md", "ws/ordinary/b.md")
	b.Link("nothing", "ws/ordinary/c.md")
	b.Write("ws/linked/a.md", "a")
	b.Link("../ignored/.env", "ws/linked/b.md")
	b.Mkdir("ws/further")
	b.Link("../ignored", "ws/further/dir")
	bed := testbed{b.Dir, b.WS}
	network := true
	a := bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{
		rule("mine", Approve, func(r *Rule) {
			r.Commands = &Commands{Network: &network, Allow: []string{"git add", "git stage -A", "git commit", "git stash", "zip", "scp", "aws s3", "npm publish",
				"docker build", "zip -r whole.zip .", "touch"}}
		}),
	}})
	for verdict, texts := range map[Verdict]string{
		Ask: `git add -A
			git add .
			git add conf
			git stash -u
			git add -f ignored
			touch .gitignore && git add ignored docs
			zip -r x.zip .
			zip -r x.zip ignored
			zip -r x.zip linked
			scp -r further host:
			scp -r . host:
			aws s3 sync conf s3://bucket
			npm publish --tag next`,
		Approve: `git add ignored docs
			git stage -A
			git commit -am x
			git stash
			zip -r x.zip docs ordinary
			zip -r whole.zip .
			scp -r docs host:
			docker build .`,
	} {
		for text := range strings.SplitSeq(texts, "\n") {
			text = strings.TrimSpace(text)
			if got := a.Decide(bed.shell(text)); got.Verdict != verdict {
				t.Errorf("%s: %s, want %s (%s; %v)", text, got.Verdict, verdict, got.Reason, got.Reasons)
			}
		}
	}
}

// A repository in the work tree becomes a submodule where git adds it, and git status goes by its settings from then on. No
// rule for git add means that.
func TestRepositoriesTaken(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	b.Write("ws/file", "a")
	b.Init("ws/known")
	b.Git("ws", "add", "file", "known")
	b.Git("ws", "commit", "-q", "-m", "two")
	b.Init("ws/nested")
	bed := testbed{b.Dir, b.WS}
	a := bed.authority(presetFile(t, "careful"), v2(rule("mine", Approve, commands("", "git add", "git commit", "git stash"))))
	decide := func(texts ...string) {
		t.Helper()
		for _, row := range texts {
			want, text, _ := strings.Cut(row, " ")
			if got := a.Decide(bed.shell(text)); got.Verdict.String() != want {
				t.Errorf("%s: %s, want %s (%s)", text, got.Verdict, want, got.Reason)
			}
		}
	}
	decide("ask git add nested && git status", "ask git add -A", "ask git add .", "approve git add known file && git status", "approve git add -u nothing",
		"approve git commit -am x")
	b.Move("ws/nested", "nested")
	decide("approve git add -A && git status")
	b.Move("ws/file", "file")
	b.Move("nested", "ws/file")
	decide("ask git add -u file && git status", "ask git commit -am x", "approve git add known")
}

// git diff, git grep and git status -v show what is in tracked files that no word names. A .env that a repository brings along,
// and a person fills in, is read by them as by cat.
func TestGitShows(t *testing.T) {
	t.Parallel()
	const (
		all = `git diff
			git diff HEAD
			git diff --cached
			git diff -p README.md
			git -C . diff
			git --no-pager diff
			cd docs && git diff
			git diff -- .
			git diff -- conf
			git diff -- ':!README.md'
			git grep K
			git grep -n K -- 'conf/*'
			git status -v
			git status -sv
			git diff | head`
		others = `git status
			git log -p
			git show
			git diff -- README.md docs
			git grep K -- README.md
			git ls-files -m`
	)
	for _, row := range []struct {
		name  string
		do    func(b *gitrepotest.Bed)
		shows bool
	}{
		{"none", func(*gitrepotest.Bed) {}, false},
		{"committed", func(b *gitrepotest.Bed) {
			b.Write("ws/conf/.env", "K=1")
			b.Git("ws", "add", "-f", "conf/.env")
			b.Git("ws", "commit", "-q", "-m", "three")
		}, false},
		{"not tracked", func(b *gitrepotest.Bed) { b.Write("ws/conf/.env", "K=1") }, false},
		{"changed", func(b *gitrepotest.Bed) {
			b.Write("ws/conf/.env", "K=1")
			b.Git("ws", "add", "-f", "conf/.env")
			b.Git("ws", "commit", "-q", "-m", "three")
			b.Write("ws/conf/.env", "K=2")
		}, true},
		{"staged", func(b *gitrepotest.Bed) {
			b.Write("ws/conf/.env", "K=1")
			b.Git("ws", "add", "-f", "conf/.env")
		}, true},
		{"listed in an index that came along", func(b *gitrepotest.Bed) {
			b.Write("ws/conf/.env", "")
			b.Git("ws", "add", "-f", "conf/.env")
			b.Write("ws/conf/.env", "K=1")
		}, true},
		{"behind a link in the place of its directory", func(b *gitrepotest.Bed) {
			b.Write("ws/conf/notes", "")
			b.Git("ws", "add", "-f", "conf/notes")
			b.Git("ws", "commit", "-q", "-m", "three")
			b.Write("elsewhere/notes", "K=1")
			b.Move("ws/conf", "conf")
			b.Link(filepath.Join(b.Dir, "elsewhere"), "ws/conf")
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := gitrepotest.New(t)
			b.Init("ws")
			b.Write("ws/docs/a.md", "new")
			row.do(b)
			bed := testbed{b.Dir, b.WS}
			decide := func(texts string, want Verdict, files ...File) {
				t.Helper()
				a := bed.authority(append(files, presetFile(t, "careful"))...)
				for text := range strings.SplitSeq(texts, "\n") {
					if got := a.Decide(bed.shell(strings.TrimSpace(text))); got.Verdict != want {
						t.Errorf("%s: %s (%s), want %s", strings.TrimSpace(text), got.Verdict, because1(got), want)
					}
				}
			}
			want := Approve
			if row.shows {
				want = Ask
			}
			secrets := v2(rule("secrets", Reject, include("conf/*")))
			if row.name != "changed" {
				decide("git diff\ngit grep K", want)
				decide("git diff", want, secrets)
				return
			}
			decide(all, want)
			decide(others, Approve)
			decide("git diff\ngit status -v", want, secrets)
			decide("git status", Approve, secrets)
		})
	}
}
