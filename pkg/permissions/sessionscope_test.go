package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func asIs(text string) string { return text }

// A person chooses how much is allowed for the session: a file, what lies below its directory, or all of the workspace. None
// of it reaches a file that is more than data, another act, or what lies elsewhere, whatever names lead there.
func TestSessionScopes(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, dir := range []string{"src/deep", "other", ".git/hooks"} {
		if err := os.MkdirAll(filepath.Join(b.ws, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	for link, to := range map[string]string{"src/out": outside, "src/across": "../other", "src/loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(b.ws, link)); err != nil {
			t.Fatal(err)
		}
	}
	deleted := b.write("src/b.go")
	deleted.Action = ActionDelete
	untold := b.write("src/b.go", "src/loop")
	two := b.write("src/b.go")
	two.Paths = append(two.Paths, Path{Name: "other/c.go", Write: true})
	for _, c := range []struct {
		name string
		r    Request
		from int // the first scope that allows it, from 1; 0 for none
	}{
		{"the file", b.write("src/a.go"), 1},
		{"another of its directory", b.write("src/b.go"), 2},
		{"one further below", b.write("src/deep/c.go"), 2},
		{"one beside", b.write("other/c.go"), 3},
		{"one above", b.write("d.go"), 3},
		{"one there and one beside", two, 3},
		{"one whose name begins like the directory", b.write("srcs/a.go"), 3},
		{"a way out of the directory", b.write("src/across/c.go"), 3},
		{"a way out of the workspace", b.write("src/out/c.go"), 0},
		{"a name that climbs out", b.write("src/../../c.go"), 0},
		{"what runs later", b.write("src/Makefile"), 0},
		{"what runs later, anywhere", b.write(".git/hooks/pre-commit"), 0},
		{"a secret", b.write("src/.env"), 0},
		{"a deletion", deleted, 0},
		{"one there and one that cannot be told", untold, 0},
		{"a call of a tool", b.call("x", nil, "src/b.go"), 0},
	} {
		for scope := 1; scope <= 3; scope++ {
			a := b.authority()
			allowed := b.write("src/a.go")
			allowed.Session, c.r.Session = "s", "s"
			offers := a.Allowance(allowed, asIs)
			if want := []string{"writing `src/a.go`", "writing everything below `src`", "writing every file of `" + b.ws + "`"}; !slices.Equal(offers.Scopes(), want) {
				t.Fatalf("offered: %q", offers.Scopes())
			}
			if said := a.Remember(offers, scope); said != "kept for this session: "+offers.Scopes()[scope-1] {
				t.Fatal(said)
			}
			want := Ask
			if c.from > 0 && scope >= c.from {
				want = Approve
			}
			if d := a.Decide(c.r); d.Verdict != want {
				t.Errorf("%s, by %q: %s, want %s: %s", c.name, offers.Scopes()[scope-1], d.Verdict, want, d.Reason)
			}
			c.r.Session = "another"
			if d := a.Decide(c.r); d.Verdict != Ask {
				t.Errorf("%s, in another session: %s", c.name, d.Verdict)
			}
		}
	}
}

// What is allowed below a directory holds no longer for what another rule asks about, or rejects.
func TestSessionScopesAndOtherRules(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, verdict := range []Verdict{Ask, Reject} {
		a := b.authority(v2(rule("other", verdict, include("src/b.go"))))
		r := b.write("src/a.go")
		r.Session = "s"
		a.Remember(a.Allowance(r, asIs), 3)
		other, free := b.write("src/b.go"), b.write("src/c.go")
		other.Session, free.Session = "s", "s"
		if d := a.Decide(other); d.Verdict != verdict {
			t.Errorf("%s, want %s", said(d), verdict)
		}
		if d := a.Decide(free); d.Verdict != Approve {
			t.Errorf("what no rule names: %s: %s", d.Verdict, d.Reason)
		}
	}
}

// Who allows writing has not allowed reading, where somebody is asked about both.
func TestSessionScopesAreForOneAction(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(v2(rule("all", Ask)))
	write, read := b.write("src/a.go"), b.read("src/b.go")
	write.Session, read.Session = "s", "s"
	a.Remember(a.Allowance(write, asIs), 3)
	if d := a.Decide(write); d.Verdict != Approve {
		t.Fatalf("writing is %s: %s", said(d), d.Reason)
	}
	if d := a.Decide(read); d.Verdict != Ask {
		t.Errorf("reading is %s: %s", said(d), d.Reason)
	}
}

// What can be allowed of a file outside the workspace, of a tool, or in one of several directories, is said as it is.
func TestSessionScopesAreWhereTheFileIs(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	outside, second := t.TempDir(), t.TempDir()
	r := b.write(filepath.Join(outside, "a.md"))
	r.Session = "s"
	if got := b.authority().Allowance(r, asIs).Scopes(); len(got) != 1 {
		t.Errorf("outside: %q", got)
	}
	r = b.call("x", nil, "src/a.go")
	r.Session = "s"
	if got := b.authority().Allowance(r, asIs).Scopes(); len(got) != 1 {
		t.Errorf("a call of a tool: %q", got)
	}
	r = b.write(filepath.Join(second, "docs", "a.md"))
	r.Session, r.Workspace = "s", tool.Workspace{Root: b.ws, Additional: []string{second}}
	a := b.authority()
	offers := a.Allowance(r, asIs)
	if got := strings.Join(offers.Scopes(), "; "); !strings.HasSuffix(got, "every file of `"+second+"`") || len(offers.Scopes()) != 3 {
		t.Errorf("in a second directory: %q", got)
	}
	a.Remember(offers, 3)
	first := r
	first.Paths = b.write("docs/a.md").Paths
	if d := a.Decide(first); d.Verdict != Ask {
		t.Errorf("in the first directory: %s", d.Verdict)
	}
}
