package permissions

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A person allows a command that builds or tests the project with any words behind the one that says what it does. Nothing
// else comes along: what the words of a rule do not cover is asked about.
func TestSessionWords(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	if err := os.WriteFile(filepath.Join(b.ws, "docs", "run.sh"), []byte("true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(text string) Request {
		r := b.request(ActionExecute, toolShell)
		r.SetShellText(text)
		r.Session = "s"
		return r
	}
	reads := v2(rule("reads", Approve, commands(RedirectsNone, "tail", "grep", "cat")))
	for _, c := range []struct {
		command, offered string // the first words; "" for none
		covers, not      []string
	}{
		{"pytest tests/a.py", "`pytest`", []string{"pytest", "pytest -x tests/b.py 2>&1 | tail -5", "cd docs && pytest -k x"},
			[]string{"pytest -p evil", "pytest -c ../other.ini", "pytest; rm -rf docs", "pytest > docs/out", "py.test", "PATH=docs pytest",
				"PYTEST_ADDOPTS='-p evil' pytest",
				"pytest $(id)", "pytest && curl https://example.com", "env pytest", "bash docs/run.sh"}},
		{"python3 -m pytest -x", "`python3 -m pytest`", []string{"python3 -m pytest tests -q"},
			[]string{"python3 -m pytest_evil", "python3 -c 'import pytest'", "python3 docs/x.py", "pytest", "python -m pytest"}},
		{"npm run build", "`npm run build`", []string{"npm run build -- --fast"}, []string{"npm run deploy", "npm test", "npm run"}},
		{"npm test 2>&1 | tail -3", "`npm test`", []string{"npm test", "npm test -- a | grep FAIL"},
			[]string{"npm run test", "npm publish", "npm test --script-shell=docs/run.sh", "npm --prefix docs test"}},
		{"go test ./... && cat docs/a.md", "`go test`", []string{"go test -run X ./docs"}, []string{"go run .", "go test -exec docs/run.sh ./..."}},
		{"make test", "", nil, nil}, // its next word may be install
		{"rm docs/a.md", "", nil, nil},
		{"bash docs/run.sh", "", nil, nil},
		{"pytest && curl https://example.com", "", nil, nil},
		{"npm publish", "", nil, nil},
		{"npm install left-pad", "", nil, nil},
		{"cargo publish", "", nil, nil},
		{"docker compose up", "", nil, nil},
		{"node --test", "", nil, nil},
		{"dotnet test docs", "`dotnet test`", []string{"dotnet test --no-build"}, []string{"dotnet nuget push x", "dotnet run"}},
		// The word behind an option may be its value, and what is done stand behind it.
		{"npm --tag test test", "", nil, nil},
		{"npm --loglevel run publish", "", nil, nil},
		{"npm run --tag build publish", "", nil, nil},
		{"npx --cache jest evil", "", nil, nil},
		{"cargo --offline test", "", nil, nil},
		{"python3 -W -m pytest", "", nil, nil},
		// Their options are not known, or their words are targets.
		{"meson test", "", nil, nil},
		{"cabal test", "", nil, nil},
		{"zig build test", "", nil, nil},
		{"npm test --tag x", "`npm test`", nil, []string{"npm --tag test publish"}},
		{"tox -e py", "", nil, nil}, // which may be called deploy, too
		{"cmake --build .", "", nil, nil},
		{"npm rm x", "", nil, nil},
		{"cargo clean", "", nil, nil},
		{"go run .", "", nil, nil},
		{"yarn deploy", "", nil, nil},
		{"mvn test", "", nil, nil},
		{"hatch publish", "", nil, nil},
		{"npx jest docs", "`npx jest`", []string{"npx jest -t x"}, []string{"npx vitest", "jest"}},
	} {
		a := b.authority(reads)
		offers := a.Allowance(ask(c.command), asIs)
		scopes := offers.Scopes()
		if c.offered == "" {
			if len(scopes) > 1 {
				t.Errorf("%s: offered: %q", c.command, scopes)
			}
			continue
		}
		if want := c.offered + ", with any words behind, in the workspace"; len(scopes) != 2 || scopes[1] != want {
			t.Errorf("%s: offered: %q, want %q", c.command, scopes, want)
			continue
		}
		narrow := b.authority(reads)
		narrow.Remember(offers, 1)
		a.Remember(offers, 2)
		for _, text := range append(slices.Clone(c.covers), c.command) {
			d := a.Decide(ask(text))
			if d.Verdict != Approve || d.Source != SourceSession || !strings.Contains(d.Reason, c.offered) {
				t.Errorf("%s, after %s: %s", text, scopes[1], said(d))
			}
			if d := narrow.Decide(ask(text)); text != c.command && d.Verdict != Ask {
				t.Errorf("%s, after %s: %s", text, scopes[0], said(d))
			}
			elsewhere := ask(text)
			elsewhere.Session = "another"
			if d := a.Decide(elsewhere); d.Verdict != Ask {
				t.Errorf("%s, in another session: %s", text, said(d))
			}
		}
		for _, text := range c.not {
			if d := a.Decide(ask(text)); d.Verdict != Ask {
				t.Errorf("%s, after %s: %s", text, scopes[1], said(d))
			}
		}
		a.Forget("s")
		if d := a.Decide(ask(c.command)); d.Verdict != Ask {
			t.Errorf("%s, after the session: %s", c.command, said(d))
		}
	}
}

// Words that are allowed for a session yield to every rule that asks, rejects or counts, and to who takes them back.
func TestSessionWordsAndOtherRules(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	ask := func(text string) Request {
		r := b.request(ActionExecute, toolShell)
		r.SetShellText(text)
		r.Session = "s"
		return r
	}
	first := b.authority()
	first.Remember(first.Allowance(ask("pytest a"), asIs), 2)
	if d := first.Decide(ask("pytest b")); d.Verdict != Approve {
		t.Fatal(said(d))
	}
	for _, verdict := range []Verdict{Ask, Reject} {
		a := first.With(NewSet([]File{v2(rule("other", verdict, commands(RedirectsNone, "pytest")))}), nil)
		if d := a.Decide(ask("pytest b")); d.Verdict != verdict {
			t.Errorf("%s, want %s", said(d), verdict)
		}
	}
	limited := rule("limited", Approve, commands(RedirectsNone, "tail"))
	limited.Limit = &Limit{Count: 1, Per: 1 << 40}
	if d := first.With(NewSet([]File{v2(limited)}), nil).Decide(ask("pytest b | tail")); d.Verdict != Ask {
		t.Errorf("beside a rule that counts: %s", said(d))
	}
	if d := first.WithAnswers(true).Decide(ask("pytest b")); d.Verdict != Ask {
		t.Errorf("where only a terminal answers: %s", said(d))
	}
	other := ask("pytest b")
	other.Workspace.Additional = []string{t.TempDir()}
	if d := first.Decide(other); d.Verdict != Ask {
		t.Errorf("in another workspace: %s", said(d))
	}
	list := &fakeApprovalLog{holds: map[string]bool{}}
	listed := New(Options{ApprovalLog: list})
	listed.Remember(listed.Allowance(ask("pytest a"), asIs), 2)
	one := maps.Clone(list.holds)
	listed.Remember(listed.Allowance(ask("npm test"), asIs), 2)
	if d := listed.Decide(ask("pytest b && npm test -- c")); d.Verdict != Approve {
		t.Errorf("by two that were allowed: %s", said(d))
	}
	for key := range one {
		list.holds[key] = false
	}
	for text, want := range map[string]Verdict{"pytest b": Ask, "pytest b && npm test": Ask, "npm test -- c": Approve} {
		if d := listed.Decide(ask(text)); d.Verdict != want {
			t.Errorf("%s, after pytest was taken back: %s", text, said(d))
		}
	}
	called := b.call(toolShell, map[string]any{"command": "pytest b"})
	called.SetShellText("pytest b")
	called.Session = "s"
	if d := first.Decide(called); d.Verdict != Ask {
		t.Errorf("by a tool: %s", said(d))
	}
}
