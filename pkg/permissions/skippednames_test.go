package permissions

import (
	"strings"
	"testing"
)

// What a grep is told to skip by its whole name it does not read, and only then it is not asked about.
func TestSkippedNames(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/.env": "SECRET", "ws/sub/.env": "SECRET", "ws/a.md": "a\n", "ws/sub/b.md": "b\n", "ws/vendored/x/id_rsa": "SECRET", "ws/vendored/y.md": "a\n",
		"ws/.git/HEAD": "ref: refs/heads/x", "ws/.git/objects/": "", "ws/.git/refs/": "", "home/": "",
	})
	bed := testbed{dir, dir + "/ws"}
	a := bed.authority(presetFile(t, "careful"))
	for verdict, texts := range map[Verdict]string{
		Approve: `grep -rn --exclude=.env --exclude-dir=vendored '' . || true
			grep -r --exclude .env --exclude-dir vendored --exclude='*.md' '' . || true
			grep -r --exclude=.env --exclude=id_rsa '' || true
			egrep -rc '' sub --exclude=.env || true
			grep -r '' vendored --exclude-dir=x || true`,
		Ask: `grep -rn --exclude=.env '' . || true
			grep -rn --exclude-dir=vendored '' . || true
			grep -rn --exclude-dir=vendored --exclude='.*' '' . || true
			grep -rn --exclude-dir=vendored --exclude=.env --include=.env '' . || true
			grep -rn --exclude-dir=vendored/x '' vendored || true
			grep -rn --exclude-dir=x --exclude=.env '' vendored .env || true`,
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
