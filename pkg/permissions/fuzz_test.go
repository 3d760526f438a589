package permissions

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// FuzzDecide checks what no request may change: nothing is approved without an approving rule that covers
// all of it, apart from what the defaults approve; a rejecting rule about everything rejects; and a request
// that cannot be believed is never approved.
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
		script := shellscan.Scan(command, nil)
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

// onlyLooks reports whether the defaults may approve a request: it changes nothing, and all of it lies in
// the workspace.
func onlyLooks(b testbed, r Request) bool {
	for _, p := range r.Paths {
		file := really(b.ws, p.Name)
		if p.Write && !r.ReadOnly || !below(b.ws, file) && !below(b.dir+"/more", file) {
			return false
		}
	}
	return r.Action == ActionRead || r.Action == ActionCall && r.ReadOnly
}

// really returns the file that a name leads to, found in another way than the product's: the kernel
// resolves what is there.
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

// FuzzConditions: what the conditions of version 2 approve is so, found in another way than the product's:
// every host that a reader of URLs could see is the rule's, the file lies where the rule says, the number
// is in its bounds. A rule that rejects everything, a doubt and a missing value hold against each of them,
// and none approves what another one would not let match: conditions only take away.
func FuzzConditions(f *testing.F) {
	for _, seed := range []struct{ text, agent, mode string }{
		{"https://api.example.com/x", "codex", "plan"}, {"https://api.example.com@evil.org/", "", ""}, {"docs/a.md", "codex-cli", "headless"},
		{"docs/../../etc/passwd", "x", ""}, {"1e3", "", ""}, {"https://evil.org\\@api.example.com/", "", ""}, {"docs/to_src/../a", "", ""},
		{"file:///docs/a", "", ""}, {"HTTPS://API.EXAMPLE.COM:443", "", ""}, {"https://api.example.com:0443/", "", ""},
	} {
		f.Add(seed.text, seed.agent, seed.mode)
	}
	b := newTestbed(f) // nobody writes to it
	host, inside := wants("a", Matcher{Host: []string{"api.example.com"}}), wants("a", Matcher{Within: "docs"})
	bound, word := wants("a", Matcher{Min: "0", Max: "10"}), wants("a", Matcher{Regex: "[a-z]+"})
	who, how := agents("codex*"), inModes("plan")
	condition := when("size(params.a) < 100 && params.a.startsWith('d')")
	all := []func(*Rule){host, inside, bound, word, who, how, condition, atMost(RiskMedium)}
	var alone, paired, rejected []*Authority // made once: an expression takes milliseconds to compile
	for i, one := range all {
		other := all[(i+3)%len(all)]
		if i < 4 {
			other = []func(*Rule){who, how, condition, atMost(RiskMedium)}[i] // two matchers of one argument would replace each other
		}
		alone = append(alone, b.authority(v2(rule("yes", Approve, one))))
		paired = append(paired, b.authority(v2(rule("yes", Approve, one, other))))
		rejected = append(rejected, b.authority(v2(rule("yes", Approve, one), rule("no", Reject))))
	}
	approves := func(t *testing.T, r Request, a *Authority) bool {
		d := a.Decide(r)
		if d.Verdict == Approve && (d.Source != SourcePolicy || d.Rule != "yes" || !d.Reasons[0].Matched) {
			t.Errorf("approved without a reason: %s: %+v", said(d), d.Reasons)
		}
		return d.Verdict == Approve
	}
	f.Fuzz(func(t *testing.T, text, agent, mode string) {
		r := b.call("x", args("a", text))
		r.Agent, r.Mode = agent, mode
		if approves(t, r, alone[0]) {
			u, err := url.Parse(text)
			if err != nil || !strings.EqualFold(u.Hostname(), "api.example.com") || u.User != nil || strings.Contains(text, `\`) ||
				u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "ws" && u.Scheme != "wss" {
				t.Errorf("%q is approved as a URL of api.example.com", text)
			}
		}
		if approves(t, r, alone[1]) && !below(filepath.Join(b.ws, "docs"), really(b.ws, text)) {
			t.Errorf("%q is approved as a file of docs: it is %s", text, really(b.ws, text))
		}
		if approves(t, r, alone[2]) {
			if n, err := strconv.ParseFloat(text, 64); err != nil || n < 0 || n > 10 {
				t.Errorf("%q is approved as a number from 0 to 10", text)
			}
		}
		if approves(t, r, alone[3]) && (text == "" || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") != "") {
			t.Errorf("%q is approved as a word", text)
		}
		if approves(t, r, alone[4]) && !strings.HasPrefix(agent, "codex") || approves(t, r, alone[5]) && mode != "plan" {
			t.Errorf("%q in mode %q is approved", agent, mode)
		}
		for i := range all {
			doubtful, withheld := r, r
			doubtful.Doubts, withheld.Withheld = []string{"x"}, map[string]bool{"a": true}
			if approves(t, doubtful, alone[i]) || i < 4 && approves(t, withheld, alone[i]) {
				t.Errorf("condition %d approves what cannot be believed, or is not known", i)
			}
			if approves(t, r, paired[i]) && !approves(t, r, alone[i]) {
				t.Errorf("condition %d and another approve what one of them does not", i)
			}
			if d := rejected[i].Decide(r); d.Verdict != Reject {
				t.Errorf("condition %d: with a rule that rejects everything: %s", i, said(d))
			}
		}
	})
}
