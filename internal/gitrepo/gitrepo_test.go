package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
)

// asker asks with the settings of the bed's person.
func asker(b *gitrepotest.Bed) *Asker { return &Asker{Environ: b.Environ()} }

// hazard looks at what a case has made, as permissions do; an error is a reason to ask as well.
func hazard(t *testing.T, b *gitrepotest.Bed, dir string, use Use) string {
	t.Helper()
	r, err := asker(b).Look(t.Context(), filepath.Join(b.Dir, dir), b.WS)
	if err != nil {
		return err.Error()
	}
	if r == nil {
		return ""
	}
	use.Home = b.Home
	if use.Roots == nil {
		use.Roots = []string{b.WS}
	}
	use.Secret = func(path string) string {
		if filepath.Base(path) == ".env" {
			return "may hold a secret"
		}
		return ""
	}
	return r.Hazard(use)
}

// The table is read, and every command and key in it is one that git knows or the row says otherwise.
func TestTable(t *testing.T) {
	t.Parallel()
	if _, err := parse(embedded); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"settings: [{keys: core}]", "settings: [{keys: Core.x}]", "settings: [{keys: c*.x}]", "settings: [{keys: a.b.c}]", "settings: [{keys: a.b, value: x}]",
		"settings: [{keys: a.b, value: /(/}]", "settings: [{keys: a.b, unless: x}]", "settings: [{key: a.b}]",
	} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	for _, name := range []string{"core.fsmonitor", "core.hooksPath", "core.pager"} {
		if !slices.ContainsFunc(switches(), func(v Variable) bool { return v.Name == name }) {
			t.Errorf("%s is not among the switches", name)
		}
	}
	for _, v := range switches() {
		rows := read().rows(normal(v.Name))
		if !slices.ContainsFunc(rows, func(r *row) bool { return r.switchedOff }) {
			t.Errorf("%s is switched off, and no row says so", v.Name)
		}
	}
}

// What people have is not asked about, and asking about it runs nothing. With -short it is every third of
// them.
func TestOrdinaryRepositories(t *testing.T) {
	t.Parallel()
	for i, c := range gitrepotest.Ordinary() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			b, dir := made(t, c)
			use := Use{Reads: true}
			if !strings.HasPrefix(dir, "ws") {
				use.Roots = []string{filepath.Join(b.Dir, dir)}
			}
			if why := hazard(t, b, dir, use); why != "" {
				t.Errorf("it is asked about: %s", why)
			}
			for _, args := range c.Commands {
				if run := b.Run(dir, nil, args...); run.Ran {
					t.Errorf("git %s runs something: %s", args, run.Output)
				}
			}
			asks(t, b, dir)
		})
	}
}

// Every hostile repository is asked about, and asking runs nothing of it. Each is one: git runs what it
// names. Where it is not asked about since whoever carries the command out sets the switches, git runs
// nothing with them. With -short it is every thirtieth of them.
func TestHostileRepositories(t *testing.T) {
	t.Parallel()
	every, least := 1, int32(12)
	if testing.Short() {
		every, least = 30, 1
	}
	var env []string
	for _, v := range Switches() {
		env = append(env, v.Name+"="+v.Value)
	}
	var switched atomic.Int32
	t.Run("all", func(t *testing.T) {
		for i, c := range gitrepotest.Hostile() {
			if i%every > 0 {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				b, dir := made(t, c)
				asks(t, b, dir)
				if hazard(t, b, dir, Use{Reads: true}) == "" && !c.ByOption {
					t.Error("it is not asked about")
				}
				if c.Leaks || c.Unproved != "" {
					return
				}
				for _, args := range c.Shows() {
					if run := b.Run(dir, nil, args...); !run.Ran {
						t.Errorf("git %s runs nothing, so this proves nothing: %s", args, run.Output)
					}
				}
				if c.ByOption || hazard(t, b, dir, Use{Reads: true, Switched: true}) != "" {
					return
				}
				switched.Add(1)
				for _, args := range c.Shows() {
					if run := b.Run(dir, env, args...); run.Ran {
						t.Errorf("with the switches, git %s runs something: %s", args, run.Output)
					}
				}
			})
		}
	})
	if n := switched.Load(); n < least {
		t.Errorf("only %d repositories are made harmless by the switches", n)
	}
}

// made makes the repository of a case.
func made(t *testing.T, c gitrepotest.Case) (b *gitrepotest.Bed, dir string) {
	t.Helper()
	b = gitrepotest.New(t)
	if !c.Applies(b) {
		t.Skipf("found a git that is older, wanted %s", c.Since)
	}
	return b, c.Make(b)
}

// asks puts the questions to git below strace: whatever the repository holds, nothing is run but git.
func asks(t *testing.T, b *gitrepotest.Bed, dir string) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("found no strace, wanted it to see what is run")
	}
	l, err := asker(b).begin(filepath.Join(b.Dir, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range []struct {
		environ []string
		args    []string
	}{
		{l.environ, askPlaces}, {l.switched, askSettings}, {l.switched, askIndex}, {l.switched, askOldIndex},
		{l.switched, askTracked}, {l.switched, askStaged}, {l.switched, askOthers}, {l.switched, askNew},
	} {
		// Some gits do not know the variable that has none fetch what is lacking.
		older := slices.DeleteFunc(slices.Clone(question.environ), func(v string) bool { return v == noLazyFetch })
		for _, environ := range [][]string{question.environ, older} {
			run := b.Traced(dir, environ, question.args...)
			if run.Ran || len(run.Programs) > 0 {
				t.Errorf("git %s runs %q: %s", question.args, run.Programs, run.Output)
			}
		}
	}
}

// What cannot be told is an error, and not an ordinary repository.
func TestUntold(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	look := func(a *Asker, dir string, avoid ...string) error {
		_, err := a.Look(t.Context(), dir, avoid...)
		return err
	}
	with := func(variables ...string) *Asker { return &Asker{Environ: append(b.Environ(), variables...)} }
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	b.Mkdir("ws/bin")
	b.Link(git, "ws/bin/git")
	for _, row := range []struct {
		name, want string
		err        error
	}{
		{"no git", "no git on the PATH", look(with("PATH=/nowhere"), b.WS)},
		{"a git of the workspace", "a file of the workspace", look(with("PATH="+b.WS+"/bin:"+os.Getenv("PATH")), b.WS, b.WS)},
		{"a git of whatever directory", "relative", look(with("PATH=bin:"+os.Getenv("PATH")), b.WS)},
		{"another repository", "GIT_DIR is set", look(with("GIT_DIR=/x"), b.WS)},
		{"another index", "GIT_INDEX_FILE is set", look(with("GIT_INDEX_FILE=/x"), b.WS)},
		{"settings of nobody knows what form", "GIT_CONFIG_PARAMETERS is set", look(with("GIT_CONFIG_PARAMETERS='a.b=c'"), b.WS)},
		{"a number that is none", "is no number", look(with("GIT_CONFIG_COUNT=x"), b.WS)},
		{"settings that are not there", "git says", look(with("GIT_CONFIG_COUNT=1"), b.WS)},
		{"a program of the repository by variable", "GIT_EXTERNAL_DIFF names ./x", look(with("GIT_EXTERNAL_DIFF=./x"), b.WS)},
		{"no time", "in time", look(&Asker{Environ: b.Environ(), Within: 1}, b.WS)},
		{"a directory that is not there", "git says", look(with(), b.WS+"/none")},
	} {
		if row.err == nil || !strings.Contains(row.err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.name, row.err, row.want)
		}
	}
	for name, content := range map[string]string{"malformed": "[core\n", "a circle": "[include]\n\tpath = config\n", "a value that is none": "[core]\n\tbare = perhaps\n"} {
		b.Git(".", "init", "-q", "ws/"+name)
		b.Append("ws/"+name+"/.git/config", content)
		if err := look(with(), b.WS+"/"+name); err == nil {
			t.Errorf("settings that are %s: no error", name)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := with().Look(cancelled, b.WS); err == nil {
		t.Error("given up: no error")
	}
}

// Where there is no repository, git works without one; a .git that is none is told by nobody.
func TestNoRepository(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	if r, err := asker(b).Look(t.Context(), b.WS); r != nil || err != nil {
		t.Errorf("it is %v, %v", r, err)
	}
	b.Write("ws/a/.git/HEAD", "ref: refs/heads/main\n")
	if r, err := asker(b).Look(t.Context(), b.WS+"/a"); r != nil || err == nil {
		t.Errorf("beside half a repository it is %v, %v", r, err)
	}
}

// Settings in the environment of the one who asks are looked at too, and have the switches left alone.
func TestSettingsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	for value, harmless := range map[string]bool{"true": true, "./evil": false} {
		a := &Asker{Environ: append(b.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+value)}
		r, err := a.Look(t.Context(), b.WS)
		if err != nil {
			t.Fatal(err)
		}
		if why := r.Hazard(Use{Reads: true, Switched: true, Roots: []string{b.WS}}); (why == "") != harmless || r.Switchable {
			t.Errorf("core.fsmonitor = %s: %q, can be switched: %v", value, why, r.Switchable)
		}
	}
}
