package permissions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// FuzzDecide checks what no request may change: nothing is approved without an approving rule that covers all of it, apart
// from what the defaults approve; a rejecting rule about everything rejects; and a request that cannot be believed is never
// approved.
func FuzzDecide(f *testing.F) {
	for _, seed := range []struct {
		path, other, command string
		kind, flags          byte
	}{
		{"docs/a.md", "", "", 1, 0},
		{"docs/a.md", "", "", 1, 1},
		{"docs/a.md", "", "", 1, 2},
		{"docs/../.git/hooks/post-checkout", "", "", 1, 0},
		{"docs/a.md", "../outside", "", 1, 0},
		{"docs/link/x", "docs/./a", "", 1, 0},
		{"file:///etc/passwd", "docs/%2e%2e/x", "", 0, 0},
		{"docs//deep/\u202etxt", "~/.ssh/id_ed25519", "", 1, 1},
		{"", "", "git status", 2, 0},
		{"", "", "git status; rm -rf .", 2, 0},
		{"", "", "git status `rm x`", 2, 0},
		{"", "", "git status > docs/x", 2, 0},
		{"docs/a.md", "", "", 3, 2},
		{"docs/a.md", "", "", 3, 4},
	} {
		f.Add(seed.path, seed.other, seed.command, seed.kind, seed.flags)
	}
	b := newTestbed(f) // nobody writes to it
	if err := os.MkdirAll(filepath.Join(b.ws, "docs", "deep"), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.Symlink(b.dir, filepath.Join(b.ws, "docs", "link")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path, other, command string, kind, flags byte) {
		r := b.fuzzed(path, other, command, kind, flags)
		covers := rule("yes", Approve, include("docs/**"), commands("", "git status"))
		if r.Action != ActionExecute {
			covers = rule("yes", Approve, include("docs/**"))
		}

		for _, without := range [][]File{nil, {v2(rule("look", Ask), rule("other", Reject, about("nothing.like.it")))}} {
			if d := b.authority(without...).Decide(r); d.Verdict == Approve && (d.Source != SourceDefault || !onlyLooks(b, r)) {
				t.Errorf("without an approving rule: %s: %s", said(d), d.Reason)
			}
		}
		if d := b.authority(v2(covers, rule("no", Reject))).Decide(r); d.Verdict != Reject {
			t.Errorf("with a rule that rejects everything: %s: %s", said(d), d.Reason)
		}
		d := b.authority(v2(covers)).Decide(r)
		if d.Verdict != Approve {
			return
		}
		switch {
		case len(r.Doubts) > 0 || r.RequiresConfirmation:
			t.Errorf("approved, though it is doubtful or wants a person: %s", said(d))
		case d.Source == SourceDefault && onlyLooks(b, r):
		case d.Source != SourcePolicy || d.Rule != "yes":
			t.Errorf("approved by %s %q", said(d), d.Rule)
		case r.Action == ActionExecute && !strings.Contains(command, "git status"):
			t.Errorf("%q is approved as git status", command)
		}
		for _, p := range r.Paths {
			if d.Source == SourcePolicy && !below(filepath.Join(b.ws, "docs"), really(b.ws, p.Name)) {
				t.Errorf("%q is approved as something in docs: it is %s", p.Name, really(b.ws, p.Name))
			}
		}
	})
}

// fuzzed makes a request of what the fuzzer gives.
func (b testbed) fuzzed(path, other, command string, kind, flags byte) Request {
	var paths []string
	for _, p := range []string{path, other} {
		if p != "" {
			paths = append(paths, p)
		}
	}
	var r Request
	switch kind % 4 {
	case 0:
		r = b.read(paths...)
	case 1:
		r = b.write(paths...)
	case 2:
		r = b.request(ActionExecute, toolShell)
		script := shellscan.Scan(command)
		r.Shell, r.ShellText = &script, command
	default:
		r = b.call("mine", nil, paths...)
	}
	if flags&1 != 0 {
		r.Doubts = append(r.Doubts, "two readers would read it differently")
	}
	r.RequiresConfirmation = flags&2 != 0
	r.ReadOnly = flags&4 != 0
	return r
}

// onlyLooks tells whether the defaults may approve a request: it changes nothing, and all of it lies in the workspace.
func onlyLooks(b testbed, r Request) bool {
	for _, p := range r.Paths {
		file := really(b.ws, p.Name)
		if p.Write && !r.ReadOnly || !below(b.ws, file) && !below(b.dir+"/more", file) {
			return false
		}
	}
	return r.Action == ActionRead || r.Action == ActionCall && r.ReadOnly
}

// really gives the file that a name leads to, found in another way than the product's: the kernel resolves what is there.
func really(dir, name string) string {
	name = strings.TrimPrefix(name, "file://")
	if !filepath.IsAbs(name) {
		name = dir + "/" + name // not Join: .. goes to the parent of what a link leads to
	}
	real, rest := name, ""
	for {
		if resolved, err := filepath.EvalSymlinks(real); err == nil {
			return filepath.Join(resolved, rest)
		}
		if real == "/" || real == "." {
			return filepath.Join(real, rest)
		}
		real, rest = filepath.Dir(strings.TrimRight(real, "/")), filepath.Join(filepath.Base(real), rest)
	}
}

func below(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
