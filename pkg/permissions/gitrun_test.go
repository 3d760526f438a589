package permissions

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
)

// gitTexts are commands of git's that the careful preset approves in an ordinary repository, at least one
// for each row.
var gitTexts = []string{
	"git status", "git status -sb --ignored", "git diff", "git diff HEAD", "git diff --cached", "git diff --stat HEAD~1", "git diff a.txt", "git log", "git log -p", "git log --oneline -3",
	"git log -L 1,1:a.txt", "git show", "git show HEAD~1", "git shortlog HEAD", "git blame a.txt", "git branch -av", "git branch --list", "git tag", "git tag -l", "git tag --list", "git remote -v",
	"git remote get-url origin", "git stash list", "git stash show", "git rev-parse HEAD", "git rev-list --objects HEAD", "git ls-files", "git ls-files -o -m", "git ls-tree -r HEAD", "git cat-file -p HEAD",
	"git cat-file -p HEAD:a.txt", "git describe --always --dirty", "git merge-base HEAD HEAD", "git show-ref", "git for-each-ref", "git name-rev HEAD", "git reflog", "git reflog show HEAD",
	"git cherry HEAD HEAD~1", "git grep one", "git worktree list", "git check-ignore -v a.txt", "git count-objects -v", "git symbolic-ref HEAD",
	"git config user.name", "git version", "git --version", "git --no-pager log", "git -C . status", "cd docs && git status", "git log --submodule=log -p", "git show --remerge-diff",
}

// Every row of git's commands is among the texts, and is approved in an ordinary repository.
func TestGitTexts(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	bed := gitBed(b)
	a := bed.authority(presetFile(t, "careful"))
	seen := map[*command.Row]bool{}
	for _, text := range gitTexts {
		if row, _ := command.Lookup("git", strings.Fields(text)[1:]); row != nil {
			seen[row] = true
		}
		d := a.Decide(bed.run(text))
		if approved := d.Verdict == Approve; approved == strings.Contains(text, "--submodule=log") {
			t.Errorf("%s: %s: %s", text, d.Verdict, because1(d))
		}
	}
	for _, row := range command.Rows() {
		if strings.HasPrefix(row.Names[0], "git ") && !seen[row] {
			t.Errorf("%s is not among the texts", row.Names[0])
		}
	}
}

// runsNothing decides about every text in a repository, for an agent that runs it itself and for one for
// whom it is run, and runs below strace what is approved: nothing may be started but git.
func runsNothing(t *testing.T, b *gitrepotest.Bed, dir string, texts []string) (approved int) {
	t.Helper()
	bed := testbed{b.Dir, b.WS}
	a := bed.authority(presetFile(t, "careful"))
	for _, text := range texts {
		for _, obliged := range []bool{false, true} {
			r := bed.run(text)
			r.TakesObligations = obliged
			r.Dir = filepath.Join(b.Dir, dir)
			d := a.Decide(r)
			if d.Verdict != Approve || obliged && d.Obligation.None() {
				continue
			}
			approved++
			var env []string
			for _, v := range d.Obligation.Environment {
				env = append(env, v.Name+"="+v.Value)
			}
			in, words := dir, strings.Fields(text)
			if words[0] == "cd" {
				in, words = dir+"/"+words[1], words[3:]
			}
			run := b.Traced(in, env, words[1:]...)
			run.Programs = slices.DeleteFunc(run.Programs, func(p string) bool { // what git-lfs itself has git run
				return strings.Contains(p, `"-c", "git-lfs clean -- %f", "git-lfs clean -- %f"]`)
			})
			if run.Ran || len(run.Programs) > 0 {
				t.Errorf("FALSE APPROVAL (obliged: %v): %s runs %q: %s", obliged, text, run.Programs, run.Output)
			}
		}
	}
	return approved
}

func needStrace(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("found no strace, wanted it to see what is run")
	}
}

// What is approved in the hostile repositories, if anything, runs nothing. With -short it is every
// twentieth of them.
func TestApprovedGitRunsNothing(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for i, c := range gitrepotest.Hostile() {
		if testing.Short() && i%20 > 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			b := gitrepotest.New(t)
			if !c.Applies(b) {
				t.Skipf("found a git that is older, wanted %s", c.Since)
			}
			dir := c.Make(b)
			var texts []string
			for _, args := range c.Shows() {
				texts = append(texts, "git "+strings.Join(args, " "))
			}
			for at := i % 9; at < len(gitTexts); at += 9 { // each text somewhere
				texts = append(texts, gitTexts[at])
			}
			runsNothing(t, b, dir, texts)
		})
	}
}

// Repositories put together from pieces, ordinary and hostile. A2A_FUZZ_RUNS says how many.
func TestGeneratedRepositories(t *testing.T) {
	t.Parallel()
	needStrace(t)
	runs := 12
	if testing.Short() {
		runs = 2
	}
	if n, err := strconv.Atoi(os.Getenv("A2A_FUZZ_RUNS")); err == nil && n > 0 {
		runs = max(runs, n/20)
	}
	approved := 0
	for seed := range runs {
		r := rand.New(rand.NewPCG(54, uint64(seed)))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			b := gitrepotest.New(t)
			dir, told := gitrepotest.Generate(b, func(n int) int { return r.IntN(n) })
			t.Log(told)
			approved += runsNothing(t, b, dir, []string{gitTexts[r.IntN(len(gitTexts))], gitTexts[r.IntN(len(gitTexts))], "git status", "git log -p", "git diff"})
		})
	}
	t.Logf("of %d texts in each of %d repositories, %d were approved and run", 10, runs, approved)
	if approved < runs {
		t.Error("that is too few to show anything")
	}
}

// FuzzRepositories is the same, by whatever bytes.
func FuzzRepositories(f *testing.F) {
	needStrace(f)
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Fuzz(func(t *testing.T, choices []byte) {
		b := gitrepotest.New(t)
		next := func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			c := int(choices[0]) % n
			choices = choices[1:]
			return c
		}
		dir, told := gitrepotest.Generate(b, next)
		t.Log(told)
		runsNothing(t, b, dir, []string{gitTexts[next(len(gitTexts))], "git status", "git diff"})
	})
}
