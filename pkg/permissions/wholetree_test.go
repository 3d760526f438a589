package permissions

import (
	"strings"
	"testing"
)

// What lies below a directory that an act takes whole is held against the rules, too: a rule that rejects
// **/private/** is about `rm -r sub` where there is a sub/private/k.
func TestWholeTrees(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/.git/HEAD": "ref: refs/heads/main", "ws/.git/objects/": "", "ws/.git/refs/": "", "ws/.git/config": "",
		"ws/sub/private/k": "", "ws/sub/a.md": "", "ws/conf/.env": "", "ws/plain/b.md": "", "ws/build/package.json": "",
		"ws/nested/.git/HEAD": "ref: refs/heads/main", "ws/link": "-> sub", "home/": "", "state/": "", "more/": "", "elsewhere/": "",
	})
	bed := testbed{dir, dir + "/ws"}
	private := rule("no-private", Reject, include("**/private/**"))
	allowed := rule("mine", Approve, func(r *Rule) {
		r.Commands = &Commands{Redirects: RedirectsWorkspace,
			Allow: []string{"rm", "mv", "cp", "grep", "find", "chmod", "shred", "rm -rf nested", "find . -delete", "tar cf x.tar sub", "rg", "xargs", "cat", "ls"}}
	})
	a := bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{private, allowed, rule("reads", Approve, about(toolRead))}})
	for verdict, texts := range map[Verdict]string{
		Reject: `rm -r sub
			rm -rf ./sub/
			rm -rf sub/../sub
			cd sub && rm -rf ../sub
			rm -rf plain sub
			rm -rf .
			rm -rf link/
			chmod -R 000 sub
			shred sub
			find . -delete
			find -delete`,
		Ask: `rm -r sub*
			rm -rf conf
			rm -rf nested/.
			mv sub other
			cp -r sub other
			tar cf x.tar sub
			grep -r x .
			grep -r x sub
			rg x sub
			find sub -exec grep x {} +
			find sub -type f | xargs cat
			rm -rf $DIR`,
		Approve: `rm -rf plain
			rm -rf build
			rm -rf nested
			rm sub/a.md
			mv plain other
			cp -r plain other
			chmod -R 755 plain
			grep -r x plain
			grep x sub/a.md
			find . -type f
			ls -R sub`,
	} {
		for text := range strings.SplitSeq(texts, "\n") {
			text = strings.TrimSpace(text)
			if got := a.Decide(bed.shell(text)); got.Verdict != verdict {
				t.Errorf("%s: %s, want %s (%s)", text, got.Verdict, verdict, got.Reason)
			}
		}
	}

	for _, test := range []struct {
		name   string
		act    Request
		want   Verdict
		reason string
	}{
		{"a directory is deleted", bed.request(ActionDelete, toolWrite, "sub"), Reject, "it would take `sub/private` with it"},
		{"another one is", bed.request(ActionDelete, toolWrite, "plain"), Ask, ""},
		{"a directory is moved", bed.request(ActionMove, toolWrite, "sub", "other"), Ask, "would take"},
		{"its directory is searched", bed.request(ActionSearch, toolRead, "sub"), Ask, "would take"},
		{"another directory is", bed.request(ActionSearch, toolRead, "plain"), Approve, ""},
	} {
		if got := a.Decide(test.act); got.Verdict != test.want || !strings.Contains(got.Reason, test.reason) {
			t.Errorf("%s: %s (%s), want %s (%s)", test.name, got.Verdict, got.Reason, test.want, test.reason)
		}
	}
	// What packs a directory, or sends it somewhere.
	network := true
	packing := rule("packing", Approve, func(r *Rule) {
		r.Commands = &Commands{Network: &network, Redirects: RedirectsWorkspace,
			Allow: []string{"zip", "scp", "docker build", "docker cp", "podman build", "npm publish", "npm pack", "aws s3", "hg add", "hg addremove", "hg archive", "hg cat", "svn export", "restic backup", "cargo package"}}
	})
	packed := bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{private, packing}})
	for verdict, texts := range map[Verdict]string{
		Ask: `zip -r x.zip .
			zip -r x.zip sub
			scp -r sub host:
			docker build -t a .
			docker build sub
			podman build --tag plain ./sub
			npm publish
			npm pack --tag next
			npm publish ./sub
			aws s3 sync . s3://bucket
			aws s3 cp --recursive sub s3://bucket
			hg add sub
			hg addremove
			hg archive out
			hg cat sub > all
			svn export . out
			svn export sub out
			restic backup sub
			cargo package`,
		Approve: `zip -r x.zip plain
			scp -r plain host:
			docker build -t a plain
			npm publish plain
			aws s3 sync plain s3://bucket
			hg add plain
			hg add sub/a.md
			svn export plain out
			hg cat plain > all
			restic backup plain`,
	} {
		for text := range strings.SplitSeq(texts, "\n") {
			text = strings.TrimSpace(text)
			if got := packed.Decide(bed.shell(text)); got.Verdict != verdict || verdict == Ask && !strings.Contains(got.Reason, "would take `sub/private") {
				t.Errorf("%s: %s, want %s (%s)", text, got.Verdict, verdict, got.Reason)
			}
		}
	}

	confined := bed.request(ActionSearch, toolRead, "sub")
	confined.Confined = true
	if got := a.Decide(confined); got.Verdict != Approve {
		t.Errorf("a confined agent, from which it is hidden, searches its directory: %s (%s)", got.Verdict, got.Reason)
	}

	spared := rule("spares", Approve, exclude("**/private/**"), func(r *Rule) { r.Commands = &Commands{Allow: []string{"rm -rf"}} })
	a = bed.authority(File{Name: "p.yaml", Version: Version2, Rules: []Rule{spared}})
	for text, want := range map[string]Verdict{"rm -rf sub": Ask, "rm -rf plain": Approve} {
		if got := a.Decide(bed.shell(text)); got.Verdict != want {
			t.Errorf("%s, with an excluded path: %s, want %s (%s)", text, got.Verdict, want, got.Reason)
		}
	}
}
