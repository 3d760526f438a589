package permissions

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
)

// TestGitPatterns is about words that git reads as patterns, and about what names files in no word: a rule that rejects a
// file is asked about what it could be.
func TestGitPatterns(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	b.Write("ws/README.md", "new")
	b.Write("ws/conf/.env", "K=1")
	b.Write("ws/docs/a.md", "a")
	bed := testbed{b.Dir, b.WS}
	mine := rule("mine", Approve, func(r *Rule) {
		r.Commands = &Commands{Allow: []string{"git checkout", "git restore", "git rm", "git reset", "git mv", "git stash", "git checkout-index",
			"git read-tree", "cd"}}
	})
	for _, table := range []struct {
		a     *Authority
		want  Verdict
		texts string
	}{
		{bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{rule("secrets", Reject, include("**/.env")), mine}}), Reject, `
			git checkout HEAD -- conf/.env
			git checkout conf
			git restore .`},
		{bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{rule("secrets", Reject, include("**/.env")), mine}}), Ask, `
			git checkout HEAD -- '*'
			git checkout HEAD -- ':(top)'
			cd docs && git checkout HEAD -- ':(top)'
			cd docs && git restore ':/'
			git restore '*'
			git restore 'conf/*'
			git restore ':!docs'
			git restore ':(exclude)docs'
			git rm -q '[c]onf/?env'
			git reset ':^docs'
			git checkout --pathspec-from-file=README.md
			git restore --pathspec-from README.md
			git rm --pathspec-from-file README.md
			git reset --pathspec-from-file=- HEAD
			git checkout -p
			git restore --patch
			git checkout-index -af
			git checkout-index --force --stdin
			git read-tree -u -m HEAD
			git read-tree --reset -u HEAD
			git stash drop
			git stash clear`},
		{bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{mine}}), Ask, `
			git checkout HEAD -- .
			git checkout HEAD -- '*'
			cd docs && git checkout HEAD -- ':(top)'`},
		{bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{mine}}), Approve, `
			git checkout HEAD -- docs
			git checkout HEAD -- README.md
			git restore docs/a.md
			git rm -q README.md
			git stash pop
			git checkout -b new`},
	} {
		for text := range strings.SplitSeq(strings.TrimSpace(table.texts), "\n") {
			text = strings.TrimSpace(text)
			if got := table.a.Decide(bed.shell(text)); got.Verdict != table.want {
				t.Errorf("%s: %s (%s), want %s", text, got.Verdict, got.Reason, table.want)
			}
		}
	}
}
