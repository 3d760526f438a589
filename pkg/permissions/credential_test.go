package permissions

import (
	"strings"
	"testing"
)

// The settings of a repository that hold a credential are read by nobody unasked: neither as a file, nor by
// git. Those that hold none are read as ever.
func TestCredentialsOfARepositoryAreAsked(t *testing.T) {
	t.Parallel()
	const core = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
	reads := []string{
		"cat .git/config", "cat docs/link", "head -5 < .git/config", "grep -rn url .git", "grep -r x .", "find . -name 'con*' -exec cat {} +", "rg --hidden url .git/config",
	}
	prints := []string{"git remote -v", "git remote get-url origin", "git config --get remote.origin.url", "git config Remote.Origin.URL"}
	others := []string{"git status", "git log --oneline", "git remote", "git config user.name", "cat README.md", "rg x", "git grep x"}
	for name, c := range map[string]struct {
		settings string
		asked    []string
	}{
		"password": {"[remote \"origin\"]\n\turl = https://me:s3cret@example.com/x.git\n", append(prints, reads...)},
		"token":    {"[remote \"origin\"]\n\turl = https://ghp_0123456789abcdefghij@github.com/x/y\n", append(prints, reads...)},
		"push":     {"[remote \"origin\"]\n\turl = https://example.com/x\n\tpushUrl = https://me:s3cret@example.com/x\n", append(prints, reads...)},
		"header":   {"[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic Zm9v\n", reads},
		"plain":    {"[remote \"origin\"]\n\turl = https://me@dev.azure.com/me/x\n[remote \"b\"]\n\turl = git@github.com:x/y.git\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{
				"ws/.git/HEAD": "ref: refs/heads/main", "ws/.git/objects/": "", "ws/.git/refs/": "", "ws/.git/config": core + c.settings, "ws/README.md": "",
				"ws/docs/link": "-> ../.git/config", "home/": "",
			})
			bed := testbed{dir, dir + "/ws"}
			a := bed.authority(presetFile(t, "balanced"))
			want := map[string]Verdict{}
			for _, text := range append(append(prints[:len(prints):len(prints)], reads...), others...) {
				want[text] = Approve
			}
			for _, text := range c.asked {
				want[text] = Ask
			}
			for text, verdict := range want {
				if d := a.Decide(bed.run(text)); d.Verdict != verdict {
					t.Errorf("%s: it is %s, want %s: %s", text, d.Verdict, verdict, d.Reasons[len(d.Reasons)-1].Why)
				}
			}
			verdict := Approve
			if len(c.asked) > 0 {
				verdict = Ask
			}
			for _, name := range []string{"/.git/config", "/docs/link"} {
				d := a.Decide(bed.read(bed.ws + name))
				if d.Verdict != verdict || verdict == Ask && !strings.Contains(d.Reason, "password or a token") {
					t.Errorf("reading %s: it is %s, want %s: %s", name, d.Verdict, verdict, d.Reason)
				}
			}
		})
	}
}
