package permissions

import (
	"slices"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// gitBed has what the tests of repositories make, as the tests of decisions want it.
func gitBed(b *gitrepotest.Bed) testbed { return testbed{b.Dir, b.WS} }

// terminal is a text that is run by somebody who takes obligations.
func (b testbed) terminal(text string) Request {
	r := b.run(text)
	r.TakesObligations = true
	return r
}

// What can be switched off is approved where whoever carries it out switches it off, and only for commands
// that only read.
func TestObligation(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	b.Append("ws/.git/config", "[core]\n\tfsmonitor = ./evil\n\tpager = ./evil\n")
	bed := gitBed(b)
	shell := rule("r", Approve, func(r *Rule) { r.AppliesTo = []string{toolShell} }, commands("", "git commit", "git status", "make"))
	mine := File{Name: "x", Version: Version2, Rules: []Rule{shell}}
	for _, row := range []struct {
		name    string
		rules   File
		request Request
		want    Verdict
		obliged bool
	}{
		{"carried out by us", presetFile(t, "careful"), bed.terminal("git status"), Approve, true},
		{"in a directory below", presetFile(t, "careful"), bed.terminal("cd docs && git status -sb | head -3"), Approve, true},
		{"as words", presetFile(t, "careful"), func() Request { r := bed.terminal(""); r.SetArgv([]string{"git", "log"}); return r }(), Approve, true},
		{"below a launcher", presetFile(t, "careful"), bed.terminal("timeout 5 git status"), Approve, true},
		{"an agent's own", presetFile(t, "careful"), bed.run("git status"), Ask, false},
		{"another command obeys the variables, too", mine, bed.terminal("git status && git commit -m x"), Ask, false},
		{"so does another program", mine, bed.terminal("git status; make"), Ask, false},
		{"no git", presetFile(t, "careful"), bed.terminal("ls"), Approve, false},
		{"a diff that runs what no switch turns off", presetFile(t, "careful"), bed.terminal("git diff --ext-diff"), Ask, false},
	} {
		d := bed.authority(row.rules).Decide(row.request)
		if d.Verdict != row.want || d.Obligation.None() == row.obliged || (d.Obligation.Why == "") == row.obliged {
			t.Errorf("%s: it is %s with %v, want %s: %s", row.name, d.Verdict, d.Obligation, row.want, because1(d))
		}
	}
	d := bed.authority(presetFile(t, "careful")).Decide(bed.terminal("git log"))
	var env []string
	for _, v := range d.Obligation.Environment {
		env = append(env, v.Name+"="+v.Value)
	}
	for _, args := range [][]string{{"log"}, {"status"}, {"diff"}} {
		if run := b.Run("ws", env, args...); run.Ran {
			t.Errorf("with the obligation, git %s runs something: %s", args, run.Output)
		}
		if run := b.Run("ws", nil, args...); !run.Ran {
			t.Errorf("without it, git %s runs nothing, so this proves nothing: %s", args, run.Output)
		}
	}
}

// A partial clone stays of use: what it lacks is fetched where its settings name nothing but another machine.
func TestObligationOfPartialClones(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	bed := gitBed(b)
	off := Variable{"GIT_NO_LAZY_FETCH", "1"}
	a := bed.authority(presetFile(t, "careful"))
	if d := a.Decide(bed.terminal("git log -p")); d.Verdict != Approve || !slices.Contains(d.Obligation.Environment, off) {
		t.Errorf("it is %s with %v", d.Verdict, d.Obligation)
	}
	b.Append("ws/.git/config", "[remote \"origin\"]\n\turl = https://example.com/x\n\tpromisor = true\n")
	if d := a.Decide(bed.terminal("git log -p")); d.Verdict != Approve || slices.Contains(d.Obligation.Environment, off) {
		t.Errorf("of a partial clone it is %s with %v: %s", d.Verdict, d.Obligation, because1(d))
	}
}

// A person's yes, and a session's, is to the act as it was asked for.
func TestNoObligationOfOthers(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	bed := gitBed(b)
	a := bed.authority()
	r := bed.terminal("git status")
	if why := remember(a, r.Session, r); why == "" {
		t.Fatal("nothing is kept")
	}
	if d := a.Decide(r); d.Verdict != Approve || d.Source != SourceSession || !d.Obligation.None() {
		t.Errorf("it is %s by %s with %v", d.Verdict, d.Source, d.Obligation)
	}
	r = bed.terminal("git status")
	r.Door = tool.DoorCLI
	if d := a.Decide(r); !d.Obligation.None() {
		t.Errorf("for who typed it, it is %s with %v", d.Verdict, d.Obligation)
	}
}
