package permissions

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// remember keeps an "always" about a request for a session.
func remember(a *Authority, session string, r Request) string {
	r.Session = session
	return a.Remember(a.Allowance(r, func(text string) string { return text }), 1)
}

// What a person allows for a session is what was shown: a link that is turned while the person reads makes it nothing else.
func TestSessionGrantsAreForWhatWasShown(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	elsewhere := t.TempDir()
	link := filepath.Join(b.ws, "link")
	command := b.request(ActionExecute, toolShell)
	command.SetShellText("make test")
	command.Dir = link
	for name, r := range map[string]Request{
		"a file": b.write("link/a.md"), "a command": command, "a tool": b.call("x", nil, "link/a.md"),
	} {
		a := b.authority()
		_ = os.Remove(link)
		if err := os.Symlink("docs", link); err != nil {
			t.Fatal(err)
		}
		r.Session = "s"
		shown := a.Allowance(r, func(s string) string { return s })
		if err := errors.Join(os.Remove(link), os.Symlink(elsewhere, link)); err != nil {
			t.Fatal(err)
		}
		if words := a.Remember(shown, 1); words != "kept for this session: "+shown.Scopes()[0] || strings.Contains(words, elsewhere) {
			t.Errorf("%s: shown as %q, %s", name, shown.Scopes(), words)
		}
		if d := a.Decide(r); d.Verdict != Ask {
			t.Errorf("%s: what the name means by now is %s: %s", name, d.Verdict, d.Reason)
		}
	}
}

// A command that a person allows for a session is allowed where it was asked about: elsewhere the same
// words do something else.
func TestSessionGrantsKeepTheDirectory(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority()
	r := b.request(ActionExecute, toolShell)
	r.SetShellText("make test")
	remember(a, r.Session, r)
	if d := a.Decide(r); d.Verdict != Approve {
		t.Fatalf("where it was allowed it is %s: %s", d.Verdict, d.Reason)
	}
	r.Dir = b.ws + "/docs"
	if d := a.Decide(r); d.Verdict != Ask {
		t.Errorf("in another directory it is %s: %s", d.Verdict, d.Reason)
	}
}

// What a person allows of a tool that takes a command is that command with all that the tool is told beside it: where it runs,
// as whom, with what input. A list of words is not the text that they make.
func TestSessionGrantsKeepTheArguments(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	call := func(command string, more map[string]any) Request {
		r := b.call("run", map[string]any{"command": command})
		for name, value := range more {
			r.Arguments[name] = value
		}
		r.SetShellText(command)
		return r
	}
	words := func(argv ...any) Request { // two lists of commands' words, as the executor tells of them
		r := b.call("run", map[string]any{"first": argv, "second": []any{"x"}})
		r.SetShellText("echo a b\nx")
		return r
	}
	for _, c := range []struct {
		name           string
		allowed, other Request
	}{
		{"a directory", call("make", map[string]any{"workdir": "build"}), call("make", map[string]any{"workdir": "../other"})},
		{"no directory", call("make", nil), call("make", map[string]any{"workdir": "docs"})},
		{"a machine", call("uptime", map[string]any{"host": "test"}), call("uptime", map[string]any{"host": "production"})},
		{"an input", call("sh", map[string]any{"stdin": "true"}), call("sh", map[string]any{"stdin": "touch M"})},
		{"a user", call("id", map[string]any{"user": "nobody"}), call("id", map[string]any{"user": "root"})},
		{"a number", call("ls", map[string]any{"n": 1}), call("ls", map[string]any{"n": 2})},
		{"words", words("echo", "a", "b"), words("echo", "a b")},
	} {
		a := b.authority()
		c.allowed.Session, c.other.Session = "s", "s"
		remember(a, "s", c.allowed)
		if d := a.Decide(c.allowed); d.Verdict != Approve {
			t.Errorf("%s: what was allowed is %s: %s", c.name, d.Verdict, d.Reason)
		}
		if d := a.Decide(c.other); d.Verdict != Ask {
			t.Errorf("%s: another is %s: %s", c.name, d.Verdict, d.Reason)
		}
	}
}

// A grant ends with its time, whatever else still holds.
func TestGrantsExpire(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	digest := tool.Digest{1}
	g, err := Issue(Decision{Verdict: Approve, Policy: "p"}, digest, "plan", now)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Covers(digest, "plan", "p", "", now.Add(PermitLife-time.Second)); err != nil {
		t.Errorf("before its time is up: %v", err)
	}
	if err := g.Covers(digest, "plan", "p", "", now.Add(PermitLife)); !errors.Is(err, ErrPermitExpired) {
		t.Errorf("when its time is up: %v", err)
	}
	if err := g.Covers(digest, "plan", "q", "", now); !errors.Is(err, ErrPermitMismatch) {
		t.Errorf("with other rules: %v", err)
	}
}
