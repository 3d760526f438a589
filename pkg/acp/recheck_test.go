package acp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// anyCell is a sandbox that holds an agent to everything but hooks, which only a person may let it change,
// by their real names.
type anyCell struct{}

func (anyCell) Hold(r Reaching) (permissions.Verdict, string) {
	if real, err := permissions.Resolve(r.Dir, r.Path); err != nil || strings.Contains(real, "/hooks/") {
		return permissions.Ask, "others run it"
	}
	return permissions.Approve, ""
}

func (anyCell) Whole() bool { return true }

func (anyCell) Terminal(TerminalOrder) (string, []string, error) { return "", nil, os.ErrInvalid }

func (anyCell) NoteOutput(string, string, string) {}

// partCell is anyCell on a machine that makes only a part of it.
type partCell struct{ anyCell }

func (partCell) Whole() bool { return false }

// A rule that requires a sandbox counts only where there is a whole one.
func TestConfinedWantsAWholeSandbox(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		confinement Confinement
		want        bool
	}{{anyCell{}, true}, {partCell{}, false}, {nil, false}} {
		b := &Bridge{o: Options{Confinement: row.confinement}}
		if r := b.newRequest(nil, "s", permissions.ActionWrite, "x"); r.Confined != row.want {
			t.Errorf("%T: confined %t, want %t", row.confinement, r.Confined, row.want)
		}
	}
}

// A person reads a question for as long as it takes. An agent that puts a link in the file's way meanwhile
// does not get the person's yes for another file; nor does one that waits for governors get the yes of a
// rule.
func TestAYesIsForTheFileThatWasShown(t *testing.T) {
	t.Parallel()
	for _, source := range []permissions.Source{permissions.SourcePerson, permissions.SourcePolicy, permissions.SourceAct} {
		for _, confinement := range []Confinement{anyCell{}, nil} {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "hooks"), 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "notes.md")
			b := &Bridge{o: Options{Confinement: confinement}}
			a := act{
				b:       b,
				request: permissions.Request{Action: permissions.ActionWrite, Dir: dir, Paths: []permissions.Path{{Name: path, Write: true}}},
				effect:  gate.Effect{Kind: permissions.ActionWrite, Path: path, Resolved: []string{path}},
			}
			yes := permissions.Decision{Verdict: permissions.Approve, Source: source, First: permissions.SourcePerson}
			if d := a.Recheck(yes); d.Verdict != permissions.Approve {
				t.Errorf("%s: the file as it was: %s %s", source, d.Verdict, d.Reason)
			}
			if err := os.Symlink("hooks/pre-commit", path); err != nil {
				t.Fatal(err)
			}
			if d := a.Recheck(yes); d.Verdict != permissions.Reject {
				t.Errorf("%s, confined %t: the yes carries over to where a new link leads", source, confinement != nil)
			}
		}
	}
}

// rejects are rules by which nothing may happen.
type rejects struct{ gate.Rules }

func (rejects) Decide(permissions.Request) permissions.Decision {
	return permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourcePolicy, Rule: "freeze"}
}

// What rules reject by now is rejected, though it was approved before: of an act that the agent's hook asked
// about as of every other.
func TestWhatWaitedIsDecidedAgain(t *testing.T) {
	t.Parallel()
	g, err := gate.New(gate.Options{InForce: func(tool.Workspace) gate.InForce { return gate.InForce{Rules: rejects{}} }, Record: unrecorded{}})
	if err != nil {
		t.Fatal(err)
	}
	a := ownAct{permissionPrompt: permissionPrompt{b: &Bridge{o: Options{Gate: g}}}}
	a.claim.resolve()
	yes := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePerson}
	for _, a.waits = range []bool{false, true} {
		want := permissions.Approve
		if a.waits {
			want = permissions.Reject
		}
		if d := a.Recheck(yes); d.Verdict != want {
			t.Errorf("it waited %t: %s, want %s", a.waits, d.Verdict, want)
		}
	}
}

type unrecorded struct{}

func (unrecorded) Record(context.Context, events.Event) error { return nil }

// asksAt are rules that ask about everything, by now at a terminal.
type asksAt struct{ gate.Rules }

func (asksAt) Decide(permissions.Request) permissions.Decision {
	return permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "r", AtTerminal: true}
}

// A rule comes to want the answer from a terminal while a question stands: a yes that was given elsewhere counts no
// more, one to a question that was for a terminal does.
func TestAYesFromElsewhereUnderARuleForTerminals(t *testing.T) {
	t.Parallel()
	g, err := gate.New(gate.Options{InForce: func(tool.Workspace) gate.InForce { return gate.InForce{Rules: asksAt{}} },
		Record: unrecorded{}})
	if err != nil {
		t.Fatal(err)
	}
	b := &Bridge{o: Options{Gate: g}}
	for _, source := range []permissions.Source{permissions.SourcePerson, permissions.SourceAct, permissions.SourcePolicy} {
		yes := permissions.Decision{Verdict: permissions.Approve, Source: source, First: permissions.SourcePerson}
		if d := b.decidedAgain(yes, permissions.Request{}); d.Verdict != permissions.Reject {
			t.Errorf("%s: a yes from elsewhere: %s %s", source, d.Verdict, d.Reason)
		}
	}
	yes := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePerson, AtTerminal: true}
	if d := b.decidedAgain(yes, permissions.Request{}); d.Verdict != permissions.Approve {
		t.Errorf("a yes from a terminal: %s %s", d.Verdict, d.Reason)
	}
}

// An agent names one file a million times, in 4 MB, and others wait in its lane: it is looked up once.
func TestANameIsLookedUpOnce(t *testing.T) { //nolint:paralleltest // AllocsPerRun has the process for itself
	names := slices.Repeat([]string{"a"}, 10_000)
	allocs := testing.AllocsPerRun(1, func() {
		c := claim{request: permissions.Request{Dir: "/", Action: permissions.ActionWrite}, touched: map[string]bool{}}
		c.readPaths(nil, map[string][]string{"locations": names, "diff": names}, rawInput{paths: names})
		if len(c.request.Paths) != 1 || c.request.Doubts != nil {
			t.Errorf("it is about %v, doubted for %q", c.request.Paths, c.request.Doubts)
		}
	})
	if allocs > 1000 {
		t.Errorf("%v allocations", allocs)
	}
}
