package permissions

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A variable that is set to a value with which it does nothing keeps no command from being approved.
func TestSetVariables(t *testing.T) {
	t.Parallel()
	b := corpusBed(t, ordinaryFiles)
	a := b.authority(presetFile(t, "careful"))
	for _, c := range []struct {
		name, value string
		want        Verdict
	}{
		{"GIT_PAGER", "cat", Approve}, {"PAGER", "", Approve}, {"GIT_TERMINAL_PROMPT", "0", Approve}, {"LANG", "C", Approve},
		{"GIT_PAGER", "sh -c id", Ask}, {"GIT_EXTERNAL_DIFF", "cat", Ask}, {"PATH", "/usr/bin", Ask},
		{"LANG", "en_US.UTF-8", Approve}, {"LANGUAGE", "en_US:en", Approve}, {"LC_TIME", "de_DE", Approve}, {"PYENV_VERSION", "3.12", Approve},
		{"LC_ALL", "zh_CN.GBK", Ask}, {"LANG", "ja_JP.SJIS", Ask}, {"LC_CTYPE", "zh_TW", Ask}, {"LANGUAGE", "../../ws/evil", Ask}, {"LC_ALL", "../x.utf-8", Ask},
		{"PYENV_HOOK_PATH", "hooks", Ask}, {"PYENV_VERSION", "../../x", Ask}, {"RBENV_ROOT", ".", Ask}, {"VOLTA_HOME", ".", Ask}, {"GAWK_PERSIST_FILE", "heap", Ask},
		{"MUSL_LOCPATH", ".", Ask}, {"LLVM_PROFILE_FILE", "main.go", Ask}, {"MORE", "-Ox", Ask},
		// Nobody knows what a program makes of any variable, in a text as little as beside it.
		{"NOBODY_KNOWS", "1", Ask}, {"GETCONF_DIR", "bin", Ask}, {"CLAUDECODE", "1", Approve}, {"NO_COLOR", "1", Approve}, {"TERM", "dumb", Approve},
	} {
		r := b.run("cat README.md")
		r.SetVariables([]Variable{{c.name, c.value}})
		if d := a.Decide(r); d.Verdict != c.want {
			t.Errorf("%s=%s: %s, want %s: %s", c.name, c.value, d.Verdict, c.want, because1(d))
		}
	}
	// A shell goes up from where PWD says that it is: of /proc/self/cwd to /proc/self, whose root leads to every file.
	builds := b.authority(presetFile(t, "careful"), v2(rule("builds", Approve, about(toolShell), commands(RedirectsNone, "make", "cd"))))
	for text, set := range map[string]string{"cd .. && cat environ": "PWD", "cd .. && make": "PWD", "make": "PWD", "make all": ""} {
		r := b.run(text)
		r.Dir = filepath.Join(r.Dir, "src")
		if set != "" {
			r.SetVariables([]Variable{{set, "/proc/self/cwd"}})
		}
		if d := builds.Decide(r); (d.Verdict == Approve) != (set == "") {
			t.Errorf("%s with %q: %s", text, set, said(d))
		}
	}
	for value, want := range map[string]Verdict{"1.2": Approve, "1; id": Ask, "$(shell id)": Ask} {
		r := b.run("make all")
		r.SetVariables([]Variable{{"VERSION", value}})
		if d := builds.Decide(r); d.Verdict != want {
			t.Errorf("make with VERSION=%s: %s", value, said(d))
		}
	}
	r := b.run("cat README.md")
	r.SetsVariables([]string{"NO_COLOR", "TZ"})
	if d := a.Decide(r); d.Verdict != Approve {
		t.Errorf("variables that do nothing else, whatever they hold: %s", said(d))
	}
	r = b.run("cat README.md")
	r.SetsVariables([]string{"GIT_PAGER"})
	if d := a.Decide(r); d.Verdict == Approve {
		t.Errorf("a GIT_PAGER of which nobody knows the value: %s", said(d))
	}
}

// What people are shown can be pasted into a shell, and is what would run there: quotes and redirections included.
func TestShownCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"git status":                          "git status",
		"git commit -m 'fix it' > log 2>&1":   "git commit -m 'fix it' > log 2>&1",
		`echo "a; rm -rf x" && 'my prog' ""`:  "echo 'a; rm -rf x' | 'my prog' ''",
		"find . -name '*.log' | xargs rm":     "find . -name '*.log' | xargs rm | rm … (run by xargs)",
		"rm *.o a\\ b*":                       `rm *.o a\ b*`,
		"wc -l < in >> out":                   "wc -l < in >> out",
		"(make; make check) > log":            "make | make check | { …; } > log",
		"> emptied":                           "> emptied",
		"cat <<'E'\nx\nE":                     "cat <<'E'",
		"env bash -c 'make > log' 2> err":     "env bash -c 'make > log' 2> err | bash -c 'make > log' (run by env) | make > log (run by env bash)",
		"f() { make > log; }; f":              "make > log",
		"echo \"$x\" > \"$y\"":                "echo … > \"$y\"",
		"for i in a b; do touch $i; done > l": "touch a | touch b | { …; } > l",
	} {
		r := Request{Action: ActionExecute}
		r.SetShellText(text)
		if got := strings.Join(r.ShownCommands(), " | "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// What an agent writes may be megabytes, of which people are shown a few hosts.
func TestHostsIn(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&many, "https://h%d.example/ ", i)
	}
	if got := HostsIn(many.String()); len(got) != mostHosts || got[0] != "h0.example" {
		t.Errorf("%d hosts: %q", len(got), got[:min(len(got), 3)])
	}
	text := strings.Repeat("x", mostHostText) + " https://late.example"
	if got := HostsIn(text, "https://later.example"); got != nil {
		t.Errorf("behind the bound: %q", got)
	}
	const urls = "see (https://a.example/x?y=1), file:///etc/passwd, --url=http://b.example:80 mailto:x@y.example https://a.example"
	if got := strings.Join(HostsIn(urls), " "); got != "a.example b.example:80" {
		t.Errorf("got %q", got)
	}
}
