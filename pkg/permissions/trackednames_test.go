package permissions

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // what git's index ends with
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The names that git tracks are given to a program where each of them is that of a plain file of the workspace, and reads as
// itself, whoever has written them into the index.
func TestTrackedNames(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/a.md": "a", "ws/docs/b.go": "", "ws/docs/link.go": "-> b.go", "ws/.env": "SECRET", "home/": "", "elsewhere/secret": "SECRET",
		"ws/kept/a b.md": "", "ws/kept/.env": "SECRET", "ws/kept/x.go": "",
		"ws/linked/x.go": "-> ../../elsewhere/secret", "ws/linked/y.md": "",
		"ws/moved/x.go": "", "ws/option/--files0-from=x": "", "ws/option/y.md": "",
		"ws/quoted/\u00e9.md": "", `ws/quoted/\303\251.md`: "-> ../../elsewhere/secret", `ws/quoted/y.go`: "",
		"ws/star/*": "", "ws/new/x": "", "ws/rule.md": "x\n",
	})
	bed := testbed{dir, dir + "/ws"}
	git(t, bed.ws, "init", "-q", ".")
	git(t, bed.ws, "add", "a.md", "docs", "kept", "linked", "moved", "option", "star", "rule.md", "quoted/\u00e9.md", "quoted/y.go")
	if err := os.Rename(bed.ws+"/moved", bed.ws+"/before"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere", bed.ws+"/moved"); err != nil {
		t.Fatal(err)
	}
	for name, written := range map[string]string{"absolute": "/elsewhere/x", "above": "../elsewhere", "sub": "above/../x.md"} {
		forgeIndex(t, bed.ws+"/"+name, written)
	}
	a := bed.authority(presetFile(t, "careful"), File{Name: "p.yaml", Version: Version2, Rules: []Rule{
		rule("git", Approve, commands("none", "git add", "npm test")),
	}})
	for verdict, texts := range map[Verdict]string{
		Approve: `git ls-files a.md docs | xargs wc -l
			git ls-files -- docs/ ./a.md | xargs -n 1 cat
			git ls-files 'd*.go' rule.md | xargs grep -n ''
			git ls-files -m -z docs | sort | head -3 | xargs -0 cat
			cd docs && git ls-files | xargs cat
			git ls-files 'kept/*.go' | xargs cat
			git ls-files 'linked/*.md' | xargs cat
			git ls-files 'quoted/y*' | xargs cat
			git ls-files option | xargs wc -l
			git ls-files star | xargs cat
			cat $(git ls-files docs rule.md)
			for f in $(git ls-files docs 'kept/*.go'); do head -3 $f; done
			git ls-files option docs | while read f; do wc -l "$f"; done
			cd docs && git ls-files -z | while IFS= read -r -d '' f; do echo "$f"; cat "$f"; done`,
		Ask: `git ls-files | xargs cat
			git ls-files kept | xargs cat
			git ls-files 'kept/*b.md' | xargs cat
			git ls-files 'K*' | xargs cat
			git ls-files linked | xargs cat
			git ls-files '*.go' | xargs cat
			git ls-files moved | xargs cat
			cd option && git ls-files | xargs wc -l
			git ls-files quoted | xargs cat
			git ls-files ./docs/../kept | xargs cat
			git ls-files docs//../kept | xargs cat
			git ls-files ':(exclude)docs' | xargs cat
			git ls-files :kept | xargs cat
			git ls-files '' | xargs cat
			cd docs && git ls-files .. | xargs cat
			git ls-files docs | xargs sed -n 1p
			git ls-files docs | xargs grep -rn x
			git ls-files docs | xargs diff
			git ls-files docs | xargs git log
			git add new && git ls-files docs | xargs cat
			npm test && git ls-files docs | xargs cat
			git ls-files docs | (cd new && xargs cat)
			git ls-files docs | xargs cat; cd new
			cat $(git ls-files)
			cat $(git ls-files star)
			for f in $(git ls-files linked); do cat "$f"; done
			git ls-files moved | while read -r f; do cat "$f"; done
			cd above && git ls-files | while read -r f; do cat "$f"; done
			for f in $(git ls-files docs); do cd new; cat "$f"; done
			cd absolute && git ls-files | xargs cat
			cd above && git ls-files | xargs cat
			cd sub && git ls-files | xargs cat`,
	} {
		for text := range strings.SplitSeq(texts, "\n") {
			text = strings.TrimSpace(text)
			if got := a.Decide(bed.run(text)); got.Verdict != verdict {
				t.Errorf("%s: %s, want %s (%s; %s)", text, got.Verdict, verdict, got.Reason, because1(got))
			}
			if verdict == Approve && strings.Contains(printedBy(t, bed.ws, text), "SECRET") {
				t.Errorf("%s prints a secret", text)
			}
		}
	}
}

// printedBy runs in a directory, by bash, a text that only reads.
func printedBy(t *testing.T, dir, text string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", text)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v: %s", text, err, out)
	}
	return string(out)
}

// forgeIndex makes a repository in whose index a name is written that git would not write there.
func forgeIndex(t *testing.T, dir, name string) {
	t.Helper()
	plain := strings.Repeat("x", len(name))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/"+plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", ".")
	git(t, dir, "add", plain)
	index, err := os.ReadFile(dir + "/.git/index")
	if err != nil {
		t.Fatal(err)
	}
	index = bytes.Replace(index[:len(index)-sha1.Size], []byte(plain), []byte(name), 1)
	sum := sha1.Sum(index) //nolint:gosec // as above
	if err := os.WriteFile(dir+"/.git/index", append(index, sum[:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "ls-files"); got != name+"\n" {
		t.Errorf("git does not print the name %s: %q", name, got)
	}
}
