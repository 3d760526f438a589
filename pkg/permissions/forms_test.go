package permissions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The forms in which Unicode writes one name (UAX 15). To Linux they are files of their own, to macOS one.
const (
	composed = "caf\u00e9"  // NFC
	apart    = "cafe\u0301" // NFD
	capitals = "CAF\u00c9"
	mixed    = "Cafe\u0301"
)

// TestForms checks that a rule which stops stands for a name in whichever form it is written, and one that
// approves for its own alone.
func TestForms(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, test := range []struct {
		pattern string
		stops   []string
		exact   string // what it approves of those
	}{
		{composed + ".txt", []string{composed + ".txt", apart + ".txt", capitals + ".txt", mixed + ".txt"}, composed + ".txt"},
		{apart + ".txt", []string{composed + ".txt", apart + ".txt", capitals + ".txt", mixed + ".txt"}, apart + ".txt"},
		{"docs/" + composed + "/**", []string{"docs/" + apart + "/x", "docs/" + capitals + "/x/y", "docs/" + apart}, ""},
		{"caf?.txt", []string{composed + ".txt", apart + ".txt", capitals + ".txt"}, composed + ".txt"},
		{"caf[\u00e9x].txt", []string{composed + ".txt", apart + ".txt", capitals + ".txt"}, composed + ".txt"},
		{"*\u00e9*", []string{composed, apart, capitals, "x" + mixed + "y"}, composed},
		{"a\u0323\u0307.txt", []string{"a\u0323\u0307.txt", "a\u0307\u0323.txt", "\u1ea1\u0307.txt", "\u0227\u0323.txt"}, "a\u0323\u0307.txt"}, // the order of signs
		{"\u01f0.txt", []string{"\u01f0.txt", "j\u030c.txt", "J\u030c.txt"}, "\u01f0.txt"},                                                     // which has no capital of one character
		{"\u212b.txt", []string{"\u212b.txt", "\u00c5.txt", "A\u030a.txt", "\u00e5.txt"}, "\u212b.txt"},                                        // the sign for Angstrom
		{"\u1112\u1161\u11ab", []string{"\ud55c", "\u1112\u1161\u11ab"}, "\u1112\u1161\u11ab"},                                                 // Hangul
	} {
		stopping := b.authority(v2(rule("stop", Reject, include(test.pattern))))
		approving := b.authority(v2(rule("yes", Approve, include(test.pattern))))
		excluding := b.authority(v2(rule("yes", Approve, include("**"), exclude(test.pattern))))
		for _, name := range test.stops {
			if d := stopping.Decide(b.write(name)); d.Verdict != Reject {
				t.Errorf("%+q does not stop %+q: %s", test.pattern, name, said(d))
			}
			if d := stopping.Decide(with(b.write("x"), func(r *Request) {
				r.Action, r.Tools, r.Paths = ActionExecute, []string{"functions.shell"}, nil
				script := shellscan.Scan("cat '"+name+"'", nil)
				r.Shell, r.ShellText = &script, "cat '"+name+"'"
			})); d.Verdict != Reject {
				t.Errorf("%+q does not stop cat %+q: %s", test.pattern, name, said(d))
			}
			if d := excluding.Decide(b.write(name)); d.Verdict == Approve {
				t.Errorf("%+q excludes %+q, which is approved", test.pattern, name)
			}
			if d := approving.Decide(b.write(name)); (d.Verdict == Approve) != (name == test.exact) {
				t.Errorf("%+q about %+q: %s", test.pattern, name, said(d))
			}
		}
		if d := stopping.Decide(b.write("cafe.txt")); d.Verdict == Reject && test.pattern != "caf?.txt" {
			t.Errorf("%+q stops cafe.txt", test.pattern)
		}
	}
}

// TestFormsOfDirectories checks the same of the directories that names are relative to: that of the
// workspace, and our own.
func TestFormsOfDirectories(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{composed + "/ws/x": "", composed + "/state/key": ""})
	ws := filepath.Join(dir, composed, "ws")
	a := New(Options{
		Policies: NewSet([]File{v2(rule("stop", Reject, include("secret/**")), rule("yes", Approve, include("/**", "**")))}),
		OwnPaths: []string{filepath.Join(dir, composed, "state")},
	})
	ask := func(path string) Decision {
		return a.Decide(Request{Door: tool.DoorACP, Action: ActionWrite, Tools: []string{toolWrite}, Dir: ws, Workspace: tool.Workspace{Root: ws}, Paths: []Path{{Name: path, Write: true}}})
	}
	for _, form := range []string{composed, apart, capitals} {
		if d := ask(filepath.Join(dir, form, "ws", "secret", "x")); d.Verdict != Reject {
			t.Errorf("%+q: %s", form, said(d))
		}
		if d := ask(filepath.Join(dir, form, "state", "key")); d.Verdict == Approve {
			t.Errorf("our own file by %+q: %s", form, said(d))
		}
	}
	if d := ask(filepath.Join(ws, "plain")); d.Verdict != Approve {
		t.Errorf("a plain file: %s: %s", said(d), d.Reason)
	}
	if _, err := os.Lstat(filepath.Join(dir, apart)); err == nil {
		t.Log("this file system takes the forms for one")
	}
}

// TestSubcommandsAreNoFiles checks that what says which of a program's commands is meant is not taken for a
// file, and everything behind it is.
func TestSubcommandsAreNoFiles(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(v2(rule("stop", Reject, include("sta*", "src/**"))))
	for text, want := range map[string]Verdict{
		"git status": Ask, "git status .": Ask, "git diff src/a.go": Reject, "git add status": Reject, "cat status": Reject, "git -C status log": Reject,
		"git ./status": Reject, "go status.go": Reject, "./git status": Reject, "git status; cat status": Reject, "npm start": Ask, "bash start": Reject,
	} {
		d := a.Decide(with(b.write("x"), func(r *Request) {
			r.Action, r.Tools, r.Paths = ActionExecute, []string{"functions.shell"}, nil
			script := shellscan.Scan(text, nil)
			r.Shell, r.ShellText = &script, text
		}))
		if (d.Verdict == Reject) != (want == Reject) {
			t.Errorf("%s: %s: %s", text, said(d), d.Reason)
		}
	}
}

// A name through a link of /proc may be that of any file, so a rule that stops one is asked about, whoever approves the rest.
func TestNamesThroughProc(t *testing.T) {
	t.Parallel()
	if _, err := os.Readlink("/proc/self/cwd"); err != nil {
		t.Skip("there is no /proc here: ", err)
	}
	b := newTestbed(t)
	a := b.authority(v2(rule("stop", Reject, include("secret/**")), rule("all", Approve)))
	for text, want := range map[string]Verdict{
		"cat secret/k": Reject, "cat src/k": Approve, "cat /dev/stdin": Approve, "echo x > /dev/stderr": Approve, "cat /proc/meminfo": Approve,
		"cat /proc/self/cwd/secret/k": Ask, "cat < /proc/self/cwd/secret/k": Ask, "cp -r /proc/self/cwd x": Ask, "ls /proc/1/root/x": Ask,
		"echo x > /proc/thread-self/cwd/secret/k": Ask, "cat /dev/fd/../cwd/secret/k": Ask, "tool --file=/proc/self/cwd/secret/k": Ask,
	} {
		if d := a.Decide(b.shell(text)); d.Verdict != want {
			t.Errorf("%s: %s, want %s: %s", text, said(d), want, d.Reason)
		}
	}
}
