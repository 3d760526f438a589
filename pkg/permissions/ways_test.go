package permissions

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Every way of writing a path that leads out of what a rule approves, alone and among others that lie
// inside: none is approved, be it by include_paths or by a matcher, and a rule that rejects what lies there
// sees each that leads there.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	const nfd = "docs/a\u0308.md" // ä as two characters
	for _, test := range []struct {
		name, path string
		out        bool // it leads to src or elsewhere, and not only to another name
	}{
		{"dots", "docs/../src/a.go", true}, {"dots twice", "docs/x/../../src/a.go", true}, {"dots behind a link", "docs/to_src/../README.md", true},
		{"a link", "docs/to_src/a.go", true}, {"a link out of the workspace", "docs/escape/x", true}, {"a link that ends elsewhere", "out.md", true},
		{"a link to a control file", "docs/to_git.md", true}, {"a hard link", "docs/linked.md", false}, {"a link to a hard link", "docs/to_linked.md", false},
		{"capitals", "DOCS/a.md", false}, {"another form of a letter", nfd, false}, {"a slash behind it", "src/a.go/", true}, {"slashes within", "src//a.go", true},
		{"an absolute one", b.ws + "/src/a.go", true}, {"a URL", "file://" + b.ws + "/docs/../src/a.go", true}, {"a URL with escapes", "file://" + b.ws + "/docs/%2e%2e/src/a.go", true},
		{"a URL without slashes", "file:" + b.ws + "/src/a.go", true}, {"another scheme", "https://example.com/docs/a.md", false}, {"a home", "~/notes", false},
		{"a NUL", "docs/a.md\x00", false}, {"a hidden character", "docs/\u202ea.md", false}, {"nothing", "", false}, {"through /proc", "/proc/self/root" + b.ws + "/docs/a.md", false},
	} {
		pattern := include("docs/a.md", "docs/ä.md", "docs/b*", "docs/to_*")
		if test.name == "a hard link" {
			pattern = include("docs/**")
		}
		for _, paths := range [][]string{{test.path}, {"docs/a.md", test.path}, {test.path, "docs/a.md"}} {
			if d := b.authority(v2(rule("yes", Approve, pattern))).Decide(b.write(paths...)); d.Verdict == Approve {
				t.Errorf("%s: %q is approved by include_paths", test.name, paths)
			}
			list := make([]any, len(paths))
			for i, path := range paths {
				list[i] = path
			}
			request := b.call("x", args("where", list))
			d := b.authority(v2(rule("yes", Approve, wants("where", Matcher{Within: "docs"})))).Decide(request)
			if d.Verdict == Approve && test.path != nfd && test.path != "" {
				t.Errorf("%s: %q is approved by a matcher", test.name, paths)
			}
			if !test.out {
				continue
			}
			elsewhere := rule("no", Reject, include("src/**", ".git/**", "README.md", b.dir+"/elsewhere/**"))
			if d := b.authority(v2(rule("yes", Approve, include("**")), elsewhere)).Decide(b.write(paths...)); d.Verdict != Reject {
				t.Errorf("%s: %q is not rejected where it leads: %s", test.name, paths, said(d))
			}
		}
	}
}

// What the person types is theirs, and what an agent says of the same file is not: no door lends its rights
// to another.
func TestDoorsStayApart(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, door := range []tool.Door{tool.DoorACP, tool.DoorMCP, "", "unknown"} {
		r := b.write(".envrc")
		r.Door = door
		if d := b.authority(v2(rule("yes", Approve, include("**"), atMost(RiskHigh)))).Decide(r); d.Verdict == Approve {
			t.Errorf("%q: a control file is approved", door)
		}
	}
}
